"""The compiled search for the nearest points: different rows by a hash table, and a k-d tree with sixteen children."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Floats, Points, Rows, SmallPositions
from constraint_sdc.measures.nearest_kernels import WIDTH, cut_in_halves, fill_leaves, number_rows, search
from constraint_sdc.partition.compiled import announce, in_threads

_LEAF = 48
"""Points in a leaf, at least about, unless there are fewer: from 24 to 96 the time hardly changes."""

_CHUNK = 1_024
"""Queries that a thread takes at a time."""


def numbered_rows(points: Points) -> tuple[SmallPositions, SmallPositions]:
    """Return the number of every row, and the first row of every number: equal rows have the same number.

    >>> which, first = numbered_rows(np.array([[1.0], [0.0], [-0.0], [1.0]]))
    >>> which.tolist(), first.tolist()
    ([0, 1, 1, 0], [0, 1])
    """
    _announce()
    rows = len(points)
    slots = np.full(1 << (2 * rows).bit_length(), -1, np.int32)
    which, first = np.empty(rows, np.int32), np.empty(rows, np.int32)
    count = number_rows(points, slots, which, first)
    return which, first[:count].copy()


@dataclass(frozen=True)
class WideTree:
    """Points by leaves, and the boxes of all nodes, level by level from the leaves to one node; see the kernels.

    `copies` tells how often each point of a leaf occurs, `leaf_of` the leaf of every point.
    """

    leaves: Points
    copies: Counts
    low: Points
    high: Points
    begins: Rows
    leaf_of: Codes

    @staticmethod
    def of(points: Points, counts: Codes) -> WideTree:
        """Return the tree of different points, each of which occurs `counts` times."""
        _announce()
        n, columns = points.shape
        depth = max(n // _LEAF, 1).bit_length() - 1
        order = np.arange(n, dtype=np.int32)
        cut_in_halves(points, order, depth)
        ends = n * np.arange((1 << depth) + 1) >> depth
        room = int(np.diff(ends).max())
        begins = _level_begins(1 << depth)
        low, high = np.full((begins[-1], columns, WIDTH), np.inf), np.full((begins[-1], columns, WIDTH), -np.inf)
        leaves = np.empty((1 << depth, columns, room))
        fill_leaves(points, order, leaves, low, high)
        for level in range(1, len(begins) - 1):
            _join(low, high, begins, level)
        leaf, copies = np.repeat(np.arange(1 << depth), np.diff(ends)), np.zeros((1 << depth, room), np.int64)
        copies[leaf, np.arange(n) - ends[leaf]] = counts[order]
        leaf_of = np.empty(n, np.int64)
        leaf_of[order] = leaf
        return WideTree(leaves, copies, low, high, begins[:-1], leaf_of)

    def of_columns(self, columns: Rows) -> WideTree:
        """Return the tree of the same points in some columns; there points of different leaves may be equal."""
        leaves, low, high = (np.ascontiguousarray(each[:, columns]) for each in (self.leaves, self.low, self.high))
        return WideTree(leaves, self.copies, low, high, self.begins, self.leaf_of)

    def nearest(self, queries: Points, turn: Rows, bound: Floats, same: float) -> tuple[Floats, Counts]:
        """Return the distance of the nearest points of every query, and how many are as near within the factor `same`.

        Queries have their turn in the order `turn`: those that follow each other should be near each other. `bound`
        is a distance within which each has a point.
        """
        distance, ties = np.empty(len(queries)), np.empty(len(queries), np.int64)
        within, factor = bound * bound, same * same

        def some(first: int, last: int) -> None:
            search(
                queries, turn, within, self.leaves, self.copies, self.low, self.high, self.begins,
                distance, ties, factor, first, last,
            )  # fmt: skip

        in_threads(some, len(queries), _CHUNK)
        return np.sqrt(distance), ties


def _announce() -> None:
    announce("record linkage", [number_rows, cut_in_halves, fill_leaves, search])


def _level_begins(leaves: int) -> Rows:
    """Return where the nodes of every level begin, and where the last one ends."""
    sizes = [-(-leaves // WIDTH)]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // WIDTH))
    return np.cumsum([0, *sizes], dtype=np.int64)


def _join(low: Points, high: Points, begins: Rows, level: int) -> None:
    """Set the boxes of a level from those of the level below: each around the children of a node."""
    below, own = slice(begins[level - 1], begins[level]), slice(begins[level], begins[level + 1])
    for corner, joined in ((low, low[below].min(axis=2)), (high, high[below].max(axis=2))):
        node, child = np.divmod(np.arange(len(joined)), WIDTH)
        corner[own][node, :, child] = joined
