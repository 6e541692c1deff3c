"""Many jobs on many processors, or machines."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import traceback
from collections import deque
from collections.abc import Sequence as AbstractSequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Callable, Iterable, Optional, Union

import numpy as np

from ._tactus import InputError
from .arrays import whole_number
from .journal import Store, stable_bytes


@dataclass(frozen=True)
class JobFailure:
    """A job without a result: its number, what was raised, and where. lost: its worker died, or could not be reached."""

    index: int
    error: str
    message: str
    trace: str
    lost: bool = False

    def __str__(self) -> str:
        return f"job {self.index}: {'worker lost: ' if self.lost else ''}{self.error}: {self.message}"


class MapResult(AbstractSequence):
    """Results in the order of the jobs; read from disk when asked for, if there is a folder.

    failures: a JobFailure for each job that has none.
    missing: numbers of jobs that are not done, those of other parts included.

    Asking for the result of a job that is not done raises KeyError.
    """

    def __init__(self, store: Store, jobs: int, failures: list[JobFailure]):
        self._store, self._jobs = store, jobs
        self.failures = failures

    @property
    def missing(self) -> list[int]:
        """Numbers of jobs that are not done."""
        return [k for k in range(self._jobs) if k not in self._store]

    @property
    def ok(self) -> bool:
        """Every job has a result."""
        return not self.missing

    @property
    def digest(self) -> str:
        """SHA-256 over all results: the same for equal results, wherever they were computed. Reports and solutions hold
        the time they took, which never is the same: return arrays and numbers out of them to compare studies."""
        total = hashlib.sha256()
        for result in self:
            total.update(hashlib.sha256(stable_bytes(result)).digest())
        return total.hexdigest()

    def __len__(self) -> int:
        return self._jobs

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(self._jobs))]
        k = index.__index__()
        k = k + self._jobs if k < 0 else k
        if not 0 <= k < self._jobs:
            raise IndexError(f"job {index}: there are {self._jobs}")
        if k not in self._store:
            why = next((str(f) for f in self.failures if f.index == k), f"job {k}: was not done")
            raise KeyError(why)
        return pickle.loads(self._store.payload(k))

    def __repr__(self) -> str:
        return f"<tactus.MapResult: {self._jobs - len(self.missing)} of {self._jobs} jobs, {len(self.failures)} failed>"


class MapError(RuntimeError):
    """Some jobs failed, or the executor ended before all were done. result: what there is; result.failures: what is not."""

    def __init__(self, message: str, result: MapResult):
        super().__init__(message)
        self.result = result


def _run_shard(function: Callable[..., Any], shard: list[tuple[int, Any]], seed: Optional[int]) -> list[Any]:
    """In the worker: (number, pickled result) or JobFailure for each job."""
    out: list[Any] = []
    for index, job in shard:
        try:
            if seed is None:
                result = function(job)
            else:
                result = function(job, np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,))))
            out.append((index, pickle.dumps(result, protocol=5)))
        except (Exception, SystemExit) as error:  # whatever a job raises is its own result
            out.append(JobFailure(index, type(error).__name__, str(error), traceback.format_exc()))
    return out


class _Workers:
    """The executor, which may break. One that we made, or that a function of the caller makes, is made again."""

    def __init__(self, executor: Any):
        self._make: Optional[Callable[[], Executor]] = None
        if isinstance(executor, int) and not isinstance(executor, bool):
            count = whole_number("executor", executor, 1, 4096)
            # Forked processes would inherit locks of our threads.
            self._make = lambda: ProcessPoolExecutor(count, mp_context=get_context("spawn"))
        elif executor is not None and (isinstance(executor, type) or not hasattr(executor, "submit")):
            if not callable(executor):
                raise InputError(f"executor: is {type(executor).__name__} (expected: an object with submit(), as of "
                                 "concurrent.futures, a function that makes one, a number of processes, or None)")
            self._make = executor
        self.executor: Any = self._make() if self._make else executor

    @property
    def renewable(self) -> bool:
        return self._make is not None

    def renew(self) -> None:
        assert self._make is not None
        self.close()
        self.executor = self._make()

    def close(self) -> None:
        """Of executors of the caller, nothing is closed."""
        if self._make is not None:
            self.executor.shutdown(wait=True, cancel_futures=True)


class _Run:
    """The driver's loop: hands out shards, writes down what comes back, hands out again what was lost."""

    def __init__(self, function: Callable[..., Any], jobs: list[Any], seed: Optional[int], store: Store, retries: int,
                 window: int, watch: Callable[[int], None]):
        self.function, self.jobs, self.seed, self.store = function, jobs, seed, store
        self.retries, self.window, self.watch = retries, window, watch
        self.queue: deque[list[int]] = deque()
        # Were in flight when an executor broke: any of them may be the reason, so each goes alone.
        self.suspects: deque[int] = deque()
        self.losses: dict[int, int] = {}
        self.failures: list[JobFailure] = []
        self.done = 0
        self.renewals = 0  # of the executor, since the last answer

    def accept(self, answers: list[Any]) -> None:
        self.store.add([a for a in answers if not isinstance(a, JobFailure)])
        self.failures += [a for a in answers if isinstance(a, JobFailure)]
        self.done += len(answers)
        self.renewals = 0
        self.watch(self.done)

    def run_here(self) -> None:
        while self.queue:
            for index in self.queue.popleft():
                self.accept(_run_shard(self.function, [(index, self.jobs[index])], self.seed))

    def run(self, workers: _Workers) -> None:
        running: dict[Future, list[int]] = {}
        try:
            while self.queue or self.suspects or running:
                broken = self._submit(workers, running)
                if running:
                    ready, _ = wait(running, return_when=FIRST_COMPLETED)
                    broken = self._collect(ready, running) or broken
                if broken is not None:
                    self._recover(workers, running, broken)
        finally:
            for future in running:
                future.cancel()

    def _submit(self, workers: _Workers, running: dict[Future, list[int]]) -> Optional[BaseException]:
        while (self.queue or self.suspects) and len(running) < (1 if self.suspects else self.window):
            shard = [self.suspects.popleft()] if self.suspects else self.queue.popleft()
            try:
                items = [(k, self.jobs[k]) for k in shard]
                running[workers.executor.submit(_run_shard, self.function, items, self.seed)] = shard
            except BrokenExecutor as error:
                self.queue.appendleft(shard)
                return error
            except Exception as error:  # shut down, not connected, cannot send the function
                self.queue.appendleft(shard)
                raise self._broken(error, running) from error
        return None

    def _collect(self, ready: Iterable[Future], running: dict[Future, list[int]]) -> Optional[BaseException]:
        """Returns why the executor broke, or None."""
        broken, single = None, len(running) == 1
        for future in ready:
            shard = running.pop(future)
            try:
                self.accept(future.result())
            except (KeyboardInterrupt, SystemExit):
                raise
            except BrokenExecutor as error:
                broken = error
                self._lose(shard, error, self.suspects, blame=single and len(shard) == 1)
            except BaseException as error:  # CancelledError of executors is none of Exception
                self._lose(shard, error, None, blame=len(shard) == 1)
        return broken

    def _lose(self, shard: list[int], error: BaseException, suspects: Optional[deque[int]], blame: bool) -> None:
        for index in shard:
            self.losses[index] = self.losses.get(index, 0) + (1 if blame else 0)
            if self.losses[index] > self.retries:
                trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
                lost = "pickle" not in str(error)  # a function that cannot be sent has lost no worker
                self.accept([JobFailure(index, type(error).__name__, str(error), trace, lost)])
            elif suspects is not None:
                suspects.append(index)
            else:
                self.queue.appendleft([index])

    def _recover(self, workers: _Workers, running: dict[Future, list[int]], error: BaseException) -> None:
        if not workers.renewable or self.renewals > self.retries + 2:
            raise self._broken(error, running) from error
        for shard in running.values():
            self.suspects.extend(shard)
        running.clear()
        self.renewals += 1
        workers.renew()

    def _broken(self, error: BaseException, running: dict[Future, list[int]]) -> "_Broken":
        left = sum(len(shard) for shard in [*self.queue, *running.values()]) + len(self.suspects)
        return _Broken(f"the executor broke with {left} jobs left: {type(error).__name__}: {error} (if no worker ever started: "
                       "scripts need `if __name__ == '__main__':` before they start processes)")


