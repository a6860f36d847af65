"""Original and masked records as points of one space, so that the distance between any two of them is defined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Codes, Floats, Points, Rows
from constraint_sdc.data.pair import Compared
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

# Numbers are measured in standard deviations of the original, as in masking; two different categories lie one unit
# apart. The original's units are used for both files: an intruder compares masked values with known values, not with
# ranks.

FAR = 1e100
"""The largest coordinate, so that squares stay finite; points beyond it are moved to it."""

_CELLS = 20_000_000
"""Indicator cells of one nominal variable at most: 160 MB a file."""

_HALF = float(np.sqrt(0.5))


@dataclass(frozen=True)
class Places:
    """Row i of both arrays is the same record; they have the same columns. `notes` list simplifications."""

    original: Points
    masked: Points
    notes: tuple[Reason, ...] = ()

    def of(self, rows: Rows) -> Places:
        """Return the places of some records."""
        return Places(self.original[rows], self.masked[rows], self.notes)


@dataclass(frozen=True)
class Standardisation:
    """The conversion of numbers to coordinates: `(x - centre) / deviation`, with deviation 1 for a constant.

    Computation is relative to one value and in units of the largest difference from it, so that a large offset costs no
    digits and large numbers do not overflow.
    """

    origin: float
    largest: float
    centre: float
    spread: float

    @staticmethod
    def of(values: Floats) -> Standardisation:
        """Return the unit of the values that are not blank: mean and standard deviation (divided by n)."""
        values = values[~np.isnan(values)]
        if len(values) == 0:
            return Standardisation(0.0, 0.5, 0.0, 1.0)
        half = values / 2.0 - values[0] / 2.0
        largest = float(np.abs(half).max())
        if largest == 0.0:
            return Standardisation(float(values[0]), 0.5, 0.0, 1.0)
        scaled = half / largest
        spread = float(scaled.std())
        return Standardisation(float(values[0]), largest, float(scaled.mean()), spread)

    def place(self, values: Floats) -> Floats:
        """Return the coordinates, none beyond `FAR`; NaN stays."""
        with np.errstate(over="ignore"):
            scaled = (values / 2.0 - self.origin / 2.0) / self.largest
            placed: Floats = np.clip((scaled - self.centre) / self.spread, -FAR, FAR)
        return placed


def standardised(original: Points, masked: Points) -> Places:
    """Return the places of records whose variables are all numbers (n x d each), NaN for blanks."""
    return joined([_numbers(before, after) for before, after in zip(original.T, masked.T, strict=True)], len(original))


def places_of(variables: Sequence[Compared], records: int) -> Places:
    """Return the places of the records in some variables, whatever their scales."""
    return joined([place(variable) for variable in variables], records)


def joined(places: Sequence[Places], records: int) -> Places:
    """Return the places in all variables together; without any, points without a column."""
    none = np.zeros((records, 0))
    original = np.concatenate([none, *(each.original for each in places)], axis=1)
    masked = np.concatenate([none, *(each.masked for each in places)], axis=1)
    return Places(original, masked, tuple(note for each in places for note in each.notes))


def place(variable: Compared) -> Places:
    """Return the places in one variable: its coordinate and, if there are blanks, an indicator of blanks."""
    if variable.scale is Scale.NOMINAL:
        return _categories(variable)
    return _numbers(variable.original, variable.masked)


def _numbers(original: Floats, masked: Floats) -> Places:
    """Place numbers and ordinal codes; blanks are at the mean, one unit away in a separate column."""
    unit = Standardisation.of(original)
    before, after = unit.place(original), unit.place(masked)
    blank, blank_after = np.isnan(before), np.isnan(after)
    if not blank.any() and not blank_after.any():
        return Places(before[:, None], after[:, None])
    return Places(
        np.column_stack((np.where(blank, 0.0, before), blank)),
        np.column_stack((np.where(blank_after, 0.0, after), blank_after)),
    )


def _categories(variable: Compared) -> Places:
    """Place categories by one indicator column each, blanks included; different categories are one unit apart."""
    n = len(variable.original_code)
    codes = np.concatenate((variable.original_code, variable.masked_code))
    found, which, count = np.unique(codes, return_inverse=True, return_counts=True)
    most = max(2, _CELLS // max(n, 1))
    notes: tuple[Reason, ...] = ()
    if len(found) > most:
        note = because("categories-joined", variable=variable.name, categories=len(found), joined=len(found) - most + 1)
        which, notes = _few(which, count, most), (note,)
    cells = np.equal(which[:, None], np.arange(min(len(found), most))) * _HALF
    return Places(cells[:n], cells[n:], notes)


def _few(which: Codes, count: npt.NDArray[np.int64], most: int) -> Codes:
    """Renumber categories by their frequency; the rarest share the last number."""
    rank = np.empty_like(count)
    rank[np.argsort(-count, kind="stable")] = np.arange(len(count))
    return np.minimum(rank, most - 1)[which]
