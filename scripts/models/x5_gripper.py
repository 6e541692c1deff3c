"""A parallel gripper of the kind of HEBI's X5, on a Panda."""

import panda
from urdf import HALF_PI, PI, Box, Inertial, Limit, Robot

SOURCE = """Gripper: frames, masses and inertias are those of HEBI's X5 parallel gripper (hebi_description), which
opens by four bars a side. The bars are closed loops in the real one; here every joint mimics the left bar's,
gripper_joint: 0 is open (82 mm between the pads), 1.1624 closed. The file of the manufacturer has no meaningful
limits of effort and velocity: we give gripper_joint and its followers those of the X5 actuators in the wrist of the
same file, and put one such actuator under the gripper to drive it. The pads' middle is at z = 0.053 m (open) to
0.079 m (closed) of gripper_base."""

BASE = Inertial(0.072, (0, 0, 0), (9.45e-06, 0, 0, 9.45e-06, 0, 1.8225e-05))
HUB = Inertial(0.01, (0, 0, 0), (3.34125e-06, 0, 0, 3.34125e-06, 0, 3.34125e-06))
ACTUATOR = Inertial(0.315, (-0.0142, -0.0031, 0.0165), (0.00015, 3.41e-05, 1.18e-05, 0.000255, 2.29e-06, 0.00035))
BAR = Inertial(0.022, (0, 0.015, 0), (1.73983333e-06, 0, 0, 1.87183333e-06, 0, 3.11666667e-07), (HALF_PI, 0, 0))
OUTER = Inertial(0.01, (0, 0.015, 0.007), (1.5e-06, 0, 0, 1.19083333e-06, 0, 1.19083333e-06))
FINGER = Inertial(0.014, (0, -0.005, 0.02), (3.03333333e-06, 0, 0, 3.03333333e-06, 0, 2.33333333e-07))
BEND = Inertial(0.001, (0, 0, 0), (3.43333333e-08, 0, 0, 3.43333333e-08, 0, 2e-09), (0, HALF_PI, 0))
INNER = Inertial(0.01, (0, 0, 0.0215), (2.10416667e-06, 0, 0, 3.54166667e-07, 0, 2.41666667e-06), (HALF_PI, 0, 0))

CLOSED = 1.16238928
EFFORT, VELOCITY, DAMPING = 2.5, 9.425, 0.1  # of X5 actuators in the wrist


def add_gripper(robot: Robot, parent: str, xyz):
    robot.comment("X5 gripper")
    robot.link("gripper_actuator", ACTUATOR, [Box((-0.0183, 0, 0.0155), size=(0.1096, 0.073, 0.0311))])
    robot.joint("gripper_mount", "fixed", parent, "gripper_actuator", xyz)
    robot.link("gripper_base", BASE, [Box((0, 0, 0.0045), size=(0.029, 0.045, 0.009))])
    robot.joint("gripper_base_joint", "fixed", "gripper_actuator", "gripper_base", (0, 0, 0.0311))
    robot.link("gripper_hub", HUB)
    robot.joint("gripper_hub_joint", "fixed", "gripper_base", "gripper_hub", (0, 0, 0.0045))
    # Slides by micrometres in the real one, so it is fixed here.
    robot.link("gripper_pinion", HUB, [Box((0, 0, 0.01), size=(0.029, 0.016, 0.012))])
    robot.joint("gripper_pinion_joint", "fixed", "gripper_hub", "gripper_pinion")
    for side, sign, yaw in (("left", 1, 0), ("right", -1, PI)):
        add_finger(robot, side, sign, yaw)


def add_finger(robot: Robot, side: str, sign: int, yaw: float):
    leader = "gripper_joint"
    opening = Limit(0, CLOSED, EFFORT, VELOCITY)
    back = Limit(-CLOSED, 0, EFFORT, VELOCITY)
    bar, outer, finger, bend, inner = (f"gripper_{side}_{x}" for x in ("bar", "outer", "finger", "bend", "inner"))
    robot.link(bar, BAR, [Box((0, 0.0122, 0.0004), size=(0.012, 0.0355, 0.0099))])
    mimic = None if side == "left" else (leader, 1)
    robot.joint(
        leader if side == "left" else f"{bar}_joint",
        "revolute",
        "gripper_base",
        bar,
        (0, sign * 0.01265, 0.0115),
        (0, 0, yaw),
        (1, 0, 0),
        opening,
        DAMPING if mimic is None else None,
        mimic,
    )
    robot.link(outer, OUTER)
    robot.joint(f"{outer}_joint", "fixed", bar, outer, (0, 0.015, 0))
    robot.link(finger, FINGER, [Box((0, -0.0038, 0.0234), size=(0.012, 0.0155, 0.054))])
    robot.joint(
        f"{finger}_joint", "revolute", outer, finger, (0, 0.025, 0.018), axis=(1, 0, 0), limit=back, mimic=(leader, -1)
    )
    robot.link(bend, BEND)
    robot.joint(f"{bend}_joint", "fixed", finger, bend, (0, -0.0075, 0.0165))
    robot.link(inner, INNER)  # no shape: it would meet the finger, to which the real one is linked
    robot.joint(
        f"{inner}_joint",
        "revolute",
        "gripper_hub",
        inner,
        (0, sign * 0.005, 0.023),
        (-1.13097336, 0, yaw),
        (1, 0, 0),
        opening,
        mimic=(leader, 1),
    )


def make_on_panda() -> Robot:
    header = (
        f"Franka Emika Panda with a two-finger gripper: 7 + 6 joints, 5 of them mimic.\n\n{panda.SOURCE}\n\n{SOURCE}"
    )
    robot = Robot("panda_x5_gripper", header)
    panda.add_arm(robot)
    add_gripper(robot, "panda_link7", (0, 0, panda.FLANGE))
    return robot