class _Broken(Exception):
    pass


def _watcher(progress: Union[bool, Callable[[int], None]], total: int) -> Callable[[int], None]:
    if callable(progress):
        return progress
    if not progress:
        return lambda done: None

    def show(done: int) -> None:
        sys.stderr.write(f"\r{done} of {total} jobs" + ("\n" if done == total else ""))
        sys.stderr.flush()

    return show


def _name(function: Any) -> str:
    function = getattr(function, "func", function)  # of functools.partial
    return getattr(function, "__qualname__", type(function).__qualname__)


def map(
    function: Callable[..., Any],
    jobs: Iterable[Any],
    executor: Any = None,
    *,
    folder: Union[str, "os.PathLike[str]", None] = None,
    seed: Optional[int] = None,
    shard: int = 1,
    part: tuple[int, int] = (0, 1),
    retries: int = 2,
    window: int = 256,
    progress: Union[bool, Callable[[int], None]] = False,
    on_failure: str = "raise",
) -> MapResult:
    """function(job) for every job, on one processor or a cluster, with the same results.

        def fall(height, rng):
            ...
            return data.qpos.copy()

        results = tactus.map(fall, heights, executor=8, folder="runs/fall", seed=1)

    executor: None: here, one after the other. A number: so many processes of this machine. Anything with submit() as
        concurrent.futures has it: ProcessPoolExecutor, Dask's client.get_executor(), mpi4py.futures.MPIPoolExecutor; for Ray
        see python/examples/ray_executor.py.
        A function that makes such an executor: called again if it breaks, as a process pool does when a worker is killed.
    folder: results go there as they come, and are there after a crash of whatever kind: call again with the same arguments,
        and only what is missing is computed. Pickle files: open only folders that you trust.
    seed: function(job, rng) is called, with a numpy.random.Generator that depends on the seed and the job's number alone:
        neither on the worker, nor on the order, nor on shard.
    shard: jobs that are sent to a worker together; more than one where they take milliseconds.
    part: (k, n) does jobs k, k + n, k + 2 n, ... only: for n runs that share a folder, such as a Slurm array. A later call
        without it computes what is missing and returns all.
    retries: how often a job whose worker was lost is sent again. What a job raises itself is not tried again.
    window: shards in flight at a time.
    progress: True counts on stderr; a function is called with the number of jobs done.
    on_failure: "raise" raises MapError once all other jobs are done, "report" returns what there is, with .failures.
        The folder gets failures-PART.json either way.
    """
    if not callable(function):
        raise InputError(f"function: is {type(function).__name__} (expected: something to call)")
    if on_failure not in ("raise", "report"):
        raise InputError(f"on_failure: is {on_failure!r} (expected: 'raise' or 'report')")
    work = list(jobs)
    seed = None if seed is None else whole_number("seed", seed, 0, 2**63 - 1)
    size, most = whole_number("shard", shard, 1), whole_number("window", window, 1)
    again = whole_number("retries", retries)
    if not (isinstance(part, (tuple, list)) and len(part) == 2):
        raise InputError(f"part: is {part!r} (expected: (number, count))")
    count = whole_number("part", part[1], 1)
    mine = whole_number("part", part[0], 0, count - 1)

    about = dict(format="tactus.map 1", function=_name(function), jobs=len(work), seed=seed, digest=_digest(work))
    store = Store(None if folder is None else Path(os.fspath(folder)), about, f"{mine}-of-{count}")
    try:
        todo = [k for k in range(mine, len(work), count) if k not in store]
        run = _Run(function, work, seed, store, again, most, _watcher(progress, len(todo)))
        run.queue.extend(todo[at:at + size] for at in range(0, len(todo), size))
        stopped = _drive(run, executor)
        run.failures.sort(key=lambda f: f.index)
        store.report([asdict(f) for f in run.failures])
    finally:
        store.close()
    result = MapResult(store, len(work), run.failures)
    if stopped is not None or (run.failures and on_failure == "raise"):
        raise MapError(_explain(result, stopped, folder), result) from stopped
    return result


