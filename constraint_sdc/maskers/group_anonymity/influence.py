"""The influential metric: Chertov and Tavrov, Data group anonymity in microfiles, formula (7).

It measures how much two records differ in the variables whose distribution matters to users of the file. This is the
cost of a swap of their parameter values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Flags, Floats, Rows


@dataclass(frozen=True)
class Ordinal:
    """A numeric variable and its weight: ((a - b) / (a + b))² for numbers of one sign, between 0 and 1.

    Equal numbers differ by 0, also two zeros. The printed formula does not define a + b = 0 and is unbounded near it.
    Numbers of opposite sign therefore differ by 1, the largest difference of numbers of one sign (zero and any other).
    Blanks (NaN) are equal to each other, and differ by 1 from every number.
    """

    values: Floats
    weight: float = 1.0

    def __post_init__(self) -> None:
        _require_weight(self.weight)
        if np.any(np.isinf(self.values)):
            raise ValueError("a value is infinite; make it blank or replace it by a finite number")

    def cost(self, rows: Rows, others: Rows) -> Floats:
        """Return the weighted difference of each row and the other beside it; arrays of rows are broadcast."""
        a, b = self.values[rows], self.values[others]
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.abs(a - b) / (np.abs(a) + np.abs(b))
        ratio = np.where(a == b, 0.0, ratio)
        ratio = np.where(np.isnan(a) | np.isnan(b), np.isnan(a) != np.isnan(b), ratio)
        return np.asarray(self.weight * ratio**2, np.float64)


@dataclass(frozen=True)
class Nominal:
    """A variable of categories (codes, -1 for blank) and its weight: `same`² within one, `different`² across two.

    Blank is a category of its own: equal to itself, different from all others.
    """

    codes: Codes
    weight: float = 1.0
    same: float = 0.0
    different: float = 1.0

    def __post_init__(self) -> None:
        _require_weight(self.weight)
        if not 0 <= self.same <= self.different < np.inf:
            raise ValueError(
                f"`same` ({self.same}) must be at least 0, and `different` ({self.different}) at least `same`"
            )

    def cost(self, rows: Rows, others: Rows) -> Floats:
        """Return the weighted difference of each row and the other beside it; arrays of rows are broadcast."""
        alike = self.codes[rows] == self.codes[others]
        return np.where(alike, self.weight * self.same**2, self.weight * self.different**2)


@dataclass(frozen=True)
class Influence:
    """The influential variables of a file, one entry for each record in each of them."""

    variables: tuple[Ordinal | Nominal, ...]

    def cost(self, rows: Rows, others: Rows) -> Floats:
        """Return InfM of each row and the other beside it.

        >>> income = Ordinal(np.array([100.0, 300.0, 100.0]))
        >>> Influence((income,)).cost(np.array([0, 0]), np.array([1, 2])).tolist()
        [0.25, 0.0]
        """
        return self._summed(rows, others, np.zeros(len(rows)))

    def matrix(self, rows: Rows, others: Rows) -> Floats:
        """Return InfM of every row (down) and every other (across)."""
        return self._summed(rows[:, None], others[None, :], np.zeros((len(rows), len(others))))

    def _summed(self, rows: Rows, others: Rows, total: Floats) -> Floats:
        for variable in self.variables:
            total += variable.cost(rows, others)
        return total


def _require_weight(weight: float) -> None:
    if not 0 <= weight < np.inf:
        raise ValueError(f"the weight of an influential variable must be a number of at least 0, not {weight}")


# The records that may swap, how often, and the chosen pairs.

Allowed: TypeAlias = Callable[[Rows, Rows], Flags]


@dataclass(frozen=True)
class Quotas:
    """Rows that may swap, and how often: vital rows of values with a surplus, other rows of values with a deficit."""

    vital: Rows
    others: Rows
    value: Codes  # of every record of the file
    surplus: Counts
    deficit: Counts

    @property
    def size(self) -> int:
        """Return the number of swaps that give the wished counts."""
        return int(self.surplus.sum())

    @property
    def pairs(self) -> int:
        """Return the number of pairs to choose from."""
        return len(self.vital) * len(self.others)


@dataclass(frozen=True)
class Chosen:
    """Disjoint pairs of a vital and another row, and whether the rules allow no further pair."""

    vital: Rows
    others: Rows
    is_all: bool
