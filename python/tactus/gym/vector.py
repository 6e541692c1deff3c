"""Many environments, stepped on C++ threads."""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Type, Union

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

import tactus
from tactus import InputError
from tactus.arrays import whole_number

from .base import TactusEnv


class TactusVectorEnv(gymnasium.vector.VectorEnv):
    """num_envs environments of a kind. Their simulators run on C++ threads (tactus.step_batch); each does what it would do
    alone, to the bit, for any number of threads.

    kind: a TactusEnv class; options go to each of them.
    threads: None: as many as there are processors.
    autoreset_mode: as of Gymnasium: an environment whose episode is over begins anew in the next step (NEXT_STEP, as in
        Gymnasium's own vectors), in the same one (SAME_STEP: the last observation is in info["final_obs"]), or when
        reset(options={"reset_mask": ...}) says so (DISABLED).
    """

    def __init__(self, kind: Type[TactusEnv], num_envs: int = 1, *, threads: Optional[int] = None,
                 autoreset_mode: Union[AutoresetMode, str] = AutoresetMode.NEXT_STEP, **options: Any):
        self.num_envs = whole_number("num_envs", num_envs, 1, 100000)
        available = len(os.sched_getaffinity(0))
        self.threads = available if threads is None else whole_number("threads", threads, 1, 256)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.envs = [kind(**options) for _ in range(self.num_envs)]
        first = self.envs[0]
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = first.render_mode
        self.single_action_space, self.single_observation_space = first.action_space, first.observation_space
        self.action_space = batch_space(first.action_space, self.num_envs)
        self.observation_space = batch_space(first.observation_space, self.num_envs)
        self._over = np.zeros(self.num_envs, dtype=bool)
        self._observations: np.ndarray = np.stack([np.zeros(first.observation_space.shape or ())] * self.num_envs)

    def reset(self, *, seed: Union[int, Sequence[Optional[int]], None] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[np.ndarray, dict]:
        """seed: environment k gets seed + k, or the k-th of a list."""
        self._check_open()
        seeds = [None] * self.num_envs if seed is None else seed
        if isinstance(seeds, (int, np.integer)):
            seeds = [int(seeds) + k for k in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise InputError(f"seed: there are {len(seeds)} (expected: {self.num_envs}, or a number)")
        options = dict(options or {})
        mask = np.asarray(options.pop("reset_mask", np.ones(self.num_envs, dtype=bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise InputError("reset_mask: has a wrong shape or type, or none is set "
                             f"(expected: {self.num_envs} of True and False)")
        infos: dict[str, Any] = {}
        for k in np.flatnonzero(mask).tolist():
            self._observations[k], info = self.envs[k].reset(seed=seeds[k], options=options)
            infos = self._add_info(infos, info, k)
            self._over[k] = False
        return self._observations.copy(), infos

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        self._check_open()
        actions = np.asarray(actions)
        if actions.shape != self.action_space.shape:
            raise InputError(f"actions: the shape is {actions.shape} (expected: {self.action_space.shape})")
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros(self.num_envs, dtype=bool), np.zeros(self.num_envs, dtype=bool)
        infos: dict[str, Any] = {}
        begin = self._over.copy()
        if begin.any() and self.autoreset_mode == AutoresetMode.DISABLED:
            raise InputError(f"step: the episodes of {np.flatnonzero(begin).tolist()} are over (expected: reset with "
                             "reset_mask)")
        run = [int(k) for k in np.flatnonzero(~begin)]
        for k in run:
            try:
                self.envs[k].before(actions[k])
            except InputError as error:
                raise InputError(f"environment {k}: {error}") from None
        for k, report in zip(run, self._simulate(run)):
            out = self.envs[k].after(actions[k], report)
            self._observations[k], rewards[k], terminated[k], truncated[k], info = out
            infos = self._add_info(infos, info, k)
        self._over = terminated | truncated
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            infos = self._begin_again(self._over, infos, keep=True)
        else:
            infos = self._begin_again(begin, infos, keep=False)
        return self._observations.copy(), rewards, terminated, truncated, infos

    def _simulate(self, run: list[int]) -> list[tactus.StepReport]:
        first = self.envs[0]
        if not run:
            return []
        return tactus.step_batch([self.envs[k].data for k in run], first.substeps, min(self.threads, len(run)))

    def _begin_again(self, which: np.ndarray, infos: dict[str, Any], keep: bool) -> dict[str, Any]:
        for k in np.flatnonzero(which):
            if keep:
                infos = self._add_info(infos, {"final_obs": self._observations[k].copy()}, int(k))
            self._observations[k], info = self.envs[k].reset()
            infos = self._add_info(infos, info, int(k))
            if keep:
                self._over[k] = False
        return infos

    def _check_open(self) -> None:
        if not self.envs:
            raise InputError("vector environment: is closed (expected: an open one)")

    def close_extras(self, **kwargs: Any) -> None:
        self.envs = []
