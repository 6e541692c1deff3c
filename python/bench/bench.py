"""Overhead of a step call, and throughput of rollouts beside mujoco.rollout on equivalent models, in the same run.

    python python/bench/bench.py [--json out.json] [--quick]

Bars: a call of tactus.step costs less than 2 us more than a step in C++; two threads are at least 1.8 times one; in both
engines all robots land and all boxes are held.
Times of the two sides are taken in turns, several times each, and the best of each counts: other programs on the machine
only ever make things slower. `pip install mujoco` for the comparison; without it that part is left out, and says so.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from typing import Callable

import numpy as np

import tactus

BALL = """
name: ball
objects:
  - {name: ground, fixed: true, shape: {type: plane}}
  - {name: ball, shape: {type: sphere, radius: 0.1}, pose: {position: [0, 0, 100]}, mass: 1}
"""


def best_of(repeats: int, *works: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """The shortest time of each, taken in turns."""

    def seconds(work: Callable[[], object]) -> float:
        start = clock()
        work()
        return clock() - start

    times = [[seconds(work) for work in works] for _ in range(repeats)]
    return [min(t[k] for t in times) for k in range(len(works))]


def measure_overhead(count: int) -> dict:
    """Steps of a ball in free fall, which take about a microsecond: one call each, and all in one call."""
    model = tactus.loads(BALL)
    one, all_at_once, views = model.make_data(), model.make_data(), model.make_data()
    step = tactus.step

    def single() -> None:
        one.reset()
        for _ in range(count):
            step(model, one)

    def many() -> None:
        all_at_once.reset()
        step(model, all_at_once, count)

    def with_views() -> None:
        views.reset()
        for _ in range(count):
            views.qvel[0] = 0.1
            step(model, views).residual

    # The loop itself is Python's, not ours.
    def loop() -> None:
        for _ in range(count):
            pass

    a, b, c, d = best_of(9, single, many, with_views, loop, clock=time.process_time)  # one thread: what it used
    return {"step in C++ [us]": 1e6 * b / count, "step by call [us]": 1e6 * a / count,
            "overhead [us]": 1e6 * (a - b - d) / count, "write a view, step, read the residual [us]": 1e6 * c / count}


def laikago() -> tactus.Model:
    return tactus.load("laikago-drop", set={"robots": 1}, linearizations=1)


def grasp_text() -> str:
    """A Panda that holds a box by the friction of its fingers, 0.4 m above the floor."""
    arm = tactus.load("panda_pick")
    data = arm.make_data()
    hand = arm.body("panda/panda_hand")
    w, x, y, z = data.xquat[hand]
    axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    place = data.xpos[hand] + 0.1034 * axis  # between the finger tips
    joints = "\n".join(f"      {name.split('/')[1]}: {data.qpos[arm.jnt_qposadr[arm.joint(name)]]}"
                       for name in arm.joint_names if "panda_joint" in name)
    return f"""
name: panda grasp
models:
  - name: panda
    builtin: panda_hand
    joints:
{joints}
      panda_finger_joint1: 0.0201
      panda_finger_joint2: 0.0201
objects:
  - {{name: ground, fixed: true, shape: {{type: plane}}}}
  - name: box
    shape: {{type: box, size: [0.04, 0.04, 0.04]}}
    pose: {{position: [{place[0]}, {place[1]}, {place[2]}], quaternion: [{w}, {x}, {y}, {z}]}}
    mass: 0.1
drives:
  - {{joint: panda/panda_finger_joint1, stiffness: 1000, damping: 50, target: 0.0}}
