"""Contact problems for those who bring their own matrices."""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _tactus
from ._tactus import Data, InputError, NcpResidual, Problem, RowLaw, Solution
from .arrays import is_sparse, mapping, real_array, real_number, whole_number


def _csr(name: str, matrix: Any) -> _tactus.CsrInput:
    if not is_sparse(matrix):
        dense = real_array(name, matrix, (2,))
        rows, columns = np.nonzero(dense)
        start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=dense.shape[0]))])
        return _tactus.CsrInput(dense.shape[0], dense.shape[1], start.astype(np.int64), columns.astype(np.int64),
                                np.ascontiguousarray(dense[rows, columns]))
    csr = matrix.tocsr()
    values = real_array(name, csr.data, (1,))
    return _tactus.CsrInput(int(csr.shape[0]), int(csr.shape[1]), np.ascontiguousarray(csr.indptr, dtype=np.int64),
                            np.ascontiguousarray(csr.indices, dtype=np.int64), values)


def _count_contacts(name: str, size: int, laws: int) -> int:
    """Of vectors with three entries a contact and one for each scalar row."""
    if size < laws or (size - laws) % 3 != 0:
        raise InputError(f"{name}: has {size} entries (expected: three for each contact, then one for each of the {laws} "
                         "scalar rows)")
    return (size - laws) // 3


def _friction(mu: Any, contacts: int) -> np.ndarray:
    array = real_array("mu", mu, (0, 1, 2))
    if array.ndim == 0:
        return np.full((contacts, 2), float(array))
    if len(array) != contacts:
        raise InputError(f"mu: has {len(array)} entries (expected: a number, or one for each of the {contacts} contacts)")
    if array.ndim == 1:
        return np.ascontiguousarray(np.repeat(array[:, None], 2, axis=1))
    return array


def _laws(rows: Optional[Sequence[RowLaw]]) -> list[RowLaw]:
    laws = [] if rows is None else list(rows)
    for law in laws:
        if not isinstance(law, RowLaw):
            raise InputError(f"rows: one is {law!r} (expected: tactus.RowLaw, such as RowLaw.equality())")
    return laws


def make_problem(A: Any, b: Any, J: Any, e: Any, mu: Any, rows: Optional[Sequence[RowLaw]] = None) -> Problem:
    """The problem A v = b + J^T lambda, (J v + e, lambda) obeying the law of contact and friction.

    A: (n, n), symmetric positive definite: the mass matrix. Dense, or SciPy sparse.
    b: (n,), momentum without contacts: M v + h (forces) [N s].
    J: (3 nc + nr, n): three rows for each contact, along its tangents t1 and t2 and its normal n, then scalar rows. The
        normal points to the side on which J v is the velocity, so that (J v + e)_n >= 0 separates.
    e: (3 nc + nr,): velocity offsets; on normal rows gap / h, so that contacts close exactly [m/s].
    mu: friction: a number, one for each contact, or (nc, 2): along t1 and t2.
    rows: laws of the nr scalar rows.
    """
    offsets = real_array("e", e, (1,))
    laws = _laws(rows)
    contacts = _count_contacts("e", len(offsets), len(laws))
    momentum, friction = real_array("b", b, (1,)), _friction(mu, contacts)
    if is_sparse(A) or is_sparse(J):
        return _tactus.problem_from_matrices(_csr("A", A), momentum, _csr("J", J), offsets, friction, laws)
    mass, jacobian = real_array("A", A, (2,)), real_array("J", J, (2,))
    return _tactus.problem_from_dense(mass, momentum, jacobian, offsets, friction, laws)


def make_delassus(W: Any, q: Any, mu: Any, rows: Optional[Sequence[RowLaw]] = None) -> Problem:
    """The problem sigma = W lambda + q, for those who have the Delassus matrix W = J A^-1 J^T and q = J A^-1 b + e.
    Arguments otherwise as in make_problem."""
    velocity = real_array("q", q, (1,))
    laws = _laws(rows)
    contacts = _count_contacts("q", len(velocity), len(laws))
    return _tactus.problem_from_delassus(_csr("W", W), velocity, _friction(mu, contacts), laws)


def _solve_problem(
    self: Problem,
    solver: str = "hybrid",
    *,
    tolerance: float = 1e-8,
    max_iterations: int = 0,
    time_budget: float = 0.0,
    threads: int = 1,
    warm_start: Any = None,
    history: bool = False,
) -> Solution:
    """Solves it. solver: one of tactus.solvers(); tolerance on the residual; max_iterations 0: the solver's own;
    time_budget [s], 0: none; warm_start: impulses of a similar problem, or a Solution; history: judge every iterate."""
    settings = _tactus.SolveSettings()
    settings.tolerance = real_number("tolerance", tolerance)
    settings.max_iterations = whole_number("max_iterations", max_iterations)
    settings.time_budget = real_number("time_budget", time_budget)
    settings.threads = whole_number("threads", threads, 1, 256)
    settings.record_history = bool(history)
    if isinstance(warm_start, Solution):
        warm_start = warm_start.impulse
    start = None if warm_start is None else real_array("warm_start", warm_start, (1,))
    if not isinstance(solver, str):
        raise InputError(f"solver: is {solver!r} (expected: a name of tactus.solvers())")
    return self._solve(solver, settings, start)


