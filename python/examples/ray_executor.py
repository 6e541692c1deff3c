"""Ray as an executor of concurrent.futures, for tactus.map:

    import ray
    from ray_executor import RayExecutor

    ray.init(address="auto")                 # or ray.init() for this machine
    tactus.map(drop, jobs, RayExecutor(), folder="runs/drop", seed=1)

Ray has none of its own. A worker that dies is Ray's to replace: what it was doing is done again (max_retries).
"""

from concurrent.futures import Executor, Future
from typing import Any, Callable

import ray


class RayExecutor(Executor):
    """options: as ray.remote takes them, such as num_cpus=1, max_retries=3."""

    def __init__(self, **options: Any):
        self._call = ray.remote(**{"num_cpus": 1, **options})(_call)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future:
        return self._call.remote(function, arguments, more).future()


def _call(function: Callable[..., Any], arguments: tuple, more: dict) -> Any:
    return function(*arguments, **more)
