"""Count the masked records that each original can have become: the intersection of what all variables leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from constraint_sdc.measure.attack.transparency_reach import Reach
from constraint_sdc.model.pair import Codes, Floats
from constraint_sdc.partition.machine import COMPILED_ABOVE

_CELLS = 1 << 22
"""Pairs compared at a time in NumPy."""

_CHUNK = 1_024
"""Records that a thread takes at a time."""


def set_sizes(reaches: Sequence[Reach], records: int, cap: int, *, compiled: bool | None = None) -> Codes:
    """Return for every original how many masked records are within all reaches; `cap` stands for that many or more.

    `compiled` None chooses by the number of records; the answer is the same.
    """
    if not reaches:
        return np.full(records, min(records, cap), np.int64)
    is_large = records > COMPILED_ABOVE if compiled is None else compiled
    sizes = _by_kernel(reaches, records, cap) if is_large else _by_numpy(reaches, records)
    return np.minimum(sizes, cap)


def _by_numpy(reaches: Sequence[Reach], records: int) -> Codes:
    """Compare all pairs, some originals at a time."""
    sizes = np.zeros(records, np.int64)
    step = max(1, _CELLS // max(1, records))
    for first in range(0, records, step):
        own = slice(first, first + step)
        possible = np.ones((len(sizes[own]), records), np.bool_)
        for one in reaches:
            possible &= one.low_y <= one.high_x[own, None]
            possible &= one.high_y >= one.low_x[own, None]
        sizes[own] = possible.sum(axis=1)
    return sizes


def _by_kernel(reaches: Sequence[Reach], records: int, cap: int) -> Codes:
    """Compare each original with those within the reach that leaves fewest."""
    from constraint_sdc.measure.attack.transparency_kernels import count_possible
    from constraint_sdc.partition.compiled import announce, in_threads

    announce("transparency attack", [count_possible])
    order, column, start, stop = _fewest(reaches, records)
    low_x, high_x, low_y, high_y = (_table(reaches, end) for end in ("low_x", "high_x", "low_y", "high_y"))
    sizes = np.zeros(records, np.int64)
    in_threads(
        lambda a, b: count_possible(low_x, high_x, low_y, high_y, order, column, start, stop, cap, sizes, a, b),
        records,
        _CHUNK,
    )
    return sizes


def _table(reaches: Sequence[Reach], end: str) -> Floats:
    return np.ascontiguousarray(np.column_stack([getattr(one, end) for one in reaches]))


def _fewest(reaches: Sequence[Reach], records: int) -> tuple[Codes, Codes, Codes, Codes]:
    """Return orders of the masked records and, for each original, the one with fewest in question, and where they are.

    The first order is the file's own, in which all do.
    """
    orders = [np.arange(records, dtype=np.int64)]
    column, start, stop = np.zeros(records, np.int64), np.zeros(records, np.int64), np.full(records, records, np.int64)
    for order, first, last in (each for one in reaches for each in _in_question(one)):
        is_fewer = last - first < stop - start
        column[is_fewer] = len(orders)
        start, stop = np.where(is_fewer, first, start), np.where(is_fewer, last, stop)
        orders.append(order)
    return np.stack(orders), column, start, stop


def _in_question(reach: Reach) -> Iterator[tuple[Codes, Codes, Codes]]:
    """Yield orders of the masked records, and where in them each original has those that one reach leaves.

    Points within an interval follow each other. Of intervals, those that start early enough come first in one order,
    and those that end late enough come last in another.
    """
    order = np.argsort(reach.low_y, kind="stable").astype(np.int64)
    last = np.searchsorted(reach.low_y[order], reach.high_x, "right").astype(np.int64)
    if reach.has_points:
        yield order, np.searchsorted(reach.low_y[order], reach.low_x, "left").astype(np.int64), last
        return
    yield order, np.zeros_like(last), last
    order = np.argsort(reach.high_y, kind="stable").astype(np.int64)
    first = np.searchsorted(reach.high_y[order], reach.low_x, "left").astype(np.int64)
    yield order, first, np.full_like(first, len(order))
