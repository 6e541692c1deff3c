"""Arguments that make no sense: exceptions only, never a crash. Seeded, in this process: a crash ends the test run."""

import functools
import gc
import importlib.util
import math
import os
import time

import numpy as np
import pytest

import tactus
from conftest import BALL

sparse = pytest.importorskip("scipy.sparse")

FUZZ_SECONDS = float(os.environ.get("TACTUS_FUZZ_SECONDS", 120))  # of each long test


class Odd:
    """An object that lies about what it is."""

    shape = (3, 3)

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no array")

    def tocsr(self):
        return self

    def __index__(self):
        raise OverflowError("no index")

    def __float__(self):
        raise ValueError("no number")

    def __fspath__(self):
        raise OSError("no path")


class Liar:
    """A sparse matrix whose parts do not fit."""

    def __init__(self, indptr, indices, data, shape):
        self.indptr, self.indices, self.data, self.shape = indptr, indices, data, shape

    def tocsr(self):
        return self


def numbers(rng):
    return rng.choice([0, 1, -1, 2, 3, 7, 0.5, -0.0, 1e-300, 1e300, -1e308, 1e16, math.nan, math.inf, -math.inf])


def array(rng, shape=None):
    """Of odd shapes, kinds and strides."""
    if shape is None or rng.random() < 0.3:
        shape = tuple(int(n) for n in rng.integers(0, 5, rng.integers(0, 5)))
    out = rng.standard_normal(shape)
    pick = rng.integers(0, 14)
    if pick == 0 and out.size:
        out.flat[rng.integers(out.size)] = float(numbers(rng))
    if pick == 1:
        out = out.astype(rng.choice(["f4", "f2", "i1", "u8", "?", "c16", "S3", "O", ">f8", "M8[s]"]))
    if pick == 2 and out.ndim:
        out = out[tuple(slice(None, None, -1) for _ in range(out.ndim))]
    if pick == 3:
        out = np.asfortranarray(out)
    if pick == 4 and out.ndim:
        out = np.repeat(out, 3, axis=-1)[..., ::3]
    if pick == 5:
        out = np.broadcast_to(np.float64(numbers(rng)), (2**20,) * max(1, min(2, out.ndim)) + (2**12,))
    if pick == 6:
        out = out.tolist()
    if pick == 7:
        out = 1e200 * out
    if pick == 8:
        out = np.ma.masked_array(out, mask=out > 0)
    if pick == 9:
        out = np.zeros(shape, dtype=[("a", "f8"), ("b", "i4")])
    if pick == 10 and out.ndim:
        out = np.frombuffer(b"\0" + out.tobytes() + b"\0" * 7, dtype=np.uint8)[1:1 + 8 * out.size].view("f8") \
            .reshape(out.shape)  # not aligned
    return out


def matrix(rng, rows, columns):
    dense = array(rng, (rows, columns)) if rng.random() < 0.5 else np.eye(rows, columns)
    pick = rng.integers(0, 6)
    if pick == 0 and isinstance(dense, np.ndarray) and dense.ndim == 2 and dense.dtype == float and dense.size < 1000:
        return sparse.csr_matrix(dense)
    if pick == 1:
        return Liar(np.array([0, 5, -1, 2**40]), np.array([0, 9, 2**40, -7]), np.ones(4), (3, 3))
    if pick == 2:
        return Liar(np.array([0, 1, 2, 3]), np.array([0, -1, 10**12]), np.ones(3), (3, 3))
    return dense


def thing(rng):
    pool = [None, "", "x", "\0", b"bytes", 0, -1, 2**31, 2**63, 2**64, 10**400, 1.5, math.nan, math.inf, True, [], {}, (),
            object(), Odd(), np.zeros(0), np.float64(3), np.datetime64("NaT"), lambda: 0, type, slice(None), [[1], [2, 3]],
            "/", "/dev/null", "/proc/self/mem", "../" * 50, "a" * 5000, float, range(3)]
    return pool[rng.integers(len(pool))]


def maybe(rng, value):
    """The value, mostly."""
    return thing(rng) if rng.random() < 0.12 else value