def _drive(run: _Run, executor: Any) -> Optional[_Broken]:
    if executor is None:
        run.run_here()
        return None
    workers = _Workers(executor)
    try:
        run.run(workers)
    except _Broken as error:
        return error
    finally:
        workers.close()
    return None


def _explain(result: MapResult, stopped: Optional[_Broken], folder: Any) -> str:
    lines = [] if stopped is None else [str(stopped)]
    if result.failures:
        lines.append(f"{len(result.failures)} of {len(result)} jobs failed:")
        lines += [f"  {failure}" for failure in result.failures[:10]]
        if len(result.failures) > 10:
            lines.append(f"  and {len(result.failures) - 10} more")
        lines.append("The first of them:\n" + result.failures[0].trace.rstrip())
    have = len(result) - len(result.missing)
    lines.append(f"{have} results are kept" + (f" in {os.fspath(folder)}: call again to go on." if folder is not None
                                                else "; with folder=... they would outlast the program."))
    return "\n".join(lines)


def _digest(jobs: list[Any]) -> str:
    """Of all jobs, so that a folder is not continued with others."""
    total = hashlib.sha256()
    for index, job in enumerate(jobs):
        try:
            total.update(hashlib.sha256(stable_bytes(job)).digest())
        except Exception as error:
            raise InputError(f"job {index}: cannot be pickled: {error} (expected: plain values, arrays, or what pickle "
                             "takes)") from None
    return total.hexdigest()
