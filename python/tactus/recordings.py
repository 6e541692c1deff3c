"""Recordings and replays."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Optional, Type, Union

import numpy as np

from . import _tactus
from ._tactus import Data, InputError, Recording
from .arrays import real_number


def load_recording(path: Union[str, "os.PathLike[str]"]) -> Recording:
    """A recording out of a file, finished or not; what was flushed is there. Broken files raise InputError."""
    return _tactus.load_recording(os.fspath(path))


def _to_pandas(self: Recording) -> Any:
    """Steps as a pandas.DataFrame by time: q.NAME, v.NAME, status, iterations, residual, contacts."""
    import pandas

    columns: dict[str, np.ndarray] = {f"q.{name}": self.qpos[:, k] for k, name in enumerate(self.qpos_names)}
    columns.update({f"v.{name}": self.qvel[:, k] for k, name in enumerate(self.qvel_names)})
    columns.update(status=self.status, iterations=self.iterations, residual=self.residual,
                   contacts=np.diff(self.contact_start))
    return pandas.DataFrame(columns, index=pandas.Index(self.time, name="time"))


def _contacts_to_pandas(self: Recording) -> Any:
    """Contacts as a pandas.DataFrame, a line each."""
    import pandas

    contacts, names = self.contacts, np.array(self.geom_names + ["world"], dtype=object)
    columns: dict = {"step": contacts["step"], "time": self.time[contacts["step"]],
                     "first": names[contacts["geoms"][:, 0]], "second": names[contacts["geoms"][:, 1]]}
    for field in ("position", "normal", "impulse"):
        for k, axis in enumerate("xyz"):
            columns[f"{field}.{axis}"] = contacts[field][:, k]
    columns.update(gap=contacts["gap"], mode=contacts["mode"])
    return pandas.DataFrame(columns)


def _parts(self: Recording, bodies: list, values: np.ndarray) -> dict:
    return {name: values[first:first + count] for name, first, count, _ in bodies}


def _deformables(self: Recording, step: int) -> dict:
    """Where surface nodes of solids (n, 3) and segments of rods (n, 7) are after a step, by name [m]."""
    vertices, segments, _ = self._deformed(step)
    return {**_parts(self, self._surfaces, vertices), **_parts(self, self._rods, segments)}


def _stress(self: Recording, step: int) -> dict:
    """How much surface nodes of solids (von Mises) and segments of rods are stressed after a step, by name [Pa]. Files
    written before version 3 of the format have none."""
    vertices, _, stress = self._deformed(step)
    bodies, rods = self._surfaces, self._rods
    if (bodies or rods) and stress.size == 0:
        raise InputError("stress: the recording has none (expected: one of version 3 or later)")
    values = stress.reshape(-1)
    return {**_parts(self, bodies, values[:len(vertices)]), **_parts(self, rods, values[len(vertices):])}


def _triangles(self: Recording) -> dict:
    """Surfaces of solids by name: triangles of the nodes that deformables() gives."""
    return {name: triangles for name, _, _, triangles in self._surfaces}


setattr(Recording, "to_pandas", _to_pandas)
setattr(Recording, "contacts_to_pandas", _contacts_to_pandas)
setattr(Recording, "deformables", _deformables)
setattr(Recording, "stress", _stress)
setattr(Recording, "triangles", property(_triangles))


class Recorder:
    """Writes a simulation to an HDF5 file while it runs, or keeps it for a replay in the browser, or both.

        with tactus.Recorder(data, "run.h5") as recorder:
            for _ in range(240):
                tactus.step(model, data)
                recorder.append()

    path: the HDF5 file; None: none. A program that is killed leaves a file with all steps that were flushed.
    replay: keep frames for write_html(). rate: at most so many in a simulated second. title: of the page.
    """

    def __init__(self, data: Data, path: Union[str, "os.PathLike[str]", None] = None, *, replay: bool = False,
                 title: str = "", rate: float = 60.0):
        if not isinstance(data, Data):
            raise InputError(f"data: is {type(data).__name__} (expected: tactus.Data)")
        if not isinstance(title, str):
            raise InputError(f"title: is {title!r} (expected: a text)")
        if path is None and not replay:
            raise InputError("recorder: there is neither a path nor a replay (expected: one of them)")
        self._core = _tactus.RecorderCore(data, "" if path is None else os.fspath(path), bool(replay), title,
                                          real_number("rate", rate, 1e-3, 1e6))

    def append(self) -> None:
        """The step that was just made."""
        self._core.append()

    def write_html(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """The replay as one file that needs no network."""
        self._core.write_html(os.fspath(path))

    def close(self) -> None:
        """Finishes the file. Nothing can be appended afterwards."""
        self._core.close()

    @property
    def steps(self) -> int:
        """Appended so far."""
        return self._core.steps

    @property
    def closed(self) -> bool:
        return self._core.closed

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()
