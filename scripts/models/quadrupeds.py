"""Unitree Laikago and Go2."""

from urdf import HALF_PI, Box, Capsule, Cylinder, Inertial, Limit, Robot, Side, Sphere

LAIKAGO_HEADER = """Unitree Laikago: four legs of 3 joints. Load it with a floating base; the root is the trunk.

Frames, inertials, limits and the sizes of shapes are those of the manufacturer (Unitree, unitree_ros
laikago_description); what it has as a separate link at the shoulder, without mass, is a shape of the hip here. All
joints at zero: legs stretched downwards, out of the limits of the knees. Standing: thighs 0.7, calves -1.4."""

GO2_HEADER = """Unitree Go2: four legs of 3 joints. Load it with a floating base; the root is the base.

Frames, inertials (those of the motors' rotors are links of their own) and limits are those of the manufacturer
(Unitree, unitree_ros go2_description); shapes have its sizes, the two lower cylinders of the calf being a capsule
here. All joints at zero: legs stretched downwards, out of the limits of the knees. Standing: thighs 0.8, calves
-1.6."""

X, Y = (1, 0, 0), (0, 1, 0)
SIDEWAYS = (HALF_PI, 0, 0)
DOWNWARDS = (0, HALF_PI, 0)

LEGS = (("FL", True, False), ("FR", True, True), ("RL", False, False), ("RR", False, True))  # front?, right?


def rear(inertial: Inertial) -> Inertial:
    """Front and rear (x) exchanged."""
    xx, xy, xz, yy, yz, zz = inertial.inertia
    x, y, z = inertial.com
    return Inertial(inertial.mass, (-x, y, z), (xx, -xy, -xz, yy, yz, zz))


def add_laikago_leg(side: Side, front: bool):
    hip = Inertial(
        1.096,
        (-0.001568, -0.008134, 0.000864),
        (0.000822113, -4.982e-06, -3.672e-05, 0.000983196, 2.811e-06, 0.000864753),
    )
    shapes = [Cylinder((0, -0.021, 0), SIDEWAYS, 0.041, 0.08), Cylinder((0, 0.059, 0), SIDEWAYS, 0.044, 0.08)]
    side.link("hip", hip if front else rear(hip), shapes)
    side.joint(
        "hip_joint",
        "revolute",
        "trunk",
        "hip",
        (0.21935 if front else -0.21935, 0.0875, 0),
        axis=X,
        limit=Limit(-0.872664626, 1.04719755, 20, 52.4),
        root=True,
    )
    thigh = Inertial(
        1.528,
        (-0.000482, 0.02001, -0.031996),
        (0.00991611, 1.0388e-05, 0.000250428, 0.009280083, -8.511e-05, 0.00178256),
    )
    side.link("thigh", thigh, [Box((0, 0, -0.125), DOWNWARDS, (0.25, 0.034, 0.043))])
    side.joint(
        "thigh_joint",
        "revolute",
        "hip",
        "thigh",
        (0, 0.037, 0),
        axis=Y,
        limit=Limit(-0.523598776, 3.92699082, 55, 28.6),
    )
    # The same on both sides.
    calf = Inertial(
        0.241, (-0.002196, -0.000381, -0.12338), (0.006181961, 2.37e-07, -2.985e-06, 0.006196546, 5.138e-06, 3.4774e-05)
    )
    calf = calf.mirrored() if side.is_mirrored else calf
    side.link("calf", calf, [Box((0, 0, -0.125), DOWNWARDS, (0.25, 0.016, 0.016))])
    side.joint(
        "calf_joint",
        "revolute",
        "thigh",
        "calf",
        (0, 0, -0.25),
        axis=Y,
        limit=Limit(-2.77507351, -0.610865238, 55, 28.6),
    )
    foot = Sphere(radius=0.0265)
    side.link("foot", foot.solid(0.06), [foot])
    side.joint("foot_fixed", "fixed", "calf", "foot", (0, 0, -0.25))


def make_laikago() -> Robot:
    robot = Robot("laikago", LAIKAGO_HEADER)
    robot.comment("Trunk")
    trunk = Inertial(
        13.733,
        (0.002284, -4.1e-05, 0.025165),
        (0.073348887, 0.00030338, 0.001918218, 0.250684593, -7.5402e-05, 0.254469458),
    )
    robot.link("trunk", trunk, [Box((0, 0, 0.01675), size=(0.5616, 0.172, 0.1875))])
    for name, front, right in LEGS:
        robot.comment(f"Leg {name}")
        add_laikago_leg(robot.side(f"{name}_", right), front)
    return robot


