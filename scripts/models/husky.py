"""Clearpath Husky with a Panda on top."""

import panda
from urdf import HALF_PI, Box, Cylinder, Inertial, Robot

HEADER = f"""Clearpath Husky with a Franka Emika Panda on its plate: 4 wheels, 7 + 2 joints. Load it with a floating
base; the root is the chassis.

Husky: frames, inertials and shapes are those of the manufacturer (Clearpath, husky_description), its centre of mass
85 mm to the right of the middle included. It stands at z = 0.13228 m. Wheels have no limits there.

{panda.SOURCE}

{panda.HAND_SOURCE}"""

CHASSIS = Inertial(46.034, (-0.00065, -0.085, 0.062), (0.6022, -0.02364, -0.1197, 1.7386, -0.001544, 2.0296))
WHEEL = Inertial(2.637, (0, 0, 0), (0.02467, 0, 0, 0.04411, 0, 0.02467))
PLATE_TOP = 0.245 + 0.0063


def make_with_panda() -> Robot:
    robot = Robot("husky_panda", HEADER)
    robot.comment("Chassis: lower and upper part, and the plate")
    shapes = [
        Box((0, 0, 0.061875), size=(0.9874, 0.5709, 0.12375)),
        Box((0, 0, 0.175625), size=(0.78992, 0.5709, 0.10375)),
        Box((0.0812, 0, 0.24815), size=(0.73, 0.59, 0.0063)),
    ]
    robot.link("base_link", CHASSIS, shapes)
    for end, x in (("front", 0.256), ("rear", -0.256)):
        for side, y in (("left", 0.2854), ("right", -0.2854)):
            name = f"{end}_{side}_wheel"
            robot.link(f"{name}_link", WHEEL, [Cylinder(rpy=(HALF_PI, 0, 0), radius=0.1651, length=0.1143)])
            robot.joint(name, "continuous", "base_link", f"{name}_link", (x, y, 0.03282), axis=(0, 1, 0))
    panda.add_arm(robot)
    robot.joint("panda_mount", "fixed", "base_link", "panda_link0", (0.2, 0, PLATE_TOP))
    panda.add_hand(robot)
    return robot
