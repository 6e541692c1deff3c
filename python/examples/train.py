#!/usr/bin/env python3
"""Trains a policy for one of the environments with PPO. docs/python-learning.md says how far it comes in how long.

    pip install 'tactus[gym]' stable-baselines3 matplotlib
    python train.py go2-stand --out stand              # or grasp-lift
    python train.py --draw curve.png stand/curve.csv   # one curve, or several seeds' in one picture

Writes OUT/policy.zip and OUT/normalization.pkl (the policy), OUT/curve.csv (the learning curve), OUT/curve.png, and
OUT/replay.html (an episode of the policy). On machines without a GPU, take torch's wheel for CPUs: it is much smaller.
"""

import argparse
import csv
import sys
import time
from pathlib import Path

import numpy as np

# The environment, how many steps to learn for, and settings of PPO.
TASKS = {
    "go2-stand": ("Go2StandEnv", 100_000, dict(n_steps=50, batch_size=400, gamma=0.95)),
    "grasp-lift": ("GraspLiftEnv", 400_000, dict(n_steps=60, batch_size=480, gamma=0.97)),
}


def environments(task, count, **options):
    import tactus.gym

    return tactus.gym.TactusVectorEnv(getattr(tactus.gym, TASKS[task][0]), count, **options)


def evaluate(model, normalization, envs, seed):
    """Mean return, and the share of episodes that end in success, of the policy without exploring."""
    observations, _ = envs.reset(seed=seed)
    running, returns, success = np.ones(envs.num_envs, dtype=bool), np.zeros(envs.num_envs), np.zeros(envs.num_envs)
    while running.any():
        actions, _ = model.predict(normalization.normalize_obs(observations), deterministic=True)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        over = terminated | truncated
        returns += np.where(running, rewards, 0.0)
        success[running & over] = (infos["is_success"] & truncated)[running & over]
        running &= ~over
    return float(np.mean(returns)), float(np.mean(success))


def make_curve(arguments, normalization):
    from stable_baselines3.common.callbacks import BaseCallback

    class Curve(BaseCallback):
        """A row each time `every` steps were made: how the policy does on episodes that it is not trained on."""

        def __init__(self):
            super().__init__()
            self.envs = environments(arguments.task, 25, threads=arguments.threads)
            self.start, self.due = time.monotonic(), 0
            self.file = open(arguments.out / "curve.csv", "w", newline="")
            self.csv = csv.writer(self.file)
            self.csv.writerow(["seconds", "processor_seconds", "steps", "mean_return", "success"])

        def _on_step(self):
            if time.monotonic() - self.start < 60.0 * arguments.minutes:
                return True
            print(f"stopped early: {arguments.minutes:g} minutes are over (--minutes)", flush=True)
            return False

        def _on_rollout_start(self):
            if self.num_timesteps >= self.due:
                self.due += arguments.every
                self.row()

        def _on_training_end(self):
            self.row()
            self.file.close()

        def row(self):
            row = [time.monotonic() - self.start, time.process_time(), self.num_timesteps,
                   *evaluate(self.model, normalization, self.envs, seed=20_000)]
            self.csv.writerow([f"{value:.6g}" for value in row])
            self.file.flush()
            print(f"{row[0]:6.0f} s  {row[2]:8d} steps  return {row[3]:6.1f}  success {100 * row[4]:3.0f} %", flush=True)

    return Curve()


def draw(curves, path):
    """Success and return over steps: a line for each file, and their mean if all were judged at the same steps."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [np.loadtxt(curve, delimiter=",", skiprows=1, ndmin=2) for curve in curves]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    lines = [(row, ".-", 1.0, Path(name).parent.name) for row, name in zip(rows, curves)]
    if len(rows) > 1 and all(np.array_equal(row[:, 2], rows[0][:, 2]) for row in rows):
        lines.append((np.mean(rows, axis=0), "k-", 2.5, "mean"))
    for row, style, width, name in lines:
        left.plot(row[:, 2] / 1000, 100 * row[:, 4], style, linewidth=width, label=name)
        right.plot(row[:, 2] / 1000, row[:, 3], style, linewidth=width)
    left.set(ylim=(-3, 103), ylabel="episodes that end in success [%]")
    right.set(ylabel="return of an episode")
    for axis in (left, right):
        axis.set(xlabel="thousand steps of the environments", xlim=(0, None))
        axis.grid(alpha=0.3)
    if len(rows) > 1:
        left.legend()
    figure.savefig(path, dpi=110)


def replay(model, normalization, task, path, seed):
    import tactus.gym

    env = getattr(tactus.gym, TASKS[task][0])(render_mode="html")
    observation, _ = env.reset(seed=seed)
    over = False
    while not over:
        action, _ = model.predict(normalization.normalize_obs(observation), deterministic=True)
        observation, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    path.write_text(env.render(), encoding="utf-8")


def train(arguments):
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecNormalize
    from tactus.gym.stable_baselines import StableBaselinesVecEnv

    _, steps, settings = TASKS[arguments.task]
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # the networks are too small for more
    envs = environments(arguments.task, arguments.envs, threads=arguments.threads, autoreset_mode="SameStep")
    normalized = VecNormalize(StableBaselinesVecEnv(envs), gamma=settings["gamma"])
    model = PPO("MlpPolicy", normalized, n_epochs=10, gae_lambda=0.95, learning_rate=1e-3, clip_range=0.2, target_kl=0.05,
                seed=arguments.seed, device="cpu", policy_kwargs=dict(net_arch=[64, 64], log_std_init=-1.0), **settings)
    model.learn(arguments.steps or steps, callback=make_curve(arguments, normalized))

    model.save(arguments.out / "policy.zip")
    normalized.save(str(arguments.out / "normalization.pkl"))
    draw([arguments.out / "curve.csv"], arguments.out / "curve.png")
    returns, success = evaluate(model, normalized, environments(arguments.task, 50, threads=arguments.threads), seed=10_000)
    replay(model, normalized, arguments.task, arguments.out / "replay.html", seed=10_000)
    print(f"{100 * success:.0f} % of 50 new episodes end in success; return {returns:.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", nargs="?", choices=list(TASKS))
    parser.add_argument("--minutes", type=float, default=60.0, help="of training, at most")
    parser.add_argument("--steps", type=int, default=None, help="of training; left out: what the task takes")
    parser.add_argument("--every", type=int, default=10_000, help="steps between points of the curve")
    parser.add_argument("--envs", type=int, default=32, help="environments at a time")
    parser.add_argument("--threads", type=int, default=None, help="of the simulators; all processors if left out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("trained"), help="folder for what is learnt")
    parser.add_argument("--draw", nargs="+", metavar=("PNG", "CSV"), help="only draw curves")
    arguments = parser.parse_args()
    if arguments.draw:
        if len(arguments.draw) < 2:
            parser.error("--draw: expected a picture to write and one or more curve.csv")
        draw(arguments.draw[1:], arguments.draw[0])
    elif arguments.task is None:
        parser.error(f"expected a task: {', '.join(TASKS)}")
    else:
        train(arguments)


if __name__ == "__main__":
    sys.exit(main())
