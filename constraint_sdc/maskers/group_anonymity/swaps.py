"""Swaps that realise wished counts at least total InfM: Chertov and Tavrov, Data group anonymity in microfiles.

A vital record whose value has too many vital records exchanges it with a non-vital base record whose value has too few.
Counts of the parameter and of the base never change. The paper supposes that the choice of pairs is NP-hard; it is a
minimum-cost flow (value, vital record, other record, value), solved exactly if there are few pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Flags, Floats, Rows
from constraint_sdc.maskers.group_anonymity.influence import Allowed, Chosen, Influence, Nominal, Ordinal, Quotas
from constraint_sdc.maskers.group_anonymity.optimal_swaps import (
    best_of,
    choose_optimal,
    improved,
    nearest_pairs,
    proposals,
)
from constraint_sdc.maskers.group_anonymity.signals import quantity

# Records as points whose squared distances resemble the influential metric, so that a k-d tree finds close records.
#
# For positive numbers (a - b) / (a + b) = tanh((ln a - ln b) / 2): half the logarithm is a coordinate, exact for
# close records and too far for distant ones. Sign and blank, and each category, are indicator columns. Points only
# propose pairs; the cost of a pair is always the metric itself.

_COLUMNS = 8  # indicator columns of one variable; more columns only slow the tree
_SPREAD = 1e-4  # of the metric's range, far below any difference that matters
_GOLDEN = 0.6180339887498949
_DIGITS = 9  # decimals of a coordinate: far finer than any difference that matters to a swap


def embed(influence: Influence, rows: Rows) -> Floats:
    """Return one point for each of the rows.

    Equal records have the same few nearest neighbours and compete for them: a last, tiny coordinate separates them.
    """
    columns = [column for variable in influence.variables for column in _columns(variable, rows)]
    reach = np.sqrt(sum(variable.weight for variable in influence.variables) or 1.0)
    columns.append(_SPREAD * reach * ((rows * _GOLDEN) % 1.0))
    return np.column_stack(columns)


def _columns(variable: Ordinal | Nominal, rows: Rows) -> list[Floats]:
    if variable.weight == 0:
        return []
    if isinstance(variable, Nominal):
        height = np.sqrt(variable.weight * (variable.different**2 - variable.same**2) / 2)
        return _indicators(variable.codes[rows], height)
    numbers = variable.values[rows]
    kind = np.where(np.isnan(numbers), 2, np.sign(numbers)).astype(np.int64)
    return [_half_logarithms(numbers, np.sqrt(variable.weight)), *_indicators(kind, np.sqrt(variable.weight / 2))]


def _half_logarithms(numbers: Floats, scale: float) -> Floats:
    """Return scaled half logarithms; blanks and zeros lie in the middle, as far from the high as from the low."""
    has_logarithm = np.isfinite(numbers) & (numbers != 0)
    halves = np.zeros(len(numbers))
    halves[has_logarithm] = 0.5 * np.log(np.abs(numbers[has_logarithm]))
    if has_logarithm.any():
        halves[~has_logarithm] = np.median(halves[has_logarithm])
    # Logarithms differ in the last bit between processors; rounded ones propose the same pairs everywhere.
    return np.round(scale * halves, _DIGITS)


def _indicators(codes: Codes, height: float) -> list[Floats]:
    """Return a column for each category; with many, categories share columns at different heights."""
    _, dense = np.unique(codes, return_inverse=True)
    categories = int(dense.max(initial=0)) + 1
    if categories == 1:
        return []
    columns = min(categories, _COLUMNS)
    return [np.where(dense % columns == c, height * (1 + dense // columns), 0.0) for c in range(columns)]


# Swaps for many records: nearest neighbours propose pairs, the cheapest are taken first, and a flow improves them.

_NEIGHBOURS = (4, 16, 64, 256, 1024, 4096)
_BATCH = 4096  # pairs checked at a time, at least
_LAST_RESORT = 100_000  # pairs among which the exact method searches for missing swaps


def choose_near_optimal(quotas: Quotas, influence: Influence, allowed: Allowed) -> Chosen:
    """Return swaps within the quotas at nearly the least cost; if every pair is allowed, the quotas are met exactly.

    If rules forbid so many pairs that some are missing, the exact method chooses again among pairs that are near and
    allowed. More may exist, so the result is then never called exhaustive.
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
    """Free rows and open quotas while pairs are taken, cheapest first; ties by record number."""

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
        """Take pairs among the nearest neighbours in every value that still needs records."""
        vital, others = (side[self._wanted(side)] for side in (self.quotas.vital, self.quotas.others))
        rows, partners = proposals(self.points, replace(self.quotas, vital=vital, others=others), neighbours)
        order = np.lexsort((partners, rows, self.influence.cost(rows, partners)))
        size = max(_BATCH, 2 * self.missing)
        while len(order) and self.missing:
            self._take_batch(rows[order[:size]], partners[order[:size]])
            order, size = order[size:], 2 * size  # each batch is twice as large as the one before

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

    def _wanted(self, rows: Rows) -> Flags:
        """Return which rows are free and of a value whose quota is open; no value has both a surplus and a deficit."""
        return ~self.is_used[rows] & ((self.surplus + self.deficit)[self.quotas.value[rows]] > 0)


