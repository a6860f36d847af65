"""The records in which rules are searched: their numbers, exact where possible, and their categories."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import floor

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Positions
from constraint_sdc.data.table import Column, State
from constraint_sdc.evaluate.expression import Call, Expression, Variable

MOST_SEARCHED = 4_000
"""Records in which candidates are searched; all records test them afterwards."""
_MOST_CATEGORIES = 30
_FEWEST_OF_CATEGORY = 5
_MOST_DECIMALS = 6
_LARGEST = 2.0**52
# A leading zero makes a code, not a number.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.([0-9]+))?([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """A variable all of whose values are numbers: NaN where missing; `decimals` is None for doubles of many digits."""

    name: str
    values: Floats
    decimals: int | None

    @property
    def is_whole(self) -> bool:
        """Tell whether every value is a whole number."""
        return self.decimals == 0

    def read(self) -> Expression:
        """Return how a rule reads the variable: decimals exactly, whole numbers and long doubles as doubles."""
        return Call("xs:decimal" if self.decimals else "number", (Variable(self.name),))


@dataclass(frozen=True, slots=True)
class CodeColumn:
    """A variable with few values, each in several records: codes -1 (missing), 0, 1, ... of its sorted texts.

    `rare` counts the records with other values, which are coded -1 too: some exceptions are allowed then.
    """

    name: str
    codes: Codes
    texts: tuple[str, ...]
    rare: int = 0


@dataclass(frozen=True, slots=True)
class SearchSample:
    """So many records as columns: numbers that measure, codes, and whether each variable has a value.

    `exceptions` is the share of the records that may break a rule.
    """

    count: int
    numbers: tuple[NumberColumn, ...]
    codes: tuple[CodeColumn, ...]
    texts: Mapping[str, tuple[str | None, ...]]
    present: Mapping[str, Flags]
    exceptions: float = 0.0

    def allowed(self, tested: int) -> int:
        """Return how many of so many tested records may break a rule."""
        return most_exceptions(self.exceptions, tested)

    def complete(self, columns: tuple[NumberColumn, ...]) -> Flags:
        """Tell in which records all of these columns have values."""
        there = np.ones(self.count, np.bool_)
        for column in columns:
            there &= ~np.isnan(column.values)
        return there


def most_exceptions(share: float, tested: int) -> int:
    """Return how many of so many records a share is.

    >>> most_exceptions(0.01, 250)
    2
    """
    return floor(share * tested + 1e-9)


def take_sample(columns: Mapping[str, Column], rows: Positions, exceptions: float = 0.0) -> SearchSample:
    """Return at most `MOST_SEARCHED` of the rows, which are in random order already."""
    taken = np.sort(rows[:MOST_SEARCHED])
    numbers: list[NumberColumn] = []
    codes: list[CodeColumn] = []
    texts: dict[str, tuple[str | None, ...]] = {}
    present: dict[str, Flags] = {}
    for name, column in columns.items():
        part = column.take(taken)
        present[name] = part.state == State.VALUE
        texts[name] = tuple(text if text else None for text in part.texts())
        coded = _codes(name, texts[name], exceptions)
        read = _numbers(name, texts[name])
        if coded is not None:
            codes.append(coded)
        if read is not None and (coded is None or coded.rare or len(coded.texts) > 2):
            numbers.append(read)
    return SearchSample(len(taken), tuple(numbers), tuple(codes), texts, present, exceptions)


def _numbers(name: str, texts: tuple[str | None, ...]) -> NumberColumn | None:
    found = [None if text is None else _NUMBER.fullmatch(text) for text in texts]
    if any(match is None and text is not None for match, text in zip(found, texts, strict=True)):
        return None
    known = [match for match in found if match is not None]
    if not known:
        return None
    values = np.array([np.nan if text is None else float(text) for text in texts])
    decimals = max(len(match[1] or "") for match in known)
    is_exact = (
        not any(match[2] for match in known)
        and decimals <= _MOST_DECIMALS
        and np.nanmax(np.abs(values)) * 10.0**decimals < _LARGEST
    )
    return NumberColumn(name, values, decimals if is_exact else None)


def _codes(name: str, texts: tuple[str | None, ...], exceptions: float) -> CodeColumn | None:
    counts = Counter(text for text in texts if text is not None)
    listed = tuple(sorted(text for text, count in counts.items() if count >= _FEWEST_OF_CATEGORY))
    rare = counts.total() - sum(counts[text] for text in listed)
    if not 2 <= len(listed) <= _MOST_CATEGORIES or rare > most_exceptions(exceptions, counts.total()):
        return None
    places = {text: place for place, text in enumerate(listed)}
    codes = np.array([-1 if text is None else places.get(text, -1) for text in texts])
    return CodeColumn(name, codes, listed, rare)


def scaled(column: NumberColumn, decimals: int) -> Floats:
    """Return exact values as whole numbers of the last decimal; they are below 2^53, so that sums of some are exact."""
    return np.rint(column.values * 10.0**decimals)
