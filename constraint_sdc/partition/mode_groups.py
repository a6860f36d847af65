"""Groups of nominal records that change, with what it costs to leave one, to join one and to change places.

The loss of a group is its mismatch: over all variables, the weight times the number of members that do not have the
group's most frequent category. Which of several equally frequent ones stands for the group does not matter to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from constraint_sdc.model.groups import Labels, Rows
from constraint_sdc.partition.category_codes import Codes

Costs = npt.NDArray[np.int64]

NEVER = np.int64(2**40)


class ModeGroups:
    """A partition of records (n x d categories); weights of variables are whole numbers, so every sum is exact.

    `frequency[i, j]` says how many members of its group share record i's category, `top[g, j]` how many have the most
    frequent one, `tops[g, j]` how many categories are that frequent, and `is_top[c, g]` whether category c is one of
    them; for the latter the categories of all variables are numbered through.
    """

    def __init__(self, codes: Codes, weights: Costs, labels: Labels) -> None:
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
        """Return by how much the loss of a record's group falls without it: not, where its category is the only top."""
        group = self.label[record]
        is_needed = (self.frequency[record] == self.top[group]) & (self.tops[group] == 1)
        return int(self.weights[~is_needed].sum())

    def costs_of_joining(self, record: int) -> Costs:
        """Return by how much the loss of every other group rises with this record; nobody joins an empty group."""
        costs = np.zeros(len(self.size), np.int64)
        for code, weight in zip(self.codes[record], self.weights, strict=True):
            costs += ~self.is_top[code] * weight
        costs[self.size == 0] = NEVER
        costs[self.label[record]] = NEVER
        return costs

    def best_swap(self, record: int, groups: Sequence[int]) -> tuple[int, int]:
        """Return by how much the loss rises in the best exchange of a record with a member of these groups, and whom.

        In each of two groups one category gains a member and one loses one. The new top is then the old one, less one
        if its only category loses, or the count of the category that gains.
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

    def _top_without(self, records: Rows) -> Costs:
        group = self.label[records]
        is_only = (self.frequency[records] == self.top[group]) & (self.tops[group] == 1)
        without: Costs = self.top[group] - is_only
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
