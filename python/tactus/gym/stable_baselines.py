"""Vectors of environments for Stable-Baselines3, which has an interface of its own for them."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError("tactus.gym.stable_baselines needs Stable-Baselines3: pip install stable-baselines3") from error

from gymnasium.vector import AutoresetMode

from tactus import InputError

from .vector import TactusVectorEnv


class StableBaselinesVecEnv(VecEnv):
    """A TactusVectorEnv as a VecEnv.

        envs = TactusVectorEnv(GraspLiftEnv, 16, autoreset_mode="SameStep")
        model = PPO("MlpPolicy", StableBaselinesVecEnv(envs))

    Episodes begin anew in the step that ends them. infos have "episode" then: return "r" and length "l", as Monitor
    adds them, so that Stable-Baselines3 prints and logs them.
    """

    def __init__(self, envs: TactusVectorEnv):
        if envs.autoreset_mode != AutoresetMode.SAME_STEP:
            raise InputError(f"envs: autoreset_mode is {envs.autoreset_mode} (expected: SameStep)")
        self.envs = envs
        self._returns, self._lengths = np.zeros(envs.num_envs), np.zeros(envs.num_envs, dtype=int)
        self._seed_to_use: Optional[int] = None
        self._actions: Optional[np.ndarray] = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def seed(self, seed: Optional[int] = None) -> Sequence[Optional[int]]:
        """Used by the next reset: environment k gets seed + k."""
        self._seed_to_use = seed
        return [None if seed is None else seed + k for k in range(self.num_envs)]

    def reset(self) -> np.ndarray:
        observations, _ = self.envs.reset(seed=self._seed_to_use)
        self._seed_to_use = None
        self._returns[:], self._lengths[:] = 0.0, 0
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        observations, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        done = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        out: list[dict[str, Any]] = [self._info(infos, k) for k in range(self.num_envs)]
        for k in np.flatnonzero(done):
            out[k]["terminal_observation"] = out[k].pop("final_obs")
            out[k]["TimeLimit.truncated"] = bool(truncated[k] and not terminated[k])
            out[k]["episode"] = {"r": float(self._returns[k]), "l": int(self._lengths[k])}
            self._returns[k], self._lengths[k] = 0.0, 0
        return observations, rewards.astype(np.float32), done, out

    @staticmethod
    def _info(infos: dict[str, Any], k: int) -> dict[str, Any]:
        return {key: value[k] for key, value in infos.items() if not key.startswith("_") and infos[f"_{key}"][k]}

    def close(self) -> None:
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.envs.envs[k], attr_name) for k in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        for k in self._get_indices(indices):
            setattr(self.envs.envs[k], attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        return [getattr(self.envs.envs[k], method_name)(*method_args, **method_kwargs)
                for k in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]
