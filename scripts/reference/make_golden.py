#!/usr/bin/env python3
"""Writes tests/reference/golden/*.json: what Pinocchio and MuJoCo compute for models that our tests load too.

URDF files go through Pinocchio, with a fixed and with a floating base, MJCF files through MuJoCo. The numbers are
committed, so that tests need neither; run this (packages `pin`, `mujoco`, `numpy`) when models or quantities change.
Seeds depend on the file's name only.

A golden file has "source" (the model), "oracle", "tolerance" (if not 1e-9), and "cases". A case has "joints" (names, in
the order in which their entries appear in everything below; "" where MJCF gives none), the inputs q, v, tau, and

    M              lower triangle by rows; for more than 64 dofs instead the product "Mx" with a vector "x"
    bias           C v + g: the forces for no acceleration
    gravity        g
    acceleration   M^-1 (tau - bias); left out where M is singular
    frames         of some links: position, rotation (by rows), Jacobian (6 rows: velocity of the link's origin, then
                   angular velocity, in world axes; by rows)

all in OUR conventions: quaternions w first; a floating joint's linear velocity in the world's axes, its angular
velocity in the body's.

From Pinocchio. Its free flyer has the quaternion w last and the linear velocity in the body's axes. With R the base's
rotation and T = diag(R^T, 1, 1, ...):

    v_pin = T v,   M = T^T M_pin T,   tau = T^T tau_pin,   J = J_pin T,
    a_pin = T a + T' v,   T' v = (-w x R^T v_linear, 0, ...)

so that bias = T^T rnea(q, v_pin, T' v) and a_linear = R (a_pin_linear + w x v_pin_linear). A continuous joint has
(cos q, sin q) for q there. Mimic joints keep their dof in both.

From MuJoCo. Its conventions are ours. M (mj_fullM) includes armature, as ours does. qfrc_bias is C v + g and nothing
else. The acceleration is qacc_smooth with constraints, springs, dampers, actuators, gravity compensation and fluids
switched off, tau in qfrc_applied: joint stiffness and damping are forces of the simulation, not of these functions.
Files whose meshes or textures are not in the collection load with stand-ins; what depends on them (found out by
comparing two sizes of stand-ins) is refused.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import struct
import sys
import tempfile
import xml.etree.ElementTree as ET
import zlib

import numpy as np

PROJECT = pathlib.Path(__file__).resolve().parents[2]
MAX_DENSE = 64  # dofs up to which M is stored as a whole
FRAMES = 3

# Files left out, with the reason.
ATTACH = "<attach>, which we refuse"
SKIPPED = {
    "urdf/sdformat_tests/test/integration/cfm_damping_implicit_spring_damper.urdf": (
        "Pinocchio drops an <inertial> without <inertia>"
    ),
    "urdf/user_models_bullet/prismatic.urdf": "Pinocchio refuses a <limit> without effort",
    "mjcf/dm_control_suite/common/materials.xml": "no model of its own",
    "mjcf/dm_control_suite/common/skybox.xml": "no model of its own",
    "mjcf/dm_control_suite/common/visual.xml": "no model of its own",
    "mjcf/mujoco_models/replicate/scene.xml": "nothing in it moves",
    "mjcf/mujoco_models/humanoid/22_humanoids.xml": ATTACH,
    "mjcf/mujoco_models/humanoid/100_humanoids.xml": ATTACH,
    "mjcf/mujoco_models/humanoid/humanoid100.xml": ATTACH,
}

# Files with larger tolerances than 1e-9, with the reason.
TOLERANCES = {
    # Inertias are those of a mesh, whose vertices MuJoCo rounds to single precision (with such
    # vertices the inertia comes out as MuJoCo's to 1e-15).
    "mjcf/mujoco_models/cards/cards.xml": 1e-6,
    # MuJoCo keeps inertias as principal moments and axes and stops diagonalizing when the rest is below 1e-12 kg m^2,
    # which is 1e-8 of what turns a finger. Masses and centres, and so gravity and bias, agree to 1e-13.
    "mjcf/wonik_allegro/left_hand.xml": 2e-8,
    "mjcf/wonik_allegro/right_hand.xml": 2e-8,
    "mjcf/wonik_allegro/scene_left.xml": 2e-8,
    "mjcf/wonik_allegro/scene_right.xml": 2e-8,
}


def seed_of(name: str) -> int:
    return zlib.crc32(name.encode())


def random_quaternion(rng) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_scalar(rng, lower: float, upper: float, is_angle: bool) -> float:
    if np.isfinite(lower) and np.isfinite(upper) and lower < upper and upper - lower < 1e3:
        return rng.uniform(lower, upper)
    return rng.uniform(-np.pi, np.pi) if is_angle else rng.uniform(-1, 1)


def rotation(q) -> np.ndarray:
    """Of a unit quaternion, w first."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def add_mass_matrix(case: dict, M: np.ndarray, rng):
    if len(M) <= MAX_DENSE:
        case["M"] = M[np.tril_indices(len(M))]
    else:
        case["x"] = rng.normal(size=len(M))
        case["Mx"] = M @ case["x"]


