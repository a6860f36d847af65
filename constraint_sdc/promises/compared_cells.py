"""Cells of a variable in several files as numbers: the same number for the same value, however it is written.

A number is compared as a number and a missing value is like any other missing value. Distinct texts are read many at a
time; only those that are no plain number, or that may have white space around them, are read one by one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, SmallCodes
from constraint_sdc.data.codes import code_texts
from constraint_sdc.data.coincidence import grid_points
from constraint_sdc.data.table import Column
from constraint_sdc.data.text import Text, equal
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.running import scratch
from constraint_sdc.evaluate.distinct_texts import distinct_texts

_NUMBER = re.compile(r"\s*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?\s*")
_NO_VALUES = ("NaN", "INF", "-INF")
_NOTHING = 0


@dataclass(frozen=True, slots=True)
class BlockVariable:
    """A variable of a block: whether it has numbers or dates, and the texts that stand for a missing value."""

    name: str
    is_number: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedCells:
    """The cells of all columns, one after another: `has_value[codes[i]]` is false where cell i is missing.

    `numbers[codes[i]]` is its number, NaN where it has none.
    """

    codes: SmallCodes
    has_value: Flags
    numbers: Floats
    is_number: bool

    def possible(self, codes: SmallCodes) -> float:
        """Return how many different cells records with these may have; dates count as infinitely many."""
        met = np.flatnonzero(np.bincount(codes, minlength=len(self.has_value)))
        if not self.is_number:
            return float(len(met))
        given = met[self.has_value[met]]
        numbers = self.numbers[given]
        return float(len(met) - len(given)) + (math.inf if np.isnan(numbers).any() else grid_points(numbers))


def compare_cells(columns: Sequence[Column], variable: BlockVariable) -> ComparedCells:
    """Number the cells of some columns.

    >>> from constraint_sdc.data.table import column_of
    >>> columns = [column_of("V1", ["5", None]), column_of("V1", ["5.0", "-9", "7"])]
    >>> found = compare_cells(columns, BlockVariable("V1", True, ("-9",)))
    >>> found.codes.tolist(), found.has_value.tolist()
    ([1, 0, 1, 0, 2], [False, True, True])
    """
    seen = [distinct_texts(column) for column in columns]
    texts = Text.joined([one.texts for one in seen])
    coded = code_texts(texts)
    numbers = np.concatenate([one.numbers for one in seen])[coded.first] if variable.is_number else None
    cell_of, number_of = _cells(texts.take(coded.first), numbers, variable)
    count = int(cell_of.max(initial=_NOTHING)) + 1
    has_value = np.arange(count) != _NOTHING
    number = np.full(count, np.nan)
    number[cell_of] = number_of
    places = np.split(cell_of[coded.codes].astype(np.int32), np.cumsum([len(one) for one in seen])[:-1])
    codes: SmallCodes = scratch().own(sum(len(one.codes) for one in seen), np.int32)
    at = 0
    for own, one in zip(places, seen, strict=True):
        for part in windows(len(one.codes)):
            codes[at + part.start : at + part.stop] = own[one.codes[part]]
        at += len(one.codes)
    return ComparedCells(codes, has_value, number, variable.is_number)


def _cells(distinct: Text, read: Floats | None, variable: BlockVariable) -> tuple[Codes, Floats]:
    """Return the cell and the number of every distinct text; the cell of a missing value is `_NOTHING`.

    `read` are the numbers of the texts, None if the variable has none: then each text is a value of its own.
    """
    is_read = _has_plain_ends(distinct)
    for code in variable.missing:
        is_read &= ~equal(distinct, Text.of_strings([code]))
    numbers = np.arange(len(distinct), dtype=np.float64) if read is None else read
    is_read &= np.isfinite(numbers)
    rest = np.flatnonzero(~is_read)
    texts: dict[int, str] = {}
    for place, text in zip(rest.tolist(), distinct.take(rest).strings, strict=True):
        match _cell(text, variable):
            case float(number):
                numbers[place], is_read[place] = number, True
            case str(text):
                texts[place] = text
    cells = np.full(len(distinct), _NOTHING)
    cells[is_read] = 1 + _numbered(numbers[is_read])
    cells[list(texts)] = int(cells.max(initial=_NOTHING)) + 1 + np.arange(len(texts))
    return cells, np.where(is_read & variable.is_number, numbers, np.nan)


def _numbered(numbers: Floats) -> Codes:
    """Return the rank of every number; 0 and -0 are one."""
    return np.unique(numbers + 0.0, return_inverse=True)[1].ravel().astype(np.int64)


def _has_plain_ends(texts: Text) -> Flags:
    """Tell which texts begin and end with a visible ASCII character, so that nothing can be stripped from them."""
    plain = texts.length > 0
    rows = np.flatnonzero(plain)
    for letter in (texts.buffer[texts.start[rows]], texts.buffer[texts.stop[rows] - 1]):
        plain[rows] &= (letter > ord(" ")) & (letter < 0x80)
    return plain


def _cell(text: str, variable: BlockVariable) -> float | str | None:
    """Return a number for the text of a number, None for a missing value, and the text of any other value."""
    if not text.strip() or text in variable.missing or text.strip() in variable.missing:
        return None
    if not variable.is_number:
        return text
    return float(text) if _NUMBER.fullmatch(text) else None if text in _NO_VALUES else text