def call_solve(rng, _):
    nc = int(rng.integers(0, 4))
    n = int(rng.integers(1, 7))
    options = {}
    for name in ("tolerance", "max_iterations", "time_budget", "threads", "warm_start", "history"):
        if rng.random() < 0.15:
            options[name] = thing(rng)
    # Solves of numbers that make little sense must end.
    options.setdefault("max_iterations", 20)
    rows = maybe(rng, [[], [tactus.RowLaw.equality()], [tactus.RowLaw.soft(numbers(rng), numbers(rng))],
                       [tactus.RowLaw.bounded_soft(1, 0, numbers(rng), numbers(rng))]][rng.integers(4)])
    solver = maybe(rng, list(tactus.solvers())[rng.integers(len(tactus.solvers()))])
    size = 3 * nc + (len(rows) if isinstance(rows, list) else 0)
    if rng.random() < 0.3:
        return tactus.solve_delassus(maybe(rng, matrix(rng, size, size)), maybe(rng, array(rng, (size,))),
                                     maybe(rng, array(rng, (nc,))), solver, rows=rows, **options)
    return tactus.solve(maybe(rng, matrix(rng, n, n)), maybe(rng, array(rng, (n,))), maybe(rng, matrix(rng, size, n)),
                        maybe(rng, array(rng, (size,))), maybe(rng, 0.5), solver, rows=rows, **options)


def call_judge(rng, _):
    n = 3
    problem = (np.eye(n), array(rng, (n,)), matrix(rng, n, n), array(rng, (n,)), 0.5)
    if rng.random() < 0.3:
        problem = problem[2:]
    return tactus.ncp_residual(maybe(rng, problem), maybe(rng, array(rng, (n,))), maybe(rng, None))


def call_invert(rng, _):
    ne, na, nc = (int(k) for k in rng.integers(0, 4, 3))
    m = 3 * nc
    options = {name: thing(rng) for name in ("lower", "upper", "compliance", "kind", "tolerance", "warm_start")
               if rng.random() < 0.1}
    return tactus.invert(maybe(rng, array(rng, (ne, na))), array(rng, (ne, m)), array(rng, (ne,)), array(rng, (m, na)),
                         maybe(rng, np.eye(m)), array(rng, (m,)), mu=maybe(rng, 0.5), time_budget=0.2, **options)


def call_data(rng, model):
    data = model.make_data()
    for _ in range(4):
        name = rng.choice(["qpos", "qvel", "ctrl", "qfrc_applied", "applied_wrench"])
        view = getattr(data, name)
        pick = rng.integers(0, 7)
        if pick == 0:
            setattr(data, name, thing(rng))
        elif pick == 1 and view.size:
            view.flat[rng.integers(view.size)] = numbers(rng)
        elif pick == 2:
            setattr(data, name, array(rng, view.shape))
        elif pick == 3:
            data.set_state(maybe(rng, array(rng, (model.nstate,))))
        elif pick == 4:
            data.restore(maybe(rng, data.save()[: rng.integers(1, 3000)]))
        elif pick == 5:
            data.time = maybe(rng, numbers(rng))
        elif pick == 6:
            view.shape = (-1, 1)
            view.shape = (-1,) if name != "applied_wrench" else (-1, 6)
        tactus.step(maybe(rng, model), maybe(rng, data), maybe(rng, 1))
        data.contacts, data.xpos, data.get_state(), data.sensordata, data.problem
    return data


def call_rollout(rng, model):
    count, steps = (int(k) for k in rng.integers(0, 4, 2))
    options = {name: thing(rng) for name in ("nstep", "threads", "sensors", "progress", "on_failure") if rng.random() < 0.1}
    return tactus.rollout(maybe(rng, model), maybe(rng, array(rng, (count, model.nq + model.nv))),
                          maybe(rng, array(rng, (count, steps, model.nu))), **options)


def call_files(rng, model, folder):
    path = maybe(rng, str(folder / "file.h5"))
    data = model.make_data()
    tactus.step(model, data)
    pick = rng.integers(0, 8)
    if pick == 0:
        return tactus.read_problem(path)
    if pick == 1:
        return tactus.load_recording(path)
    if pick == 2:
        return tactus.read_inverse_problem(path)
    if pick == 3:
        return data.problem.write(path, format=maybe(rng, "tactus"))
    if pick == 4:
        recorder = tactus.Recorder(maybe(rng, data), path, replay=maybe(rng, False), rate=maybe(rng, 60))
        recorder.append()
        recorder.close()
        recorder.close()
        return recorder.append()  # closed
    if pick == 5:
        (folder / "file.h5").write_bytes(rng.bytes(int(rng.integers(0, 4000))))
        return None
    if pick == 6:
        return tactus.generate(maybe(rng, "dishes"), maybe(rng, 1), maybe(rng, {}))
    return tactus.load_recording(path).deformables(maybe(rng, 0))