def is_singular(M: np.ndarray) -> bool:
    d = np.sqrt(np.abs(np.diag(M)))
    if (d == 0).any():
        return True
    return np.linalg.eigvalsh(M / np.outer(d, d)).min() < 1e-12


# ---------------------------------------------------------------------------------------------------------------------
# URDF by Pinocchio


class PinocchioOracle:
    """One URDF file with one kind of base."""

    def __init__(self, file: pathlib.Path, floating: bool):
        import pinocchio as pin

        self.pin, self.floating = pin, floating
        root = (pin.JointModelFreeFlyer(),) if floating else ()
        self.model = pin.buildModelFromUrdf(str(file), *root)
        self.data = self.model.createData()
        self.version = f"Pinocchio {pin.__version__}"

    def joint_kind(self, i: int) -> str:
        name = self.model.joints[i].shortname()
        if name == "JointModelFreeFlyer":
            return "floating"
        if "RevoluteUnbounded" in name or name.startswith("JointModelRUB"):
            return "continuous"
        if "Prismatic" in name or re.fullmatch(r"JointModelP[XYZ]", name):
            return "prismatic"
        if "Revolute" in name or re.fullmatch(r"JointModelR[XYZ]", name):
            return "revolute"
        raise NotImplementedError(f"joint {self.model.names[i]} of type {name}")

    def random_q(self, rng):
        """q in our convention and in Pinocchio's."""
        ours, theirs = [], []
        for i in range(1, self.model.njoints):
            kind, k = self.joint_kind(i), self.model.joints[i].idx_q
            if kind == "floating":
                p, r = rng.uniform(-1, 1, size=3), random_quaternion(rng)
                ours += [*p, *r]
                theirs += [*p, *r[1:], r[0]]
                continue
            if kind == "continuous":
                q = rng.uniform(-np.pi, np.pi)
                theirs += [np.cos(q), np.sin(q)]
            else:
                lower, upper = self.model.lowerPositionLimit[k], self.model.upperPositionLimit[k]
                q = random_scalar(rng, lower, upper, kind == "revolute")
                theirs.append(q)
            ours.append(q)
        return np.array(ours), np.array(theirs)

    def calc(self, rng) -> dict:
        pin, model, data = self.pin, self.model, self.data
        q, q_pin = self.random_q(rng)
        v, tau = rng.normal(size=model.nv), rng.normal(size=model.nv)
        T, T_rate_v = np.eye(model.nv), np.zeros(model.nv)
        if self.floating:
            T[:3, :3] = rotation(q[3:7]).T
            T_rate_v[:3] = -np.cross(v[3:6], T[:3, :3] @ v[:3])
        v_pin = T @ v
        M_pin = pin.crba(model, data, q_pin).reshape(model.nv, model.nv)
        M_pin = np.triu(M_pin) + np.triu(M_pin, 1).T
        case = {"base": "floating" if self.floating else "fixed"}
        case["joints"] = [
            "floating_base" if self.joint_kind(i) == "floating" else model.names[i] for i in range(1, model.njoints)
        ]
        case |= {"q": q, "v": v, "tau": tau}
        add_mass_matrix(case, T.T @ M_pin @ T, rng)
        zero = np.zeros(model.nv)
        case["bias"] = T.T @ pin.rnea(model, data, q_pin, v_pin, T_rate_v)
        case["gravity"] = T.T @ pin.rnea(model, data, q_pin, zero, zero)
        if not is_singular(M_pin):
            a_pin = pin.aba(model, data, q_pin, v_pin, T @ tau)
            case["acceleration"] = np.linalg.solve(T, a_pin - T_rate_v)
        case["frames"] = self.calc_frames(q_pin, T, rng)
        return case

    def calc_frames(self, q_pin, T, rng) -> list:
        pin, model, data = self.pin, self.model, self.data
        pin.computeJointJacobians(model, data, q_pin)
        pin.updateFramePlacements(model, data)
        links = [i for i, frame in enumerate(model.frames) if frame.type == pin.FrameType.BODY]
        frames = []
        for i in sorted(rng.choice(len(links), size=min(FRAMES, len(links)), replace=False)):
            X = data.oMf[links[i]]
            J = pin.getFrameJacobian(model, data, links[i], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            J = J.reshape(6, model.nv)  # one dof would be a vector
            frames.append(make_frame(model.frames[links[i]].name, X.translation, X.rotation, J @ T))
        return frames


def make_frame(link: str, position, R, J) -> dict:
    # Copies: what oracles return may be views of memory that the next case overwrites.
    return {
        "link": link,
        "position": np.array(position),
        "rotation": np.array(R).ravel(),
        "jacobian": np.array(J).ravel(),
    }


def make_urdf_golden(file: pathlib.Path, name: str, count: int) -> dict:
    cases = []
    for floating in (False, True):
        oracle = PinocchioOracle(file, floating)
        if oracle.model.nv == 0:
            continue
        rng = np.random.default_rng(seed_of(name) + floating)
        cases += [oracle.calc(rng) for _ in range(count)]
    return {"source": name, "oracle": oracle.version, "cases": cases}


# ---------------------------------------------------------------------------------------------------------------------
# MJCF by MuJoCo


def write_stand_in(file: pathlib.Path, size: float):
    """A box, or a picture of one pixel, where a file is missing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    corners = [(x, y, z) for x in (-size, size) for y in (-size, size) for z in (-size, size)]
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
             (0, 6, 4), (1, 5, 7), (1, 7, 3)]  # fmt: skip
    kind = file.suffix.lower()
    if kind == ".obj":
        lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
        file.write_text("\n".join(lines) + "\n")
    elif kind == ".stl":
        triangles = b"".join(
            struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *corners[k]) for k in face) + b"\0\0"
            for face in faces
        )
        file.write_bytes(b"\0" * 80 + struct.pack("<I", len(faces)) + triangles)
    elif kind == ".png":

        def chunk(tag: bytes, content: bytes) -> bytes:
            return struct.pack(">I", len(content)) + tag + content + struct.pack(">I", zlib.crc32(tag + content))

        header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
        pixel = zlib.compress(b"\0\x80\x80\x80")
        file.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixel) + chunk(b"IEND", b""))
    else:
        raise ValueError(f"no stand-in for {file}")


def skip_length_ranges(file: pathlib.Path):
    """Muscles need lengths that MuJoCo finds by simulating, which fails in one file; they do not act here anyway."""
    tree = ET.parse(file)
    compiler = tree.getroot().find("compiler")
    if compiler is None:
        compiler = ET.SubElement(tree.getroot(), "compiler")
    ET.SubElement(compiler, "lengthrange", mode="none")
    tree.write(file)


def load_mjcf(folder: pathlib.Path, file: pathlib.Path, size: float):
    """The model, and how many stand-ins it took. Works in a copy of the folder."""
    import mujoco

    stand_ins = 0
    with tempfile.TemporaryDirectory() as temporary:
        copy = pathlib.Path(temporary) / "set"
        shutil.copytree(folder, copy)
        path = copy / file.relative_to(folder)
        while True:
            try:
                return mujoco.MjModel.from_xml_path(str(path)), stand_ins
            except ValueError as error:
                missing = re.search(r"Error opening file '([^']+)'", str(error))
                if missing:
                    target = pathlib.Path(missing.group(1))
                    target = target if target.is_absolute() else path.parent / target
                    if target.exists():
                        raise
                    write_stand_in(target, size)
                    stand_ins += 1
                elif "Lengthrange" in str(error):
                    skip_length_ranges(path)
                else:
                    raise


class MujocoOracle:
    def __init__(self, folder: pathlib.Path, file: pathlib.Path):
        import mujoco

        self.mj = mujoco
        self.model, self.stand_ins = load_mjcf(folder, file, 0.013)
        if self.stand_ins:
            other, _ = load_mjcf(folder, file, 0.031)
            for what in ("body_mass", "body_inertia", "body_ipos", "body_iquat", "dof_armature"):
                if not np.array_equal(getattr(self.model, what), getattr(other, what)):
                    raise ValueError(f"{what} depends on meshes that are not in the collection")
        self.version = f"MuJoCo {mujoco.__version__}"
        flags = mujoco.mjtDisableBit
        self.model.opt.disableflags |= flags.mjDSBL_CONSTRAINT | flags.mjDSBL_SPRING | flags.mjDSBL_DAMPER
        self.model.opt.disableflags |= flags.mjDSBL_ACTUATION
        self.model.opt.density = self.model.opt.viscosity = 0
        self.model.body_gravcomp[:] = 0
        self.data = mujoco.MjData(self.model)

    def random_q(self, rng) -> np.ndarray:
        q, kinds = [], self.mj.mjtJoint
        for j in range(self.model.njnt):
            kind = self.model.jnt_type[j]
            if kind == kinds.mjJNT_FREE:
                q += [*rng.uniform(-1, 1, size=3), *random_quaternion(rng)]
            elif kind == kinds.mjJNT_BALL:
                q += [*random_quaternion(rng)]
            else:
                lower, upper = self.model.jnt_range[j] if self.model.jnt_limited[j] else (-np.inf, np.inf)
                q.append(random_scalar(rng, lower, upper, kind == kinds.mjJNT_HINGE))
        return np.array(q)

    def calc(self, rng) -> dict:
        mj, model, data = self.mj, self.model, self.data
        case = {"joints": [model.joint(j).name for j in range(model.njnt)]}
        case |= {"q": self.random_q(rng), "v": rng.normal(size=model.nv), "tau": rng.normal(size=model.nv)}
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = case["q"], 0, case["tau"]
        mj.mj_forward(model, data)
        gravity = data.qfrc_bias.copy()
        data.qvel[:] = case["v"]
        mj.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        try:
            mj.mj_fullM(model, data, M)
        except TypeError:  # before MuJoCo 3.4 or so
            mj.mj_fullM(model, M, data.qM)
        add_mass_matrix(case, M, rng)
        case |= {"bias": data.qfrc_bias.copy(), "gravity": gravity, "acceleration": data.qacc_smooth.copy()}
        case["frames"] = self.calc_frames(rng)
        return case

    def calc_frames(self, rng) -> list:
        model, data = self.model, self.data
        named = [b for b in range(1, model.nbody) if model.body(b).name]
        frames = []
        for k in sorted(rng.choice(len(named), size=min(FRAMES, len(named)), replace=False)) if named else []:
            J = np.zeros((6, model.nv))
            self.mj.mj_jacBody(model, data, J[:3], J[3:], named[k])
            body = data.body(named[k])
            frames.append(make_frame(model.body(named[k]).name, body.xpos, body.xmat.reshape(3, 3), J))
        return frames


def make_mjcf_golden(folder: pathlib.Path, file: pathlib.Path, name: str, count: int) -> dict:
    oracle = MujocoOracle(folder, file)
    rng = np.random.default_rng(seed_of(name))
    count = 1 if oracle.model.nv > MAX_DENSE else count
    golden = {"source": name, "oracle": oracle.version, "cases": [oracle.calc(rng) for _ in range(count)]}
    if name in TOLERANCES:
        golden["tolerance"] = TOLERANCES[name]
    if oracle.stand_ins:
        golden["stand_ins"] = oracle.stand_ins
    return golden


# ---------------------------------------------------------------------------------------------------------------------


def to_text(golden: dict) -> str:
    """JSON with the shortest digits that give the same doubles, one quantity a line."""

    def plain(value):
        if isinstance(value, np.ndarray):
            return [float(x) + 0.0 for x in value]
        if isinstance(value, list):
            return [plain(x) for x in value]
        if isinstance(value, dict):
            return {k: plain(x) for k, x in value.items()}
        return value

    def compact(value) -> str:
        return json.dumps(value, separators=(",", ":"))

    def lines(case: dict) -> str:
        return "{" + ",\n".join(f'"{k}":{compact(x)}' for k, x in case.items()) + "}"

    golden = plain(golden)
    head = ",\n".join(f'"{k}":{compact(x)}' for k, x in golden.items() if k != "cases")
    return "{" + head + ',\n"cases":[\n' + ",\n".join(lines(c) for c in golden["cases"]) + "\n]}\n"


def find_files(shared: pathlib.Path):
    """(name of the golden file, name of the source, set's folder, file)"""
    for file in sorted((PROJECT / "models").glob("*.urdf")):
        yield f"model_{file.stem}", f"models/{file.name}", file.parent, file
    for kind, ending in (("urdf", ".urdf"), ("mjcf", ".xml")):
        for folder in sorted(x for x in (shared / kind).glob("*") if x.is_dir()):
            for file in sorted(folder.rglob(f"*{ending}")):
                inner = file.relative_to(folder).with_suffix("")
                stem = "_".join(inner.parts) if kind == "mjcf" else inner.name
                source = f"{kind}/{folder.name}/{inner.as_posix()}{ending}"
                yield f"{kind}_{folder.name}_{stem}", source, folder, file


@contextlib.contextmanager
def quiet():
    """Without what parsers write to standard error."""
    saved = os.dup(2)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=pathlib.Path, default=PROJECT.parent / "shared" / "models",
                        help="folder with urdf/ and mjcf/ (../shared/models)")  # fmt: skip
    parser.add_argument("--output", type=pathlib.Path, default=PROJECT / "tests" / "reference" / "golden")
    parser.add_argument("--only", default="", help="regular expression that names of golden files must contain")
    parser.add_argument("--count", type=int, default=2, help="random configurations a model and kind of base (2)")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, source, folder, file in find_files(arguments.shared):
        if not re.search(arguments.only, name):
            continue
        if source in SKIPPED:
            print(f"{source}: skipped, {SKIPPED[source]}")
            continue
        try:
            with quiet():
                if file.suffix == ".urdf":
                    golden = make_urdf_golden(file, source, arguments.count)
                else:
                    golden = make_mjcf_golden(folder, file, source, arguments.count)
        except Exception as error:
            failed += 1
            print(f"{source}: FAILED, {type(error).__name__}: {error}")
            continue
        text = to_text(golden)
        (arguments.output / f"{name}.json").write_text(text, encoding="utf-8")
        extra = f", {golden['stand_ins']} stand-ins" if "stand_ins" in golden else ""
        print(f"{source}: {len(golden['cases'])} cases, {len(golden['cases'][0]['v'])} dofs, {len(text)} bytes{extra}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
