"""Many simulations at once."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _tactus
from ._tactus import InputError, Model, StepStatus
from .arrays import check_memory, real_array, whole_number


@dataclass(frozen=True)
class RolloutResult:
    """What came of N simulations of T steps.

    states: (N, T, nq + nv), after each step; NaN from the step on that failed.
    status: (N, T), StepStatus as numbers; -1: not simulated.
    residual: (N, T), of the law of contact.
    sensors: (N, T, nsensordata), or None if they were not asked for.
    failed: indices of the simulations that ended early, ascending.
    failures: (index, step, message) of each of them.
    """

    states: np.ndarray
    status: np.ndarray
    residual: np.ndarray
    sensors: Optional[np.ndarray]
    failed: np.ndarray
    failures: list[tuple[int, int, str]]

    @property
    def ok(self) -> bool:
        """Every step of every simulation was solved to the tolerance."""
        return bool(np.all(self.status == int(StepStatus.Ok)))

    def __repr__(self) -> str:
        count, steps = self.status.shape
        return (f"<tactus.RolloutResult: {count} simulations of {steps} steps, "
                f"{'all solved' if self.ok else f'{int(np.sum(self.status != int(StepStatus.Ok)))} steps not solved'}"
                f"{f', {len(self.failed)} ended early' if len(self.failed) else ''}>")


class _Bar:
    """A line on stderr: how far it is, how fast, how long it will take."""

    def __init__(self, total: int):
        self.total, self.start = total, time.perf_counter()

    def __call__(self, done: int) -> None:
        seconds = time.perf_counter() - self.start
        rate = done / seconds if seconds > 0 else 0.0
        left = (self.total - done) / rate if rate > 0 else float("inf")
        part = done / self.total if self.total else 1.0
        filled = int(30 * part)
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (30 - filled)}] {100 * part:5.1f} %  {rate:10.0f} steps/s"
                         f"  {left:6.0f} s left ")
        sys.stderr.flush()

    def close(self) -> None:
        """What it came to stays on the screen."""
        sys.stderr.write("\n")
        sys.stderr.flush()


def rollout(
    model: Model,
    initial_states: Any = None,
    controls: Any = None,
    *,
    nstep: Optional[int] = None,
    threads: Optional[int] = None,
    sensors: bool = False,
    progress: Union[bool, Callable[[int], None]] = False,
    on_failure: str = "report",
) -> RolloutResult:
    """Simulates N copies of a model, independent of each other, on C++ threads.

    initial_states: (N, nq + nv), or (N, nstate) with deformables, or one row for a single one; None: the scene's start.
    controls: (N, T, nu), or (T, nu): the same for all. None: ctrl stays as at the scene's start, for nstep steps. N is that
        of the array that has one; both must agree.
    threads: None: as many as there are processors. The numbers do not depend on it, to the bit. If the system refuses some,
        the others do the work, and a RuntimeWarning says so.
    sensors: also return what the scene's sensors say after each step.
    progress: True draws a bar on stderr; a function is called with the number of steps done, about 20 times a second and
        at the end.
    on_failure: "report" goes on with the others and lists what failed, "raise" raises InputError for the first.

    A simulation that meets numbers that are not finite, in its inputs or on its way, ends there; the others are not
    touched. Each simulation begins without impulses of steps before.
    """
    if not isinstance(model, Model):
        raise InputError(f"model: is {type(model).__name__} (expected: tactus.Model)")
    states = None if initial_states is None else real_array("initial_states", initial_states, (1, 2))
    if states is not None and states.ndim == 1:
        states = states[None, :]
    inputs = None if controls is None else real_array("controls", controls, (2, 3))
    shared = inputs is not None and inputs.ndim == 2
    if inputs is not None and inputs.ndim == 2:
        inputs = inputs[None, :, :]
    if inputs is not None and inputs.shape[2] != model.nu:
        raise InputError(f"controls: its last dimension is {inputs.shape[2]} (expected: nu = {model.nu})")
    if inputs is None and nstep is None:
        raise InputError("rollout: there are neither controls nor nstep (expected: one of them)")
    steps = whole_number("nstep", nstep, 0, 2**40) if inputs is None else int(inputs.shape[1])
    if inputs is not None and nstep is not None and whole_number("nstep", nstep, 0, 2**40) != steps:
        raise InputError(f"nstep: is {nstep}, and controls have {steps} steps (expected: the same)")
    many = inputs if not shared else None
    count = len(many) if many is not None else len(states) if states is not None else 1
    if states is not None and many is not None and len(states) != count:
        if len(states) != 1:
            raise InputError(f"initial_states: there are {len(states)}, and {count} controls (expected: the same)")
        states = np.repeat(states, count, axis=0)
    if on_failure not in ("report", "raise"):
        raise InputError(f"on_failure: is {on_failure!r} (expected: 'report' or 'raise')")
    width = model.nq + model.nv if states is None else states.shape[1]
    check_memory("rollout", count * steps * (width + 2 + (model.nsensordata if sensors else 0)))
    number = min(256, len(os.sched_getaffinity(0))) if threads is None else whole_number("threads", threads, 1, 256)
    bar = _Bar(count * steps) if progress is True else None
    watch = bar if bar is not None else progress if callable(progress) else None
    try:
        out = _tactus.rollout(model, states, inputs, count, steps, shared, number, bool(sensors), watch)
    finally:
        if bar is not None:
            bar.close()
    trajectories, status, residual, values, failures = out
    failures = [tuple(f) for f in failures]
    if failures and on_failure == "raise":
        index, step, message = failures[0]
        raise InputError(f"rollout {index}, step {step}: {message}")
    failed = np.array([f[0] for f in failures], dtype=np.int64)
    return RolloutResult(trajectories, status, residual, values if sensors else None, failed, failures)
