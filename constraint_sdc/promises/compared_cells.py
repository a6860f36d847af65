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

from constraint_sdc.arrays import Flags, Floats, SmallCodes
from constraint_sdc.data.coincidence import grid_points
from constraint_sdc.data.table import Column
from constraint_sdc.data.text import Text, equal
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.running import scratch
from constraint_sdc.evaluate.distinct_texts import DistinctTexts, distinct_texts

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
    cells = _number_cells(seen, variable) if variable.is_number else _text_cells(seen, variable)
    codes: SmallCodes = scratch().own(sum(len(one.codes) for one in seen), np.int32)
    at = 0
    for own, one in zip(cells.of_texts, seen, strict=True):
        for part in windows(len(one.codes)):
            codes[at + part.start : at + part.stop] = own[one.codes[part]]
        at += len(one.codes)
    return ComparedCells(codes, np.arange(len(cells.numbers)) != _NOTHING, cells.numbers, variable.is_number)


@dataclass(frozen=True, slots=True)
class _CellNumbers:
    """The cell of every distinct text of each column, and the number of every cell, NaN where it has none."""

    of_texts: list[SmallCodes]
    numbers: Floats


def _text_cells(seen: Sequence[DistinctTexts], variable: BlockVariable) -> _CellNumbers:
    """Number the texts; that of a missing value is `_NOTHING`."""
    known: dict[str, int] = {}
    found: list[SmallCodes] = []
    for one in seen:
        texts = one.texts.strings
        found.append(np.array([_place(_cell(text, variable), known, 0) for text in texts], np.int32))
    return _CellNumbers(found, np.full(1 + len(known), np.nan))


def _number_cells(seen: Sequence[DistinctTexts], variable: BlockVariable) -> _CellNumbers:
    """Number the numbers in their order, then the other texts; 0 and -0 are one, a missing value is `_NOTHING`."""
    read, others = zip(*(_read(one, variable) for one in seen), strict=True)
    numbers = np.unique(np.concatenate([one[~np.isnan(one)] for one in read]) + 0.0)
    known: dict[str, int] = {}
    found: list[SmallCodes] = []
    for own, texts in zip(read, others, strict=True):
        cells: SmallCodes = np.zeros(len(own), np.int32)
        for part in windows(len(own)):
            is_number = ~np.isnan(own[part])
            cells[part][is_number] = 1 + np.searchsorted(numbers, own[part][is_number])
        for place, text in texts.items():
            cells[place] = _place(text, known, len(numbers))
        found.append(cells)
    return _CellNumbers(found, np.concatenate(([np.nan], numbers, np.full(len(known), np.nan))))


def _place(text: float | str | None, known: dict[str, int], numbers: int) -> int:
    """Return the cell of a text, after the cells of the numbers; it is known from then on."""
    return _NOTHING if not isinstance(text, str) else known.setdefault(text, 1 + numbers + len(known))


def _read(seen: DistinctTexts, variable: BlockVariable) -> tuple[Floats, dict[int, str]]:
    """Return the numbers of the distinct texts, NaN where one is none, and by its place what is neither missing."""
    texts = seen.texts
    numbers: Floats = scratch().own(len(texts), np.float64)
    others: dict[int, str] = {}
    for part in windows(len(texts)):
        some, own = texts.of(part), seen.numbers[part] + 0.0
        is_read = np.isfinite(own) & _has_plain_ends(some)
        for code in variable.missing:
            is_read &= ~equal(some, Text.of_strings([code]))
        numbers[part] = np.where(is_read, own, np.nan)
        rest = np.flatnonzero(~is_read)
        for place, text in zip((rest + part.start).tolist(), some.take(rest).strings, strict=True):
            cell = _cell(text, variable)
            if isinstance(cell, float):
                numbers[place] = cell + 0.0
            elif cell is not None:
                others[place] = cell
    return numbers, others


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
