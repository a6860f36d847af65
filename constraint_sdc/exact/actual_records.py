"""The original records of a block, and which candidates are one of them.

A representative is somebody's record if it has the values of at least one original record, but of fewer than k: what k
records have in common is nobody's own. One value alone is no record, and a combination of categories is protected by
the key of the file; so at least two values count, one of them a number or a date. A variable with the same value
everywhere tells nothing and does not count. A missing value is like any other missing value. Where a fifth of all
possible combinations occur, an equal one is chance (`data/coincidence.py`): then no candidate is somebody's record,
unless the recipe counts every one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Rows
from constraint_sdc.data.coincidence import grid_points, is_crowded
from constraint_sdc.data.ordering import ranked, stable_order
from constraint_sdc.data.series import EXACT_MANTISSA, Series
from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.settings.chance import USUAL, Chance
from constraint_sdc.settings.words import Scale

_NOT_FOUND = -1
_MANY = 4_096  # numbers from which on it pays to look them up in their order: neighbours in the array, and in the cache
_SPREAD = 4  # whole numbers in the range of a variable, for each record, up to which a table has a place for each


def _found(known: Floats | Rows, asked: Floats | Rows) -> Rows:
    """Return the place of each number in a sorted array, _NOT_FOUND where it is not there."""
    if not len(known):
        return np.full(len(asked), _NOT_FOUND, np.int64)
    if len(asked) < _MANY:
        place = np.searchsorted(known, asked)
    else:
        order = stable_order(asked)
        place = np.empty(len(asked), np.int64)
        place[order] = np.searchsorted(known, asked[order])
    place = np.minimum(place, len(known) - 1)
    return np.where(known[place] == asked, place, _NOT_FOUND)


def _numbers_ranked(values: Floats) -> tuple[Floats, Rows]:
    """Return the different values in order, and the place of each value among them; 0 and -0 are one.

    >>> _numbers_ranked(np.array([7.0, 3.0, 7.0]))[1].tolist()
    [1, 0, 1]
    """
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    if abs(low) < EXACT_MANTISSA and high - low < _SPREAD * len(values):
        places = (values - low).astype(np.int64)
        if np.array_equal(places + low, values):  # whole numbers, apart from a part that all have in common
            occurs = np.zeros(int(high - low) + 1, np.bool_)
            occurs[places] = True
            different = np.flatnonzero(occurs).astype(np.float64) + low
            rank: Rows = np.cumsum(occurs) - 1
            return different, rank[places]
    return ranked(values)


def _possible(series: Series, values: Floats, some_blank: bool) -> float:
    """Return how many cells a variable may have; dates count as infinitely many, like numbers without a grid."""
    if series.scale is not Scale.NUMERIC:
        return float(len(values) + some_blank)
    return some_blank + (grid_points(values) if series.grid.notation is None else math.inf)


def _numbered(series: Series) -> tuple[Floats, Rows]:
    """Return the different values of a variable in order, and the number of each record's cell: the last if blank."""
    present = np.flatnonzero(~series.is_blank)
    values, place = _numbers_ranked(series.values[present])
    cells = np.full(len(series.values), len(values), np.int64)
    cells[present] = place
    return values, cells


class ActualRecords:
    """The distinct original records of a block, found variable by variable: a comparison of all cells, not of hashes.

    The cells of a variable are numbered: its values in order, then the missing one. `_levels[j]` are the combinations
    of the first j + 1 variables that occur, each as the number of the combination of the first j times the number of
    cells, plus the number of the cell.
    """

    def __init__(self, series: Sequence[Series], k: int, chance: Chance = USUAL) -> None:
        self._values: list[Floats] = []
        self._levels: list[Rows] = []
        number = np.zeros(len(series[0].values), np.int64)
        for one in series:
            values, cells = _numbered(one)
            self._values.append(values)
            number = self._joined(number, cells, len(values) + 1)
        self._is_own: Flags = np.bincount(number) < k
        some_blank = [bool(one.is_blank.any()) for one in series]
        pairs = zip(self._values, some_blank, strict=True)
        self._varies = np.array([len(values) + blank > 1 for values, blank in pairs], np.bool_)
        self._is_number = np.array([one.scale is Scale.NUMERIC for one in series], np.bool_)
        possible = map(_possible, series, self._values, some_blank)
        self._is_crowded = is_crowded(len(self._is_own), possible, chance)

    def _joined(self, number: Rows, cells: Rows, width: int) -> Rows:
        """Add a level: return the number of each record's combination with one variable more."""
        level, joined = ranked(number * width + cells)
        self._levels.append(level)
        return joined

    def include(self, candidates: Candidates) -> Flags:
        """Tell which candidates are somebody's record."""
        if self._is_crowded:
            return np.zeros(len(candidates), np.bool_)
        rows = np.flatnonzero(self._tells_enough(candidates))
        number = np.zeros(len(rows), np.int64)
        for j, level in enumerate(self._levels):
            cells = self._cells(j, candidates.values[rows, j])
            found = np.where(cells == _NOT_FOUND, _NOT_FOUND, _found(level, number * self._width(j) + cells))
            rows, number = rows[found != _NOT_FOUND], found[found != _NOT_FOUND]
        included = np.zeros(len(candidates), np.bool_)
        included[rows] = self._is_own[number]
        return included

    def _width(self, variable: int) -> int:
        return len(self._values[variable]) + 1

    def _cells(self, variable: int, values: Floats) -> Rows:
        """Return the numbers of cells, NaN where a value is missing; _NOT_FOUND for a value that no record has."""
        known = self._values[variable]
        return np.where(np.isnan(values), len(known), _found(known, values))

    def _tells_enough(self, candidates: Candidates) -> Flags:
        has_value = np.isfinite(candidates.values) & self._varies
        return np.asarray((has_value.sum(axis=1) > 1) & (has_value & self._is_number).any(axis=1), np.bool_)
