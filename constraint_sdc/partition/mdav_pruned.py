"""Exact MDAV for larger files: the textbook's groups, found without looking at every record in every round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.model.groups import Labels, Points, Rows
from constraint_sdc.partition.compiled import announce
from constraint_sdc.partition.mdav_kernels import (
    Blocks,
    Desk,
    Field,
    arrange,
    enclose,
    fill,
    form_groups,
    measure_from,
)

_LEAF = 64
_SHELL = 64
_REBUILD_AT = 0.65
_TOO_FEW_TO_REBUILD = 1_000


def first_groups(points: Points, k: int) -> tuple[Labels, int]:
    """Return labels with all groups but the last ones, which leave fewer than 3k records labelled -1; and their number."""
    announce("exact MDAV search", [arrange, fill, enclose, measure_from, form_groups])
    return _Rounds.start(points, k).run()


@dataclass
class _Rounds:
    points: Points
    columns: Points
    k: int
    labels: Labels
    sums: Points
    blur: float
    scale: float
    order: Rows
    left: int
    leaf_room: Blocks
    shell_room: Blocks
    groups: int = 0

    @classmethod
    def start(cls, points: Points, k: int) -> _Rounds:
        n = len(points)
        columns = np.ascontiguousarray(points.T)
        sums = columns.sum(axis=1)
        base = sums / n
        mass = float(np.linalg.norm(np.abs(columns).sum(axis=1)))
        far = float(max((columns.max(axis=1) - base).max(), (base - columns.min(axis=1)).max()))
        return cls(
            points, columns, k, np.full(n, -1, np.int64), sums,
            (64 + 2 * n) * 2.0**-53 * mass + n * 1e-150,
            2.0 ** min(-int(np.frexp(far)[1]), 400) if far>0 else 1.0,
            np.arange(n), n, _room(points, _LEAF), _room(points, _SHELL))

    def run(self):
        while self.left >= 3 * self.k:
            field = self.build()
            until = max(3 * self.k, int(_REBUILD_AT * self.left) if self.left > _TOO_FEW_TO_REBUILD else 0)
            desk = self.desk(field)
            while self.form(field, desk, until, self.blur):
                desk.query[:] = np.compress(self.labels < 0, self.columns, axis=1).mean(axis=1)
                self.form(field, desk, self.left, 0.0)
        return self.labels, self.groups

    def form(self, field, desk, until, blur):
        self.left, self.groups, contested = form_groups(field, desk, self.labels, self.sums, self.k, self.left, self.groups, until, blur)
        return contested

    def build(self):
        self.order = self.order[self.labels[self.order] < 0]
        base = self.sums / self.left
        arrange(self.points, self.order, np.empty(self.left), np.empty((2, 64), np.int64), _LEAF)
        leaves = self.blocks(self.leaf_room, self.order, base)
        boxes = np.empty((2, self.points.shape[1], len(leaves.left)), np.float32)
        enclose(leaves.values, leaves.left, boxes)
        distances = np.empty(self.left)
        measure_from(self.points, self.order, base, distances)
        inwards = np.argsort(-distances)
        shells = self.blocks(self.shell_room, self.order[inwards], base)
        return Field(self.points, base, self.scale, leaves, boxes, shells, distances[inwards[::_SHELL]])

    def blocks(self, room, order, base):
        number = -(-len(order) // room.rows.shape[1])
        blocks = Blocks(room.values[:number], room.rows[:number], room.left[:number], room.place)
        fill(self.points, base, self.scale, order, blocks)
        return blocks

    def desk(self, field):
        d = self.points.shape[1]
        leaves = len(field.leaves.left)
        return Desk(np.empty(d), np.zeros(d + d % 2, np.float32), np.empty(self.k), np.empty(self.k, np.int64),
            np.empty(leaves, np.float32), np.empty(leaves + 1, np.int64), np.empty(_LEAF, np.float32), np.empty(_SHELL, np.float32))


def _room(points, width):
    n, d = points.shape
    number = -(-n // width)
    return Blocks(np.zeros((number, d + d % 2, width), np.float32), np.empty((number, width), np.int64), np.empty(number, np.int64), np.empty(n, np.int64))
