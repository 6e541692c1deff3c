"""Contact-implicit inverse dynamics."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

import numpy as np

from . import _tactus
from ._tactus import InputError, InverseProblem, InverseSolution
from .arrays import dense_matrix, real_array, real_number


def make_inverse_problem(A: Any, B: Any, b: Any, C: Any, D: Any, g: Any, lower: Any = None, upper: Any = None,
                         mu: Any = 0.0, compliance: Any = None, kind: str = "ncp") -> InverseProblem:
    """min 1/2 |A x_a + B x_c + b|^2 such that sigma = C x_a + (D + R) x_c + g, lower <= x_a <= upper, and contact
    impulses x_c and velocities sigma obey the law of contact, whose branches (stick, slide, break) are not given.

    A (ne, na), B (ne, m), b (ne,): the task, one row for each thing that should vanish. Matrices are dense, or SciPy sparse.
    C (m, na), D (m, m), g (m,): contact velocities by actuation, by contacts (the Delassus matrix), and otherwise, gap / h
        included. Rows of a contact are [t1, t2, n] ("ncp"), [t, n] ("planar") or [n] ("lcp", no friction).
    lower, upper: bounds of x_a, a number or one each; None: none.
    mu: friction, a number or one for each contact. compliance: diagonal of R, one for each row; None: rigid.
    """
    rows = {"ncp": 3, "planar": 2, "lcp": 1}
    if kind not in rows:
        raise InputError(f"kind: is {kind!r} (expected: 'ncp', 'planar' or 'lcp')")
    c, velocity = dense_matrix("C", C), real_array("g", g, (1,))
    na, contacts = c.shape[1], len(velocity) // rows[kind]

    def spread(name: str, value: Any, count: int, otherwise: float) -> np.ndarray:
        if value is None:
            return np.full(count, otherwise)
        array = real_array(name, value, (0, 1))
        return np.full(count, float(array)) if array.ndim == 0 else array

    return _tactus.make_inverse(
        dense_matrix("A", A), dense_matrix("B", B), real_array("b", b, (1,)), c, dense_matrix("D", D),
        velocity, spread("lower", lower, na, -np.inf), spread("upper", upper, na, np.inf),
        np.zeros(0) if kind == "lcp" else spread("mu", mu, contacts, 0.0),
        np.zeros(0) if compliance is None else real_array("compliance", compliance, (1,)), kind)


def invert(problem: Any = None, *matrices: Any, real_time: bool = False, tolerance: Optional[float] = None,
           time_budget: Optional[float] = None, warm_start: Optional[InverseSolution] = None,
           forward_solver: Optional[str] = None, **others: Any) -> InverseSolution:
    """Finds actuation and contact impulses together.

    problem: an InverseProblem; or the matrices A, B, b, C, D, g, in this order or by name, and what make_inverse_problem
        takes by name.
    real_time: settings for control loops: one start, the first stationary point.
    tolerance: on residuals, relative; time_budget [s]; warm_start: the answer to a similar problem.
    forward_solver: the contact solver inside.
    """
    if isinstance(problem, InverseProblem):
        if matrices or others:
            raise InputError("invert: there are matrices besides the problem (expected: one or the other)")
    else:
        problem = make_inverse_problem(*(matrices if problem is None else (problem, *matrices)), **others)
    settings = _tactus.InverseSettings.real_time() if real_time else _tactus.InverseSettings()
    if tolerance is not None:
        settings.tolerance = real_number("tolerance", tolerance)
    if time_budget is not None:
        settings.time_budget = real_number("time_budget", time_budget)
    if forward_solver is not None:
        names = list(_tactus.solver_table())
        if forward_solver not in names:
            raise InputError(f"forward_solver: is {forward_solver!r} (expected: one of {', '.join(names)})")
        settings.forward_solver = forward_solver
    return _tactus.invert(problem, settings, warm_start)


def read_inverse_problem(path: Union[str, "os.PathLike[str]"]) -> InverseProblem:
    """An inverse problem out of an HDF5 file (InverseProblem.write, `tactus invert --generate`)."""
    return _tactus.read_inverse(os.fspath(path))
