#!/usr/bin/env python3
"""Trains a Panda to grasp and lift a can with PPO. docs/python-learning.md says how far it comes in how long.

    pip install 'tactus[gym]' stable-baselines3 matplotlib
    python train_grasp.py --minutes 6 --out grasp

Writes OUT/policy.zip and OUT/normalization.pkl (the policy), OUT/curve.csv (the learning curve), OUT/curve.png, and
OUT/replay.html (an episode of the policy). On machines without a GPU, take torch's wheel for CPUs: it is much smaller.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

from tactus.gym import GraspLiftEnv, TactusVectorEnv
from tactus.gym.stable_baselines import StableBaselinesVecEnv


class Curve(BaseCallback):
    """Mean return and share of successes of the episodes of each round, and the end of the time."""

    def __init__(self, minutes, path):
        super().__init__()
        self.rows, self.episodes, self.start, self.seconds = [], [], time.monotonic(), 60.0 * minutes
        self.file = open(path, "w", newline="")
        self.csv = csv.writer(self.file)
        self.csv.writerow(["seconds", "processor_seconds", "steps", "mean_return", "success"])

    def _on_step(self):
        self.episodes += [(i["episode"]["r"], i["is_success"]) for i in self.locals["infos"] if "episode" in i]
        return time.monotonic() - self.start < self.seconds

    def _on_rollout_end(self):
        if not self.episodes:
            return
        returns, successes = np.mean(np.array(self.episodes, dtype=float), axis=0)
        row = [time.monotonic() - self.start, time.process_time(), self.num_timesteps, returns, successes]
        self.rows.append(row)
        self.episodes.clear()
        self.csv.writerow([f"{value:.6g}" for value in row])
        self.file.flush()
        if len(self.rows) % 20 == 1:
            print(f"{row[0]:6.0f} s  {self.num_timesteps:8d} steps  return {returns:6.1f}  success {100 * successes:3.0f} %", flush=True)


def draw(rows, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, processor, steps, returns, success = np.array(rows).T
    kernel = np.ones(min(5, len(rows)))
    weight = np.convolve(np.ones(len(rows)), kernel, "same")  # fewer neighbours at the ends
    figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
    axis.plot(steps / 1000, np.convolve(returns, kernel, "same") / weight, color="#1f5fa8")
    axis.set(xlabel="thousand steps of the environments", ylim=(0, None), xlim=(0, steps[-1] / 1000))
    axis.set_ylabel("return of an episode", color="#1f5fa8")
    other = axis.twinx()
    other.plot(steps / 1000, 100 * np.convolve(success, kernel, "same") / weight, color="#c2571a")
    other.set(ylim=(0, 100))
    other.set_ylabel("can lifted at the end [%]", color="#c2571a")
    minutes = processor[-1] / 60 / (steps[-1] / 1000)
    axis.secondary_xaxis("top", functions=(lambda k: k * minutes, lambda m: m / minutes)).set_xlabel(
        "minutes of one processor, all threads together")
    axis.grid(alpha=0.3)
    figure.savefig(path, dpi=130)


def evaluate(model, normalization, episodes, seed):
    """Share of episodes that the policy, without exploring, ends with the can lifted."""
    envs = TactusVectorEnv(GraspLiftEnv, episodes, autoreset_mode="Disabled")
    observations, _ = envs.reset(seed=seed)
    over = np.zeros(episodes, dtype=bool)
    while not over.all():  # all episodes have the same length
        actions, _ = model.predict(normalization.normalize_obs(observations), deterministic=True)
        observations, _, _, over, infos = envs.step(actions)
    return float(np.mean(infos["is_success"]))


def replay(model, normalization, path, seed):
    env = GraspLiftEnv(render_mode="html")
    observation, _ = env.reset(seed=seed)
    over = False
    while not over:
        action, _ = model.predict(normalization.normalize_obs(observation), deterministic=True)
        observation, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    path.write_text(env.render(), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=6.0, help="of training")
    parser.add_argument("--steps", type=int, default=10_000_000, help="of training, at most")
    parser.add_argument("--envs", type=int, default=32, help="environments at a time")
    parser.add_argument("--threads", type=int, default=None, help="of the simulators; all processors if left out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("grasp"), help="folder for what is learnt")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)

    torch.set_num_threads(1)  # the networks are too small for more
    envs = TactusVectorEnv(GraspLiftEnv, arguments.envs, threads=arguments.threads, autoreset_mode="SameStep")
    normalized = VecNormalize(StableBaselinesVecEnv(envs), gamma=0.97)
    model = PPO("MlpPolicy", normalized, n_steps=60, batch_size=240, n_epochs=10, gamma=0.97, gae_lambda=0.95,
                learning_rate=1e-3, ent_coef=0.001, clip_range=0.2, target_kl=0.05, seed=arguments.seed, device="cpu",
                policy_kwargs=dict(net_arch=[64, 64], log_std_init=-1.0))
    curve = Curve(arguments.minutes, arguments.out / "curve.csv")
    model.learn(arguments.steps, callback=curve)

    model.save(arguments.out / "policy.zip")
    normalized.save(str(arguments.out / "normalization.pkl"))
    if curve.rows:
        draw(curve.rows, arguments.out / "curve.png")
    share = evaluate(model, normalized, 50, seed=10_000)
    replay(model, normalized, arguments.out / "replay.html", seed=10_000)
    print(f"{100 * share:.0f} % of 50 new episodes end with the can lifted by 10 cm", flush=True)


if __name__ == "__main__":
    main()
