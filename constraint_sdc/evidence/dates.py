"""Dates: ISO days are certain; compact forms may be numbers as well."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Integers
from constraint_sdc.calendar import DateNotation
from constraint_sdc.evidence.kinds import ColumnKind, Resemblance
from constraint_sdc.evidence.profile import Profile
from constraint_sdc.evidence.thresholds import FIRST_YEAR, LAST_YEAR
from constraint_sdc.settings.reason import because

_LENGTHS = {
    DateNotation.ISO_DAY: 10,
    DateNotation.DAY: 8,
    DateNotation.DAY_FIRST: 8,
    DateNotation.ISO_MONTH: 7,
    DateNotation.MONTH: 6,
}
_DAYS = np.array([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def as_dates(profile: Profile) -> Resemblance | None:
    """Return the dates that all values are, None if some value is no date."""
    lengths = profile.distinct.length
    if not len(lengths) or lengths.min() != lengths.max():
        return None
    for notation, length in _LENGTHS.items():
        if lengths[0] == length and _are_all_dates(profile, notation):
            evidence = because("looks-dates", notation=notation.value)
            is_certain = notation is DateNotation.ISO_DAY
            return Resemblance(ColumnKind.DATE, (evidence,), is_certain=is_certain, notation=notation)
    return None


def _are_all_dates(profile: Profile, notation: DateNotation) -> bool:
    if notation in (DateNotation.ISO_DAY, DateNotation.ISO_MONTH):
        return all(notation.number(text) is not None for text in profile.distinct.strings)
    letters = profile.distinct.matrix(_LENGTHS[notation]).astype(np.int64) - ord("0")
    if ((letters < 0) | (letters > 9)).any():
        return False
    match notation:
        case DateNotation.DAY_FIRST:
            day, month, year = letters[:, :2], letters[:, 2:4], letters[:, 4:]
        case _:
            year, month, day = letters[:, :4], letters[:, 4:6], letters[:, 6:]
    return _are_days(_number(year), _number(month), _number(day) if day.size else np.ones(len(letters), np.int64))


def _number(digits: Integers) -> Integers:
    powers = 10 ** np.arange(digits.shape[1] - 1, -1, -1)
    found: Integers = digits @ powers
    return found


def _are_days(year: Integers, month: Integers, day: Integers) -> bool:
    if not bool(np.all((year >= FIRST_YEAR) & (year <= LAST_YEAR) & (month >= 1) & (month <= 12))):
        return False
    return bool(np.all((day >= 1) & (day <= _DAYS[month - 1])))
