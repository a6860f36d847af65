"""Cuts of points into regions: equal parts along the variable that is spread widest, again and again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from constraint_sdc.arrays import Points, Rows
from constraint_sdc.engines.running import scratch
from constraint_sdc.partition.methods.tree import safe_scale, smallest

_SAMPLE = 4_096
"""Sampled points that determine the variable along which a part is cut."""


def cut(points: Points, largest: int, parts: int) -> list[Rows]:
    """Return the rows of every region, in their order in `points`; a part of more than `largest` is cut into `parts`.

    How many regions there are depends on the number of points alone. Halves and thirds have no border in common, so
    that what lies at a border of the one is inside a region of the other.

    >>> [region.tolist() for region in cut(np.array([[5.0], [1.0], [9.0], [0.0]]), 2, parts=2)]
    [[1, 3], [0, 2]]
    """
    kept = scratch().kept
    return [kept(rows) for rows in _regions(points, np.arange(len(points)), largest, parts)]


def _regions(points: Points, rows: Rows, largest: int, parts: int) -> Iterator[Rows]:
    if len(rows) <= largest:
        yield rows
        return
    pieces = deque(_cut_once(points, rows, parts))
    del rows
    while pieces:
        yield from _regions(points, pieces.popleft(), largest, parts)


def _cut_once(points: Points, rows: Rows, parts: int) -> Iterator[Rows]:
    along = points[rows, _widest(points, rows)]
    for left in range(parts, 1, -1):
        first = smallest(along, len(rows) // left)
        yield rows[first]
        rows, along = rows[~first], along[~first]
    yield rows


def _widest(points: Points, rows: Rows) -> int:
    """Return the variable with the largest variance in a sample; running sums, because their order is fixed."""
    sample = points[rows[:: (len(rows) - 1) // _SAMPLE + 1]]
    sample = sample * safe_scale(sample)
    apart = sample - np.cumsum(sample, axis=0)[-1] / len(sample)
    return int(np.argmax(np.cumsum(apart * apart, axis=0)[-1]))
