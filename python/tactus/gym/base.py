"""What the environments share."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path
from typing import Any, Optional

import gymnasium
import numpy as np

import tactus
from tactus import InputError, Model, StepReport


@functools.lru_cache(maxsize=16)
def _cached_model(scene: str, options: str) -> Model:
    return tactus.load(scene, **json.loads(options))


def shared_model(scene: str, **options: Any) -> Model:
    """Models never change, so environments share them."""
    return _cached_model(scene, json.dumps(options, sort_keys=True))


def turn(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A vector turned by a unit quaternion, w first. By hand: numpy.cross takes ten times as long for one vector."""
    (w, x, y, z), (a, b, c) = quaternion.tolist(), vector.tolist()
    d, e, f = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return np.array([a + w * d + y * f - z * e, b + w * e + z * d - x * f, c + w * f + x * e - y * d])


def z_axes(quaternions: np.ndarray) -> np.ndarray:
    """Where the z axes of bodies point."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    return np.stack([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)], axis=-1)


def upright(quaternion: np.ndarray) -> float:
    """Cosine of the angle between a body's z axis and the vertical."""
    return float(1.0 - 2.0 * (quaternion[1] ** 2 + quaternion[2] ** 2))


class TactusEnv(gymnasium.Env):
    """An environment on a model: a step is `substeps` steps of the simulator with one action, from [-1, 1]^n.

    Subclasses say how to begin (`_begin`), what an action means (`_act`), what is seen (`_observe`) and what it is worth
    (`_judge`). Episodes end by themselves after `horizon` steps (truncated), so no TimeLimit is needed.

    render_mode "html": render() returns the episode so far as a page that replays it, for notebooks and browsers.

    info["residual"] is the worst of the law of contact in the step; info["failure"] tells why the simulator could not go on,
    which ends the episode (truncated). Actions that are not finite or leave the space raise InputError: nothing is clipped
    silently (gymnasium.wrappers.ClipAction clips).
    """

    metadata = {"render_modes": ["html"], "render_fps": 20}
    substeps = 12
    horizon = 100

    def __init__(self, model: Model, actions: int, observations: int, render_mode: Optional[str] = None):
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise InputError(f"render_mode: is {render_mode!r} (expected: None or 'html')")
        self.model, self.data, self.render_mode = model, model.make_data(), render_mode
        self._actions = actions
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (actions,), np.float32)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (observations,), np.float64)
        self._elapsed = -1  # not reset yet
        self._recorder: Optional[tactus.Recorder] = None

    # What a task is.

    def _begin(self, rng: np.random.Generator) -> None:
        """Writes the start of an episode into data, which is at the scene's start."""
        raise NotImplementedError

    def _act(self, action: np.ndarray) -> None:
        """Writes inputs into data."""
        raise NotImplementedError

    def _observe(self) -> np.ndarray:
        raise NotImplementedError

    def _judge(self, action: np.ndarray) -> tuple[float, bool, dict[str, Any]]:
        """Reward, whether the episode is over, info."""
        raise NotImplementedError

    # What Gymnasium calls.

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.data.reset()
        self._begin(self.np_random)
        self._elapsed = 0
        if self.render_mode == "html":
            self._recorder = tactus.Recorder(self.data, replay=True, title=type(self).__name__)
        return self._observe(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.before(action)
        if self._recorder is None:
            report = tactus.step(self.model, self.data, self.substeps)
        else:
            for _ in range(self.substeps):
                report = tactus.step(self.model, self.data)
                if not report.moved:
                    break
                self._recorder.append()
        return self.after(action, report)

    def render(self) -> Optional[str]:
        """With render_mode="html", a page that replays the episode; otherwise None."""
        if self._recorder is None:
            return None
        if self._recorder.steps == 0:
            return "<!DOCTYPE html><html><body>There was no step yet.</body></html>"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "replay.html"
            self._recorder.write_html(path)
            return path.read_text(encoding="utf-8")

    def before(self, action: Any) -> None:
        """The part of step() before the simulator, for vectors of environments."""
        if self._elapsed < 0:
            raise gymnasium.error.ResetNeeded("step() was called before reset()")
        values = np.asarray(action, dtype=np.float64)
        if values.shape != (self._actions,) or not np.all(np.abs(values) <= 1.0):
            raise InputError(f"action: is {action!r} (expected: {self._actions} numbers from -1 to 1)")
        self._act(values)

    def after(self, action: Any, report: StepReport) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The part of step() after the simulator."""
        self._elapsed += 1
        reward, terminated, info = self._judge(np.asarray(action, dtype=np.float64))
        info["residual"] = report.residual
        truncated = self._elapsed >= self.horizon
        if not report.moved:
            info["failure"] = report.message
            truncated = True
        return self._observe(), float(reward), bool(terminated), bool(truncated), info

    def touches(self, body: int, others: list[int]) -> list[bool]:
        """Whether contacts of the last step press on both: body, and each of the others."""
        contacts: Any = self.data.contacts
        pairs = contacts["bodies"][contacts["impulse"][:, 2] > 0.0].tolist()
        near = {second if first == body else first for first, second in pairs if body in (first, second)}
        return [other in near for other in others]