def _rechosen(greedy: _Greedy, rows: Rows, others: Rows) -> tuple[Rows, Rows]:
    """Return more pairs than the greedy search, if the exact method finds them among pairs known to be allowed."""
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


EXACT_UP_TO = 20_000


@dataclass(frozen=True)
class SwapTrace:
    """The swaps, in order of the vital records, their costs, and the counts before, wished and achieved.

    If swaps are `missing`, `is_exhausted` is true if the allowed pairs do not suffice, false if the search gave up.
    `left_out` are swaps that were found, and left out because of a threshold.
    """

    vital: Rows
    others: Rows
    costs: Floats
    before: Counts
    wished: Counts
    achieved: Counts
    is_exact: bool
    is_exhausted: bool
    left_out: int = 0

    @property
    def total(self) -> float:
        """Return the cost of all swaps."""
        return float(self.costs.sum())

    @property
    def missing(self) -> int:
        """Return how many swaps are missing for the wish."""
        return int(np.abs(self.wished - self.achieved).sum()) // 2

    @property
    def is_reached(self) -> bool:
        """Return whether the counts are exactly the wished ones."""
        return self.missing == 0


def choose_swaps(
    codes: Codes,
    vital: Flags,
    base: Flags,
    wished: Counts,
    influence: Influence,
    allowed: Allowed | None = None,
    *,
    exact_up_to: int = EXACT_UP_TO,
) -> SwapTrace:
    """Return disjoint swaps that give the wished counts at the least total cost (nearly, if there are many pairs).

    `allowed` checks batches of pairs; only pairs that it allows are swapped. The same input gives the same swaps. If
    the allowed pairs do not suffice, the trace says how many swaps are missing.
    """
    before = quantity(codes, vital, len(wished))
    _require_possible(codes, vital, base, wished, before)
    quotas = _quotas(codes, vital, base, wished, before)
    permitted = allowed or (lambda rows, _: np.ones(len(rows), np.bool_))
    is_exact = quotas.pairs <= exact_up_to
    chosen = (choose_optimal if is_exact else choose_near_optimal)(quotas, influence, permitted)
    order = np.argsort(chosen.vital, kind="stable")
    rows, others = chosen.vital[order], chosen.others[order]
    achieved = before - _counted(codes[rows], len(wished)) + _counted(codes[others], len(wished))
    return SwapTrace(
        rows, others, influence.cost(rows, others), before, wished, achieved, is_exact, is_exhausted=chosen.is_all
    )


def swapped(codes: Codes, trace: SwapTrace) -> Codes:
    """Return the parameter after the swaps."""
    after = codes.copy()
    after[trace.vital], after[trace.others] = codes[trace.others], codes[trace.vital]
    return after


def _require_possible(codes: Codes, vital: Flags, base: Flags, wished: Counts, before: Counts) -> None:
    if np.any(vital & ~base):
        raise ValueError(
            "a vital record is outside the base; the base must contain the vital records and their swap partners"
        )
    if wished.sum() != before.sum():
        raise ValueError(f"the wished counts add up to {wished.sum()}, but the group has {before.sum()} records")
    room = quantity(codes, base, len(wished))
    if np.any(wished < 0) or np.any(wished > room):
        value = int(np.flatnonzero((wished < 0) | (wished > room))[0])
        raise ValueError(f"the wished count at value {value} is {wished[value]}; it must be from 0 to {room[value]}")


def _quotas(codes: Codes, vital: Flags, base: Flags, wished: Counts, before: Counts) -> Quotas:
    surplus, deficit = np.maximum(before - wished, 0), np.maximum(wished - before, 0)
    has_value = codes >= 0
    giving = np.flatnonzero(vital & has_value & (surplus[codes] > 0))
    taking = np.flatnonzero(base & ~vital & has_value & (deficit[codes] > 0))
    return Quotas(giving, taking, codes, surplus, deficit)


def _counted(codes: Codes, values: int) -> Counts:
    return np.bincount(codes, minlength=values).astype(np.int64)
