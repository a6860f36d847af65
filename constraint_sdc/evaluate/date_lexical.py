"""Read dates and durations from text as XPath does, each distinct text once.

Only plain forms are read: years 1 to 9999, no time zone, no fraction of a second. Everything else is left to Saxon.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Flags, Integers
from constraint_sdc.calendar import DateNotation, day_number, month_number
from constraint_sdc.data.text import Text

_XML_SPACE = " \t\r\n"
_DATE_TIME = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})")
_YEAR = re.compile(r"[0-9]{4}")
_DAY_TIME = re.compile(
    r"(-?)P(?=[0-9T])(?:([0-9]{1,9})D)?(?:T(?=[0-9])(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})S)?)?"
)
_YEAR_MONTH = re.compile(r"(-?)P(?=[0-9])(?:([0-9]{1,6})Y)?(?:([0-9]{1,6})M)?")
_DATE_LIKE = re.compile(r"[-+:.TZ0-9]*")
DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class ReadNumbers:
    """Texts as whole numbers where `fits`; other texts are not of the type, or not in a form that is read here."""

    numbers: Integers
    fits: Flags


def _seconds(text: str) -> int | None:
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        return None
    year, month, day, hours, minutes, seconds = map(int, found.groups())
    number = day_number(year, month, day)
    if number is None or hours > 23 or minutes > 59 or seconds > 59:
        return None
    return number * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds


def _month(text: str) -> int | None:
    return DateNotation.ISO_MONTH.number(text)


def _year(text: str) -> int | None:
    return int(text) if _YEAR.fullmatch(text) and month_number(int(text), 1) is not None else None


def duration_seconds(text: str) -> int | None:
    """Return the seconds of an xs:dayTimeDuration, None if it is none or has a fraction.

    >>> duration_seconds("P1DT2H"), duration_seconds("-PT1M"), duration_seconds("P"), duration_seconds("P1M")
    (93600, -60, None, None)
    """
    found = _DAY_TIME.fullmatch(text)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:])
    total = days * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds
    return -total if found[1] else total


def duration_months(text: str) -> int | None:
    """Return the months of an xs:yearMonthDuration, None if it is none."""
    found = _YEAR_MONTH.fullmatch(text)
    if found is None:
        return None
    total = int(found[2] or 0) * 12 + int(found[3] or 0)
    return -total if found[1] else total


READERS: dict[str, Callable[[str], int | None]] = {
    "xs:date": DateNotation.ISO_DAY.number,
    "xs:dateTime": _seconds,
    "xs:gYearMonth": _month,
    "xs:gYear": _year,
    "xs:dayTimeDuration": duration_seconds,
    "xs:yearMonthDuration": duration_months,
}
"""The number that a text without surrounding white space stands for: days, seconds, months or years."""

DATE_TYPES = ("xs:date", "xs:dateTime", "xs:gYearMonth", "xs:gYear")


def read_texts(text: Text, type_name: str) -> ReadNumbers:
    """Read texts as a type of `READERS`; white space around them does not count."""
    read = READERS[type_name]
    known: dict[str, int | None] = {}
    strings = text.strings
    for string in strings:
        if string not in known:
            known[string] = read(string.strip(_XML_SPACE))
    found = [known[string] for string in strings]
    numbers = np.array([0 if number is None else number for number in found], np.int64)
    return ReadNumbers(numbers, np.array([number is not None for number in found], np.bool_))


def might_be_date(text: Text) -> Flags:
    """Tell which texts have only characters of dates: if they do not fit, Saxon decides whether they are dates."""
    return np.array([_DATE_LIKE.fullmatch(s.strip(_XML_SPACE)) is not None for s in text.strings], np.bool_)
