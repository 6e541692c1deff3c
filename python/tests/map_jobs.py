"""Jobs of test_map.py, in a module of their own so that workers can import them."""

import os
import signal
import time
from pathlib import Path

import tactus

CUBE = """
name: cube
objects:
  - {name: ground, fixed: true, shape: {type: plane}}
  - {name: cube, shape: {type: box, size: [0.1, 0.1, 0.1]}, pose: {position: [0, 0, 0.3]}, mass: 1}
"""


def fall(height, rng):
    """Drops a cube from a height, turned and thrown at random; where it ends."""
    model = tactus.loads(CUBE)
    data = model.make_data()
    data.qpos[2] = height
    data.qpos[3:7] = rng.normal(size=4)
    data.qvel[:] = rng.normal(size=6)
    report = tactus.step(model, data, 150)
    return {"state": data.get_state(), "status": int(report.status), "draw": rng.random()}


def slow_fall(height, rng):
    time.sleep(0.05)
    return fall(height, rng)


def log_fall(job, rng):
    """The same, and a line in a file, to count who was computed."""
    path, height = job
    with open(path, "a", encoding="ascii") as log:
        log.write(f"{height}\n")
    return fall(height, rng)


def square(x):
    return x * x


def fails_at_three(x):
    if x == 3:
        raise ValueError("three is not wanted")
    return x


def dies_once(job):
    """Kills its worker the first time."""
    path, x = job
    if x == 5 and not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def dies_always(x):
    if x == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x
