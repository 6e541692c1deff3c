#!/usr/bin/env python3
"""Draws the collision shapes of models/*.urdf, each robot in a sensible pose, to docs/images/models.png.

Needs numpy and matplotlib. Kinematics are its own few lines, so a picture that looks right also says that the files
mean what they should to others than our loader.
"""

import argparse
import pathlib
import xml.etree.ElementTree as ET

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

ROOT = pathlib.Path(__file__).resolve().parents[2]

PANDA = {"panda_joint2": -0.4, "panda_joint4": -2.2, "panda_joint6": 1.9, "panda_joint7": 0.785}
FINGERS = {"panda_finger_joint1": 0.04}


def stand(thigh: float, calf: float) -> dict:
    legs = ("FL", "FR", "RL", "RR")
    return {f"{leg}_{part}_joint": angle for leg in legs for part, angle in (("thigh", thigh), ("calf", calf))}


# Model: joint angles, and the direction from which it is seen (elevation, azimuth).
POSES = {
    "panda_hand": (PANDA | FINGERS, (15, -50)),
    "panda_tool": (PANDA, (15, -50)),
    "panda_x5_gripper": (PANDA, (15, -50)),
    "panda_allegro": (PANDA | {f"{f}_joint{k}": 0.35 for f in ("index", "middle", "ring") for k in (1, 2, 3)}
                      | {"thumb_joint0": 1.2, "thumb_joint2": 0.3, "thumb_joint3": 0.3}, (15, -30)),
    "g1_upper_body": ({f"{s}_elbow_joint": 0.3 for s in ("left", "right")}
                      | {"left_hand_index_0_joint": -0.6, "left_hand_middle_0_joint": -0.6}, (12, 40)),
    "laikago": (stand(0.7, -1.4), (15, -60)),
    "go2": (stand(0.8, -1.6), (15, -60)),
    "husky_panda": (PANDA | FINGERS, (18, -60)),
    "humanoid": ({"left_shoulder_roll_joint": 0.3, "right_shoulder_roll_joint": -0.3, "left_elbow_joint": -0.5,
                  "right_elbow_joint": -1.2, "left_hip_pitch_joint": -0.4, "left_knee_joint": 0.6}, (10, 40)),
}  # fmt: skip


def rotation(axis, angle: float) -> np.ndarray:
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def origin(element) -> np.ndarray:
    """The pose of <origin> in an element, as a 4 x 4 matrix."""
    X = np.eye(4)
    found = element.find("origin") if element is not None else None
    if found is not None:
        r, p, y = (float(x) for x in found.get("rpy", "0 0 0").split())
        X[:3, :3] = rotation((0, 0, 1), y) @ rotation((0, 1, 0), p) @ rotation((1, 0, 0), r)
        X[:3, 3] = [float(x) for x in found.get("xyz", "0 0 0").split()]
    return X


def move(joint, angles: dict) -> np.ndarray:
    X = origin(joint)
    mimic = joint.find("mimic")
    if mimic is not None:
        q = float(mimic.get("multiplier", 1)) * angles.get(mimic.get("joint"), 0) + float(mimic.get("offset", 0))
    else:
        q = angles.get(joint.get("name"), 0)
    if joint.get("type") == "fixed":
        return X
    axis = np.array([float(x) for x in joint.find("axis").get("xyz").split()])
    J = np.eye(4)
    if joint.get("type") == "prismatic":
        J[:3, 3] = q * axis
    else:
        J[:3, :3] = rotation(axis, q)
    return X @ J


def link_poses(robot, angles: dict) -> dict:
    joints = robot.findall("joint")
    unknown = set(angles) - {j.get("name") for j in joints}
    if unknown:
        raise KeyError(f"no joints {sorted(unknown)}")
    children = {j.find("child").get("link") for j in joints}
    poses = {link.get("name"): np.eye(4) for link in robot.findall("link") if link.get("name") not in children}
    while joints:
        for joint in [j for j in joints if j.find("parent").get("link") in poses]:
            poses[joint.find("child").get("link")] = poses[joint.find("parent").get("link")] @ move(joint, angles)
            joints.remove(joint)
    return poses