def solve(A: Any, b: Any, J: Any, e: Any, mu: Any, solver: str = "hybrid", *,
          rows: Optional[Sequence[RowLaw]] = None, **settings: Any) -> Solution:
    """Solves A v = b + J^T lambda with (J v + e, lambda) obeying the exact law of contact and friction.

    See make_problem for the matrices, Problem.solve for the settings. solution.impulse is lambda, .velocity is v,
    .modes say what sticks and slips; .status and .residual say how well it was solved, by a judge outside all solvers.

        A = m * np.eye(3)                                     # a point mass on the ground
        J = np.eye(3)                                         # its velocity: t1, t2, n
        tactus.solve(A, A @ v + h * m * g, J, [0, 0, gap / h], mu=0.5).velocity
    """
    return _solve_problem(make_problem(A, b, J, e, mu, rows), solver, **settings)


def solve_delassus(W: Any, q: Any, mu: Any, solver: str = "hybrid", *, rows: Optional[Sequence[RowLaw]] = None,
                   **settings: Any) -> Solution:
    """Solves sigma = W lambda + q with (sigma, lambda) obeying the exact law. See make_delassus and Problem.solve."""
    return _solve_problem(make_delassus(W, q, mu, rows), solver, **settings)


def _residual(self: Problem, impulse: Any, velocity: Any = None) -> NcpResidual:
    """How well impulses meet the law of contact. With velocities, also how well these fit the impulses."""
    v = None if velocity is None else real_array("velocity", velocity, (1,))
    return self._residual(real_array("impulse", impulse, (1,)), v)


def ncp_residual(problem: Union[Problem, tuple], impulse: Any, velocity: Any = None) -> NcpResidual:
    """The judge of all solvers, for answers of any origin.

    problem: a Problem, or the tuple (A, b, J, e, mu) or (W, q, mu).
    impulse: lambda, contacts [t1, t2, n] first. velocity: v of an own solver; otherwise it follows from lambda.

    float(residual) is what is compared with the tolerance.
    """
    if isinstance(problem, tuple):
        if len(problem) not in (3, 5):
            raise InputError(f"problem: is a tuple of {len(problem)} (expected: (A, b, J, e, mu) or (W, q, mu))")
        problem = make_problem(*problem) if len(problem) == 5 else make_delassus(*problem)
    if not isinstance(problem, Problem):
        raise InputError(f"problem: is {type(problem).__name__} (expected: tactus.Problem or a tuple of matrices)")
    return _residual(problem, impulse, velocity)


def read_problem(path: Union[str, "os.PathLike[str]"]) -> Problem:
    """A problem out of an HDF5 file: one of ours, or of the FCLib collection. Broken files raise InputError."""
    return _tactus.read_problem(os.fspath(path))


def generate(kind: str, seed: int = 0, parameters: Optional[Mapping[str, float]] = None) -> Problem:
    """A contact problem as `tactus generate KIND --seed SEED` makes it, such as "dishes", "pile" or "chain"."""
    return _tactus.generate_problem(kind, {k: real_number(k, v) for k, v in mapping("parameters", parameters).items()},
                                    whole_number("seed", seed, 0, 2**64 - 1))


def solvers() -> dict[str, str]:
    """Names of the solvers, and when to use each."""
    return dict(_tactus.solver_table())


def _matrix(parts: tuple) -> Any:
    values, columns, start, rows, cols = parts
    try:
        from scipy.sparse import csr_array
    except ImportError:
        out = np.zeros((rows, cols))
        out[np.repeat(np.arange(rows), np.diff(start)), columns] = values
        return out
    return csr_array((values, columns, start), shape=(rows, cols))


_solve_problem.__name__, _solve_problem.__qualname__ = "solve", "Problem.solve"  # what errors and help() call it
setattr(Problem, "solve", _solve_problem)
setattr(Problem, "residual", _residual)
setattr(Problem, "A", property(lambda self: _matrix(self._A()), doc="Sparse if SciPy is there."))
setattr(Problem, "J", property(lambda self: _matrix(self._J()), doc="Sparse if SciPy is there."))
setattr(Problem, "W", property(lambda self: _matrix(self._W()), doc="Of a Delassus pair."))
setattr(Data, "problem", property(
    lambda self: _tactus.last_problem(self), doc="The contact problem of the last step (its last linearisation)."))
