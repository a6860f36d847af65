"""Swaps for many records: nearest neighbours propose pairs, the cheapest are taken first, and exchanges improve them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial import KDTree

from constraint_sdc.mask.group_anonymity.embedding import embed
from constraint_sdc.mask.group_anonymity.exchange import improved
from constraint_sdc.mask.group_anonymity.influence import Influence
from constraint_sdc.mask.group_anonymity.optimal_swaps import best_of
from constraint_sdc.mask.group_anonymity.quotas import Allowed, Chosen, Quotas
from constraint_sdc.mask.group_anonymity.signals import Floats, Mask, Rows

_NEIGHBOURS = (4, 16, 64, 256, 1024, 4096)
_PROPOSALS = 2_000_000  # pairs weighed in one round
_BATCH = 4096  # pairs asked about at a time, at least
_LAST_RESORT = 100_000  # pairs among which the exact method looks for what is missing


def choose_near_optimal(quotas: Quotas, influence: Influence, allowed: Allowed) -> Chosen:
    """Return swaps within the quotas at nearly the least cost; if every pair is allowed, the quotas are met exactly.

    If rules forbid so many pairs that some are missing, the exact method chooses anew among pairs that are near and
    allowed; more may exist, so that the result never claims to be all.
    """
    greedy = _Greedy(quotas, influence, allowed)
    for neighbours in _NEIGHBOURS:
        if greedy.missing:
            greedy.take(neighbours)
    rows, others = greedy.pairs()
    if greedy.missing:
        rows, others = _rechosen(greedy, rows, others)
    points = embed(influence, np.arange(len(quotas.value)))
    rows, others = improved(quotas, influence, allowed, points, rows, others)
    return Chosen(rows, others, is_all=len(rows) == quotas.size)


class _Greedy:
    """What is still free and wanted while pairs are taken, cheapest first; ties by record number."""

    def __init__(self, quotas: Quotas, influence: Influence, allowed: Allowed) -> None:
        self.quotas, self.influence, self.allowed = quotas, influence, allowed
        self.points = embed(influence, np.arange(len(quotas.value)))
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
        rows, partners = proposals(self.points, self.quotas, vital, others, neighbours)
        costs = self.influence.cost(rows, partners)
        order = np.lexsort((partners, rows, costs))
        for batch in _batches(order, max(_BATCH, 2 * self.missing)):
            if not self.missing:
                break
            self._take_batch(rows[batch], partners[batch])

    def _take_batch(self, rows: Rows, partners: Rows) -> None:
        is_open = self._wanted(rows) & self._wanted(partners)
        rows, partners = rows[is_open], partners[is_open]
        if not len(rows):
            return
        is_allowed = self.allowed(rows, partners)
        rows, partners = rows[is_allowed], partners[is_allowed]
        self.permitted.append((rows, partners))
        value = self.quotas.value
        for row, partner in zip(rows.tolist(), partners.tolist(), strict=True):
            source, target = value[row], value[partner]
            is_free = not (self.is_used[row] or self.is_used[partner])
            if is_free and self.surplus[source] and self.deficit[target]:
                self.is_used[row] = self.is_used[partner] = True
                self.surplus[source] -= 1
                self.deficit[target] -= 1
                self.taken.append((row, partner))

    def _wanted(self, rows: Rows) -> Mask:
        """Return which rows are free and have a value whose quota is open; no value has both a surplus and a deficit."""
        return ~self.is_used[rows] & ((self.surplus + self.deficit)[self.quotas.value[rows]] > 0)


def proposals(points: Floats, quotas: Quotas, vital: Rows, others: Rows, neighbours: int) -> tuple[Rows, Rows]:
    """Return pairs of each vital row and its nearest others: in every value if that is not too many, else overall."""
    values = quotas.value[others]
    pools = [others[values == value] for value in np.unique(values)]
    if len(vital) * len(pools) * neighbours > _PROPOSALS:
        affordable = _PROPOSALS // max(len(vital) * len(pools), 1)
        pools, neighbours = (pools, affordable) if affordable else ([others], max(_PROPOSALS // len(vital), 1))
    found = [_nearest_pairs(points, vital, pool, neighbours) for pool in pools]
    if not found:
        return vital[:0], others[:0]
    return np.concatenate([rows for rows, _ in found]), np.concatenate([partners for _, partners in found])


def _nearest_pairs(points: Floats, rows: Rows, pool: Rows, neighbours: int) -> tuple[Rows, Rows]:
    k = min(neighbours, len(pool))
    _, found = KDTree(points[pool]).query(points[rows], k=range(1, k + 1))
    return np.repeat(rows, k), pool[found.ravel()]


def _batches(order: Rows, size: int) -> Iterator[Rows]:
    return (order[start : start + size] for start in range(0, len(order), size))


def _rechosen(greedy: _Greedy, rows: Rows, others: Rows) -> tuple[Rows, Rows]:
    """Return more pairs than greedy found, if the exact method finds them among those that are known to be allowed."""
    quotas = greedy.quotas
    per_row = max(_LAST_RESORT // max(len(quotas.vital), 1), 1)
    near, partners = _nearest_pairs(greedy.points, quotas.vital, quotas.others, per_row)
    is_allowed = greedy.allowed(near, partners)
    known = [*greedy.permitted, (near[is_allowed], partners[is_allowed])]
    both = np.column_stack([np.concatenate([one[side] for one in known]) for side in (0, 1)])
    both = np.unique(both, axis=0)
    order = np.argsort(greedy.influence.cost(both[:, 0], both[:, 1]), kind="stable")[:_LAST_RESORT]
    pool = np.unique(np.concatenate([both[order], np.column_stack([rows, others])]), axis=0)
    better = best_of(quotas, greedy.influence, pool[:, 0], pool[:, 1])
    return better if len(better[0]) > len(rows) else (rows, others)
