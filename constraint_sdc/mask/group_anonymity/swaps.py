"""Swaps that realise wished counts at least total InfM: Chertov and Tavrov, Data group anonymity in microfiles.

A vital record with a value that has too many gives its parameter value to a non-vital base record with a value that has
too few, and takes that record's. Counts of the parameter and of the base never change. The paper supposes the choice of
pairs NP-hard; it is a minimum-cost flow (value, vital record, other record, value), solved exactly if pairs are few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.mask.group_anonymity.cheapest_first import choose_near_optimal
from constraint_sdc.mask.group_anonymity.influence import Influence
from constraint_sdc.mask.group_anonymity.optimal_swaps import choose_optimal
from constraint_sdc.mask.group_anonymity.quotas import Allowed, Quotas
from constraint_sdc.mask.group_anonymity.signals import Codes, Counts, Floats, Mask, Rows, quantity

EXACT_UP_TO = 20_000


@dataclass(frozen=True)
class SwapTrace:
    """The swaps, in order of the vital records, what each costs, and how far they lead towards the wished counts.

    If swaps are `missing`, `is_exhausted` says whether the allowed pairs do not suffice, or the search gave up on more.
    """

    vital: Rows
    others: Rows
    costs: Floats
    before: Counts
    wished: Counts
    achieved: Counts
    is_exact: bool
    is_exhausted: bool

    @property
    def total(self) -> float:
        """Return the cost of all swaps."""
        return float(self.costs.sum())

    @property
    def missing(self) -> int:
        """Return how many swaps short of the wish this is."""
        return int(np.abs(self.wished - self.achieved).sum()) // 2

    @property
    def is_reached(self) -> bool:
        """Return whether the counts are exactly those wished."""
        return self.missing == 0


def choose_swaps(
    codes: Codes,
    vital: Mask,
    base: Mask,
    wished: Counts,
    influence: Influence,
    allowed: Allowed | None = None,
    *,
    exact_up_to: int = EXACT_UP_TO,
) -> SwapTrace:
    """Return as many disjoint swaps as lead to the wished counts, of least total cost (near it, if pairs are many).

    `allowed` is asked about batches of pairs; no pair is swapped that it did not allow. The same input gives the same
    swaps. Where the allowed pairs do not suffice, the trace says how many are missing.
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


def _require_possible(codes: Codes, vital: Mask, base: Mask, wished: Counts, before: Counts) -> None:
    if np.any(vital & ~base):
        raise ValueError(
            "a vital record is outside the base: the base contains the vital records and those they may swap with"
        )
    if wished.sum() != before.sum():
        raise ValueError(f"{wished.sum()} records are wished, the group has {before.sum()}: swaps keep their number")
    room = quantity(codes, base, len(wished))
    if np.any(wished < 0) or np.any(wished > room):
        value = int(np.flatnonzero((wished < 0) | (wished > room))[0])
        raise ValueError(f"{wished[value]} records are wished at value {value}, which has room for 0 to {room[value]}")


def _quotas(codes: Codes, vital: Mask, base: Mask, wished: Counts, before: Counts) -> Quotas:
    surplus, deficit = np.maximum(before - wished, 0), np.maximum(wished - before, 0)
    has_value = codes >= 0
    giving = np.flatnonzero(vital & has_value & (surplus[codes] > 0))
    taking = np.flatnonzero(base & ~vital & has_value & (deficit[codes] > 0))
    return Quotas(giving, taking, codes, surplus, deficit)


def _counted(codes: Codes, values: int) -> Counts:
    return np.bincount(codes, minlength=values).astype(np.int64)
