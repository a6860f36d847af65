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
from dataclasses import dataclass
from itertools import count

import numpy as np

from constraint_sdc.arrays import Flags, Rows, Words
from constraint_sdc.data.coincidence import grid_points, is_crowded
from constraint_sdc.data.series import Series
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.running import scratch
from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.settings.chance import USUAL, Chance
from constraint_sdc.settings.words import Scale

_MISSING = np.uint64(0x7FF8000000000001)  # a number of its own, which no value has
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93))  # odd: each turn can be undone


@dataclass(frozen=True, slots=True, eq=False)
class ActualRecords:
    """The combinations of values that some original records of a block have, but fewer than k.

    `words` are these combinations as one word each, in order, and `first` a record that has each. Words only find: what
    they find is compared cell by cell, and records with equal words are known to be equal. `salt` is the one by which
    they are. Nothing is found where equal combinations are chance.
    """

    series: tuple[Series, ...]
    words: Words
    first: Rows
    salt: int
    varies: Flags
    is_number: Flags

    @classmethod
    def of(cls, series: Sequence[Series], k: int, chance: Chance = USUAL) -> ActualRecords:
        """Return the records of these variables."""
        varies = np.array([_varies(one) for one in series], np.bool_)
        is_number = np.array([one.scale is Scale.NUMERIC for one in series], np.bool_)
        words, first, salt, combinations = _own_combinations(series, k)
        if _is_crowded(series, combinations, chance):
            words, first = words[:0], first[:0]
        kept = scratch().kept
        return cls(tuple(series), kept(words), kept(first), salt, varies, is_number)

    def include(self, candidates: Candidates) -> Flags:
        """Tell which candidates are somebody's record."""
        included = np.zeros(len(candidates), np.bool_)
        rows = np.flatnonzero(self._tells_enough(candidates))
        if not len(rows) or not len(self.words):
            return included
        cells = [_bits(values) for values in candidates.values[rows].T]
        words = _joined(cells, self.salt)
        place = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
        is_found = self.words[place] == words
        for one, asked in zip(self.series, cells, strict=True):
            found = np.flatnonzero(is_found)
            is_found[found] = _cells(one, self.first[place[found]]) == asked[found]
        included[rows] = is_found
        return included

    def _tells_enough(self, candidates: Candidates) -> Flags:
        has_value = np.isfinite(candidates.values) & self.varies
        return np.asarray((has_value.sum(axis=1) > 1) & (has_value & self.is_number).any(axis=1), np.bool_)


def _own_combinations(series: Sequence[Series], k: int) -> tuple[Words, Rows, int, int]:
    """Return the words of combinations of fewer than k records, a record of each, the salt, and how many there are.

    Different combinations may have the same word, by chance or because somebody wishes it: then another salt is tried.
    """
    for salt in count():
        words = _record_words(series, salt)
        order = np.argsort(words)
        is_first = np.ones(len(order), np.bool_)
        for part in windows(len(order)):
            here = order[max(part.start - 1, 0) : part.stop]
            is_first[part.stop - len(here) + 1 : part.stop] = words[here[1:]] != words[here[:-1]]
        if _are_equal(series, order, is_first):
            break
    starts = np.flatnonzero(is_first)
    is_own = np.diff(starts, append=len(order)) < k
    first = order[starts[is_own]]
    return words[first], first, salt, len(starts)


def _are_equal(series: Sequence[Series], order: Rows, is_first: Flags) -> bool:
    """Tell whether every record with the word of the one before it also has its cells."""
    same = np.flatnonzero(~is_first)
    for part in windows(len(same)):
        rows, before = order[same[part]], order[same[part] - 1]
        if any((_cells(one, rows) != _cells(one, before)).any() for one in series):
            return False
    return True


def _record_words(series: Sequence[Series], salt: int) -> Words:
    found: Words = scratch().empty(len(series[0].values), np.uint64)
    for part in windows(len(found)):
        found[part] = _joined([_cells(one, part) for one in series], salt)
    return found


def _joined(cells: Sequence[Words], salt: int) -> Words:
    """Return one word for the cells of every row."""
    one, other = _FACTORS
    joined: Words = np.full(len(cells[0]), salt, np.uint64)
    for each in cells:
        joined = (joined ^ each) * one
        joined ^= joined >> np.uint64(32)
        joined *= other
        joined ^= joined >> np.uint64(29)
    return joined


def _cells(series: Series, rows: Rows | slice) -> Words:
    """Return the cells of some records as words: equal words for equal numbers, and one word for a missing value."""
    return np.where(series.blank[rows] != 0, _MISSING, _bits(series.values[rows]))


def _bits(values: np.typing.NDArray[np.float64]) -> Words:
    bits: Words = np.ascontiguousarray(values + 0.0).view(np.uint64)  # 0 and -0 are one number
    return np.where(np.isnan(values), _MISSING, bits)


# Whether equal combinations are chance.


def _varies(series: Series) -> bool:
    """Tell whether a variable has more than one value, a missing one included."""
    cell = _cells(series, slice(0, 1))
    return any(bool((_cells(series, part) != cell).any()) for part in windows(len(series.values)))


def _is_crowded(series: Sequence[Series], combinations: int, chance: Chance) -> bool:
    """Tell whether so many combinations occur; variables are looked at only as long as that can be."""
    possible: list[float] = []
    for one in series:
        possible.append(_possible(one))
        if not is_crowded(combinations, possible, chance):
            return False
    return True


def _possible(series: Series) -> float:
    """Return how many cells a variable may have; dates count as infinitely many, like numbers without a grid."""
    is_blank = series.is_blank
    present = series.values[~is_blank] if is_blank.any() else series.values
    some_blank = int(is_blank.any())
    if series.scale is not Scale.NUMERIC:
        return float(len(np.unique(present)) + some_blank)
    return some_blank + (grid_points(present) if series.grid.notation is None else math.inf)
