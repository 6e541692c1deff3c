"""Tactus/Go2Stand-v0."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from tactus.arrays import real_number

from .base import TactusEnv, shared_model, turn, upright


class Go2StandEnv(TactusEnv):
    """A quadruped gets up from a crouch and stands still at a height (scene go2-stand).

    Action (12): where the targets of the joints' drives go, from the crouch by up to 0.8 rad, in the order of
        model.actuator_names. They go 0.3 of the way in each step: what trembles in the actions hardly reaches the legs.
    Observation (46): height of the base, the vertical as it sees it (3), its velocity and angular velocity (3 + 3), joint
        positions from the crouch and velocities (12 + 12), the targets as they are, in units of actions (12).
    Reward: up to 1 for being at the height, 0.5 for being level, 0.5 for being at rest there, less 0.2 of how far actions are
        from the targets (mean square): what trembles does not rest.

    Each episode has 100 steps of 25 ms. It ends early when the robot falls: its base tilts by more than 60 degrees or is
    lower than 12 cm (terminated). info["is_success"]: within 1 cm of the height, tilted by less than 3 degrees, slower than
    0.1 m/s.

    height: of the base [m].
    noise: how far joints may begin from the crouch [rad]; places and headings are drawn, too.
    """

    metadata = {"render_modes": ["html"], "render_fps": 40}
    substeps = 6
    horizon = 100
    _reach = 0.8
    _pace = 0.3

    def __init__(self, height: float = 0.32, noise: float = 0.1, render_mode: Optional[str] = None):
        drives = [{"joint": "go2/*", "stiffness": 60, "damping": 3}]
        model = shared_model("go2-stand", controllers=False, time_step=1.0 / 240.0, set={"drives": drives})
        super().__init__(model, 12, 46, render_mode)
        self.height = real_number("height", height, 0.1, 0.5)
        self.noise = real_number("noise", noise, 0.0, 0.5)
        self._crouch = np.array(model.ctrl0)
        self._target = np.zeros(12)

    def _begin(self, rng: np.random.Generator) -> None:
        qpos = self.data.qpos
        qpos[:2] = rng.uniform(-0.1, 0.1, 2)
        half = 0.5 * rng.uniform(-np.pi, np.pi)
        qpos[3:7] = [np.cos(half), 0.0, 0.0, np.sin(half)]
        qpos[7:19] = self._crouch + rng.uniform(-self.noise, self.noise, 12)
        qpos[2] += 0.25 * self.noise  # legs may be longer now
        self._target[:] = 0.0
        self._change = 0.0

    def _act(self, action: np.ndarray) -> None:
        limits = self.model.actuator_ctrlrange
        self._change = float(np.mean((action - self._target) ** 2))
        self._target += self._pace * (action - self._target)
        self.data.ctrl[:] = np.clip(self._crouch + self._reach * self._target, limits[:, 0], limits[:, 1])

    def _observe(self) -> np.ndarray:
        qpos, qvel = self.data.qpos, self.data.qvel
        back = qpos[3:7] * np.array([1.0, -1.0, -1.0, -1.0])
        return np.concatenate([qpos[2:3], turn(back, np.array([0.0, 0.0, 1.0])), turn(back, qvel[:3]), qvel[3:6],
                               qpos[7:19] - self._crouch, qvel[6:18], self._target])

    def _judge(self, action: np.ndarray) -> tuple[float, bool, dict[str, Any]]:
        qpos, qvel = self.data.qpos, self.data.qvel
        error, level, speed = abs(qpos[2] - self.height), upright(qpos[3:7]), float(np.linalg.norm(qvel[:3]))
        # Twice each: widely, so that there is a way to go from anywhere, and narrowly, so that success pays.
        near = np.exp(-((error / 0.05) ** 2))
        reward = 0.5 * near + 0.5 * np.exp(-((error / 0.015) ** 2))
        reward += 0.25 * np.exp(-20.0 * (1.0 - level)) + 0.25 * np.exp(-400.0 * (1.0 - level))
        reward += near * (0.25 * np.exp(-10.0 * speed**2) + 0.25 * np.exp(-100.0 * speed**2)) - 0.2 * self._change
        success = error < 0.01 and level > np.cos(np.radians(3.0)) and speed < 0.1
        return reward, bool(level < 0.5 or qpos[2] < 0.12), {"is_success": bool(success), "height": float(qpos[2])}
