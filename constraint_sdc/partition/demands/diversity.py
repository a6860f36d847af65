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
from constraint_sdc.partition.demands.demand import Laid

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
    kind: str = "distinct"
    c: float = 1.0

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
                return self._recursive(owner, count, len(groups))
        raise ValueError(f"{self.kind!r} is not a kind of diversity")

    def _recursive(self, owner: Codes, count: Counts, groups: int) -> Flags:
        order = np.lexsort((-count, owner))
        count = count[order]
        first = np.searchsorted(owner, np.arange(groups))
        rank = np.arange(len(owner)) - first[owner]
        most = np.bincount(owner, np.where(rank == 0, count, 0), groups)
        tail = np.bincount(owner, np.where(rank >= math.ceil(self.l) - 1, count, 0), groups)
        held: Flags = np.less(most, self.c * tail)
        return held


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