def add_go2_leg(side: Side, front: bool):
    x = 1 if front else -1
    rotor_x = Inertial(0.089, (0, 0, 0), (0.000111842, 0, 0, 5.9647e-05, 0, 5.9647e-05))
    rotor_y = Inertial(0.089, (0, 0, 0), (5.9647e-05, 0, 0, 0.000111842, 0, 5.9647e-05))

    def add_rotor(name: str, parent: str, xyz, rotor: Inertial, root: bool = False):
        side.link(f"{name}_rotor", rotor)
        side.joint(f"{name}_rotor_joint", "fixed", parent, f"{name}_rotor", xyz, root=root)

    hip = Inertial(0.678, (-0.0054, 0.00194, -0.000105), (0.00048, -3.01e-06, 1.11e-06, 0.000884, -1.42e-06, 0.000596))
    add_rotor("hip", "base", (x * 0.11215, 0.04675, 0), rotor_x, root=True)
    side.link("hip", hip if front else rear(hip), [Cylinder((0, 0.08, 0), SIDEWAYS, 0.046, 0.04)])
    side.joint(
        "hip_joint",
        "revolute",
        "base",
        "hip",
        (x * 0.1934, 0.0465, 0),
        axis=X,
        limit=Limit(-1.0472, 1.0472, 23.7, 30.1),
        root=True,
    )
    add_rotor("thigh", "hip", (0, -0.00015, 0), rotor_y)
    thigh = Inertial(1.152, (-0.00374, -0.0223, -0.0327), (0.00584, 8.72e-05, -0.000289, 0.0058, 0.000808, 0.00103))
    side.link("thigh", thigh, [Box((0, 0, -0.1065), DOWNWARDS, (0.213, 0.0245, 0.034))])
    limit = Limit(-1.5708, 3.4907, 23.7, 30.1) if front else Limit(-0.5236, 4.5379, 23.7, 30.1)
    side.joint("thigh_joint", "revolute", "hip", "thigh", (0, 0.0955, 0), axis=Y, limit=limit)
    add_rotor("calf", "thigh", (0, -0.03235, 0), rotor_y)
    calf = Inertial(0.154, (0.00548, -0.000975, -0.115), (0.00108, 3.4e-07, 1.72e-05, 0.0011, 8.28e-06, 3.29e-05))
    shapes = [
        Cylinder((0.01, 0, -0.06), (0, -0.2, 0), 0.013, 0.12),
        Capsule((0.0216, 0, -0.1155), (0.0075, 0, -0.193), 0.012),
    ]
    side.link("calf", calf, shapes)
    side.joint(
        "calf_joint", "revolute", "thigh", "calf", (0, 0, -0.213), axis=Y, limit=Limit(-2.7227, -0.83776, 45.43, 15.7)
    )
    side.link(
        "foot", Inertial(0.04, (0, 0, 0), (9.6e-06, 0, 0, 9.6e-06, 0, 9.6e-06)), [Sphere((-0.002, 0, 0), radius=0.022)]
    )
    side.joint("foot_joint", "fixed", "calf", "foot", (0, 0, -0.213))


def make_go2() -> Robot:
    robot = Robot("go2", GO2_HEADER)
    robot.comment("Base and head")
    base = Inertial(6.921, (0.021112, 0, -0.005366), (0.02448, 0.00012166, 0.0014849, 0.098077, -3.12e-05, 0.107))
    robot.link("base", base, [Box(size=(0.3762, 0.0935, 0.114))])
    head = Inertial(0.001, (0, 0, 0), (9.6e-06, 0, 0, 9.6e-06, 0, 9.6e-06))
    robot.link("head_upper", head, [Cylinder(radius=0.05, length=0.09)])
    robot.joint("head_upper_joint", "fixed", "base", "head_upper", (0.285, 0, 0.01))
    robot.link("head_lower", head, [Sphere(radius=0.047)])
    robot.joint("head_lower_joint", "fixed", "head_upper", "head_lower", (0.008, 0, -0.07))
    for name, front, right in LEGS:
        robot.comment(f"Leg {name}")
        add_go2_leg(robot.side(f"{name}_", right), front)
    return robot
