"""Programs of python/examples, and the adapter for Stable-Baselines3."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tactus

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(*command, **more):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path)),
                       PATH=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]), **more)
    done = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def digest(text):
    return re.search(r"digest (\w+)", text).group(1)


def test_slurm_tasks_do_together_what_one_process_does(tmp_path):
    study = EXAMPLES / "drop_study.py"
    whole = run(sys.executable, study, tmp_path / "whole", "--jobs", 9)
    assert "not all here" not in whole
    small = tmp_path / "small.py"  # the script of the array takes a study and a folder, so this one has few jobs
    small.write_text(study.read_text().replace("default=200", "default=9"))
    for task in (1, 0):
        out = run("bash", EXAMPLES / "slurm_array.sh", small, tmp_path / "parts", SLURM_ARRAY_TASK_ID=str(task),
                  SLURM_ARRAY_TASK_COUNT="2", SLURM_CPUS_PER_TASK="2")
        assert ("not all here" in out) == (task == 1)
    assert digest(out) == digest(whole)


def test_slurm_script_outside_slurm_says_so(tmp_path):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SLURM")}
    done = subprocess.run(["bash", EXAMPLES / "slurm_array.sh", "study.py", tmp_path], env=environment, capture_output=True,
                          text=True)
    assert done.returncode != 0 and "run by sbatch" in done.stderr


def stable_baselines():
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'tactus[gym]'")
    pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed: pip install stable-baselines3")


def test_stable_baselines_sees_the_same_episodes():
    stable_baselines()
    from tactus.gym import Go2StandEnv, TactusVectorEnv
    from tactus.gym.stable_baselines import StableBaselinesVecEnv

    with pytest.raises(tactus.InputError, match="expected: SameStep"):
        StableBaselinesVecEnv(TactusVectorEnv(Go2StandEnv, 2))
    vector = StableBaselinesVecEnv(TactusVectorEnv(Go2StandEnv, 2, autoreset_mode="SameStep"))
    assert vector.seed(3) == [3, 4]
    single, total = Go2StandEnv(), 0.0
    assert vector.reset()[1].tobytes() == single.reset(seed=4)[0].tobytes()
    rng = np.random.default_rng(0)
    for _ in range(100):
        actions = rng.uniform(-0.2, 0.2, (2, 12))
        observations, rewards, done, infos = vector.step(actions)
        expected = single.step(actions[1])
        total += expected[1]
        assert rewards[1] == np.float32(expected[1])
        if not done[1]:
            assert observations[1].tobytes() == expected[0].tobytes() and "episode" not in infos[1]
    assert done[1] and infos[1]["TimeLimit.truncated"]
    assert infos[1]["terminal_observation"].tobytes() == expected[0].tobytes()
    assert infos[1]["episode"] == {"r": pytest.approx(total, rel=1e-12), "l": 100}
    assert observations[1].tobytes() == single.reset()[0].tobytes()
    assert vector.get_attr("height") == [0.32, 0.32] and vector.env_is_wrapped(object) == [False, False]


@pytest.mark.long
def test_training_learns_to_stand(tmp_path):
    stable_baselines()
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    run(sys.executable, EXAMPLES / "train.py", "go2-stand", "--minutes", 14, "--out", tmp_path)
    curve = np.loadtxt(tmp_path / "curve.csv", delimiter=",", skiprows=1)
    assert curve[0, 4] == 0.0 and curve[-1, 3] > 2.0 * curve[0, 3] and curve[:, 4].max() >= 0.8
    assert {path.name for path in tmp_path.iterdir()} >= {"policy.zip", "normalization.pkl", "curve.png"}