def faces(geometry) -> list:
    """Polygons of a shape in its own frame."""
    shape = geometry[0]
    if shape.tag == "box":
        size = np.array([float(x) for x in shape.get("size").split()]) / 2
        polygons = []
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            for s in (-1, 1):
                corner = np.zeros((4, 3))
                corner[:, k], corner[:, i], corner[:, j] = s, (-1, 1, 1, -1), (-1, -1, 1, 1)
                polygons.append(corner * size)
        return polygons
    r, n = float(shape.get("radius")), 20
    around = np.linspace(0, 2 * np.pi, n + 1)
    if shape.tag == "cylinder":
        h = float(shape.get("length")) / 2
        rings = [(r, -h), (r, h)]
    else:
        rings = [(r * np.cos(a), r * np.sin(a)) for a in np.linspace(-np.pi / 2, np.pi / 2, 11)]
    grid = [np.stack([s * np.cos(around), s * np.sin(around), np.full(n + 1, z)], axis=1) for s, z in rings]
    polygons = [np.array([a[i], a[i + 1], b[i + 1], b[i]]) for a, b in zip(grid, grid[1:]) for i in range(n)]
    return [*polygons, grid[0][:-1], grid[-1][:-1]] if shape.tag == "cylinder" else polygons


def draw(axes, file: pathlib.Path, angles: dict, view: tuple):
    robot = ET.parse(file).getroot()
    poses = link_poses(robot, angles)
    polygons, colors = [], []
    light = np.array([0.3, -0.5, 0.8])
    palette = plt.get_cmap("tab20").colors
    for k, link in enumerate(robot.findall("link")):
        for collision in link.findall("collision"):
            X = poses[link.get("name")] @ origin(collision)
            for polygon in faces(collision.find("geometry")):
                points = polygon @ X[:3, :3].T + X[:3, 3]
                normal = np.cross(points[1] - points[0], points[2] - points[0])
                if np.linalg.norm(normal) < 1e-15:  # at the poles of spheres
                    normal = np.cross(points[2] - points[0], points[3] - points[0])
                if np.dot(normal, points.mean(axis=0) - X[:3, 3]) < 0:
                    normal = -normal
                shade = 0.75 + 0.25 * np.dot(normal, light) / max(np.linalg.norm(normal), 1e-30)
                polygons.append(points)
                colors.append(np.clip(shade * np.array(palette[k % 20]), 0, 1))
    axes.add_collection3d(Poly3DCollection(polygons, facecolors=colors))
    points = np.concatenate(polygons)
    middle, half = (points.min(axis=0) + points.max(axis=0)) / 2, np.ptp(points, axis=0).max() / 2
    for setter, m in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), middle):
        setter(m - half, m + half)
    axes.set_box_aspect((1, 1, 1), zoom=1.35)
    axes.view_init(*view)
    axes.set_axis_off()
    axes.set_title(file.stem, y=-0.02, fontsize=10)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "images" / "models.png")
    parser.add_argument("--only", help="draw this model alone, large")
    arguments = parser.parse_args()
    names = [arguments.only] if arguments.only else list(POSES)
    columns = min(4, len(names))
    rows = -(-len(names) // columns)
    size = 9 if arguments.only else 3
    figure = plt.figure(figsize=(size * columns, size * rows))
    for k, name in enumerate(names):
        axes = figure.add_subplot(rows, columns, k + 1, projection="3d")
        draw(axes, ROOT / "models" / f"{name}.urdf", *POSES[name])
    figure.subplots_adjust(left=0, right=1, bottom=0.02, top=1, wspace=0, hspace=0.05)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(arguments.output, dpi=100)


if __name__ == "__main__":
    main()
