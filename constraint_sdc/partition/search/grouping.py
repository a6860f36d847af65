"""A partition that changes: members, sizes and sums of every group, updated with every exchange of records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats, Labels, Points
from constraint_sdc.data.cloud import Cloud

_MOST_COLUMNS = 128  # columns, and slots of a group; with more, NumPy adds the halves separately


class Grouping:
    """Groups of k to 2k - 1 records, with room for up to 3k while a group is being dissolved.

    `points` are columns by records, centred and multiplied by the records' weights, with a last record of zeros,
    `nobody`: it fills every empty slot, so that a move is a swap with `nobody`. Sums are of these points; a group's
    loss is the sum of its records' `squares` less `norm / mass`. Numbers are stored column by column for NumPy, or
    record by record in the shortest types for compiled loops.
    """

    def __init__(self, cloud: Cloud, labels: Labels, k: int, *, by_record: bool = False) -> None:
        n, d = cloud.points.shape
        weight = np.ones(n) if cloud.weights is None else cloud.weights
        self.k = k
        self.n = n
        self.nobody = n
        self.most = 2 * k - 1
        self.room = max(3 * k, int(np.bincount(labels).max()))
        layout: Literal["C", "F"] = "F" if by_record else "C"
        whole = np.int32 if by_record else np.int64
        self.points: Points = np.zeros((d, n + 1), order=layout)
        centred = cloud.points - cloud.points.mean(axis=0)
        self.points[:, :n] = centred.T * weight
        self.weight: Floats = np.append(weight, 0.0)
        self.squares: Floats = np.append(weight * np.square(centred).sum(axis=1), 0.0)
        self.label: AnyIntegers = labels.astype(whole)
        groups = max(n // k, int(labels.max()) + 1)
        self.size: AnyIntegers = np.bincount(labels, minlength=groups).astype(whole)
        order = np.argsort(labels, kind="stable")
        self.place: AnyIntegers = np.empty(n, whole)
        self.place[order] = np.arange(n) - (np.cumsum(self.size) - self.size)[labels[order]]
        self.members: AnyIntegers = np.full((groups, self.room), n, whole)
        self.members[labels, self.place] = np.arange(n)
        self.sums: Points = np.empty((d, groups), order=layout)
        self.mass: Floats = np.empty(groups)
        self.norm: Floats = np.empty(groups)
        self.send_compiled: Callable[[AnyIntegers, AnyIntegers], None] | None = None
        self.recount(np.arange(groups))

    @property
    def can_be_compiled(self) -> bool:
        """Tell whether compiled code adds up the columns in the same order as NumPy."""
        return len(self.points) <= _MOST_COLUMNS and self.room <= _MOST_COLUMNS

    def recount(self, groups: AnyIntegers) -> None:
        """Compute the sums of some groups again."""
        members = self.members[groups]
        self.mass[groups] = self.weight[members].sum(axis=1)
        for sums, column in zip(self.sums, self.points, strict=True):
            sums[groups] = column[members].sum(axis=1)
        self.norm[groups] = dot(self.sums[:, groups], self.sums[:, groups])

    def loss(self, groups: AnyIntegers) -> Floats:
        """Return the losses of some non-empty groups."""
        lost: Floats = self.squares[self.members[groups]].sum(axis=1) - self.norm[groups] / self.mass[groups]
        return lost

    def loss_of(self, rows: AnyIntegers) -> float:
        """Return the loss of a group that these records would form."""
        total = self.points[:, rows].sum(axis=1)
        return float(self.squares[rows].sum() - total @ total / self.weight[rows].sum())

    def swap(self, x: AnyIntegers, z: AnyIntegers, one: AnyIntegers, other: AnyIntegers) -> None:
        """Swap x of group `one` with z of group `other`, many pairs at once; no group is in two pairs."""
        change = self.points[:, z] - self.points[:, x]
        heavier = self.weight[z] - self.weight[x]
        self.sums[:, one] += change
        self.sums[:, other] -= change
        self.mass[one] += heavier
        self.mass[other] -= heavier
        for groups in (one, other):
            sums = self.sums[:, groups]
            self.norm[groups] = dot(sums, sums)
        is_move = z == self.nobody
        if is_move.any():
            self._move(x[is_move], one[is_move], other[is_move])
            x, z, one, other = x[~is_move], z[~is_move], one[~is_move], other[~is_move]
        at_x, at_z = self.place[x], self.place[z]
        self.members[one, at_x], self.members[other, at_z] = z, x
        self.place[x], self.place[z] = at_z, at_x
        self.label[x], self.label[z] = other, one

    def _move(self, x: AnyIntegers, one: AnyIntegers, other: AnyIntegers) -> None:
        hole, last = self.place[x], self.size[one] - 1
        filler = self.members[one, last]
        self.members[one, hole] = filler
        self.place[filler] = hole
        self.members[one, last] = self.nobody
        self.members[other, self.size[other]] = x
        self.place[x] = self.size[other]
        self.label[x] = other
        self.size[one] -= 1
        self.size[other] += 1

    def send(self, x: AnyIntegers, into: AnyIntegers) -> None:
        """Move records to other groups, any number from and to each; groups without records become empty."""
        if self.send_compiled is not None:
            self.send_compiled(x, into)
            return
        left = np.unique(self.label[x])
        leaving = np.zeros(self.n + 1, np.bool_)
        leaving[x] = True
        members = self.members[left]
        gone = leaving[members] | (members == self.nobody)
        kept = np.take_along_axis(members, np.argsort(gone, axis=1, kind="stable"), axis=1)
        self.size[left] = (~gone).sum(axis=1)
        kept[np.arange(self.room) >= self.size[left][:, None]] = self.nobody
        self.members[left] = kept
        at = np.nonzero(kept != self.nobody)
        self.place[kept[at]] = at[1]
        order = np.argsort(into, kind="stable")
        x, into = x[order], into[order]
        entered, start, count = np.unique(into, return_index=True, return_counts=True)
        self.place[x] = self.size[into] + np.arange(len(x)) - np.repeat(start, count)
        self.members[into, self.place[x]] = x
        self.label[x] = into
        self.size[entered] += count
        self.recount(np.union1d(left, entered))

    def labels(self) -> Labels:
        """Return the labels, numbered 0, 1, ... in the order of the groups' first records."""
        return renumbered(self.label.astype(np.int64))


def renumbered(labels: Labels) -> Labels:
    """Number groups 0, 1, ... in the order of their first records."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def dot(one: Points, other: Points) -> Floats:
    """Return the products of two lists of vectors (columns by vectors), summed column after column."""
    products: Floats = np.add.reduce(one * other, axis=0)
    return products
