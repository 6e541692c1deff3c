"""Upper body of the Unitree G1: torso, two arms, two Dex3 hands."""

from urdf import HALF_PI, Box, Capsule, Cylinder, Inertial, Limit, Robot, Side

HEADER = """Upper body of a Unitree G1: two arms of 7 joints and two Dex3 hands of 7. The root is the torso.

Frames, inertials and limits are those of the manufacturer (Unitree, unitree_ros g1_description); the right side is
the mirror image of the left one, from which the manufacturer's differs by 10 micrometres at the shoulder. Collision
shapes are our own, fitted to the size of the housings."""

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

# Of the left arm: link, inertial, shapes; joint to it: name, parent, origin, rpy, axis, limit.
ARM = [
    (
        "shoulder_pitch_link",
        Inertial(0.718, (0, 0.035892, -0.011628), (0.0004291, -9.2e-06, 6.4e-06, 0.000453, 2.26e-05, 0.000423)),
        [Cylinder((0, 0.04, -0.01), (0, HALF_PI, 0), 0.03, 0.05)],
        ("shoulder_pitch_joint", "torso_link", (0.0039563, 0.10022, 0.24778), (0.27931, 5.4949e-05, -0.00019159), Y),
        Limit(-3.0892, 2.6704, 25, 37),
    ),
    (
        "shoulder_roll_link",
        Inertial(0.643, (-0.000227, 0.00727, -0.063243), (0.0006177, -1e-06, 8.7e-06, 0.0006912, -5.3e-06, 0.0003894)),
        [Cylinder((-0.004, 0.006, -0.053), radius=0.03, length=0.03)],
        ("shoulder_roll_joint", "shoulder_pitch_link", (0, 0.038, -0.013831), (-0.27925, 0, 0), X),
        Limit(-1.5882, 2.2515, 25, 37),
    ),
    (
        "shoulder_yaw_link",
        Inertial(
            0.734, (0.010773, -0.002949, -0.072009), (0.0009988, 7.9e-06, 0.0001412, 0.0010605, -2.86e-05, 0.0004354)
        ),
        [Capsule((0.0078, 0.001, -0.0748), (0.0078, 0.001, -0.0074), 0.036)],
        ("shoulder_yaw_joint", "shoulder_roll_link", (0, 0.00624, -0.1032), (0, 0, 0), Z),
        Limit(-2.618, 2.618, 25, 37),
    ),
    (
        "elbow_link",
        Inertial(0.6, (0.064956, 0.004454, -0.010062), (0.0002891, 6.53e-05, 1.72e-05, 0.0004152, -5.6e-06, 0.0004197)),
        [Capsule((0.0055, 0.0018, -0.0078), (0.0647, 0.0018, -0.0078), 0.0353)],
        ("elbow_joint", "shoulder_yaw_link", (0.015783, 0, -0.080518), (0, 0, 0), Y),
        Limit(-1.0472, 2.0944, 25, 37),
    ),
    (
        "wrist_roll_link",
        Inertial(
            0.08544498,
            (0.0171394478, 0.00053759094, 4.8864e-07),
            (4.82154402e-05, -4.24511021e-06, 5.10599e-09, 3.72289909e-05, -1.23525e-09, 5.48210654e-05),
        ),
        [Cylinder((0.028, -0.0002, 0), (0, HALF_PI, 0), 0.03, 0.056)],
        ("wrist_roll_joint", "elbow_link", (0.1, 0.00188791, -0.01), (0, 0, 0), X),
        Limit(-1.97222205, 1.97222205, 25, 37),
    ),
    (
        "wrist_pitch_link",
        Inertial(
            0.48404956,
            (0.0229998984, -0.00111685314, -0.00111658096),
            (0.000165796463, -1.23120675e-05, 1.23169919e-05, 0.000429540574, 8.1417712e-07, 0.000429536977),
        ),
        [Capsule((0, 0, 0), (0.046, 0, 0), 0.0285)],
        ("wrist_pitch_joint", "wrist_roll_link", (0.038, 0, 0), (0, 0, 0), Y),
        Limit(-1.61442956, 1.61442956, 5, 22),
    ),
    (
        "wrist_yaw_link",
        Inertial(
            0.08457647,
            (0.0220038157, 0.00049485096, 0.00053861123),
            (4.92912883e-05, -4.5735494e-07, 4.45867591e-06, 5.97333813e-05, 4.3217198e-07, 3.92808383e-05),
        ),
        [Box((0.0118, 0.0031, -0.0002), size=(0.0595, 0.0539, 0.0605))],
        ("wrist_yaw_joint", "wrist_pitch_link", (0.046, 0, 0), (0, 0, 0), Z),
        Limit(-1.61442956, 1.61442956, 5, 22),
    ),
]

# The fingers are the same module, its two segments along x; the thumb has it turned over (see turned).
FIRST = Inertial(
    0.0588507,
    (0.0354743577, 0.00082788768, 0.0003808996),
    (6.01573947e-06, -5.0770784e-07, -2.7839003e-07, 1.27469994e-05, 1.608885e-07, 1.23454358e-05),
)
SECOND = Inertial(
    0.02030626,
    (0.0262819294, 0.00171735242, -0.00010778879),
    (1.53561368e-06, -3.42213e-08, -2.549885e-08, 4.61267817e-06, -8.23881e-09, 3.86625776e-06),
)
SEGMENT = 0.0458  # from the first joint of a finger to its second


