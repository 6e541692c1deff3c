"""Franka Emika Panda: the arm, and its hand."""

from urdf import HALF_PI, PI, Box, Capsule, Cylinder, Inertial, Limit, Robot, Sphere

SOURCE = """Arm: frames, inertials, limits and damping are those of the manufacturer (Franka Emika,
franka_description). The frame of the flange, panda_link8, is not a link here: it is at z = 0.107 m of panda_link7."""
HAND_SOURCE = """Hand: frames, inertials, limits, damping and the boxes of the fingers are the manufacturer's too.
The point between the fingertips is at z = 0.1034 m of panda_hand. The right finger mimics the left one."""

FLANGE = 0.107  # z of the flange in panda_link7

# Of links 0 to 7: mass, com, inertia (ixx, ixy, ixz, iyy, iyz, izz).
INERTIALS = [
    Inertial(0.629769, (-0.041018, -0.00014, 0.049974), (0.00315, 8.2904e-07, 0.00015, 0.00388, 8.2299e-06, 0.004285)),
    Inertial(4.970684, (0.003875, 0.002081, -0.04762), (0.70337, -0.000139, 0.006772, 0.70661, 0.019169, 0.009117)),
    Inertial(0.646926, (-0.003141, -0.02872, 0.003495), (0.007962, -0.003925, 0.010254, 0.02811, 0.000704, 0.025995)),
    Inertial(3.228604, (0.027518, 0.039252, -0.066502), (0.037242, -0.004761, -0.011396, 0.036155, -0.012805, 0.01083)),
    Inertial(3.587895, (-0.05317, 0.104419, 0.027454), (0.025853, 0.007796, -0.001332, 0.019552, 0.008641, 0.028323)),
    Inertial(
        1.225946, (-0.011953, 0.041065, -0.038437), (0.035549, -0.002117, -0.004037, 0.029474, 0.000229, 0.008627)
    ),
    Inertial(1.666555, (0.060149, -0.014117, -0.010517), (0.001964, 0.000109, -0.001158, 0.004354, 0.000341, 0.005433)),
    Inertial(
        0.735522, (0.010517, -0.004252, 0.061597), (0.012516, -0.000428, -0.001196, 0.010027, -0.000741, 0.004815)
    ),
]

# The housings are bent tubes of 110 mm (90 mm at the wrist) diameter; segments follow their centre lines and go on to
# where the next link's begins.
R, WRIST = 0.055, 0.045
SHAPES = [
    [Box((-0.0413, 0, 0.07), size=(0.2256, 0.1893, 0.14))],
    [Capsule((0, 0, -0.192), (0, 0, 0), R), Capsule((0, 0, 0), (0, -0.0745, 0), R)],
    [Capsule((0, 0, 0), (0, -0.158, 0), R), Capsule((0, 0, 0), (0, 0, 0.0745), R)],
    [
        Capsule((0, 0, -0.158), (0, 0, 0), R),
        Capsule((0, 0, 0), (0.0825, 0, 0), R),
        Capsule((0.0825, 0, 0), (0.0825, 0.056, 0), R),
    ],
    [
        Capsule((0, 0, 0.056), (0, 0, 0), R),
        Capsule((0, 0, 0), (-0.0825, 0, 0), R),
        Capsule((-0.0825, 0, 0), (-0.0825, 0.12, 0), R),
    ],
    [
        Capsule((0, 0, -0.264), (0, 0, -0.14), R),
        Capsule((0, 0.05, -0.17), (0, 0.08, -0.03), WRIST),
        Capsule((0, 0, 0), (0, 0.08, 0), 0.05),
    ],
    [Capsule((0, 0, 0), (0.088, 0, 0), WRIST), Capsule((0.088, 0, 0), (0.088, 0.0366, 0), WRIST)],
    [
        Cylinder((0, 0, 0.0795), radius=0.044, length=0.055),
        Cylinder((0.043, 0.043, 0.082), radius=0.02, length=0.04),
    ],
]

