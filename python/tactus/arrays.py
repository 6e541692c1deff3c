"""Arrays as the compiled part wants them: plain, contiguous, of real numbers, and not larger than the memory."""

from __future__ import annotations

import os
from typing import Any, Mapping, Sequence

import numpy as np

from ._tactus import InputError


def available_memory() -> int:
    """Bytes that can still be had, about."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def check_memory(name: str, entries: int) -> None:
    """MemoryError where numbers would not fit. Linux promises more than it has, and ends who takes it."""
    if entries > 2**24 and 8 * entries > 0.9 * available_memory():
        raise MemoryError(f"{name}: {entries} numbers do not fit into memory")


def real_array(name: str, value: Any, dimensions: Sequence[int]) -> np.ndarray:
    """A C-contiguous array of doubles with one of these numbers of dimensions; a copy only where it must be."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {error} (expected: an array of real numbers)") from None
    if array.dtype.kind not in "fiub":
        raise InputError(f"{name}: its entries are {array.dtype} (expected: real numbers)")
    if array.ndim not in dimensions:
        raise InputError(f"{name}: has {array.ndim} dimensions (expected: {' or '.join(map(str, dimensions))})")
    if not (array.flags.c_contiguous and array.dtype == np.float64):
        check_memory(name, array.size)
    return np.asarray(array, dtype=np.float64, order="C")  # ascontiguousarray would make a number a vector


def is_sparse(matrix: Any) -> bool:
    """A matrix of SciPy's, of any format."""
    return hasattr(matrix, "tocsr") and hasattr(matrix, "shape")


def dense_matrix(name: str, value: Any) -> np.ndarray:
    """A matrix with all its entries, also where it is given as one of SciPy's sparse ones."""
    if is_sparse(value):
        check_memory(name, int(np.prod([int(n) for n in value.shape], dtype=object)))
        value = value.toarray()
    return real_array(name, value, (2,))


def whole_number(name: str, value: Any, least: int = 0, most: int = 2**31 - 1) -> int:
    try:
        number = value.__index__()
    except AttributeError:
        raise InputError(f"{name}: is {value!r} (expected: a whole number)") from None
    if not least <= number <= most:
        raise InputError(f"{name}: is {number} (expected: {least} to {most})")
    return number


def mapping(name: str, value: Any) -> Mapping:
    """A dictionary; None is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{name}: is {value!r} (expected: a dictionary)")
    return value


def real_number(name: str, value: Any, least: float = -np.inf, most: float = np.inf) -> float:
    """A number, which with bounds is not NaN."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: is {value!r} (expected: a number)") from None
    bounded = np.isfinite(least) or np.isfinite(most)
    if bounded and not least <= number <= most:
        raise InputError(f"{name}: is {number:g} (expected: {least:g} to {most:g})")
    return number
