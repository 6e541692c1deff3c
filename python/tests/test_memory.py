"""Nothing leaks, whatever is made again and again."""

import gc

import numpy as np
import pytest

import tactus
from conftest import BALL


def resident():
    """Bytes in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def growth(work, warm, repeats):
    """Bytes by which memory grows over `repeats` calls, after `warm` calls."""
    for _ in range(warm):
        work()
    gc.collect()
    before = resident()
    for _ in range(repeats):
        work()
    gc.collect()
    return resident() - before


def stepper():
    model = tactus.loads(BALL)
    data = model.make_data()
    tactus.step(model, data, 300)

    def work():
        data.qvel[0] = 0.01
        report = tactus.step(model, data)
        assert report.ok

    return work


def test_steps_do_not_leak():
    assert growth(stepper(), 5000, 50000) < 256 * 1024


@pytest.mark.long
def test_a_million_steps_do_not_leak():
    grown = growth(stepper(), 20000, 1000000)
    print(f"\n{grown / 1024:.0f} kB over 1e6 steps")
    assert grown < 256 * 1024


def test_objects_do_not_leak():
    model = tactus.loads(BALL)
    states = np.repeat(np.concatenate([model.qpos0, model.qvel0])[None], 8, axis=0)
    A = 2 * np.eye(3)

    def work():
        data = model.make_data()
        tactus.step(model, data, 2)
        data.contacts, data.xpos, data.problem, data.save(), data.report
        data.restore(data.save())
        tactus.rollout(model, states, nstep=2, threads=2)
        tactus.solve(A, A @ [1, 0, -1], np.eye(3), np.zeros(3), 0.5).impulse
        try:
            data.qpos[0] = np.nan
            tactus.step(model, data)
        except ValueError:
            pass

    assert growth(work, 200, 400) < 1024 * 1024


def test_models_do_not_leak():
    assert growth(lambda: tactus.loads(BALL).make_data(), 30, 100) < 2 * 1024 * 1024
