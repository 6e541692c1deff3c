"""Robots as lists of links and joints, written as URDF.

Only what our models need: inertials, primitive collision shapes, joints with limits, damping and mimics. Angles in
radians, everything in SI units. Capsules are written as a cylinder and two spheres, which every reader of URDF knows.
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field, replace

PI = math.pi
HALF_PI = math.pi / 2
ZERO = (0.0, 0.0, 0.0)


def number(x: float) -> str:
    """Nine digits: enough for facts and short enough to read. Right angles and the like have all of theirs."""
    if x != 0 and abs(12 * x / PI - round(12 * x / PI)) < 1e-14:
        return repr(float(x))
    text = f"{x:.9g}"
    return "0" if text == "-0" else text


def numbers(values) -> str:
    return " ".join(number(x) for x in values)


def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def scale(a, s):
    return tuple(x * s for x in a)


@dataclass(frozen=True)
class Inertial:
    """Mass, centre of mass, and the inertia about it: ixx, ixy, ixz, iyy, iyz, izz in axes turned by rpy."""

    mass: float
    com: tuple
    inertia: tuple
    rpy: tuple = ZERO

    def mirrored(self) -> Inertial:
        """Left and right (y) exchanged."""
        xx, xy, xz, yy, yz, zz = self.inertia
        return Inertial(self.mass, mirror_point(self.com), (xx, -xy, xz, yy, -yz, zz), mirror_rpy(self.rpy))


def mirror_point(p):
    return (p[0], -p[1], p[2])


def mirror_rpy(rpy):
    return (-rpy[0], rpy[1], -rpy[2])


@dataclass(frozen=True)
class Shape:
    """A primitive at a pose in its link's frame. Sizes as in URDF: full lengths."""

    xyz: tuple = ZERO
    rpy: tuple = ZERO

    def parts(self):
        return [self]

    def mirrored(self):
        return replace(self, xyz=mirror_point(self.xyz), rpy=mirror_rpy(self.rpy))


@dataclass(frozen=True)
class Box(Shape):
    size: tuple = ZERO

    def geometry(self):
        return f'<box size="{numbers(self.size)}"/>'

    def solid(self, mass: float) -> Inertial:
        """Of a box of uniform density."""
        x, y, z = (s * s for s in self.size)
        diagonal = scale((y + z, x + z, x + y), mass / 12)
        return Inertial(mass, self.xyz, (diagonal[0], 0, 0, diagonal[1], 0, diagonal[2]), self.rpy)


@dataclass(frozen=True)
class Sphere(Shape):
    radius: float = 0

    def geometry(self):
        return f'<sphere radius="{number(self.radius)}"/>'

    def solid(self, mass: float) -> Inertial:
        i = 0.4 * mass * self.radius**2
        return Inertial(mass, self.xyz, (i, 0, 0, i, 0, i))


@dataclass(frozen=True)
class Cylinder(Shape):
    """Along z."""

    radius: float = 0
    length: float = 0

    def geometry(self):
        return f'<cylinder radius="{number(self.radius)}" length="{number(self.length)}"/>'


@dataclass(frozen=True)
class Capsule:
    """Everything within `radius` of the segment from a to b."""

    a: tuple
    b: tuple
    radius: float

    def mirrored(self) -> Capsule:
        return Capsule(mirror_point(self.a), mirror_point(self.b), self.radius)

    def parts(self):
        d = add(self.b, scale(self.a, -1))
        length = math.hypot(*d)
        rpy = (0.0, math.acos(max(-1.0, min(1.0, d[2] / length))), math.atan2(d[1], d[0]) if d[0] or d[1] else 0.0)
        middle = scale(add(self.a, self.b), 0.5)
        return [
            Cylinder(middle, rpy, self.radius, length),
            Sphere(self.a, ZERO, self.radius),
            Sphere(self.b, ZERO, self.radius),
        ]

    def solid(self, mass: float) -> Inertial:
        """Of uniform density; the segment must be along one of the axes."""
        d = add(self.b, scale(self.a, -1))
        axis = max(range(3), key=lambda k: abs(d[k]))
        if any(abs(d[k]) > 1e-12 for k in range(3) if k != axis):
            raise ValueError("a capsule with inertia must be along an axis")
        r, length = self.radius, abs(d[axis])
        cylinder, ball = PI * r**2 * length, 4 / 3 * PI * r**3
        m_c, m_b = mass * cylinder / (cylinder + ball), mass * ball / (cylinder + ball)
        along = m_c * r**2 / 2 + m_b * 0.4 * r**2
        # The two half balls about the capsule's middle: Steiner to and from the ball's centre.
        across = m_c * (r**2 / 4 + length**2 / 12) + m_b * (0.4 * r**2 + length**2 / 4 + 3 * r * length / 8)
        diagonal = [along if k == axis else across for k in range(3)]
        return Inertial(mass, scale(add(self.a, self.b), 0.5), (diagonal[0], 0, 0, diagonal[1], 0, diagonal[2]))


