"""Tactus/DishPiling-v0."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from tactus import InputError
from tactus.arrays import real_number

from .base import TactusEnv, shared_model, turn, upright

# When the scene's robot has put each dish down and let go [s].
_ENDS = (3.05, 7.15, 12.6)


class DishPilingEnv(TactusEnv):
    """A Panda with an Allegro hand piles a bowl, a plate and a pot of 5 kg on a bowl (scene dish-piling).

    The scene's controllers follow a path made for dishes that stand where they are expected. They do not: the agent adds
    torques to the joints to correct for that.

    Action (23): torques at the joints, 1 being 30 N m for the arm's and 0.2 N m for the fingers'.
    Observation (99): time by the episode's length, joint positions and velocities (23 + 23), of bowl_0, bowl_1, the plate
        and the pot place and quaternion (4 x 7), velocity and angular velocity (4 x 6).
    Reward: for each dish that should be piled by now, up to 1 for lying where it should on the one below; less a little
        for torques.

    Steps have 50 ms; the simulator needs about as long for each. The episode ends early when a dish is dropped or falls
    over (terminated). info["is_success"]: all dishes lie where the scene's goals want them, and level.

    dishes: how many to pile, 1 (the bowl, 3.05 s), 2 (and the plate, 7.15 s) or 3 (and the pot, 12.6 s).
    spread: how far dishes may stand from where they are expected, along x and y [m].
    """

    def __init__(self, dishes: int = 3, spread: float = 0.006, render_mode: Optional[str] = None):
        if dishes not in (1, 2, 3):
            raise InputError(f"dishes: is {dishes!r} (expected: 1, 2 or 3)")
        super().__init__(shared_model("dish-piling", set={"spread": 0}), 23, 99, render_mode)
        model = self.model
        self.dishes, self.spread = dishes, real_number("spread", spread, 0.0, 0.2)
        self.horizon = int(round(_ENDS[dishes - 1] / (model.timestep * self.substeps)))
        names = ["bowl_0", "bowl_1", "plate", "pot"]
        self._bodies = [model.body(name) for name in names]
        self._q = [int(model.jnt_qposadr[model.joint(f"{name}/free")]) for name in names]
        self._torque = np.array([30.0] * 7 + [0.2] * 16)
        # The scene's goals: of the bowl in the bowl, the plate on it, and the pot on that, from the one below.
        self._high = np.array([[0.005, 0.005, 0.012], [0.01, 0.01, 0.065], [0.02, 0.02, 0.009]])[:dishes]
        self._low = np.array([[-0.005, -0.005, 0.006], [-0.01, -0.01, 0.055], [-0.02, -0.02, 0.006]])[:dishes]
        self._floor = np.array([0.03, 0.03, 0.03, 0.0])

    def _begin(self, rng: np.random.Generator) -> None:
        for at in self._q:
            self.data.qpos[at:at + 2] += rng.uniform(-self.spread, self.spread, 2)

    def _act(self, action: np.ndarray) -> None:
        self.data.qfrc_applied[:23] = self._torque * action

    def _observe(self) -> np.ndarray:
        time = self._elapsed / self.horizon
        qpos, qvel = self.data.qpos, self.data.qvel
        return np.concatenate([[time], qpos[:23], qvel[:23], qpos[23:], qvel[23:]])

    def _judge(self, action: np.ndarray) -> tuple[float, bool, dict[str, Any]]:
        place, orientation = self.data.xpos[self._bodies], self.data.xquat[self._bodies]
        back = orientation[:-1] * np.array([1.0, -1.0, -1.0, -1.0])
        relative = np.array([turn(b, p) for b, p in zip(back, np.diff(place, axis=0))])[:self.dishes]
        errors = np.linalg.norm(relative - 0.5 * (self._low + self._high), axis=1)
        due = np.array([self.data.time >= end - 0.55 for end in _ENDS[:self.dishes]])
        level = min(upright(q) for q in orientation)
        fallen = bool(level < 0.7 or np.any(place[:, 2] < self._floor - 0.01))
        placed = bool(np.all((self._low <= relative) & (relative <= self._high)))
        success = placed and not fallen and level > np.cos(np.radians(3.0))
        reward = float(np.sum((1.0 - np.tanh(20.0 * errors)) * due) - 0.01 * np.mean(action**2))
        return reward, fallen, {"is_success": success, "errors": errors}
