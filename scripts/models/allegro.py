"""Wonik Allegro hand (right), on a Panda."""

import panda
from urdf import HALF_PI, PI, Box, Cylinder, Limit, Robot, Sphere

SOURCE = """Hand: frames, masses, limits of position and velocity and boxes are those of the Wonik Allegro hand
(SimLab's description). Its published inertias are not those of bodies (they violate the triangle inequality), so
they are those of its boxes with uniform density. Two numbers are our own choice: 0.7 N m as the limit of effort,
where the file's 15 N m is far too much for a finger, and damping 0.1 (as in MuJoCo's model of it), where the file's
values all but lock the joints. The palm's lower end is on the flange; fingertips are spheres of 12 mm."""

WIDTH = (0.0196, 0.0275)
EFFORT, VELOCITY, DAMPING = 0.7, 7, 0.1
TIP_RADIUS, TIP_MASS = 0.012, 0.0168


def upright(length: float) -> Box:
    """A finger's segment of this length, from its joint upwards."""
    return Box((0, 0, length / 2), size=(*WIDTH, length))


def add_segment(robot, name, mass, box, joint, parent, xyz, rpy, axis, lower, upper):
    robot.link(name, box.solid(mass), [box])
    limit = Limit(lower, upper, EFFORT, VELOCITY)
    robot.joint(joint, "revolute", parent, name, xyz, rpy, axis, limit, DAMPING)


def add_tip(robot: Robot, finger: str, parent: str, mass: float, length: float, joint: str, z: float, limits):
    """The last segment: a box, and a round tip whose centre is where the segment ends."""
    name = f"{finger}_distal"
    short = length - 0.0107  # the box gives way to the tip
    shapes = [upright(short), Cylinder((0, 0, length / 2 + 0.0045), radius=TIP_RADIUS, length=length - 0.009)]
    robot.link(name, upright(length).solid(mass), shapes)
    robot.joint(
        joint,
        "revolute",
        parent,
        name,
        (0, 0, z),
        axis=(0, 1, 0),
        limit=Limit(*limits, EFFORT, VELOCITY),
        damping=DAMPING,
    )
    ball = Sphere(radius=TIP_RADIUS)
    robot.link(f"{finger}_tip", ball.solid(TIP_MASS), [ball])
    robot.joint(f"{finger}_tip_joint", "fixed", name, f"{finger}_tip", (0, 0, length))


def add_finger(robot: Robot, finger: str, xyz, roll: float):
    along, across = (0, 0, 1), (0, 1, 0)
    names = [f"{finger}_{x}" for x in ("base", "proximal", "medial")]
    joints = [f"{finger}_joint{k}" for k in range(4)]
    none = (0, 0, 0)
    add_segment(robot, names[0], 0.0119, upright(0.0164), joints[0], "palm", xyz, (roll, 0, 0), along, -0.47, 0.47)
    add_segment(robot, names[1], 0.065, upright(0.054), joints[1], names[0], (0, 0, 0.0164), none, across, -0.196, 1.61)
    add_segment(
        robot, names[2], 0.0355, upright(0.0384), joints[2], names[1], (0, 0, 0.054), none, across, -0.174, 1.709
    )
    add_tip(robot, finger, names[2], 0.0096, 0.0267, joints[3], 0.0384, (-0.227, 1.618))


def add_thumb(robot: Robot):
    none = (0, 0, 0)
    base = Box((-0.0179, 0.009, 0.0145), size=(0.0358, 0.034, 0.0455))
    add_segment(
        robot,
        "thumb_base",
        0.0176,
        base,
        "thumb_joint0",
        "palm",
        (-0.0182, 0.019333, -0.045987),
        (0, -1.65806279, -HALF_PI),
        (-1, 0, 0),
        0.263,
        1.396,
    )
    add_segment(
        robot,
        "thumb_proximal",
        0.0119,
        upright(0.0177),
        "thumb_joint1",
        "thumb_base",
        (-0.027, 0.005, 0.0399),
        none,
        (0, 0, 1),
        -0.105,
        1.163,
    )
    add_segment(
        robot,
        "thumb_medial",
        0.038,
        upright(0.0514),
        "thumb_joint2",
        "thumb_proximal",
        (0, 0, 0.0177),
        none,
        (0, 1, 0),
        -0.189,
        1.644,
    )
    add_tip(robot, "thumb", "thumb_medial", 0.0388, 0.0423, "thumb_joint3", 0.0514, (-0.162, 1.719))


def add_hand(robot: Robot, parent: str, z: float):
    robot.comment("Allegro hand")
    palm = Box((-0.0093, 0, -0.0475), size=(0.0408, 0.113, 0.095))
    robot.link("palm", palm.solid(0.4154), [palm])
    robot.joint("palm_joint", "fixed", parent, "palm", (0, 0, z + 0.095))
    tilt = 5 * PI / 180
    add_finger(robot, "index", (0, 0.0435, -0.001542), -tilt)
    add_finger(robot, "middle", (0, 0, 0.0007), 0)
    add_finger(robot, "ring", (0, -0.0435, -0.001542), tilt)
    add_thumb(robot)


def make_on_panda() -> Robot:
    header = f"Franka Emika Panda with an Allegro hand: 7 + 16 joints.\n\n{panda.SOURCE}\n\n{SOURCE}"
    robot = Robot("panda_allegro", header)
    panda.add_arm(robot)
    add_hand(robot, "panda_link7", panda.FLANGE)
    return robot
