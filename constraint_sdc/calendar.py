"""Dates and months as whole numbers: how they are written, and the number of days or months that they stand for.

Days count from 1970-01-01 and months from 1970-01, in the Gregorian calendar of the years 1 to 9999.
"""

from __future__ import annotations

import re
from datetime import date
from enum import Enum

_EPOCH = date(1970, 1, 1).toordinal()
_FIRST_MONTH = 1970 * 12
_ISO_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DAY = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_DAY_FIRST = re.compile(r"([0-9]{2})([0-9]{2})([0-9]{4})")
_ISO_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")
_MONTH = re.compile(r"([0-9]{4})([0-9]{2})")


def day_number(year: int, month: int, day: int) -> int | None:
    """Return the days since 1970-01-01, None if the calendar has no such day.

    >>> day_number(1970, 1, 2), day_number(2023, 2, 29)
    (1, None)
    """
    try:
        return date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        return None


def month_number(year: int, month: int) -> int | None:
    """Return the months since 1970-01, None if there is no such month."""
    return year * 12 + month - 1 - _FIRST_MONTH if 1 <= month <= 12 and 1 <= year <= 9999 else None


FIRST_DAY, LAST_DAY = 1 - _EPOCH, date.max.toordinal() - _EPOCH
"""The days of 0001-01-01 and 9999-12-31."""


def day_parts(number: int) -> tuple[int, int, int]:
    """Return year, month and day."""
    found = date.fromordinal(number + _EPOCH)
    return found.year, found.month, found.day


def shifted_by_months(number: int, months: int) -> int | None:
    """Return the day some months later, the last of its month where the month is too short; None beyond the range.

    >>> shifted_by_months(day_number(2020, 2, 29), 12) == day_number(2021, 2, 28)
    True
    """
    year, month, day = day_parts(number)
    year, month = divmod(year * 12 + month - 1 + months, 12)
    if not 1 <= year <= 9999:
        return None
    found = day_number(year, month + 1, day)
    while found is None:
        day -= 1
        found = day_number(year, month + 1, day)
    return found


class DateNotation(Enum):
    """How a date or a month is written; the value is its name in a recipe."""

    ISO_DAY = "YYYY-MM-DD"
    DAY = "YYYYMMDD"
    DAY_FIRST = "DDMMYYYY"
    ISO_MONTH = "YYYY-MM"
    MONTH = "YYYYMM"

    @property
    def is_day(self) -> bool:
        """Tell whether a value is a day; else it is a month."""
        return self in (DateNotation.ISO_DAY, DateNotation.DAY, DateNotation.DAY_FIRST)

    @property
    def is_sortable_code(self) -> bool:
        """Tell whether a value is a number, and greater for a later date."""
        return self in (DateNotation.DAY, DateNotation.MONTH)

    @property
    def limits(self) -> tuple[int, int]:
        """Return the numbers of the first and the last date."""
        return (FIRST_DAY, LAST_DAY) if self.is_day else (12 - _FIRST_MONTH, 9999 * 12 + 11 - _FIRST_MONTH)

    def number(self, text: str) -> int | None:
        """Return the number of days or months, None if the text is no date in this notation.

        >>> DateNotation.DAY.number("19700102"), DateNotation.DAY_FIRST.number("31021970")
        (1, None)
        """
        match self:
            case DateNotation.ISO_DAY | DateNotation.DAY:
                found = (_ISO_DAY if self is DateNotation.ISO_DAY else _DAY).fullmatch(text)
                return None if found is None else day_number(int(found[1]), int(found[2]), int(found[3]))
            case DateNotation.DAY_FIRST:
                found = _DAY_FIRST.fullmatch(text)
                return None if found is None else day_number(int(found[3]), int(found[2]), int(found[1]))
            case DateNotation.ISO_MONTH | DateNotation.MONTH:
                found = (_ISO_MONTH if self is DateNotation.ISO_MONTH else _MONTH).fullmatch(text)
                return None if found is None else month_number(int(found[1]), int(found[2]))

    def text(self, number: int) -> str:
        """Return the text of a number within the limits.

        >>> DateNotation.ISO_DAY.text(0), DateNotation.DAY_FIRST.text(30), DateNotation.MONTH.text(-1)
        ('1970-01-01', '31011970', '196912')
        """
        if not self.is_day:
            year, month = divmod(number + _FIRST_MONTH, 12)
            return f"{year:04d}-{month + 1:02d}" if self is DateNotation.ISO_MONTH else f"{year:04d}{month + 1:02d}"
        year, month, day = day_parts(number)
        match self:
            case DateNotation.ISO_DAY:
                return f"{year:04d}-{month:02d}-{day:02d}"
            case DateNotation.DAY:
                return f"{year:04d}{month:02d}{day:02d}"
            case _:
                return f"{day:02d}{month:02d}{year:04d}"
