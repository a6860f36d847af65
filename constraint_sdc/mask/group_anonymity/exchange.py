"""Improving disjoint pairs: partners are replaced by free records of the same value, or exchanged between pairs.

Each of these moves keeps every quota. A move is not one pair but the best assignment of a whole block of pairs (H. W.
Kuhn, Naval Research Logistics Quarterly 2, 83-97, 1955), and is made only if it lowers the block's cost.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial import KDTree

from constraint_sdc.mask.group_anonymity.influence import Influence
from constraint_sdc.mask.group_anonymity.quotas import Allowed, Quotas
from constraint_sdc.mask.group_anonymity.signals import Codes, Floats, Mask, Rows

_BLOCK = 256
_NEIGHBOURS = 12
_SWEEPS = 6
_WORTH = 1e-3  # of the cost; a sweep that gains less is the last
_ATTEMPTS = 3  # to find a block without forbidden pairs


def improved(
    quotas: Quotas, influence: Influence, allowed: Allowed, points: Floats, rows: Rows, others: Rows
) -> tuple[Rows, Rows]:
    """Return pairs of the same quotas that cost no more; every new pair is an allowed one."""
    pairs = _Pairs(quotas, influence, allowed, points, rows, others)
    cost = pairs.cost()
    for sweep in range(_SWEEPS):
        pairs.replace_others(sweep)
        pairs.replace_vital(sweep)
        pairs.exchange(sweep)
        before, cost = cost, pairs.cost()
        if before - cost <= _WORTH * before:
            break
    return pairs.vital, pairs.others


class _Pairs:
    """Pairs that change in place, block by block; `vital[i]` swaps with `others[i]`."""

    def __init__(
        self, quotas: Quotas, influence: Influence, allowed: Allowed, points: Floats, vital: Rows, others: Rows
    ) -> None:
        self.quotas, self.influence, self.allowed, self.points = quotas, influence, allowed, points
        self.vital, self.others = vital.copy(), others.copy()

    def cost(self) -> float:
        return float(self.influence.cost(self.vital, self.others).sum())

    def replace_others(self, sweep: int) -> None:
        """Give the vital records of each block the best others of the same value."""
        for pool, members in self._pools(self.quotas.others, self.others):
            for block in self._blocks(members, sweep):
                candidates = self._candidates(self.vital[block], self.others[block], pool, self.others)
                costs = self.influence.matrix(self.vital[block], candidates)
                self.others[block] = self._best(costs, self.vital[block], candidates, is_vital=True)

    def replace_vital(self, sweep: int) -> None:
        """Give the others of each block the best vital records of the same value."""
        for pool, members in self._pools(self.quotas.vital, self.vital):
            for block in self._blocks(members, sweep):
                candidates = self._candidates(self.others[block], self.vital[block], pool, self.vital)
                costs = self.influence.matrix(candidates, self.others[block]).T
                self.vital[block] = self._best(costs, self.others[block], candidates, is_vital=False)

    def exchange(self, sweep: int) -> None:
        """Exchange partners within blocks of pairs that are close to each other, and among the dearest pairs."""
        everyone = np.arange(len(self.vital))
        dearest = np.argsort(-self.influence.cost(self.vital, self.others), kind="stable")[:_BLOCK]
        for block in (*self._blocks(everyone, sweep), *self._blocks(everyone, sweep + 1), dearest):
            costs = self.influence.matrix(self.vital[block], self.others[block])
            self.others[block] = self._best(costs, self.vital[block], self.others[block].copy(), is_vital=True)

    def _pools(self, side: Rows, used: Rows) -> Iterator[tuple[Rows, Rows]]:
        """Yield the records of each value on one side, and the places of the pairs that use one of them."""
        available: Codes = self.quotas.value[side]
        in_use: Codes = self.quotas.value[used]
        for value in np.unique(in_use):
            yield side[available == value], np.flatnonzero(in_use == value)

    def _blocks(self, members: Rows, sweep: int) -> Iterator[Rows]:
        """Yield members in blocks along one coordinate, another one in every sweep."""
        along = self.points[self.vital[members], sweep % self.points.shape[1]]
        order = members[np.argsort(along, kind="stable")]
        return (order[start : start + _BLOCK] for start in range(0, len(order), _BLOCK))

    def _candidates(self, fixed: Rows, partners: Rows, pool: Rows, used: Rows) -> Rows:
        """Return the present partners of a block, in their order, and the nearest free records of the pool."""
        is_used: Mask = np.zeros(len(self.points), np.bool_)
        is_used[used] = True
        free = pool[~is_used[pool]]
        if not len(free):
            return partners.copy()
        k = min(_NEIGHBOURS, len(free))
        _, found = KDTree(self.points[free]).query(self.points[fixed], k=range(1, k + 1))
        return np.concatenate([partners, free[np.unique(found)]])

    def _best(self, costs: Floats, fixed: Rows, candidates: Rows, *, is_vital: bool) -> Rows:
        """Return the best candidate for each fixed row; candidate i is the present partner of row i."""
        costs = costs.copy()
        present = np.arange(len(fixed))
        forbidden = float(costs.max(initial=0.0)) * len(fixed) + 1.0
        now = float(costs[present, present].sum())
        for _ in range(_ATTEMPTS):
            _, best = linear_sum_assignment(costs)
            if not costs[present, best].sum() < now * (1 - 1e-12):
                break
            changed = np.flatnonzero(best != present)
            pair = (fixed[changed], candidates[best[changed]])
            refused = changed[~self.allowed(*(pair if is_vital else pair[::-1]))]
            if not len(refused):
                return candidates[best]
            costs[refused, best[refused]] = forbidden
        return candidates[: len(fixed)]
