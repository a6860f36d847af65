"""A partition that changes: members, sizes and sums of every group, updated with every exchange of records."""

from __future__ import annotations

from typing import Literal

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats, Labels, Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.ordering import stable_order


class Grouping:
    """Groups of k to 2k - 1 records, with room for up to 3k while a group is being dissolved.

    `records` has the columns of every record and its weight; the columns are centred and multiplied by the weight. A
    last record of zeros, `nobody`, fills every empty slot, so that a move is a swap with `nobody`. `table` has the
    sums of both for every group (`sums`, `mass`) and the squared length of the sums (`norm`); a group's loss is the
    sum of its records' `squares` less `norm / mass`. Numbers are stored column by column for NumPy, or record by
    record in the shortest types for compiled loops.
    """

    def __init__(self, cloud: Cloud, labels: Labels, k: int, *, by_record: bool = False) -> None:
        n, d = cloud.points.shape
        weight = np.ones(n) if cloud.weights is None else cloud.weights
        self.k = k
        self.n = n
        self.nobody = n
        self.most = 2 * k - 1
        self.room = max(3 * k, int(np.bincount(labels).max()))
        self.by_record = by_record
        layout: Literal["C", "F"] = "F" if by_record else "C"
        whole = np.int32 if by_record else np.int64
        self.records: Points = np.zeros((d + 1, n + 1), order=layout)
        self.points, self.weight = self.records[:-1], self.records[-1]
        centred = cloud.points - cloud.points.mean(axis=0)
        self.points[:, :n] = centred.T * weight
        self.weight[:n] = weight
        self.squares: Floats = np.append(weight * np.square(centred).sum(axis=1), 0.0)
        groups = max(n // k, int(labels.max()) + 1)
        self.size: AnyIntegers = np.bincount(labels, minlength=groups).astype(whole)
        order = stable_order(labels)
        # Group and slot of every record; the last entry is written in place of those of `nobody` and never read.
        self._label: AnyIntegers = np.append(labels, 0).astype(whole)
        self._place: AnyIntegers = np.empty(n + 1, whole)
        self.label, self.place = self._label[:n], self._place[:n]
        self.place[order] = np.arange(n) - (np.cumsum(self.size) - self.size)[labels[order]]
        self.members: AnyIntegers = np.full((groups, self.room), n, whole)
        self.members[labels, self.place] = np.arange(n)
        self.table: Points = np.empty((d + 2, groups), order=layout)
        self.sums, self.mass, self.norm = self.table[:d], self.table[d], self.table[d + 1]
        self.recount(np.arange(groups))

    @property
    def books(self) -> tuple[AnyIntegers, AnyIntegers, AnyIntegers, AnyIntegers]:
        """Return labels, sizes, members and places; labels and places have a last entry for `nobody`."""
        return self._label, self.size, self.members, self._place

    @property
    def sums_in_order(self) -> bool:
        """Tell whether compiled code adds the columns in NumPy's order: of more, NumPy adds the halves first."""
        return len(self.sums) <= _MOST_ADDED

    @property
    def members_in_order(self) -> bool:
        """Tell whether compiled code adds the members of a group in NumPy's order, too."""
        return self.sums_in_order and self.room <= _MOST_ADDED

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

    def swap(self, x: AnyIntegers, z: AnyIntegers, groups: AnyIntegers) -> None:
        """Swap records x of `groups[0]` with z of `groups[1]`, many pairs at once; no group is in two pairs."""
        change = self.columns_of(self.records, z)
        change -= self.columns_of(self.records, x)
        both = groups.ravel()
        table = self.columns_of(self.table, both)
        table[:-1, : len(x)] += change
        table[:-1, len(x) :] -= change
        table[-1] = row_sums(np.square(table[:-2]))
        self.table[:, both] = table
        one, other = groups
        moves = (z == self.nobody).nonzero()[0]
        at_x, at_z = self._place.take(x), self._place.take(z)
        if len(moves):
            into = other[moves]
            at_z[moves] = self.size[into]
            self.size[into] += 1
        start = groups * self.room
        members = self.members.ravel()
        members[start[0] + at_x], members[start[1] + at_z] = z, x
        self._place[x], self._place[z] = at_z, at_x
        self._label[x], self._label[z] = other, one
        if len(moves):
            self._close(one[moves], at_x[moves])

    def columns_of(self, table: Points, which: AnyIntegers) -> Points:
        """Return columns of `records` or `table`, in their layout."""
        return table.T.take(which, axis=0).T if self.by_record else table.take(which, axis=1)

    def _close(self, groups: AnyIntegers, hole: AnyIntegers) -> None:
        """Fill the slot that a record has left with the last member of its group."""
        last = self.size[groups] - 1
        filler = self.members[groups, last]
        self.members[groups, hole] = filler
        self._place[filler] = hole
        self.members[groups, last] = self.nobody
        self.size[groups] = last

    def send(self, x: AnyIntegers, into: AnyIntegers) -> None:
        """Move records to other groups, any number from and to each; groups without records become empty."""
        if self.by_record and self.members_in_order:
            from constraint_sdc.partition.search.kernels import send

            x, into = x.astype(np.int64), into.astype(np.int64)
            send(x, into, np.empty_like(x), *self.books, self.records.T, self.table.T)
            return
        left = distinct(self.label[x])
        is_free = np.zeros(self.n + 1, np.bool_)
        is_free[x] = is_free[self.nobody] = True
        members = self.members[left]
        free = is_free[members]
        kept = members[np.arange(len(left))[:, None], free.argsort(axis=1, kind="stable")]
        size = self.room - np.count_nonzero(free, axis=1)
        is_kept = np.arange(self.room) < size[:, None]
        kept[~is_kept] = self.nobody
        self.members[left], self.size[left] = kept, size
        self.place[kept[is_kept]] = is_kept.nonzero()[1]
        order = into.argsort(kind="stable")
        x, into = x[order], into[order]
        start = starts_of(into)
        count = np.diff(start, append=len(into))
        slot = self.size[into] + np.arange(len(x)) - start.repeat(count)
        self.members[into, slot] = x
        self.label[x], self.place[x] = into, slot
        entered = into[start]
        self.size[entered] += count
        self.recount(distinct(np.concatenate((left, entered))))

    def labels(self) -> Labels:
        """Return the labels, numbered 0, 1, ... in the order of the groups' first records."""
        return renumbered(self.label.astype(np.int64))


def renumbered(labels: Labels) -> Labels:
    """Number groups 0, 1, ... in the order of their first records; labels are not negative.

    >>> renumbered(np.array([7, 2, 7, 4])).tolist()
    [0, 1, 0, 2]
    """
    count = len(labels)
    first = np.full(int(labels.max(initial=-1)) + 1, count)
    first[labels[::-1]] = np.arange(count - 1, -1, -1)  # the last one written stays: the first record
    rank = np.empty(len(first), np.int64)
    rank[stable_order(first)] = np.arange(len(first))
    return rank[labels]


def distinct(numbers: AnyIntegers) -> AnyIntegers:
    """Return the different numbers in order; quicker than `np.unique` for a few."""
    in_order = np.sort(numbers)
    return in_order[starts_of(in_order)]


def starts_of(in_order: AnyIntegers) -> AnyIntegers:
    """Return the places where a number differs from the one before it."""
    is_new = np.ones(len(in_order), np.bool_)
    np.not_equal(in_order[1:], in_order[:-1], out=is_new[1:])
    return is_new.nonzero()[0]


# Sums of products. The last digit depends on the order of summation, and NumPy's order on the layout in memory.

_MOST_ADDED = 128  # numbers; of more, NumPy adds the halves first
_IN_ORDER = 8  # numbers; fewer are added one after the other, whatever their layout


def row_sums(products: Points) -> Floats:
    """Return the sum of each vector (columns by vectors), in the order in which NumPy sums a contiguous row."""
    if len(products) < _IN_ORDER:
        return added(products)
    sums: Floats = np.add.reduce(np.ascontiguousarray(products.T), axis=1)
    return sums


def dot(one: Points, other: Points) -> Floats:
    """Return the products of two lists of vectors (columns by vectors), each summed in the order of their layout."""
    products: Floats = np.add.reduce(one * other, axis=0)
    return products


def added(columns: Points) -> Floats:
    """Return the sum of columns, one after the other: quicker than `np.add.reduce` for a few columns."""
    total: Floats = columns[0].copy()
    for column in columns[1:]:
        total += column
    return total