def call_load(rng, _):
    options = {name: thing(rng) for name in ("set", "seed", "trial", "base", "controllers", "time_step", "solver",
                                             "tolerance", "threads", "roots", "on_failure") if rng.random() < 0.1}
    if rng.random() < 0.3:
        text = bytearray(BALL.encode())
        for _ in range(3):
            text[rng.integers(len(text))] = rng.integers(32, 127)
        model = tactus.loads(maybe(rng, text.decode()), **options)
    else:
        model = tactus.load(maybe(rng, "cube_on_table"), **options)
    data = tactus.Data(maybe(rng, model))
    model.body(maybe(rng, "x"))
    return data


def call_batch(rng, model):
    batch = [maybe(rng, model.make_data()) for _ in range(int(rng.integers(0, 4)))]
    for data in batch:
        if isinstance(data, tactus.Data) and rng.random() < 0.5:
            data.qvel = array(rng, (model.nv,))
    if batch and rng.random() < 0.1:
        batch.append(batch[0])  # twice
    return tactus.step_batch(maybe(rng, batch), maybe(rng, int(rng.integers(1, 4))), threads=maybe(rng, int(rng.integers(1, 5))))


@functools.lru_cache
def soft_model(name):
    return tactus.load(name, max_iterations=20, time_budget=0.02)


def call_deformables(rng, _):
    model = soft_model(["soft-mat-drop", "cable-winding"][rng.integers(2)])
    data = model.make_data()
    body = data.deformables[0]
    view = [body.positions, body.velocities, body.free, body.tetrahedra, body.triangles][rng.integers(5)]
    pick = rng.integers(0, 5)
    if pick == 0 and view.size:
        view.flat[rng.integers(view.size)] = numbers(rng)
    elif pick == 1:
        view[...] = maybe(rng, array(rng, view.shape))
    elif pick == 2:
        view.shape = (-1,)
    elif pick == 3:
        model._topology(thing(rng))
    elif pick == 4:
        data._stress(thing(rng))
    model.body(maybe(rng, body.name))
    body.stress
    if rng.random() < 0.05:
        tactus.step(model, data)
    return body


def square(job, rng=None):
    return job * job


def call_map(rng, _, folder):
    options = {name: thing(rng) for name in ("seed", "shard", "part", "retries", "window", "progress", "on_failure", "executor")
               if rng.random() < 0.1}
    if isinstance(options.get("executor"), int):
        options.pop("executor")  # processes, as many as that
    if rng.random() < 0.3:
        folders = [folder / "map", folder / "file.h5", "x", "\0", 3, b"bytes", Odd(), "a" * 5000, "/dev/null", "/proc/self/mem"]
        options["folder"] = folders[rng.integers(len(folders))]
    jobs = [numbers(rng) for _ in range(int(rng.integers(0, 4)))]
    return tactus.map(maybe(rng, square), maybe(rng, jobs), **options)


def call_show(rng, model):
    return tactus.show(thing(rng), maybe(rng, 480))._repr_html_()


@functools.lru_cache
def environments(gym):
    return gym.Go2StandEnv(), gym.TactusVectorEnv(gym.Go2StandEnv, 2)


def call_gym(rng, _):
    import tactus.gym as gym

    single, vector = environments(gym)
    pick = rng.integers(0, 6)
    if pick == 0:
        return gym.Go2StandEnv(height=maybe(rng, 0.3), noise=maybe(rng, 0.1), render_mode=maybe(rng, None))
    if pick == 1:
        return gym.TactusVectorEnv(maybe(rng, gym.Go2StandEnv), 1, threads=maybe(rng, 2), autoreset_mode=maybe(rng, "NextStep"))
    env, shape = (single, (12,)) if rng.random() < 0.5 else (vector, (2, 12))
    if pick == 2:
        return env.reset(seed=maybe(rng, 1), options=maybe(rng, {"reset_mask": thing(rng)}))
    env.reset(seed=1)
    if pick == 3:
        single.data.qvel[rng.integers(18)] = rng.choice([math.nan, math.inf, -math.inf])
    return env.step(maybe(rng, np.clip(array(rng, shape), -1, 1)))


