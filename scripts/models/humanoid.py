"""A humanoid of human proportions, of nobody's make."""

from urdf import Box, Capsule, Inertial, Limit, Robot, Side, Sphere

HEADER = """A humanoid of 1.75 m and 75 kg with 29 joints: legs 6 each, waist 3, neck 2, arms 6 each. Load it with a
floating base; the root is the pelvis, 0.9275 m above the ground when it stands with all joints at zero.

Lengths and masses of segments are fractions of height and mass of an average human (Winter, Biomechanics and Motor
Control of Human Movement); distances of hips and shoulders from the middle are our choice. A segment's inertia is
that of a shape of uniform density as large as the segment; collision shapes of thighs, pelvis and abdomen are
smaller where they would overlap. Joints of several axes are chains of single ones, whose first links take half a
kilogram (0.2 kg in arms and neck) of the segment's mass. Limits are our guess of a strong human's. x is forward, y
to the left, z up."""

HEIGHT, MASS = 1.75, 75.0

THIGH, SHANK, ANKLE = 0.245 * HEIGHT, 0.246 * HEIGHT, 0.039 * HEIGHT
UPPER_ARM, FOREARM, HAND = 0.186 * HEIGHT, 0.146 * HEIGHT, 0.108 * HEIGHT
FOOT = 0.152 * HEIGHT
HIP_WIDTH, SHOULDER_WIDTH = 0.05 * HEIGHT, 0.115 * HEIGHT  # joints from the middle
HIPS, SHOULDERS = 0.53 * HEIGHT, 0.818 * HEIGHT  # above the ground

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
LEG_DAMPING, ARM_DAMPING = 1.0, 0.3
HALF_KILO, LITTLE = 0.5, 0.2

# Fractions of mass.
PELVIS_MASS, ABDOMEN_MASS, THORAX_MASS, HEAD_MASS = (f * MASS for f in (0.142, 0.139, 0.216, 0.081))
THIGH_MASS, SHANK_MASS, FOOT_MASS = (f * MASS for f in (0.1, 0.0465, 0.0145))
UPPER_ARM_MASS, FOREARM_MASS, HAND_MASS = (f * MASS for f in (0.028, 0.016, 0.006))


def ball(mass: float, radius: float) -> Inertial:
    """Of a link that is only there to turn."""
    return Sphere(radius=radius).solid(mass)


def add_leg(side: Side):
    def add(link, inertial, shapes, parent, xyz, axis, lower, upper, effort):
        side.link(link, inertial, shapes)
        side.joint(
            f"{link}_joint",
            "revolute",
            parent,
            link,
            xyz,
            axis=axis,
            damping=LEG_DAMPING,
            limit=Limit(lower, upper, effort, 12),
            root=parent == "pelvis",
        )

    hip = (0, HIP_WIDTH, 0)
    whole_thigh = Capsule((0, 0, -0.05), (0, 0, -THIGH + 0.05), 0.07)
    thigh = Capsule((0, 0, -0.11), (0, 0, -THIGH + 0.05), 0.068)  # begins below the pelvis
    shank = Capsule((0, 0, -0.03), (0, 0, -SHANK + 0.06), 0.052)
    # The sole is 68 mm below the ankle, the heel a quarter of the foot behind it.
    foot = Box((FOOT / 4, 0, -ANKLE + 0.025), size=(FOOT, 0.095, 0.05))
    add("hip_yaw", ball(HALF_KILO, 0.06), [], "pelvis", hip, Z, -0.6, 0.8, 150)
    add("hip_roll", ball(HALF_KILO, 0.06), [], "hip_yaw", (0, 0, 0), X, -0.4, 0.8, 200)
    add("hip_pitch", whole_thigh.solid(THIGH_MASS - 2 * HALF_KILO), [thigh], "hip_roll", (0, 0, 0), Y, -2.1, 0.5, 250)
    add("knee", shank.solid(SHANK_MASS - HALF_KILO), [shank], "hip_pitch", (0, 0, -THIGH), Y, 0, 2.5, 250)
    add("ankle_pitch", ball(HALF_KILO, 0.04), [], "knee", (0, 0, -SHANK), Y, -0.8, 0.6, 180)
    add("ankle_roll", foot.solid(FOOT_MASS), [foot], "ankle_pitch", (0, 0, 0), X, -0.4, 0.4, 80)


