"""Tactus/GraspLift-v0."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from tactus.arrays import real_number

from .base import TactusEnv, shared_model, z_axes


class GraspLiftEnv(TactusEnv):
    """A Panda whose hand is above a can grasps it and lifts it by 10 cm (scene panda_pick).

    Action (4): velocity of the point between the fingertips along x, y and z, 1 being 0.3 m/s, and the fingers: open
        from -0.2 on, further closed below, -1 quite. The hand keeps pointing down: joints follow by inverse kinematics,
        and drives hold them.
    Observation (27): joint positions and velocities (7 + 7), opening of the fingers, the point between the fingertips (3),
        from there to where the can is best held (3), the can's z axis (3) and velocity (3).
    Reward: up to 1 for being close to that point, up to 0.5 for closing the fingers there, 1 for holding
        the can with both fingers, up to 3 for lifting it.

    Each episode has 60 steps of 50 ms, also when the can is knocked over: ending it then teaches to keep away from the can.
    info["is_success"]: held, and lifted by 10 cm.

    spread: how far the can may stand from its place in the scene, along x and y [m].
    """

    horizon = 60
    _reach = 0.3 / 20.0  # of one step [m]
    _tip = 0.1034  # from the hand's frame to between the fingertips [m]
    _lift = 0.1
    _above = 0.15  # where the hand begins
    _hold = 0.035  # where the can is held, above its middle: the palm does not touch its top [m]

    def __init__(self, spread: float = 0.05, render_mode: Optional[str] = None):
        # Stiffer than the scene's, so that hands go where they are told; nobody pushes the can.
        drives = [{"joint": f"panda/panda_joint{k}", "stiffness": 3000, "damping": 200} for k in range(1, 8)]
        drives.append({"joint": "panda/panda_finger_joint1", "stiffness": 600, "damping": 20})
        super().__init__(shared_model("panda_pick", set={"wrenches": [], "drives": drives}), 4, 27, render_mode)
        model = self.model
        self.spread = real_number("spread", spread, 0.0, 0.2)
        self._hand, self._can = model.body("panda/panda_hand"), model.body("can")
        self._fingers = [model.body("panda/panda_leftfinger"), model.body("panda/panda_rightfinger")]
        self._links = [model.body(f"panda/panda_link{k}") for k in range(1, 8)]
        self._can_q = int(model.jnt_qposadr[model.joint("can/free")])
        self._can_v = int(model.jnt_dofadr[model.joint("can/free")])
        self._rest = float(model.qpos0[self._can_q + 2])
        # Where the drives want the arm to be, for kinematics only.
        self._target = model.make_data()
        self._down = self._target.xquat[self._hand].copy()
        self._start = self._go_above(model.qpos0[self._can_q:self._can_q + 3] + [0.0, 0.0, self._hold + self._above])

    def _go_above(self, place: np.ndarray) -> np.ndarray:
        """Joints with which the hand is at a place."""
        for _ in range(100):
            tip = self._target.xpos[self._hand] + self._tip * z_axes(self._target.xquat[self._hand])
            self._move(np.clip((place - tip) / self._reach, -1.0, 1.0))
        return self._target.qpos[:7].copy()

    def _begin(self, rng: np.random.Generator) -> None:
        self.data.qpos[self._can_q:self._can_q + 2] += rng.uniform(-self.spread, self.spread, 2)
        for joints in (self.data.qpos, self.data.ctrl, self._target.qpos):
            joints[:7] = self._start

    def _act(self, action: np.ndarray) -> None:
        self._move(action[:3])
        self.data.ctrl[:7] = self._target.qpos[:7]
        self.data.ctrl[7] = 0.04 * min(1.0, 1.25 * (1.0 + action[3]))

    def _move(self, velocity: np.ndarray) -> None:
        """The target, one step on."""
        place, orientation = self._target.xpos, self._target.xquat
        axes = z_axes(orientation[[*self._links, self._hand]])
        tip = place[self._hand] + self._tip * axes[7]
        (x, y, z), (a, b, c) = axes[:7].T, (tip - place[self._links]).T
        jacobian = np.array([y * c - z * b, z * a - x * c, x * b - y * a, x, y, z])
        move = np.concatenate([self._reach * velocity, self._tilt(orientation[self._hand])])
        # Not below the floor, nor out of reach.
        move[2] = max(move[2], 0.02 - tip[2])
        if np.linalg.norm(tip + move[:3] - place[self._links[0]]) > 0.75:
            move[:3] = 0.0
        # Damped, so that stretched arms stay calm; what is left over pulls back to the scene's pose.
        inverse = jacobian.T @ np.linalg.inv(jacobian @ jacobian.T + 1e-4 * np.eye(6))
        home = 0.1 * (self.model.qpos0[:7] - self._target.qpos[:7])
        joints = self._target.qpos[:7] + inverse @ move + home - inverse @ (jacobian @ home)
        limits = self.model.actuator_ctrlrange[:7]
        self._target.qpos[:7] = np.clip(joints, limits[:, 0], limits[:, 1])

    def _tilt(self, orientation: np.ndarray) -> np.ndarray:
        """Rotation vector that brings the hand back to pointing down, to first order."""
        w, x, y, z = orientation * np.array([1.0, -1.0, -1.0, -1.0])
        a, b, c, d = self._down
        error = np.array([a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y,
                          a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w])
        return 2.0 * np.copysign(1.0, error[0]) * error[1:]

    def _places(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Between the fingertips, where to hold the can, and the can's axis."""
        place, orientation = self.data.xpos, self.data.xquat
        down, axis = z_axes(orientation[[self._hand, self._can]])
        return place[self._hand] + self._tip * down, place[self._can] + self._hold * axis, axis

    def _observe(self) -> np.ndarray:
        tip, hold, axis = self._places()
        return np.concatenate([self.data.qpos[:7], self.data.qvel[:7], self.data.qpos[7:8], tip, hold - tip, axis,
                               self.data.qvel[self._can_v:self._can_v + 3]])

    def _judge(self, action: np.ndarray) -> tuple[float, bool, dict[str, Any]]:
        tip, hold, _ = self._places()
        distance = float(np.linalg.norm(hold - tip))
        close = 1.0 - np.tanh(5.0 * distance)
        grip = 0.5 * (1.0 - self.data.qpos[7] / 0.04) * np.exp(-((distance / 0.03) ** 2))
        held = all(self.touches(self._can, self._fingers))
        height = float(self.data.qpos[self._can_q + 2]) - self._rest
        lift = min(max(height / self._lift, 0.0), 1.0) if held else 0.0
        info = {"is_success": bool(held and lift >= 1.0), "held": held, "lift": height}
        return close + grip + held + 3.0 * lift, False, info
