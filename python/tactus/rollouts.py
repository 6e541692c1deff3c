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


class _Bar:
    """A line on stderr: how far it is, how fast, how long it will take."""

    def __init__(self, total: int):
        self.total, self.start, self.shown = total, time.perf_counter(), False

    def __call__(self, done: int) -> None:
        seconds = time.perf_counter() - self.start
        rate = done / seconds if seconds > 0 else 0.0
        left = (self.total - done) / rate if rate > 0 else float("inf")
        part = done / self.total if self.total else 1.0
        filled = int(30 * part)
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (30 - filled)}] {100 * part:5.1f} %  {rate:10.0f} steps/s"
                         f"  {left:6.0f} s left ")
        sys.stderr.flush()
        self.shown = True

    def close(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * 76 + "\r")
            sys.stderr.flush()


def _array(name: str, value: Any, dimensions: tuple[int, ...]) -> np.ndarray:
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"its entries are {array.dtype}")
        array = np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {error} (expected: an array of real numbers)") from None
    if array.ndim not in dimensions:
        raise InputError(f"{name}: has {array.ndim} dimensions (expected: {' or '.join(map(str, dimensions))})")
    return array


def _count(name: str, value: Any) -> int:
    try:
        number = value.__index__()
    except AttributeError:
        raise InputError(f"{name}: is {value!r} (expected: a whole number)") from None
    if not 0 <= number < 2**62:
        raise InputError(f"{name}: is {number} (expected: a number >= 0)")
    return number


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
    threads: None: as many as there are processors. The numbers do not depend on it, to the bit.
    sensors: also return what the scene's sensors say after each step.
    progress: True draws a bar on stderr; a function is called with the number of steps done.
    on_failure: "report" goes on with the others and lists what failed, "raise" raises InputError for the first.

    A simulation that meets numbers that are not finite, in its inputs or on its way, ends there; the others are not
    touched. Each simulation begins without impulses of steps before.
    """
    states = None if initial_states is None else _array("initial_states", initial_states, (1, 2))
    if states is not None and states.ndim == 1:
        states = states[None, :]
    inputs = None if controls is None else _array("controls", controls, (2, 3))
    shared = inputs is not None and inputs.ndim == 2
    if inputs is not None and inputs.ndim == 2:
        inputs = inputs[None, :, :]
    if inputs is not None and inputs.shape[2] != model.nu:
        raise InputError(f"controls: its last dimension is {inputs.shape[2]} (expected: nu = {model.nu})")
    if inputs is None and nstep is None:
        raise InputError("rollout: there are neither controls nor nstep (expected: one of them)")
    steps = _count("nstep", nstep) if inputs is None else int(inputs.shape[1])
    if inputs is not None and nstep is not None and _count("nstep", nstep) != steps:
        raise InputError(f"nstep: is {nstep}, and controls have {steps} steps (expected: the same)")
    many = inputs is not None and not shared
    count = len(inputs) if many else len(states) if states is not None else 1
    if states is not None and many and len(states) != count:
        if len(states) != 1:
            raise InputError(f"initial_states: there are {len(states)}, and {count} controls (expected: the same)")
        states = np.repeat(states, count, axis=0)
    if on_failure not in ("report", "raise"):
        raise InputError(f"on_failure: is {on_failure!r} (expected: 'report' or 'raise')")
    number = len(os.sched_getaffinity(0)) if threads is None else _count("threads", threads)
    bar = _Bar(count * steps) if progress is True else None
    watch = bar if bar is not None else progress if callable(progress) else None
    try:
        out = _tactus.rollout(model, states, inputs, count, steps, shared, min(number, 2**31 - 1), bool(sensors), watch)
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
