"""k-modes with groups of at least k: Z. Huang, Data Mining and Knowledge Discovery 2(3), 283-304, 1998; V. Torra, 2004.

Groups form as in MDAV, around modes instead of means (V. Torra, Privacy in Statistical Databases, LNCS 3050, 162-174);
then records are reassigned, as k-modes does, wherever that lowers the mismatch and leaves k records in every group.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Codes, Labels, Rows, WholeCosts
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.distances import category_codes, category_weight
from constraint_sdc.partition.methods.generic_mdav import Category, form_groups
from constraint_sdc.partition.partitioner import (
    TIED,
    PartitionTraits,
    Takes,
    below_2k,
    refuse_scales,
    refuse_weights,
    require_possible,
)
from constraint_sdc.settings.words import Scale

# Groups of nominal records, with the change of loss when a record leaves, joins or is swapped.
#
# The loss of a group is its mismatch: over all variables, the weight times the number of members that do not have the
# group's most frequent category. It is the same whichever of several equally frequent categories is the mode.


NEVER = np.int64(2**40)


class ModeGroups:
    """A partition of records (n x d categories); weights of variables are whole numbers, so every sum is exact.

    `frequency[i, j]` is the number of members of its group that share record i's category, `top[g, j]` the number that
    have the most frequent one, `tops[g, j]` the number of categories with that frequency, and `is_top[c, g]` tells
    whether category c is one of them; there, categories are numbered across all variables.
    """

    def __init__(self, codes: Codes, weights: WholeCosts, labels: Labels) -> None:
        first = np.cumsum(codes.max(axis=0) + 1)
        self.codes = codes + np.concatenate((np.zeros(1, np.int64), first[:-1]))
        self.weights = weights
        self.label = labels.copy()
        self.size = np.bincount(labels).astype(np.int64)
        order = np.argsort(labels, kind="stable")
        self.members: list[Rows] = np.split(order, np.cumsum(self.size)[:-1])
        self.frequency = np.ones_like(codes)
        self.top = np.zeros((len(self.size), codes.shape[1]), np.int64)
        self.tops = np.zeros_like(self.top)
        self.is_top = np.zeros((int(first[-1]), len(self.size)), np.bool_)
        for column in range(codes.shape[1]):
            pairs = labels * first[-1] + self.codes[:, column]
            _, which, many = np.unique(pairs, return_inverse=True, return_counts=True)
            self.frequency[:, column] = many[which]
        for group in range(len(self.size)):
            self._find_tops(group)

    def loss(self, group: int) -> int:
        """Return the mismatch of one group."""
        return int(((self.size[group] - self.top[group]) * self.weights).sum())

    def gain_of_leaving(self, record: int) -> int:
        """Return by how much the loss of a record's group falls without it; its variables with the only mode add 0."""
        group = self.label[record]
        is_needed = (self.frequency[record] == self.top[group]) & (self.tops[group] == 1)
        return int(self.weights[~is_needed].sum())

    def costs_of_joining(self, record: int) -> WholeCosts:
        """Return by how much the loss of every other group rises with this record; empty groups cannot be joined."""
        costs = np.zeros(len(self.size), np.int64)
        for code, weight in zip(self.codes[record], self.weights, strict=True):
            costs += ~self.is_top[code] * weight
        costs[self.size == 0] = NEVER
        costs[self.label[record]] = NEVER
        return costs

    def best_swap(self, record: int, groups: Sequence[int]) -> tuple[int, int]:
        """Return the rise in loss of the best swap of a record with a member of these groups, and that member.

        In each of the two groups one category gains a member and one loses a member. The new top is the larger of two
        counts: the old top (less one if its only category loses a member) and the count of the category that gains.
        """
        partners = np.concatenate([self.members[group] for group in groups])
        sizes = self.size[groups]
        other, own = self.label[partners], self.label[record]
        coming, going = self.codes[partners], self.codes[record]
        shared = np.add.reduceat(coming == going, np.cumsum(sizes) - sizes, axis=0, dtype=np.int64)
        received = (coming[:, None, :] == self.codes[self.members[own]][None, :, :]).sum(axis=1)
        there = self.top[other] - np.maximum(self._top_without(partners), np.repeat(shared, sizes, axis=0) + 1)
        here = self.top[own] - np.maximum(self._top_without(np.array([record])), received + 1)
        changes = ((there + here) * (coming != going)) @ self.weights
        best = changes.min()
        return int(best), int(partners[changes == best].min())

    def _top_without(self, records: Rows) -> WholeCosts:
        group = self.label[records]
        is_only = (self.frequency[records] == self.top[group]) & (self.tops[group] == 1)
        without: WholeCosts = self.top[group] - is_only
        return without

    def move(self, record: int, group: int) -> None:
        """Let a record leave its group and join another."""
        own = int(self.label[record])
        left = self.members[own][self.members[own] != record]
        self.is_top[self.codes[record], own] = False
        self.frequency[left] -= self.codes[left] == self.codes[record]
        joined = self.members[group]
        shared = self.codes[joined] == self.codes[record]
        self.frequency[joined] += shared
        self.frequency[record] = shared.sum(axis=0) + 1
        self.members[own], self.members[group] = left, np.append(joined, record)
        self.size[own] -= 1
        self.size[group] += 1
        self.label[record] = group
        self._find_tops(own)
        self._find_tops(group)

    def _find_tops(self, group: int) -> None:
        rows = self.members[group]
        self.is_top[self.codes[rows], group] = False
        frequency = self.frequency[rows]
        top = frequency.max(axis=0, initial=0)
        is_top = frequency == top
        self.top[group], self.tops[group] = top, is_top.sum(axis=0) // np.maximum(top, 1)
        self.is_top[self.codes[rows][is_top], group] = True


