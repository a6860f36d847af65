"""l-diversity: the values of a variable in every group are well represented.

A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, L-diversity: privacy beyond k-anonymity, ACM
Transactions on Knowledge Discovery from Data 1(1), 2007: definitions 4.1 (entropy) and 4.2 (recursive), and the proofs
that both are monotone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Flags, Floats
from constraint_sdc.partition.demands.demand import Laid, rounded_down, rounded_up
from constraint_sdc.settings.protect import DiversityKind

NO_VALUE = -1
"""The code of a record without a value, which is not counted."""

ROUNDING = 1e-9
"""How far a computed entropy may be below log l: equal frequencies reach it only up to rounding."""


@dataclass(frozen=True)
class DiversityDemand:
    """At least l values in every group: `codes` are those of all records, `NO_VALUE` where there is none.

    distinct: l different values. entropy: the entropy of the values is at least log l. recursive: the most frequent
    value is less frequent than c times all values from the l-th most frequent on.
    """

    codes: Codes
    l: float  # noqa: E741 - the letter of the paper
    kind: DiversityKind = "distinct"
    c: float = 1.0
    of: str = ""

    name = "diversity"

    def held_by(self, groups: Laid) -> Flags:
        """Tell which groups hold it."""
        owner, count = value_counts(self.codes, groups)
        match self.kind:
            case "distinct":
                return np.greater_equal(np.bincount(owner, minlength=len(groups)), self.l)
            case "entropy":
                return np.greater_equal(entropies(owner, count, len(groups)), math.log(self.l))
            case "recursive":
                most, tail = self._most_and_tail(owner, count, len(groups))
                return np.less(most, self.c * tail)

    def weaker(self, groups: Laid) -> dict[str, float]:
        """Return the largest l that all these groups hold, or the least c for the same l."""
        owner, count = value_counts(self.codes, groups)
        if self.kind == "recursive":
            most, tail = self._most_and_tail(owner, count, len(groups))
            return {"c": rounded_up(float((most / tail).max()) + 0.01)} if tail.all() else {}
        if self.kind == "entropy":
            reached = rounded_down(float(np.exp(entropies(owner, count, len(groups))).min()))
        else:
            reached = float(np.bincount(owner, minlength=len(groups)).min())
        return {"l": min(self.l, reached)} if reached > 1 else {}

    def _most_and_tail(self, owner: Codes, count: Counts, groups: int) -> tuple[Floats, Floats]:
        """Return how often the most frequent value of each group occurs, and all from the l-th on together."""
        order = np.lexsort((-count, owner))
        count = count[order]
        first = np.searchsorted(owner, np.arange(groups))
        rank = np.arange(len(owner)) - first[owner]
        most = np.bincount(owner, np.where(rank == 0, count, 0), groups)
        tail = np.bincount(owner, np.where(rank >= math.ceil(self.l) - 1, count, 0), groups)
        return most.astype(np.float64), tail.astype(np.float64)


def value_counts(codes: Codes, groups: Laid) -> tuple[Codes, Counts]:
    """Return how often each value occurs in each group: the group, ascending, and the count, one entry per pair."""
    found, label = codes[groups.rows], groups.label
    has_value = found != NO_VALUE
    width = int(codes.max(initial=0)) + 1
    pairs, count = np.unique(label[has_value] * width + found[has_value], return_counts=True)
    return pairs // width, count.astype(np.int64)


def entropies(owner: Codes, count: Counts, groups: int) -> Floats:
    """Return the entropy of the values in each group, by natural logarithm; minus infinity without a value.

    `ROUNDING` is added, so that equally frequent values reach the logarithm of their number.
    """
    total = np.bincount(owner, count, groups)
    weighted = np.bincount(owner, count * np.log(count), groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(total) - weighted / total
    return np.where(total > 0, found + ROUNDING, -np.inf)
