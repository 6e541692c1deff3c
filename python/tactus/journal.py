"""Results of jobs in files that survive whoever writes them.

A journal is a sequence of records: magic, number of the job, length, SHA-256, pickled result. A record counts once its digest
is right, so a writer that dies half-way loses that record and no other. Several writers may share a folder, each with a file
of its own.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import pickle
import struct
import tempfile
import warnings
from pathlib import Path
from typing import Any, Iterator, Optional

from ._tactus import InputError

_MAGIC = b"TJR1"
_HEADER = struct.Struct("<4sQQ32s")


def stable_bytes(value: Any) -> bytes:
    """A pickle that depends on what is in a value, not on which equal parts of it happen to be the same object."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=4)
    pickler.fast = True
    try:
        pickler.dump(value)
    except (RecursionError, ValueError):  # something that contains itself
        return pickle.dumps(value, protocol=4)
    return buffer.getvalue()


def _digest(index: int, payload: bytes) -> bytes:
    return hashlib.sha256(struct.pack("<Q", index) + payload).digest()


def write_atomically(path: Path, content: bytes, replace: bool = True) -> bool:
    """The whole content or nothing, on disk. Without replace: False if the file was there before."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            os.replace(name, path)
            return True
        try:
            os.link(name, path)
        except FileExistsError:
            return False
        return True
    finally:
        if os.path.exists(name):
            os.unlink(name)


def scan(path: Path) -> Iterator[tuple[int, int, int]]:
    """(job, where its payload begins, its length) of the records of a file, up to the first that is not whole."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        while True:
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size:
                return
            magic, index, length, digest = _HEADER.unpack(header)
            at = file.tell()
            if magic != _MAGIC or at + length > size:
                return
            if _digest(index, file.read(length)) != digest:
                return
            yield index, at, length


class Journal:
    """The writer of one file. Whatever a writer before it left unfinished at the end is cut off."""

    def __init__(self, path: Path):
        self.path = path
        self._file = open(path, "ab")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise InputError(f"{path}: another run writes to it (expected: one run for each part)") from None
        end = 0
        for _, at, length in scan(path):
            end = at + length
        rest = path.stat().st_size - end
        if rest > 0:
            warnings.warn(f"{path}: its last {rest} bytes are no whole record and are cut off: those jobs are done again",
                          RuntimeWarning, stacklevel=4)
            self._file.truncate(end)

    def append(self, records: list[tuple[int, bytes]]) -> list[tuple[int, int, int]]:
        """(job, payload) of each; on disk when it returns. Gives back where the payloads are."""
        start, places, parts = self._file.seek(0, os.SEEK_END), [], []
        for index, payload in records:
            parts.append(_HEADER.pack(_MAGIC, index, len(payload), _digest(index, payload)) + payload)
            places.append((index, start + _HEADER.size, len(payload)))
            start += len(parts[-1])
        self._file.write(b"".join(parts))
        self._file.flush()
        os.fsync(self._file.fileno())
        return places

    def close(self) -> None:
        self._file.close()


class Store:
    """A folder of journals and what they are about, or, without a folder, a dictionary."""

    def __init__(self, folder: Optional[Path], about: dict[str, Any], part: str = "0"):
        self.folder = folder
        self._memory: dict[int, bytes] = {}
        self._places: dict[int, tuple[Path, int, int]] = {}
        self._journal: Optional[Journal] = None
        self._part = part
        if folder is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise InputError(f"folder: cannot be made: {error} (expected: a folder to write to)") from None
        self._check_manifest(folder / "map.json", about)
        self._journal = Journal(folder / f"results-{part}.bin")
        self.refresh(int(about["jobs"]))

    def _check_manifest(self, path: Path, about: dict[str, Any]) -> None:
        if not path.exists() and write_atomically(path, json.dumps(about, indent=2).encode() + b"\n", replace=False):
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, OSError) as error:
            raise InputError(f"{path}: cannot be read: {error} (expected: a file that tactus.map wrote)") from None
        for key, value in about.items():
            have = found.get(key) if isinstance(found, dict) else None
            if have != value:
                raise InputError(f"{path}: the folder holds results of another run: {key} is {have!r} "
                                 f"(expected: {value!r}, or another folder)")

    def refresh(self, jobs: int) -> None:
        """Reads which results there are, those of other writers included."""
        if self.folder is None:
            return
        for path in sorted(self.folder.glob("results-*.bin")):
            for index, at, length in scan(path):
                if index < jobs:
                    self._places.setdefault(index, (path, at, length))

    def add(self, records: list[tuple[int, bytes]]) -> None:
        if self._journal is None:
            self._memory.update(records)
            return
        for index, at, length in self._journal.append(records):
            self._places[index] = (self._journal.path, at, length)

    def report(self, failures: list[dict[str, Any]]) -> None:
        """Which jobs of this part failed, for people to read; no file if none did."""
        if self.folder is None:
            return
        path = self.folder / f"failures-{self._part}.json"
        if failures:
            write_atomically(path, json.dumps(failures, indent=2).encode() + b"\n")
        elif path.exists():
            path.unlink()

    def __contains__(self, index: int) -> bool:
        return index in self._memory or index in self._places

    def payload(self, index: int) -> bytes:
        if index in self._memory:
            return self._memory[index]
        path, at, length = self._places[index]
        with open(path, "rb") as file:
            file.seek(at)
            return file.read(length)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()