_UNITS = 2.0**20  # of the largest weight: whole numbers add up exactly, so that ties are exact and passes end
_NEIGHBOURS = 30  # groups among which a partner for a swap is sought
_PASSES = 20


class KModes:
    """Nominal variables: the (weighted) number of variables in which records differ, and the mode vector as centre.

    Reassigning never raises the total mismatch and never leaves a group below k. Groups have k to 2k - 1 records. All
    comparisons use whole numbers, and ties go to the first: the category with the smallest code, the record first in
    the file, the group that formed first.
    """

    name = "k-modes"
    traits = PartitionTraits(Takes.NOMINAL, largest=below_2k, file_order_matters=TIED)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; `seed` is unused, because the method is deterministic."""
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        others = frozenset({Scale.NUMERIC, Scale.ORDINAL})
        refuse_scales(cloud, self.name, others, hint="use mixed, or ordinal-median if none is nominal")
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        codes = np.stack([category_codes(cloud, axis) for axis in cloud.axes], axis=1)
        weights = whole_weights(np.array([category_weight(cloud, axis) for axis in cloud.axes]))
        return reassign(codes, weights, form(codes, weights, k), k)


REGISTERED = {"k-modes": KModes()}


def whole_weights(weights: npt.NDArray[np.float64]) -> WholeCosts:
    """Return weights as whole numbers, the largest as 2^20; no positive weight is rounded to 0.

    >>> whole_weights(np.array([2.0, 1.0, 0.0])).tolist()
    [1048576, 524288, 0]
    """
    largest = weights.max(initial=0.0)
    if largest == 0:
        return np.zeros(len(weights), np.int64)
    return np.where(weights > 0, np.maximum(np.rint(weights / largest * _UNITS), 1.0), 0.0).astype(np.int64)


def form(codes: Codes, weights: WholeCosts, k: int) -> Labels:
    """Return groups formed around the modes of the remaining records (n x d categories)."""
    return form_groups([Category(column, float(weight)) for column, weight in zip(codes.T, weights, strict=True)], k)


def reassign(codes: Codes, weights: WholeCosts, labels: Labels, k: int) -> Labels:
    """Return groups of k to 2k - 1 records with at most the same mismatch, by joins, swaps and dissolved groups.

    The first pass looks at every record, each later pass at the groups changed by the pass before.
    """
    groups = ModeGroups(codes, weights, labels)
    changed = set(range(len(groups.size)))
    for _ in range(_PASSES):
        changed = _improve_records(groups, k, changed) | _take_apart(groups, changed)
        if not changed:
            break
    return _divide_large(codes, weights, groups.label, k)


def _improve_records(groups: ModeGroups, k: int, wanted: set[int]) -> set[int]:
    """Make the best change for each record of the wanted groups, in file order; return the changed groups."""
    changed: set[int] = set()
    for record in range(len(groups.label)):
        own = int(groups.label[record])
        gain = groups.gain_of_leaving(record) if own in wanted else 0
        if gain == 0:
            continue
        costs = groups.costs_of_joining(record)
        near = _nearest_groups(costs)
        if not near:
            break  # there is one group only
        join = int(costs[near[0]]) - gain if groups.size[own] > k else 0
        swap, partner = groups.best_swap(record, near)
        if min(join, swap) < 0:
            other = near[0] if join <= swap else int(groups.label[partner])
            groups.move(record, other)
            if swap < join:
                groups.move(partner, own)
            changed |= {own, other}
    return changed


def _nearest_groups(costs: WholeCosts) -> list[int]:
    """Return the groups in order of the cost of joining; ties go to the group that formed first."""
    ranked = costs * len(costs) + np.arange(len(costs))
    few = np.partition(ranked, _NEIGHBOURS)[:_NEIGHBOURS] if len(costs) > _NEIGHBOURS else ranked
    return [int(group) for group in np.sort(few) % len(costs) if costs[group] < NEVER]


def _take_apart(groups: ModeGroups, wanted: set[int]) -> set[int]:
    """Dissolve groups whose members join other groups at a lower total loss; return the groups joined."""
    changed: set[int] = set()
    for group in sorted(wanted):
        spare = groups.loss(group)
        moved: list[int] = []
        for record in np.sort(groups.members[group]).tolist() if spare else []:
            costs = groups.costs_of_joining(record)
            nearest = int(np.argmin(costs))
            spare -= int(costs[nearest])
            if spare <= 0:
                break
            groups.move(record, nearest)
            moved.append(record)
        if spare > 0:
            changed |= {int(groups.label[record]) for record in moved}
        else:
            for record in reversed(moved):
                groups.move(record, group)
    return changed


def _divide_large(codes: Codes, weights: WholeCosts, labels: Labels, k: int) -> Labels:
    """Divide every group of 2k or more again, which cannot raise the mismatch; number groups without a gap."""
    divided = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    for group in np.flatnonzero(np.bincount(divided) >= 2 * k):
        rows = np.flatnonzero(divided == group)
        parts = form(codes[rows], weights, k)
        divided[rows] = np.where(parts > 0, divided.max() + parts, group)
    return divided
