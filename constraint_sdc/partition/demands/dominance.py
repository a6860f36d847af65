"""Dominance: no member of a group can be estimated too closely from the group's sum.

L. Willenborg and T. de Waal, Elements of Statistical Disclosure Control, Springer, 2001, chapter 6. A. Hundepool et
al., Statistical Disclosure Control, Wiley, 2012, chapter 4.

Both rules are monotone for values of at least 0. p% rule: with the largest value x1 in group A, what the union leaves
besides its two largest is at least what A leaves besides its own two. (n, share): the n largest of a union are at most
n of each group, so their sum is at most the share of both sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Points, Positions
from constraint_sdc.partition.demands.demand import Laid, rounded_down, rounded_up

_MARGIN = 1e-12  # relative: sums of fractions depend on the order, and the file is counted in another one
_COALITION = 2  # the member that is estimated, and the one that estimates it
_WHOLE = 100.0
_EXACT = 2.0**53 / 100  # percentages of whole numbers below are whole numbers without an error


@dataclass(frozen=True)
class DominanceDemand:
    """The p% rule and the (n, share) rule for every column of `contributions` (n records x d), none of them negative.

    p% rule: with x1 >= x2 >= ..., the others are at least p% of x1, so that the second largest member, who knows x2 and
    the sum, errs by at least p% about x1. (n, share): the n largest are at most `share` percent of the sum. A column
    that is 0 in the whole group has nothing to estimate.
    """

    contributions: Points
    p: float | None = None
    n: int | None = None
    share: float = 100.0

    name = "dominance"
    of = ""

    def held_by(self, groups: Laid) -> Flags:
        """Tell which groups hold the rules in every column."""
        held = np.ones(len(groups), np.bool_)
        for column in self.contributions.T:
            values = column[groups.rows]
            is_exact = bool((values == np.rint(values)).all()) and float(values.sum()) < _EXACT
            margin = 1.0 if is_exact else 1.0 + _MARGIN
            if self.p is not None:
                largest, others = largest_and_others(values, groups)
                held &= (largest == 0) | (100.0 * others >= self.p * largest * margin)
            if self.n is not None:
                top, total = top_and_total(values, groups, self.n)
                held &= (total == 0) | (100.0 * top * margin <= self.share * total)
        return held

    def weaker(self, groups: Laid) -> dict[str, float]:
        """Return the largest p and the least share that all these groups hold."""
        found: dict[str, float] = {}
        for column in self.contributions.T:
            values = column[groups.rows]
            if self.p is not None:
                largest, others = largest_and_others(values, groups)
                p = float(_percentages(others, largest).min(initial=self.p))
                found["p"] = min(found.get("p", p), rounded_down(p))
            if self.n is not None:
                share = float(_percentages(*top_and_total(values, groups, self.n)).max(initial=self.share))
                found["share"] = max(found.get("share", share), rounded_up(share))
        promises_nothing = found.get("p") == 0 or found.get("share", 0.0) >= _WHOLE
        return {} if promises_nothing else found


_PADDED = 4  # times as many slots as values, at most, in a table of groups


def largest_and_others(values: Floats, groups: Laid) -> tuple[Floats, Floats]:
    """Return the largest value of each group, and the sum of all but the two largest."""
    ordered, rank = _ranked(values, groups)
    return ordered[groups.starts], _sums(np.where(rank >= _COALITION, ordered, 0.0), groups)


def top_and_total(values: Floats, groups: Laid, n: int) -> tuple[Floats, Floats]:
    """Return the sum of the n largest values of each group, and of all."""
    ordered, rank = _ranked(values, groups)
    return _sums(np.where(rank < n, ordered, 0.0), groups), _sums(ordered, groups)


def _ranked(values: Floats, groups: Laid) -> tuple[Floats, Positions]:
    """Return the values, largest first in each group, and the rank of each in its group, from 0."""
    sizes = groups.sizes
    rank = np.arange(len(values)) - np.repeat(groups.starts, sizes)
    widest = int(sizes.max(initial=0))
    if widest * len(groups) > _PADDED * len(values):
        return values[np.lexsort((-values, groups.label))], rank
    table = np.full((len(groups), widest), np.inf)  # one row for each group: sorting many short rows is quick
    is_slot = np.arange(widest) < sizes[:, None]
    table[is_slot] = -values
    table.sort(axis=1)
    return -table[is_slot], rank


def _sums(values: Floats, groups: Laid) -> Floats:
    sums: Floats = np.add.reduceat(values, groups.starts)
    return sums


def _percentages(part: Floats, whole: Floats) -> Floats:
    """Return percentages; where the whole is 0, there is nothing to estimate and no percentage."""
    return 100.0 * part[whole > 0] / whole[whole > 0]
