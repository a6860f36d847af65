"""Exact MDAV for larger files: the textbook's groups, without measuring every record in every round.

The farthest record is searched from the outside inwards and the nearest ones in the leaves of a k-d tree, both compiled
(`mdav_kernels`). Leaves and shells are rebuilt as records leave; they do not affect which records are found.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Labels, Points, Rows
from constraint_sdc.partition.compiled import announce
from constraint_sdc.partition.methods.mdav_kernels import (
    Blocks,
    Desk,
    Field,
    arrange,
    enclose,
    fill,
    form_groups,
    measure_from,
)

_WIDTH = 64
"""Records in a leaf, and in a shell."""

_REBUILD_AT = 0.65
"""The leaves and shells are rebuilt when this share of the records is left."""

_TOO_FEW = 1_000
"""With fewer records, nothing is rebuilt."""


def first_groups(points: Points, k: int) -> tuple[Labels, int]:
    """Return labels and the number of groups; the last records, fewer than 3k, have the label -1.

    Points have at least one column, and their largest absolute value lies between 1e-100 and 1e100.
    """
    announce("exact MDAV search", [arrange, measure_from, fill, enclose, form_groups])
    search = _Search(points, k)
    while search.left >= 3 * k:
        search.rebuild()
        while search.advance():
            search.settle()
    return search.labels, search.groups


class _Search:
    """The remaining records and the structures to search them.

    `columns` and `rows` are the textbook's layout of the records that remained when its centroid was last computed.
    """

    def __init__(self, points: Points, k: int) -> None:
        n = len(points)
        self.points, self.k = points, k
        self.labels = np.full(n, -1, np.int64)
        self.left, self.groups = n, 0
        self.rows, self.columns = np.arange(n), np.ascontiguousarray(points.T)
        self.sums = self.columns.sum(axis=1)
        self.blur = _blur(self.columns)
        self.order = np.arange(n)
        self.leaf_room, self.shell_room = _room(points), _room(points)

    def rebuild(self) -> None:
        """Arrange the records that are left in leaves and in shells."""
        base = self.sums / self.left
        self.order = self.order[self.labels[self.order] < 0]
        arrange(self.points, self.order, np.empty(self.left), np.empty((2, 64), np.int64), _WIDTH)
        distances = np.empty(self.left)
        measure_from(self.points, self.order, base, distances)
        inwards = np.argsort(-distances)
        scale = float(2.0 ** min(-np.frexp(distances[inwards[0]])[1], 400))  # its square is finite
        leaves = self._lay_out(self.order, self.leaf_room, base, scale)
        shells = self._lay_out(self.order[inwards], self.shell_room, base, scale)
        boxes = np.empty((2, leaves.values.shape[1], len(leaves.left)), np.float32)
        enclose(leaves.values, boxes)
        for blocks in (leaves, shells):
            blocks.values[-1, 0, blocks.left[-1] :] = np.nan
        self.field = Field(self.points, base, scale, leaves, boxes, shells, distances[inwards[::_WIDTH]])
        self.desk = _desk(self.field, self.k)
        self.until = max(3 * self.k, int(_REBUILD_AT * self.left) if self.left > _TOO_FEW else 0)

    def _lay_out(self, order: Rows, room: Blocks, base: Points, scale: float) -> Blocks:
        """Put records into blocks in the given order; the last record also fills the remaining slots."""
        number = -(-len(order) // _WIDTH)
        blocks = Blocks(room.values[:number], room.rows[:number], room.left[:number], room.place)
        blocks.rows.reshape(-1)[: len(order)] = order
        blocks.rows.reshape(-1)[len(order) :] = order[-1]
        blocks.left[:] = _WIDTH
        blocks.left[-1] -= number * _WIDTH - len(order)
        blocks.place[order] = np.arange(len(order))
        fill(self.points, base, scale, blocks.rows, blocks.values)
        return blocks

    def advance(self) -> bool:
        """Form groups until it is time to rebuild; return True if the next round needs `settle` before that."""
        return self._form_groups(self.until, self.blur)

    def settle(self) -> None:
        """Form the groups of a round from the textbook's centroid: the mean of the remaining records, in file order."""
        left = self.labels[self.rows] < 0
        self.rows, self.columns = self.rows[left], np.compress(left, self.columns, axis=1)
        self.desk.query[:] = self.columns.mean(axis=1)
        self._form_groups(self.left, 0.0)

    def _form_groups(self, until: int, blur: float) -> bool:
        self.left, self.groups, contested = form_groups(
            self.field, self.desk, self.labels, self.sums, self.k, self.left, self.groups, until, blur
        )
        return contested


def _blur(columns: Points) -> float:
    """Bound the difference in rounding between updated sums and newly computed sums.

    NumPy's pairwise sum of a column has fewer than 64 roundings in a row, each of at most 2^-53 of the sum of absolute
    values; updated sums have one rounding for every record that joined and one for every record that left.
    """
    roundings = 64 + 2 * columns.shape[1]
    return float(roundings * 2.0**-53 * np.linalg.norm(np.abs(columns).sum(axis=1)))


def _room(points: Points) -> Blocks:
    """Return blocks for all records, with an even number of columns."""
    (n, d), number = points.shape, -(-len(points) // _WIDTH)
    return Blocks(
        np.zeros((number, d + d % 2, _WIDTH), np.float32),
        np.empty((number, _WIDTH), np.int64),
        np.empty(number, np.int64),
        np.empty(n, np.int64),
    )


def _desk(field: Field, k: int) -> Desk:
    """Return the work arrays of a search."""
    leaves, columns, _ = field.leaves.values.shape
    return Desk(
        query=np.empty(len(field.base)),
        single=np.zeros(columns, np.float32),
        near=np.empty(k),
        near_rows=np.empty(k, np.int64),
        gaps=np.empty(leaves, np.float32),
        listed=np.empty(leaves + 1, np.int64),
        in_leaf=np.empty(_WIDTH, np.float32),
        in_shell=np.empty(_WIDTH, np.float32),
    )
