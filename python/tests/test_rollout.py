"""Rollouts: the same bits as single steps, for any number of threads; failures by index."""

import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import tactus
from conftest import BALL


@pytest.fixture(scope="module")
def dog():
    return tactus.load("laikago-drop", set={"robots": 1})


def controls_for(model, count, steps, seed=0):
    return model.ctrl0 + 0.2 * np.random.default_rng(seed).standard_normal((count, steps, model.nu))


def states_for(model, count, seed=1):
    state = np.concatenate([model.qpos0, model.qvel0])
    states = np.repeat(state[None], count, axis=0)
    states[:, model.nq:] += 0.1 * np.random.default_rng(seed).standard_normal((count, model.nv))
    return states


def test_bits_do_not_depend_on_threads_and_are_those_of_steps(dog):
    count, steps = 5, 40
    states, controls = states_for(dog, count), controls_for(dog, count, steps)
    expected = np.empty((count, steps, dog.nq + dog.nv))
    for i in range(count):
        data = dog.make_data()
        data.set_state(states[i])
        for t in range(steps):
            data.ctrl[:] = controls[i, t]
            tactus.step(dog, data)
            expected[i, t] = data.get_state()
    for threads in (1, 2, 3, 4):
        result = tactus.rollout(dog, states, controls, threads=threads)
        assert result.ok and result.failed.size == 0
        assert result.states.tobytes() == expected.tobytes(), threads
        assert np.all(result.residual <= dog.tolerance)
    # Order does not matter either: simulators are used again and must not remember.
    back = tactus.rollout(dog, states[::-1], controls[::-1], threads=2)
    assert back.states[::-1].tobytes() == expected.tobytes()


def test_results_print_as_a_line(dog):
    text = repr(tactus.rollout(dog, states_for(dog, 2), controls_for(dog, 2, 3)))
    assert text == "<tactus.RolloutResult: 2 simulations of 3 steps, all solved>"


def test_shapes(dog):
    one = tactus.rollout(dog, nstep=3)
    assert one.states.shape == (1, 3, dog.nq + dog.nv) and one.status.shape == one.residual.shape == (1, 3)
    shared = tactus.rollout(dog, states_for(dog, 2), controls_for(dog, 1, 3)[0])
    assert shared.states.shape == (2, 3, dog.nq + dog.nv)
    spread = tactus.rollout(dog, states_for(dog, 1)[0], controls_for(dog, 4, 3))
    assert spread.states.shape == (4, 3, dog.nq + dog.nv)
    none = tactus.rollout(dog, states_for(dog, 2)[:0], controls_for(dog, 1, 3)[0])
    assert none.states.shape == (0, 3, dog.nq + dog.nv) and none.ok
    assert tactus.rollout(dog, nstep=0).states.shape == (1, 0, dog.nq + dog.nv)
    assert one.sensors is None and tactus.rollout(dog, nstep=2, sensors=True).sensors.shape == (1, 2, dog.nsensordata)


def test_strided_and_foreign_arrays_are_taken_by_value(dog):
    controls = controls_for(dog, 3, 8)
    wide = np.zeros((3, 8, 2 * dog.nu), dtype=np.float64)
    wide[:, :, ::2] = controls
    a = tactus.rollout(dog, None, wide[:, :, ::2]).states
    b = tactus.rollout(dog, None, np.asfortranarray(controls)).states
    c = tactus.rollout(dog, None, controls).states
    assert a.tobytes() == b.tobytes() == c.tobytes()
    assert np.isfinite(tactus.rollout(dog, None, controls.astype(np.float32)).states).all()


