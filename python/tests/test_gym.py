"""Environments of Gymnasium, alone and in vectors."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tactus

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'tactus[gym]'")

import tactus.gym  # noqa: E402  (needs Gymnasium)
from gymnasium.utils.env_checker import check_env  # noqa: E402

# Short episodes of the slow one.
OPTIONS = {"GraspLift": {}, "Go2Stand": {}, "DishPiling": {"dishes": 1}}
NAMES = list(OPTIONS)
VIEWER = Path(tactus.__file__).parent / "data" / "viewer" / "replay.js"


def make(name, **options):
    return gymnasium.make(f"Tactus/{name}-v0", **{**OPTIONS[name], **options}).unwrapped


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:.*infinity")
@pytest.mark.filterwarnings("error")
def test_check_env(name):
    check_env(gymnasium.make(f"Tactus/{name}-v0").unwrapped, skip_render_check=not VIEWER.exists())


@pytest.mark.parametrize("name", NAMES)
def test_seeds_give_the_same_bits(name):
    def run(env, steps=8):
        rng = np.random.default_rng(3)
        out = [env.reset(seed=5)[0].tobytes()]
        for _ in range(steps):
            action = rng.uniform(-1, 1, env.action_space.shape)
            observation, reward, *_ = env.step(action)
            out += [observation.tobytes(), reward]
        return out

    env = make(name)
    first = run(env)
    assert run(env) == first and run(make(name)) == first
    assert env.reset(seed=6)[0].tobytes() != first[0]


@pytest.mark.parametrize("name, count, steps", [("GraspLift", 5, 70), ("Go2Stand", 5, 110), ("DishPiling", 3, 4)])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_vector_does_what_its_environments_do_alone(name, count, steps, threads):
    """Step by step and to the bit, across ends of episodes."""
    vector = gymnasium.make_vec(f"Tactus/{name}-v0", num_envs=count, threads=threads, **OPTIONS[name])
    assert isinstance(vector, tactus.gym.TactusVectorEnv) and vector.threads == threads
    singles = [make(name) for _ in range(count)]
    observations, _ = vector.reset(seed=11)
    over = [False] * count
    for k, env in enumerate(singles):
        assert env.reset(seed=11 + k)[0].tobytes() == observations[k].tobytes()
    rng, ends = np.random.default_rng(1), 0
    for _ in range(steps):
        actions = rng.uniform(-1, 1, vector.action_space.shape).astype(np.float32)
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        assert vector.observation_space.contains(observations)
        for k, env in enumerate(singles):
            expected = (env.reset()[0], 0.0, False, False) if over[k] else env.step(actions[k])[:4]
            assert observations[k].tobytes() == expected[0].tobytes()
            assert (rewards[k], terminated[k], truncated[k]) == expected[1:]
            over[k] = expected[2] or expected[3]
            ends += over[k]
        told = infos.get("_residual", np.zeros(count, dtype=bool))
        assert not told.any() or np.all(np.isfinite(infos["residual"][told]))
    assert ends > 0 or name == "DishPiling"


def test_autoreset_modes():
    same = gymnasium.make_vec("Tactus/Go2Stand-v0", num_envs=2, autoreset_mode="SameStep")
    off = gymnasium.make_vec("Tactus/Go2Stand-v0", num_envs=2, autoreset_mode="Disabled")
    same.reset(seed=1)
    off.reset(seed=1)
    still = np.zeros((2, 12), dtype=np.float32)
    for k in range(100):
        a, b = same.step(still), off.step(still)
        assert a[3].all() == b[3].all() == (k == 99)
    assert np.stack(a[4]["final_obs"]).tobytes() == b[0].tobytes() and a[0].tobytes() != b[0].tobytes()
    with pytest.raises(tactus.InputError, match=r"episodes of \[0, 1\] are over"):
        off.step(still)
    before = off.reset(options={"reset_mask": np.array([True, False])})[0]
    assert before[1].tobytes() == b[0][1].tobytes() and before[0].tobytes() == a[0][0].tobytes()
    with pytest.raises(tactus.InputError, match="reset_mask"):
        off.reset(options={"reset_mask": np.array([1, 0])})


def test_bad_actions_are_told():
    env = make("GraspLift")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(4))
    env.reset(seed=0)
    for action in ([np.nan, 0, 0, 0], [1.5, 0, 0, 0], [0, 0, 0]):
        with pytest.raises(tactus.InputError, match="expected: 4 numbers from -1 to 1"):
            env.step(np.array(action))
    vector = gymnasium.make_vec("Tactus/GraspLift-v0", num_envs=2)
    vector.reset(seed=[1, 2])
    with pytest.raises(tactus.InputError, match="expected: .2, 4."):
        vector.step(np.zeros((3, 4)))
    with pytest.raises(tactus.InputError, match="environment 1: action.*expected: 4 numbers"):
        vector.step(np.array([[0, 0, 0, 0], [0, np.nan, 0, 0]]))
    with pytest.raises(tactus.InputError, match="seed: there are 3"):
        vector.reset(seed=[1, 2, 3])
    vector.close()
    for call in (vector.reset, lambda: vector.step(np.zeros((2, 4)))):
        with pytest.raises(tactus.InputError, match="is closed"):
            call()


@pytest.mark.parametrize("name, options, message", [
    ("DishPiling", {"dishes": 4}, "dishes: is 4"), ("DishPiling", {"spread": np.nan}, "spread: is nan .expected: 0 to 0.2"),
    ("GraspLift", {"spread": -1}, "spread: is -1"), ("GraspLift", {"spread": "wide"}, "spread: is 'wide'"),
    ("Go2Stand", {"height": 3}, "height: is 3"), ("Go2Stand", {"noise": -0.1}, "noise: is -0.1")])
def test_bad_options_are_told(name, options, message):
    with pytest.raises(tactus.InputError, match=message):
        make(name, **options)


def test_the_simulator_failing_ends_the_episode():
    env = make("Go2Stand")
    env.reset(seed=0)
    env.data.qvel[6:] = 1e200
    *_, truncated, info = env.step(np.zeros(12))
    assert truncated and info["failure"]


def grasp(env, seed):
    """A policy by hand: above the can, down, close, up."""
    observation, _ = env.reset(seed=seed)
    success = False
    for step in range(60):
        way = observation[18:21] + ([0, 0, 0.1] if step < 18 else [0, 0, 0])
        action = np.append(np.clip(0.5 * way / 0.015, -1, 1), 1.0 if step < 30 else -1.0)
        if step >= 36:
            action[:3] = [0, 0, 0.5]
        observation, reward, terminated, truncated, info = env.step(action)
        success = info["is_success"]
        assert not terminated and env.data.report.ok
    assert truncated
    return success


@pytest.mark.parametrize("seed", range(4))
def test_grasp_lift_can_be_done(seed):
    assert grasp(make("GraspLift"), seed)


def test_go2_can_stand():
    """The crouch alone is too low; legs that are straighter reach the height."""
    env = make("Go2Stand", noise=0.0)
    ends = {}
    for bend in (0.0, 1.0):
        env.reset(seed=0)
        for k in range(100):
            share = bend * min(1.0, k / 40)
            action = np.tile([0.0, -0.34, 0.68], 4) * share
            *_, info = env.step(action)
        ends[bend] = info
    assert not ends[0.0]["is_success"] and ends[1.0]["height"] > ends[0.0]["height"] + 0.05


def test_go2_targets_go_a_part_of_the_way():
    """Actions that jump to and fro, as exploring ones do, move the drives' targets by 0.3 of it; a reset forgets them."""
    env = make("Go2Stand")
    start = env.unwrapped.data.ctrl.copy()
    for _ in range(2):
        observation, _ = env.reset(seed=0)
        assert not observation[-12:].any()
        for action, target in ((0.5, 0.15), (-0.5, -0.045), (-0.5, -0.1815)):
            observation, *_ = env.step(np.full(12, action))
            np.testing.assert_allclose(observation[-12:], target, rtol=1e-12)
        np.testing.assert_allclose(env.unwrapped.data.ctrl, start - 0.8 * 0.1815, rtol=1e-12)


@pytest.mark.long
def test_dishes_are_piled_where_they_are_expected():
    """By the scene's own robot, if nothing is displaced and nobody interferes."""
    env = make("DishPiling", dishes=3, spread=0.0)
    env.reset(seed=0)
    truncated, total = False, 0.0
    while not truncated:
        _, reward, terminated, truncated, info = env.step(np.zeros(23))
        total += reward
        assert not terminated
    assert info["is_success"], info
    assert total > 50


@pytest.mark.skipif(not VIEWER.exists(), reason="the viewer of replays was not bundled (npm)")
def test_a_replay_of_an_episode():
    env = make("Go2Stand", render_mode="html")
    env.reset(seed=0)
    for _ in range(4):
        env.step(np.zeros(12))
    page = env.render()
    assert "<html" in page.lower() and len(page) > 10000
    assert make("Go2Stand").render() is None


def test_without_gymnasium_the_package_says_so():
    program = ("import sys; sys.modules['gymnasium'] = None\nimport tactus\n"
               "try:\n    import tactus.gym\nexcept ImportError as error:\n    print(error)")
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "pip install 'tactus[gym]'" in out.stdout, out.stdout + out.stderr
