"""Swaps for many records: nearest neighbours propose pairs, the cheapest are taken first, and a flow improves them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from constraint_sdc.mask.group_anonymity.column_generation import improved
from constraint_sdc.mask.group_anonymity.embedding import embed
from constraint_sdc.mask.group_anonymity.influence import Influence
from constraint_sdc.mask.group_anonymity.optimal_swaps import best_of
from constraint_sdc.mask.group_anonymity.proposals import nearest_pairs, proposals
from constraint_sdc.mask.group_anonymity.quotas import Allowed, Chosen, Quotas
from constraint_sdc.mask.group_anonymity.signals import Floats, Mask, Rows

_NEIGHBOURS = (4, 16, 64, 256, 1024, 4096)
_BATCH = 4096  # pairs asked about at a time, at least
_LAST_RESORT = 100_000  # pairs among which the exact method looks for what is missing


def choose_near_optimal(quotas: Quotas, influence: Influence, allowed: Allowed) -> Chosen:
    """Return swaps within the quotas at nearly the least cost; if every pair is allowed, the quotas are met exactly.

    If rules forbid so many pairs that some are missing, the exact method chooses anew among pairs that are near and
    allowed; more may exist, so that the result then never claims to be all.
    """
    points = embed(influence, np.arange(len(quotas.value)))
    greedy = _Greedy(quotas, influence, allowed, points)
    for neighbours in _NEIGHBOURS:
        if greedy.missing:
            greedy.take(neighbours)
    rows, others = greedy.pairs()
    if greedy.missing:
        rows, others = _rechosen(greedy, rows, others)
    rows, others = improved(quotas, influence, allowed, points, rows, others)
    return Chosen(rows, others, is_all=len(rows) == quotas.size)


class _Greedy:
    """What is still free and wanted while pairs are taken, cheapest first; ties by record number."""

    def __init__(self, quotas: Quotas, influence: Influence, allowed: Allowed, points: Floats) -> None:
        self.quotas, self.influence, self.allowed, self.points = quotas, influence, allowed, points
        self.surplus, self.deficit = quotas.surplus.copy(), quotas.deficit.copy()
        self.is_used = np.zeros(len(quotas.value), np.bool_)
        self.taken: list[tuple[int, int]] = []
        self.permitted: list[tuple[Rows, Rows]] = []

    @property
    def missing(self) -> int:
        return int(self.surplus.sum())

    def pairs(self) -> tuple[Rows, Rows]:
        both = np.array(self.taken, np.int64).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def take(self, neighbours: int) -> None:
        """Take pairs among the nearest neighbours in every value that still wants records."""
        vital, others = (side[self._wanted(side)] for side in (self.quotas.vital, self.quotas.others))
        rows, partners = proposals(self.points, replace(self.quotas, vital=vital, others=others), neighbours)
        order = np.lexsort((partners, rows, self.influence.cost(rows, partners)))
        size = max(_BATCH, 2 * self.missing)
        while len(order) and self.missing:
            self._take_batch(rows[order[:size]], partners[order[:size]])
            order, size = order[size:], 2 * size  # what needs many batches needs large ones

    def _take_batch(self, rows: Rows, partners: Rows) -> None:
        is_open = self._wanted(rows) & self._wanted(partners)
        rows, partners = rows[is_open], partners[is_open]
        if not len(rows):
            return
        is_allowed = self.allowed(rows, partners)
        rows, partners = rows[is_allowed], partners[is_allowed]
        self.permitted.append((rows, partners))
        for row, partner in zip(rows.tolist(), partners.tolist(), strict=True):
            self._take_if_open(row, partner)

    def _take_if_open(self, row: int, partner: int) -> None:
        source, target = self.quotas.value[row], self.quotas.value[partner]
        if self.is_used[row] or self.is_used[partner] or not (self.surplus[source] and self.deficit[target]):
            return
        self.is_used[row] = self.is_used[partner] = True
        self.surplus[source] -= 1
        self.deficit[target] -= 1
        self.taken.append((row, partner))

    def _wanted(self, rows: Rows) -> Mask:
        """Return which rows are free and of a value whose quota is open; no value has both a surplus and a deficit."""
        return ~self.is_used[rows] & ((self.surplus + self.deficit)[self.quotas.value[rows]] > 0)


def _rechosen(greedy: _Greedy, rows: Rows, others: Rows) -> tuple[Rows, Rows]:
    """Return more pairs than greedy found, if the exact method finds them among those that are known to be allowed."""
    quotas = greedy.quotas
    per_row = max(_LAST_RESORT // len(quotas.vital), 1)
    near, partners = nearest_pairs(greedy.points, quotas.vital, quotas.others, per_row)
    is_allowed = greedy.allowed(near, partners)
    known = [*greedy.permitted, (near[is_allowed], partners[is_allowed])]
    pairs = np.unique(np.column_stack([np.concatenate(side) for side in zip(*known, strict=True)]), axis=0)
    order = np.argsort(greedy.influence.cost(pairs[:, 0], pairs[:, 1]), kind="stable")[:_LAST_RESORT]
    pool = np.unique(np.concatenate([pairs[order], np.column_stack([rows, others])]), axis=0)
    better = best_of(quotas, greedy.influence, pool[:, 0], pool[:, 1])
    return better if len(better[0]) > len(rows) else (rows, others)