""" + "".join(f"  - {{joint: panda/panda_joint{k}, stiffness: 600, damping: 60}}\n" for k in range(1, 8))


def controls_for(model: tactus.Model, count: int, steps: int, size: float) -> np.ndarray:
    """Targets that wander about those of the start; those of fingers stay closed."""
    noise = np.random.default_rng(0).standard_normal((count, 1, model.nu))
    noise[:, :, ["finger" in name for name in model.actuator_names]] = 0.0
    wave = np.sin(np.linspace(0, 3, steps))[None, :, None]
    return np.ascontiguousarray(model.ctrl0 + size * noise * wave)


class MujocoSide:
    """The same robot in MuJoCo: its URDF with floor, position actuators and settings of equal meaning."""

    def __init__(self, robot: str, model: tactus.Model, floating: bool, gains: tuple[float, float], friction: float,
                 text: str = ""):
        import mujoco
        import mujoco.rollout

        self.mujoco = mujoco
        path = os.path.join(os.path.dirname(tactus.__file__), "data", "models", robot + ".urdf")
        spec = mujoco.MjSpec.from_file(path)
        spec.option.timestep = model.timestep
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
        if floating:
            spec.worldbody.first_body().add_freejoint()
        for k, name in enumerate(model.actuator_names):
            stiffness, damping = (1000.0, 50.0) if "finger" in name else gains
            actuator = spec.add_actuator(name=name, target=name.split("/")[1], trntype=mujoco.mjtTrn.mjTRN_JOINT)
            actuator.gainprm[0] = stiffness
            actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
            actuator.biasprm[1], actuator.biasprm[2] = -stiffness, -damping
        if text:
            data = model.make_data()
            box = spec.worldbody.add_body(name="box", pos=data.xpos[model.body("box")], quat=data.xquat[model.body("box")])
            box.add_freejoint()
            box.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.02, 0.02, 0.02], mass=0.1)
            equality = spec.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT,
                                         name1="panda_finger_joint2", name2="panda_finger_joint1")
            equality.data[1] = 1
        for geom in spec.geoms:
            geom.friction[0] = friction  # of a pair MuJoCo takes the larger, we the geometric mean
        self.model = spec.compile()
        self.start = mujoco.MjData(self.model)
        self.place(model)

    def place(self, model: tactus.Model) -> None:
        """Everything where it is in our scene."""
        m, mj = self.model, self.mujoco
        for j in range(m.njnt):
            name = mj.mj_id2name(m, mj.mjtObj.mjOBJ_JOINT, j) or ""
            at = m.jnt_qposadr[j]
            ours = [k for k, n in enumerate(model.joint_names) if n.split("/")[-1] == name]
            if ours:
                self.start.qpos[at] = model.qpos0[model.jnt_qposadr[ours[0]]]
            elif m.jnt_type[j] == mj.mjtJoint.mjJNT_FREE and m.body(m.jnt_bodyid[j]).name != "box":
                self.start.qpos[at:at + 7] = model.qpos0[:7]

    def rollout(self, controls: np.ndarray, threads: int) -> None:
        mj = self.mujoco
        size = mj.mj_stateSize(self.model, mj.mjtState.mjSTATE_FULLPHYSICS)
        state = np.zeros(size)
        mj.mj_getState(self.model, self.start, state, mj.mjtState.mjSTATE_FULLPHYSICS)
        data = [mj.MjData(self.model) for _ in range(threads)]
        self.states, _ = mj.rollout.rollout(self.model, data, np.repeat(state[None], len(controls), axis=0), controls)


    def ends(self, name: str) -> np.ndarray:
        """The number of ENDS at the start, then at the end of each simulation."""
        mj, data = self.mujoco, self.mujoco.MjData(self.model)
        out = []
        for qpos in [self.start.qpos, *self.states[:, -1, 1:1 + self.model.nq]]:  # time comes first
            data.qpos[:] = qpos
            mj.mj_kinematics(self.model, data)
            out.append(ENDS[name][0](lambda body: data.body(body.split("/")[-1]).xpos))
        return np.array(out)


def our_ends(name: str, model: tactus.Model, result: tactus.RolloutResult) -> np.ndarray:
    data = model.make_data()
    out = []
    for state in [data.get_state(), *result.states[:, -1]]:
        data.set_state(state)
        xpos = data.xpos
        out.append(ENDS[name][0](lambda body: xpos[model.body(body)]))
    return np.array(out)


def height(place: Callable[[str], np.ndarray]) -> float:
    return float(place("dog_0/trunk")[2])


def slip(place: Callable[[str], np.ndarray]) -> float:
    """From the middle of the fingers to the box."""
    fingers = 0.5 * (place("panda/panda_leftfinger") + place("panda/panda_rightfinger"))
    return float(np.linalg.norm(place("box") - fingers))


# What shows that both engines do what they should: a number [m], what it is called, whether the end is right given the start.
ENDS: dict = {"laikago": (height, "robots landed", lambda start, end: (0.1 < end) & (end < start - 0.1)),
              "panda grasp": (slip, "boxes held", lambda start, end: np.abs(end - start) < 0.01)}


def measure_rollouts(name: str, model: tactus.Model, other: "MujocoSide | None", count: int, steps: int,
                     size: float, repeats: int) -> dict:
    controls = controls_for(model, count, steps, size)
    results: dict = {}

    def ours(threads: int) -> None:
        results[threads] = tactus.rollout(model, None, controls, threads=threads)

    works: list[Callable[[], object]] = [lambda: ours(1), lambda: ours(2)]
    if other is not None:
        works += [lambda: other.rollout(controls, 1), lambda: other.rollout(controls, 2)]
    for work in works:
        work()  # memory, caches, threads
    times = best_of(repeats, *works)
    rate = [count * steps / t for t in times]
    result = results[2]
    out = {"model": name, "simulations": count, "steps": steps, "tactus 1 thread [steps/s]": rate[0],
           "tactus 2 threads [steps/s]": rate[1], "tactus scaling": rate[1] / rate[0],
           "same bits": results[1].states.tobytes() == results[2].states.tobytes(),
           "steps solved to the tolerance": float(np.mean(result.status == 0)),
           "largest residual": float(np.nanmax(result.residual)), "failed": len(result.failed)}
    _, what, right = ENDS[name]
    sides = {"tactus": our_ends(name, model, result)}
    if other is not None:
        sides["mujoco"] = other.ends(name)
    for side, (start, *ends) in sides.items():
        out.update({f"{side}: {what}": float(np.mean(right(start, np.array(ends)))),
                    f"{side}: at the start, mean at the end [m]": f"{start:.4f}, {np.mean(ends):.4f}"})
    if other is not None:
        out.update({"mujoco 1 thread [steps/s]": rate[2], "mujoco 2 threads [steps/s]": rate[3],
                    "mujoco scaling": rate[3] / rate[2], "mujoco finite": bool(np.isfinite(other.states).all())})
    return out


def processor() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def show(row: dict) -> None:
    for key, value in row.items():
        print(f"  {key:<44} {value:.6g}" if isinstance(value, float) else f"  {key:<44} {value}")
    print(flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="write what was measured")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--only", choices=["overhead", "rollout"])
    arguments = parser.parse_args()
    rows: dict = {}
    if arguments.only != "rollout":
        rows["overhead"] = measure_overhead(10000 if arguments.quick else 50000)
        print("a ball in free fall")
        show(rows["overhead"])
    if arguments.only != "overhead":
        try:
            import mujoco

            version = mujoco.__version__
        except ImportError:
            version = None
            print("mujoco is not installed: rollouts go without the comparison")
        count, steps, repeats = (16, 100, 3) if arguments.quick else (64, 240, 5)
        dog, text = laikago(), grasp_text()
        hand = tactus.loads(text)
        for name, model, make in [
            ("laikago", dog, lambda: MujocoSide("laikago", dog, True, (20.0, 2.0), 0.8)),
            ("panda grasp", hand, lambda: MujocoSide("panda_hand", hand, False, (600.0, 60.0), 1.0, text)),
        ]:
            row = measure_rollouts(name, model, make() if version else None, count, steps,
                                   0.2 if name == "laikago" else 0.05, repeats)
            rows[name] = {**row, "mujoco": version}
            show(rows[name])
    rows["machine"] = {"processors": len(os.sched_getaffinity(0)), "processor": processor(), "python": platform.python_version(),
                       "tactus": tactus.__version__, "when": time.strftime("%Y-%m-%d")}
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)
    missed = [f"overhead {rows['overhead']['overhead [us]']:.2f} us >= 2 us"] \
        if rows.get("overhead", {}).get("overhead [us]", 0) >= 2 else []
    missed += [f"{name}: scaling {row['tactus scaling']:.2f} < 1.8" for name, row in rows.items()
               if row.get("tactus scaling", 2) < 1.8]
    missed += [f"{name}: {key} {value:.2f} < 1" for name, row in rows.items() for key, value in row.items()
               if key.endswith(("robots landed", "boxes held")) and value < 1]
    for text in missed:
        print("missed:", text)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