def test_what_fails_is_named_and_others_go_on(dog):
    count, steps = 6, 12
    states, controls = states_for(dog, count), controls_for(dog, count, steps)
    good = tactus.rollout(dog, states, controls, threads=2)
    states[1, 3] = np.nan
    controls[4, 5, 2] = np.inf
    states[5, dog.nq] = 1e300  # overflows on its way
    result = tactus.rollout(dog, states, controls, threads=2)
    assert list(result.failed) == [1, 4, 5] and not result.ok
    index, step, message = result.failures[1]
    assert (index, step) == (4, 5) and "control[2]" in message
    assert "qpos[3]" in result.failures[0][2]
    assert np.isnan(result.states[1]).all() and (result.status[1] == -1).all()
    assert np.isfinite(result.states[4, :5]).all() and np.isnan(result.states[4, 5:]).all()
    for i in (0, 2, 3):
        assert result.states[i].tobytes() == good.states[i].tobytes()
    with pytest.raises(tactus.InputError, match="rollout 1, step 0"):
        tactus.rollout(dog, states, controls, on_failure="raise")


def test_deformables_roll_out():
    model = tactus.load("soft-mat-drop")
    data = model.make_data()
    start = data.get_state()
    result = tactus.rollout(model, start[None], nstep=4)
    assert result.states.shape == (1, 4, model.nstate)
    tactus.step(model, data, 4)
    assert result.states[0, 3].tobytes() == data.get_state().tobytes()


def test_progress_is_told_and_errors_in_it_end_the_rollout(dog, capsys):
    calls = []
    tactus.rollout(dog, None, controls_for(dog, 20, 60), progress=calls.append)
    assert calls == sorted(calls) and calls[-1] == 1200
    tactus.rollout(dog, nstep=2, progress=True)  # however short it is
    line = capsys.readouterr().err
    assert "100.0 %" in line and "steps/s" in line and line.endswith("\n")  # stays on the screen

    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tactus.rollout(dog, None, controls_for(dog, 200, 200), progress=stop)
    assert tactus.rollout(dog, nstep=2).ok


@pytest.mark.parametrize("arguments, options", [
    ((None, None), {}), ((np.zeros((2, 3)), None), {"nstep": 2}), ((None, np.zeros((2, 3, 1))), {}),
    ((None, np.zeros(3)), {}), (("abc", None), {"nstep": 1}), ((None, None), {"nstep": -1}),
    ((None, None), {"nstep": 1.5}), ((None, None), {"nstep": 1, "threads": 0}), ((None, None), {"nstep": 1, "threads": 10**9}),
    ((None, None), {"nstep": 1, "on_failure": "cry"}), ((np.zeros((1, 2, 3, 4)), None), {"nstep": 1}),
    ((np.zeros(37) * 1j, None), {"nstep": 1}), ((None, None), {"nstep": 2**39}), ((None, None), {"nstep": 2**80}),
])
def test_bad_arguments(dog, arguments, options):
    with pytest.raises((tactus.InputError, MemoryError)):
        tactus.rollout(dog, *arguments, **options)


def test_model_must_be_one():
    with pytest.raises(tactus.InputError, match="model"):
        tactus.rollout(None, nstep=1)


def test_scene_controllers_work_in_rollouts():
    model = tactus.load("go2-stand")
    data = model.make_data()
    tactus.step(model, data, 6)
    result = tactus.rollout(model, nstep=6, threads=2)
    assert result.states[0, -1].tobytes() == data.get_state().tobytes()


def test_many_small_rollouts_of_a_ball():
    model = tactus.loads(BALL)
    states = np.repeat(np.concatenate([model.qpos0, model.qvel0])[None], 50, axis=0)
    states[:, 2] += np.linspace(0, 1, 50)
    result = tactus.rollout(model, states, nstep=100, threads=2)
    assert result.ok
    # A free fall of n steps, then the floor.
    h, n = model.timestep, 20
    np.testing.assert_allclose(result.states[-1, n - 1, 2], 1.5 - 9.81 * h * h * n * (n + 1) / 2, rtol=1e-12)
    assert (result.states[:, -1, 2] > 0.1 - 1e-6).all()


def threads_now():
    return len(os.listdir("/proc/self/task"))