def add_arm(side: Side):
    def add(link, inertial, shapes, parent, xyz, axis, lower, upper, effort):
        side.link(link, inertial, shapes)
        side.joint(
            f"{link}_joint",
            "revolute",
            parent,
            link,
            xyz,
            axis=axis,
            damping=ARM_DAMPING,
            limit=Limit(lower, upper, effort, 12),
            root=parent == "thorax",
        )

    shoulder = (0, SHOULDER_WIDTH, THORAX_TO_SHOULDERS)
    upper = Capsule((0, 0, 0), (0, 0, -UPPER_ARM + 0.04), 0.045)
    fore = Capsule((0, 0, -0.03), (0, 0, -FOREARM + 0.04), 0.038)
    hand = Box((0, 0, -HAND / 2), size=(0.085, 0.03, HAND))
    add("shoulder_pitch", ball(LITTLE, 0.05), [], "thorax", shoulder, Y, -3, 1, 80)
    add("shoulder_roll", ball(LITTLE, 0.05), [], "shoulder_pitch", (0, 0, 0), X, -0.3, 3, 80)
    add("shoulder_yaw", upper.solid(UPPER_ARM_MASS - 2 * LITTLE), [upper], "shoulder_roll", (0, 0, 0), Z, -1.5, 1.5, 60)
    add("elbow", fore.solid(FOREARM_MASS - LITTLE), [fore], "shoulder_yaw", (0, 0, -UPPER_ARM), Y, -2.5, 0, 60)
    add("wrist_yaw", ball(LITTLE, 0.03), [], "elbow", (0, 0, -FOREARM), Z, -1.5, 1.5, 15)
    add("wrist_pitch", hand.solid(HAND_MASS), [hand], "wrist_yaw", (0, 0, 0), Y, -1.2, 1.2, 15)


# Heights of joints above the link before.
PELVIS_TO_WAIST = 0.11
ABDOMEN_TO_THORAX = 0.14
THORAX_TO_SHOULDERS = SHOULDERS - HIPS - PELVIS_TO_WAIST - ABDOMEN_TO_THORAX
THORAX_TO_NECK = THORAX_TO_SHOULDERS + 0.05


def add_trunk(robot: Robot):
    def add(link, inertial, shapes, parent, z, axis, lower, upper, effort, damping):
        robot.link(link, inertial, shapes)
        robot.joint(
            f"{link}_joint",
            "revolute",
            parent,
            link,
            (0, 0, z),
            axis=axis,
            damping=damping,
            limit=Limit(lower, upper, effort, 10),
        )

    whole_pelvis = Box((0, 0, 0.03), size=(0.19, 0.33, 0.18))
    pelvis = Capsule((0, -0.05, 0.08), (0, 0.05, 0.08), 0.072)  # above the hips
    whole_abdomen = Box((0, 0, 0.06), size=(0.19, 0.28, 0.18))
    abdomen = Capsule((0, -0.05, 0.115), (0, 0.05, 0.115), 0.065)
    thorax = Box((0, 0, 0.14), size=(0.19, 0.29, 0.28))
    head = Sphere((0.01, 0, HEIGHT - SHOULDERS - 0.05 - 0.105), radius=0.105)
    robot.link("pelvis", whole_pelvis.solid(PELVIS_MASS), [pelvis])
    add("waist_yaw", ball(HALF_KILO, 0.06), [], "pelvis", PELVIS_TO_WAIST, Z, -0.7, 0.7, 150, LEG_DAMPING)
    add("waist_roll", ball(HALF_KILO, 0.06), [], "waist_yaw", 0, X, -0.4, 0.4, 200, LEG_DAMPING)
    add(
        "waist_pitch",
        whole_abdomen.solid(ABDOMEN_MASS - 2 * HALF_KILO),
        [abdomen],
        "waist_roll",
        0,
        Y,
        -0.4,
        1.2,
        250,
        LEG_DAMPING,
    )
    robot.link("thorax", thorax.solid(THORAX_MASS), [thorax])
    robot.joint("thorax_joint", "fixed", "waist_pitch", "thorax", (0, 0, ABDOMEN_TO_THORAX))
    add(
        "neck_yaw",
        ball(LITTLE, 0.05),
        [Capsule((0, 0, 0), (0, 0, 0.04), 0.05)],
        "thorax",
        THORAX_TO_NECK,
        Z,
        -1.2,
        1.2,
        20,
        ARM_DAMPING,
    )
    add("head", head.solid(HEAD_MASS - LITTLE), [head], "neck_yaw", 0, Y, -0.7, 0.7, 20, ARM_DAMPING)


def make_humanoid() -> Robot:
    robot = Robot("humanoid", HEADER)
    robot.comment("Pelvis, trunk and head")
    add_trunk(robot)
    for name, is_mirrored in (("left", False), ("right", True)):
        side = robot.side(f"{name}_", is_mirrored)
        robot.comment(f"{name.capitalize()} leg")
        add_leg(side)
        robot.comment(f"{name.capitalize()} arm")
        add_arm(side)
    return robot