@dataclass(frozen=True)
class Limit:
    """lower and upper are None for continuous joints."""

    lower: float | None
    upper: float | None
    effort: float | None
    velocity: float | None

    def mirrored(self) -> Limit:
        if self.lower is None:
            return self
        return replace(self, lower=-self.upper, upper=-self.lower)


@dataclass
class Robot:
    name: str
    header: str  # paragraphs, with empty lines between
    lines: list = field(default_factory=list)

    def comment(self, text: str):
        """A heading before what follows."""
        self.lines += ["", f"  <!-- {text} -->"]

    def link(self, name: str, inertial: Inertial, shapes=()):
        out = [f'  <link name="{name}">', "    <inertial>"]
        out.append(f"      {origin(inertial.com, inertial.rpy)}")
        out.append(f'      <mass value="{number(inertial.mass)}"/>')
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        values = " ".join(f'{k}="{number(v)}"' for k, v in zip(keys, inertial.inertia))
        out += [f"      <inertia {values}/>", "    </inertial>"]
        parts = [part for shape in shapes for part in shape.parts()]
        for part in dict.fromkeys(parts):  # capsules that meet share a sphere
            out.append("    <collision>")
            if part.xyz != ZERO or part.rpy != ZERO:
                out.append(f"      {origin(part.xyz, part.rpy)}")
            out += [f"      <geometry>{part.geometry()}</geometry>", "    </collision>"]
        self.lines += [*out, "  </link>"]

    def joint(self, name, kind, parent, child, xyz=ZERO, rpy=ZERO, axis=None, limit=None, damping=None, mimic=None):
        """mimic: (joint, multiplier)."""
        out = [f'  <joint name="{name}" type="{kind}">', f'    <parent link="{parent}"/>']
        out += [f'    <child link="{child}"/>', f"    {origin(xyz, rpy)}"]
        if axis is not None:
            out.append(f'    <axis xyz="{numbers(axis)}"/>')
        if limit is not None:
            pairs = [(k, getattr(limit, k)) for k in ("lower", "upper", "effort", "velocity")]
            out.append("    <limit " + " ".join(f'{k}="{number(v)}"' for k, v in pairs if v is not None) + "/>")
        if damping:
            out.append(f'    <dynamics damping="{number(damping)}"/>')
        if mimic is not None:
            out.append(f'    <mimic joint="{mimic[0]}" multiplier="{number(mimic[1])}"/>')
        self.lines += [*out, "  </joint>"]

    def side(self, prefix: str, mirrored: bool) -> Side:
        return Side(self, prefix, mirrored)

    def text(self) -> str:
        paragraphs = [textwrap.fill(x, 116).split("\n") for x in self.header.split("\n\n")]
        header = [f"  {line}".rstrip() for paragraph in paragraphs for line in [*paragraph, ""]][:-1]
        start = ['<?xml version="1.0"?>', "<!--", *header, "-->", f'<robot name="{self.name}">']
        return "\n".join([*start, *self.lines, "</robot>", ""])


def origin(xyz, rpy) -> str:
    turn = f' rpy="{numbers(rpy)}"' if tuple(rpy) != ZERO else ""
    return f'<origin xyz="{numbers(xyz)}"{turn}/>'


@dataclass
class Side:
    """One of a pair of limbs that are described once: names get a prefix, the other side is mirrored (y)."""

    robot: Robot
    prefix: str
    is_mirrored: bool

    def link(self, name: str, inertial: Inertial, shapes=()):
        if self.is_mirrored:
            inertial, shapes = inertial.mirrored(), [shape.mirrored() for shape in shapes]
        self.robot.link(self.prefix + name, inertial, shapes)

    def joint(self, name, kind, parent, child, xyz=ZERO, rpy=ZERO, axis=None, limit=None, damping=None, root=False):
        """root: the parent is not of this side. Axes must be along x, y or z and stay as they are; a positive angle
        about x or z turns the other way round on the other side, so there the limits are exchanged."""
        if self.is_mirrored:
            xyz, rpy = mirror_point(xyz), mirror_rpy(rpy)
            if axis is not None and limit is not None and tuple(axis) != (0, 1, 0):
                limit = limit.mirrored()
        parent = parent if root else self.prefix + parent
        self.robot.joint(self.prefix + name, kind, parent, self.prefix + child, xyz, rpy, axis, limit, damping)