def add_arm(side: Side):
    for link, inertial, shapes, (joint, parent, xyz, rpy, axis), limit in ARM:
        side.link(link, inertial, shapes)
        side.joint(joint, "revolute", parent, link, xyz, rpy, axis, limit, root=parent == "torso_link")


def add_finger(side: Side, name: str, z: float):
    first, second = f"hand_{name}_0", f"hand_{name}_1"
    side.link(f"{first}_link", FIRST, [Capsule((0.0063, -0.001, 0), (0.0416, -0.001, 0), 0.0132)])
    side.joint(
        f"{first}_joint",
        "revolute",
        "hand_palm_link",
        f"{first}_link",
        (0.0777, 0.0016, z),
        axis=Z,
        limit=Limit(-1.57079632, 0, 1.4, 12),
    )
    side.link(f"{second}_link", SECOND, [Capsule((0.004, 0, 0), (0.0411, 0, 0), 0.0109)])
    side.joint(
        f"{second}_joint",
        "revolute",
        f"{first}_link",
        f"{second}_link",
        (SEGMENT, 0, 0),
        axis=Z,
        limit=Limit(-1.74532925, 0, 1.4, 12),
    )


def add_thumb(side: Side):
    side.link(
        "hand_thumb_0_link",
        Inertial(
            0.08623657,
            (-0.0008842458, -0.00863407079, 0.00094429336),
            (1.60291924e-05, 1.0683177e-07, 1.6728875e-07, 1.45179501e-05, -5.1094752e-07, 1.63787766e-05),
        ),
        [Box((-0.0007, -0.0142, 0), size=(0.0216, 0.0283, 0.019))],
    )
    side.joint(
        "hand_thumb_0_joint",
        "revolute",
        "hand_palm_link",
        "hand_thumb_0_link",
        (0.0255, 0, 0),
        axis=Y,
        limit=Limit(-1.04719755, 1.04719755, 2.45, 3.14),
    )
    side.link("hand_thumb_1_link", turned(FIRST), [Capsule((-0.001, -0.0155, 0), (-0.001, -0.0416, 0), 0.0132)])
    side.joint(
        "hand_thumb_1_joint",
        "revolute",
        "hand_thumb_0_link",
        "hand_thumb_1_link",
        (-0.0025, -0.0193, 0),
        axis=Z,
        limit=Limit(-0.61086523, 1.04719755, 1.4, 12),
    )
    side.link("hand_thumb_2_link", turned(SECOND), [Capsule((0, -0.004, 0), (0, -0.0411, 0), 0.0109)])
    side.joint(
        "hand_thumb_2_joint",
        "revolute",
        "hand_thumb_1_link",
        "hand_thumb_2_link",
        (0, -SEGMENT, 0),
        axis=Z,
        limit=Limit(0, 1.74532925, 1.4, 12),
    )


def turned(i: Inertial) -> Inertial:
    """Half a turn about the direction (1, -1, 0): (x, y, z) -> (-y, -x, -z)."""
    x, y, z = i.com
    xx, xy, xz, yy, yz, zz = i.inertia
    return Inertial(i.mass, (-y, -x, -z), (yy, xy, yz, xx, xz, zz))


def add_hand(side: Side):
    side.link(
        "hand_palm_link",
        Inertial(
            0.37283854,
            (0.0621463484, -0.00050869656, -0.00058171093),
            (0.00027535181, -1.59551946e-05, -2.4216189e-06, 0.000539518272, -4.2279435e-07, 0.000396233909),
        ),
        [Box((0.0433, 0.0005, 0), size=(0.0867, 0.0417, 0.0878))],
    )
    side.joint("hand_palm_joint", "fixed", "wrist_yaw_link", "hand_palm_link", (0.0415, 0.003, 0))
    add_thumb(side)
    add_finger(side, "middle", -0.0285)
    add_finger(side, "index", 0.0285)


def make_upper_body() -> Robot:
    robot = Robot("g1_upper_body", HEADER)
    robot.comment("Torso and head")
    torso = Inertial(
        6.78, (0.000931, 0.000346, 0.15082), (0.05905, 3.3302e-05, -0.0017715, 0.047014, -2.2399e-05, 0.025652)
    )
    robot.link("torso_link", torso, [Box((0.0085, 0, 0.1514), size=(0.1503, 0.2154, 0.3205))])
    robot.link("logo_link", Inertial(0.001, (0, 0, 0), (1e-07, 0, 0, 1e-07, 0, 1e-07)))
    robot.joint("logo_joint", "fixed", "torso_link", "logo_link", (0.0039635, 0, -0.044))
    head = Inertial(
        1.036,
        (0.005267, 0.000299, 0.449869),
        (0.004085051, -2.543e-06, -6.9455e-05, 0.004185212, -3.726e-06, 0.001807911),
    )
    robot.link("head_link", head, [Capsule((0.0038, 0, 0.3988), (0.0038, 0, 0.4566), 0.074)])
    robot.joint("head_joint", "fixed", "torso_link", "head_link", (0.0039635, 0, -0.044))
    for name, is_mirrored in (("left", False), ("right", True)):
        side = robot.side(f"{name}_", is_mirrored)
        robot.comment(f"{name.capitalize()} arm")
        add_arm(side)
        robot.comment(f"{name.capitalize()} hand")
        add_hand(side)
    return robot
