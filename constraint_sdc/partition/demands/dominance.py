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
from constraint_sdc.partition.demands.demand import Laid

_MARGIN = 1e-12  # relative: sums of fractions depend on the order, and the file is counted in another one
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

    def held_by(self, groups: Laid) -> Flags:
        """Tell which groups hold the rules in every column."""
        held = np.ones(len(groups), np.bool_)
        for column in self.contributions.T:
            held &= self._held(column[groups.rows], groups)
        return held

    def _held(self, values: Floats, groups: Laid) -> Flags:
        ordered = values[np.lexsort((-values, groups.label))]
        rank = np.arange(len(ordered)) - np.repeat(groups.starts, groups.sizes)
        held = np.ones(len(groups), np.bool_)
        is_exact = bool((values == np.rint(values)).all()) and float(values.sum()) < _EXACT
        margin = 0.0 if is_exact else _MARGIN
        if self.p is not None:
            largest = ordered[groups.starts]
            others = _sums(np.where(rank >= 2, ordered, 0.0), groups.starts)
            held &= (largest == 0) | (100.0 * others >= self.p * largest * (1 + margin))
        if self.n is not None:
            top = _sums(np.where(rank < self.n, ordered, 0.0), groups.starts)
            total = _sums(ordered, groups.starts)
            held &= (total == 0) | (100.0 * top * (1 + margin) <= self.share * total)
        return held


def _sums(values: Floats, starts: Positions) -> Floats:
    sums: Floats = np.add.reduceat(values, starts)
    return sums
