"""Stable orders of many numbers, in a fraction of the time of NumPy's own stable sort.

NumPy sorts plain integers with wide registers, but not when it has to keep the order of equal ones. So the place of a
number is put behind the number, in one integer: then no two are equal, and a plain sort is a stable one.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Rows

_FEW = 512  # numbers that are sorted before the other way has begun
_BITS = 63  # of an integer that is not negative

_Number = TypeVar("_Number", bound=np.integer | np.floating)
_Whole = TypeVar("_Whole", bound=np.integer)


def stable_order(values: npt.NDArray[_Number]) -> Rows:
    """Return the places of the numbers in ascending order, equal ones in the order of their places, NaN last.

    >>> stable_order(np.array([2, 1, 2, 1])).tolist()
    [1, 3, 0, 2]
    """
    bits = len(values).bit_length()
    if len(values) < _FEW or (values.dtype.kind == "f" and bool(np.isnan(values).any())):
        return np.argsort(values, kind="stable").astype(np.int64, copy=False)
    is_whole = values.dtype.kind in "iu" and values.min() >= 0 and int(values.max()).bit_length() + bits <= _BITS
    if is_whole:
        keys = values.astype(np.int64) << bits
        keys |= np.arange(len(values))
    else:
        order = np.argsort(values).astype(np.int64, copy=False)
        ordered = values[order]
        keys = np.zeros(len(values), np.int64)
        np.cumsum(ordered[1:] != ordered[:-1], out=keys[1:])
        if keys[-1] == len(values) - 1:
            return order
        keys <<= bits
        keys |= order
    keys.sort()
    keys &= (1 << bits) - 1
    return keys


def first_of_each(values: npt.NDArray[_Whole]) -> tuple[npt.NDArray[_Whole], Rows]:
    """Return the different integers in ascending order, and the first place of each: `np.unique` with its indices.

    >>> [found.tolist() for found in first_of_each(np.array([7, 3, 7]))]
    [[3, 7], [1, 0]]
    """
    order = stable_order(values)
    first = order[_is_new(values[order])]
    return values[first], first


def ranked(values: npt.NDArray[_Number]) -> tuple[npt.NDArray[_Number], Rows]:
    """Return the different numbers in ascending order, and the rank of each number: `np.unique` with its inverse.

    >>> [found.tolist() for found in ranked(np.array([7, 3, 7]))]
    [[3, 7], [1, 0, 1]]
    """
    order = stable_order(values)
    ordered = values[order]
    is_new = _is_new(ordered)
    rank = np.empty(len(values), np.int64)
    rank[order] = np.cumsum(is_new) - 1
    return ordered[is_new], rank


def _is_new(ordered: npt.NDArray[_Number]) -> npt.NDArray[np.bool_]:
    found = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=found[1:])
    return found