def test_threads_are_kept_for_the_next_call(dog):
    controls = controls_for(dog, 4, 2)
    tactus.rollout(dog, None, controls, threads=3)
    before = set(os.listdir("/proc/self/task"))
    assert len(before) >= 3
    for _ in range(20):
        tactus.rollout(dog, None, controls, threads=3)
        tactus.step_batch([dog.make_data() for _ in range(3)], threads=3)
    assert set(os.listdir("/proc/self/task")) <= before


def test_several_python_threads_roll_out_at_a_time(dog):
    states, controls = states_for(dog, 4), controls_for(dog, 4, 20)
    expected = tactus.rollout(dog, states, controls, threads=1).states.tobytes()
    results = [None] * 4

    def work(k):
        for _ in range(3):
            results[k] = tactus.rollout(dog, states, controls, threads=k + 1).states.tobytes()

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [expected] * 4


def forked(controls):
    model = tactus.load("laikago-drop", set={"robots": 1})
    before = threads_now()
    return before, tactus.rollout(model, None, controls, threads=2).states.tobytes()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # pytest or others may have threads of their own
def test_process_pools_that_fork_after_a_rollout_do_not_hang(dog):
    controls = controls_for(dog, 4, 10)
    expected = tactus.rollout(dog, None, controls, threads=3).states.tobytes()
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        for _, states in [pool.submit(forked, controls).result(timeout=120) for _ in range(3)]:
            assert states == expected
    assert tactus.rollout(dog, None, controls, threads=3).states.tobytes() == expected


def step_here(data, queue):
    tactus.step(data.model, data, 5)
    queue.put(data.state_hash)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_simulator_with_threads_goes_on_in_a_forked_child():
    model = tactus.load("spheres_1000", threads=3)
    data = model.make_data()
    tactus.step(model, data, 2)
    fork = multiprocessing.get_context("fork")
    queue = fork.Queue()
    child = fork.Process(target=step_here, args=(data, queue))  # as it is: nothing is pickled
    child.start()
    answer = queue.get(timeout=120)
    child.join(60)
    assert child.exitcode == 0
    tactus.step(model, data, 5)
    assert answer == data.state_hash


# Threads need a stack of 1 GB each here, and the process gets so much memory more: the system refuses the others. (A limit on
# processes, as `ulimit -u` sets it, does not hold for root.)
REFUSED = """
import resource, sys, warnings
import numpy as np
import tactus

gigabytes = float(sys.argv[1])
model = tactus.load("laikago-drop", set={"robots": 1})
controls = model.ctrl0 + 0.2 * np.random.default_rng(0).standard_normal((6, 10, model.nu))
expected = tactus.rollout(model, None, controls, threads=1).states.tobytes()
pages = int(open("/proc/self/statm").read().split()[0])
limit = int(pages * resource.getpagesize() + gigabytes * 2**30)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert tactus.rollout(model, None, controls, threads=6).states.tobytes() == expected
    batch = [model.make_data() for _ in range(6)]
    assert all(report.ok for report in tactus.step_batch(batch, 3, threads=6))
for warning in caught:
    print(warning.category.__name__, warning.message)
warnings.simplefilter("error")
try:
    tactus.rollout(model, None, controls, threads=6)
except RuntimeWarning as error:
    print("raised", error)
try:
    tactus.load("cube_on_table", threads=6)
except tactus.InputError as error:
    print("load", error)
"""


@pytest.mark.parametrize("gigabytes, refused", [(0.8, 5), (2.8, 3)])
def test_threads_that_the_system_refuses_are_told(gigabytes, refused):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path)), MALLOC_ARENA_MAX="1",
                       OPENBLAS_NUM_THREADS="1")
    done = subprocess.run(["bash", "-c", 'ulimit -s 1048576 && exec "$0" "$@"', sys.executable, "-c", REFUSED, str(gigabytes)],
                          env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    text = f"threads: the system refused {refused} of 6"
    assert [line.startswith(f"RuntimeWarning {text}") for line in lines[:2]] == [True, True], lines
    assert lines[2].startswith(f"raised {text}") and lines[3].startswith("load threads: the system does not give as many")