CALLS = [call_solve, call_judge, call_invert, call_data, call_rollout, call_files, call_load, call_batch, call_deformables,
         call_map, call_show]
if importlib.util.find_spec("gymnasium"):
    CALLS.append(call_gym)
NEED_FOLDER = (call_files, call_map)


def fuzz(rounds, seed, folder, seconds=math.inf):
    """So many calls, or as many as there is time for."""
    rng = np.random.default_rng(seed)
    deadline = time.monotonic() + seconds
    # Steps of numbers that make little sense must end soon: thousands of contacts at forces of 1e19 N take minutes.
    models = [tactus.load("panda_pick", time_budget=0.2), tactus.loads(BALL, time_budget=0.2),
              tactus.load("cube_on_table", time_budget=0.2)]
    answers, refusals = 0, {}
    for _ in range(rounds):
        if time.monotonic() > deadline:
            break
        call = CALLS[rng.integers(len(CALLS))]
        model = models[rng.integers(len(models))]
        try:
            with np.errstate(all="ignore"):
                call(rng, model, folder) if call in NEED_FOLDER else call(rng, model)
            answers += 1
        except Exception as error:  # any exception is fine, a crash is not
            refusals[type(error).__name__] = refusals.get(type(error).__name__, 0) + 1
    gc.collect()
    return answers, refusals


def wild_steps(rounds, seed, names, seconds=math.inf):
    """Steps from states and inputs of any magnitude: they end, in a finite state, with a report or an exception."""
    rng = np.random.default_rng(seed)
    deadline = time.monotonic() + seconds
    models = [tactus.load(name, max_iterations=20, time_budget=0.02, **options) for name, options in names]
    outcomes = {}
    for _ in range(rounds):
        if time.monotonic() > deadline:
            break
        model = models[rng.integers(len(models))]
        data = model.make_data()
        state = data.get_state()
        hit = rng.random(len(state)) < rng.choice([0.02, 0.3, 1])
        state += np.where(hit, rng.standard_normal(len(state)) * 10.0 ** rng.choice([rng.uniform(-3, 6), rng.uniform(6, 40), rng.uniform(40, 308)]), 0)
        for start, end in zip(model.jnt_qposadr, [*model.jnt_qposadr[1:], model.nq]):
            if end - start == 7:  # quaternions of any length are refused at once
                turn = rng.standard_normal(4)
                state[start + 3:end] = turn / np.linalg.norm(turn)
        if model.nu:
            data.ctrl += rng.standard_normal(model.nu) * 10.0 ** rng.uniform(-3, 300)
        try:
            data.set_state(state)
            for _ in range(3):
                report = tactus.step(model, data)
                assert np.isfinite(data.get_state()).all()
                data.contacts, data.xpos
                key = str(report.status)
        except tactus.InputError:
            key = "InputError"
        outcomes[key] = outcomes.get(key, 0) + 1
    return outcomes


# Deformables in a tangle have thousands of contacts and take their time: they are for the long run.
WILD = [("laikago-drop", {"set": {"robots": 1}}), ("panda_pick", {}), ("cube_on_table", {})]


@pytest.mark.filterwarnings("ignore")
def test_wild_states():
    outcomes = wild_steps(40, 1, WILD)
    assert len(outcomes) > 1, outcomes


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(2, 6))
def test_wild_states_long(seed):
    print("\n", wild_steps(1000, seed, WILD + [("soft-mat-drop", {}), ("cable-winding", {}), ("go2-stand", {}), ("spheres_1000", {})],
                           FUZZ_SECONDS))


@pytest.mark.filterwarnings("ignore")
def test_fuzz(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # "x" is one of the paths
    answers, refusals = fuzz(1500, 1, tmp_path)
    # Both happen often, or the fuzzer looks at nothing.
    assert answers > 100 and refusals["InputError"] > 100, (answers, refusals)
    # And afterwards everything works as ever.
    model = tactus.load("panda_pick")
    assert tactus.step(model, model.make_data(), 10).ok


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(2, 8))
def test_fuzz_long(tmp_path, monkeypatch, seed):
    monkeypatch.chdir(tmp_path)
    print("\n", *fuzz(20000, seed, tmp_path, FUZZ_SECONDS))