# Joint i leads to link i: origin, rpy, lower, upper, effort, velocity. The axis is z.
JOINTS = [
    ((0, 0, 0.333), (0, 0, 0), -2.8973, 2.8973, 87, 2.175),
    ((0, 0, 0), (-HALF_PI, 0, 0), -1.7628, 1.7628, 87, 2.175),
    ((0, -0.316, 0), (HALF_PI, 0, 0), -2.8973, 2.8973, 87, 2.175),
    ((0.0825, 0, 0), (HALF_PI, 0, 0), -3.0718, -0.0698, 87, 2.175),
    ((-0.0825, 0.384, 0), (-HALF_PI, 0, 0), -2.8973, 2.8973, 12, 2.61),
    ((0, 0, 0), (HALF_PI, 0, 0), -0.0175, 3.7525, 12, 2.61),
    ((0.088, 0, 0), (HALF_PI, 0, 0), -2.8973, 2.8973, 12, 2.61),
]
DAMPING = 0.003

# Boxes of the left finger: size, xyz, roll. The right one is its mirror image.
FINGER = [
    ((0.022, 0.015, 0.02), (0, 0.0185, 0.011), 0),
    ((0.022, 0.0088, 0.0038), (0, 0.0068, 0.0022), 0),
    ((0.0175, 0.007, 0.0235), (0, 0.0159, 0.02835), PI / 6),
    ((0.0175, 0.0152, 0.0185), (0, 0.00758, 0.04525), 0),
]


def add_arm(robot: Robot):
    """Links panda_link0 to panda_link7."""
    robot.comment("Panda arm")
    for i, (inertial, shapes) in enumerate(zip(INERTIALS, SHAPES)):
        robot.link(f"panda_link{i}", inertial, shapes)
        if i == 0:
            continue
        xyz, rpy, lower, upper, effort, velocity = JOINTS[i - 1]
        limit = Limit(lower, upper, effort, velocity)
        parent, child = f"panda_link{i - 1}", f"panda_link{i}"
        robot.joint(f"panda_joint{i}", "revolute", parent, child, xyz, rpy, (0, 0, 1), limit, DAMPING)


def add_hand(robot: Robot):
    robot.comment("Panda hand")
    hand = Inertial(0.73, (-0.01, 0, 0.03), (0.001, 0, 0, 0.0025, 0, 0.0017))
    robot.link("panda_hand", hand, [Box((0, -0.0018, 0.0305), size=(0.0633, 0.2044, 0.061))])
    robot.joint("panda_hand_joint", "fixed", "panda_link7", "panda_hand", (0, 0, FLANGE), (0, 0, -PI / 4))
    finger = Inertial(0.015, (0, 0, 0), (2.375e-06, 0, 0, 2.375e-06, 0, 7.5e-07))
    limit = Limit(0, 0.04, 100, 0.2)
    for k, (name, sign) in enumerate([("left", 1), ("right", -1)]):
        boxes = [Box(xyz, (roll, 0, 0), size) for size, xyz, roll in FINGER]
        link = f"panda_{name}finger"
        robot.link(link, finger, boxes if sign > 0 else [box.mirrored() for box in boxes])
        mimic = ("panda_finger_joint1", 1) if k == 1 else None
        joint = f"panda_finger_joint{k + 1}"
        robot.joint(
            joint,
            "prismatic",
            "panda_hand",
            link,
            (0, 0, 0.0584),
            axis=(0, sign, 0),
            limit=limit,
            damping=0.3,
            mimic=mimic,
        )


def make_with_hand() -> Robot:
    robot = Robot("panda_hand", f"Franka Emika Panda with its hand: 7 + 2 joints.\n\n{SOURCE}\n\n{HAND_SOURCE}")
    add_arm(robot)
    add_hand(robot)
    return robot


TOOL_SOURCE = """Tool: ours. A rod of 24 mm diameter on the flange that ends in a ball of 12 mm radius, 0.3 kg; the ball's centre,
the frame tool_tip, is at z = 0.15 m of the flange."""


def make_with_tool() -> Robot:
    """For sanding and polishing: what touches is one ball."""
    robot = Robot("panda_tool", f"Franka Emika Panda with a tool for sanding: 7 joints.\n\n{SOURCE}\n\n{TOOL_SOURCE}")
    add_arm(robot)
    robot.comment("Tool")
    rod = Capsule((0, 0, 0.01), (0, 0, 0.13), 0.012)
    robot.link("tool", rod.solid(0.25), [Cylinder((0, 0, 0.07), radius=0.012, length=0.12)])
    robot.joint("tool_joint", "fixed", "panda_link7", "tool", (0, 0, FLANGE), (0, 0, -PI / 4))
    ball = Sphere((0, 0, 0), radius=0.012)
    robot.link("tool_tip", ball.solid(0.05), [ball])
    robot.joint("tool_tip_joint", "fixed", "tool", "tool_tip", (0, 0, 0.15))
    return robot
