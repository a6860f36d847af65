"""One variable of records to be grouped: how far they lie from a place, and where their centre is.

A variable adds its part to a distance. Only distinct records are kept, and `count` says how often each one occurs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from constraint_sdc.partition.category_codes import Codes

Column: TypeAlias = npt.NDArray[np.float64]
Picked: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.bool_]


class Measured(Protocol):
    """A variable over the records; a place is one of its values, or their centre."""

    @property
    def codes(self) -> Codes:
        """Return equal codes for equal values: 0, 1, ... in their order."""
        ...

    def of(self, picked: Picked) -> Measured:
        """Return the variable over some of the records."""
        ...

    def at(self, record: int) -> float:
        """Return the place of a record."""
        ...

    def centre(self, count: Codes) -> float:
        """Return the centre of the records, each of them counted as often as it occurs."""
        ...

    def parts(self, place: float) -> Column:
        """Return what the variable adds to the distance of every record from a place."""
        ...


@dataclass(frozen=True)
class Number:
    """A number: squared difference, arithmetic mean."""

    values: Column

    @property
    def codes(self) -> Codes:
        """Return the ranks of the values."""
        return np.unique(self.values, return_inverse=True)[1].astype(np.int64)

    def of(self, picked: Picked) -> Number:
        """Return the variable over some of the records."""
        return Number(self.values[picked])

    def at(self, record: int) -> float:
        """Return the value of a record."""
        return float(self.values[record])

    def centre(self, count: Codes) -> float:
        """Return the mean."""
        return float((self.values * count).sum() / count.sum())

    def parts(self, place: float) -> Column:
        """Return squared differences."""
        difference = self.values - place
        return np.multiply(difference, difference, out=difference)


@dataclass(frozen=True)
class Rank:
    """A place in an order: difference (squared or not) of standardised codes, lower median.

    `steps` are the distinct values in their order, `codes` which of them each record has.
    """

    codes: Codes
    steps: Column
    is_squared: bool

    @staticmethod
    def from_values(values: Column, *, is_squared: bool) -> Rank:
        """Return the variable of these standardised codes."""
        steps, codes = np.unique(values, return_inverse=True)
        return Rank(codes.astype(np.int64), steps, is_squared)

    def of(self, picked: Picked) -> Rank:
        """Return the variable over some of the records."""
        return Rank(self.codes[picked], self.steps, self.is_squared)

    def at(self, record: int) -> float:
        """Return the value of a record."""
        return float(self.steps[self.codes[record]])

    def centre(self, count: Codes) -> float:
        """Return the ceil(n / 2)-th smallest of n values: one that occurs."""
        up_to = np.cumsum(np.bincount(self.codes, weights=count, minlength=len(self.steps)))
        return float(self.steps[np.searchsorted(up_to, up_to[-1] / 2)])

    def parts(self, place: float) -> Column:
        """Return differences, squared if so defined: few steps are measured once, however many records have them."""
        step = np.abs(self.steps - place)
        return (step * step if self.is_squared else step)[self.codes]


@dataclass(frozen=True)
class Category:
    """A category: nothing for a match, `mismatch` for any other, and the most frequent one (the first of equals)."""

    codes: Codes
    mismatch: float

    def of(self, picked: Picked) -> Category:
        """Return the variable over some of the records."""
        return Category(self.codes[picked], self.mismatch)

    def at(self, record: int) -> float:
        """Return the code of a record."""
        return float(self.codes[record])

    def centre(self, count: Codes) -> float:
        """Return the mode."""
        return float(np.argmax(np.bincount(self.codes, weights=count)))

    def parts(self, place: float) -> Column:
        """Return the price of every mismatch."""
        return np.not_equal(self.codes, int(place)) * self.mismatch
