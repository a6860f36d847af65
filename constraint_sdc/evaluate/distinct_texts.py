"""The different texts of a column, found once for as long as the column lives, and what they are as numbers.

Planning, exact step and counts ask the same of every variable: which texts occur, which of them are numbers, which
records have which. Only distinct texts are ever read, and the number of each record's text is kept on disk.
"""

from __future__ import annotations

import weakref
from functools import cached_property

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Rows, SmallCodes
from constraint_sdc.data.codes import code_integers, code_texts
from constraint_sdc.data.table import Column, State
from constraint_sdc.data.text import Text, equal
from constraint_sdc.engines.running import scratch
from constraint_sdc.evaluate.lexical import Reading

_XML_BLANKS = np.isin(np.arange(256), list(b" \t\r\n"))
_MAY_BEGIN = np.isin(np.arange(256), list(b" \t\r\n+-.0123456789IN"))  # the first letter of a number, INF or NaN

_AT_A_TIME = 1 << 17  # texts that are read together


class DistinctTexts:
    """The different texts of records in the order in which they first appear, and the number of each record's text.

    `codes[i]` is the place of the text of record i in `texts`. An absent value reads ''.
    """

    def __init__(self, texts: Text, codes: Codes | SmallCodes) -> None:
        kept = scratch().kept
        self._spans = texts.buffer, kept(texts.start), kept(texts.stop)
        self.codes: SmallCodes = kept(codes.astype(np.int32, copy=False))
        self._words: dict[tuple[str, ...], Flags] = {}

    @property
    def texts(self) -> Text:
        """Return the different texts; what is computed from them is not kept here."""
        return Text(*self._spans)

    def __len__(self) -> int:
        return len(self._spans[1])

    @cached_property
    def numbers(self) -> Floats:
        """The distinct texts as XPath reads numbers, NaN where one is none."""
        texts = self.texts
        rows = np.flatnonzero(_MAY_BEGIN[(texts.first_word & np.uint64(0xFF)).astype(np.uint8)])
        numbers = np.full(len(self), np.nan)
        for start in range(0, len(rows), _AT_A_TIME):
            some = rows[start : start + _AT_A_TIME]
            numbers[some] = Reading(texts.take(some)).doubles.values
        found: Floats = scratch().kept(numbers)
        return found

    def is_one_of(self, words: tuple[str, ...]) -> Flags:
        """Tell which texts are one of these words; do not write to the answer, it is kept."""
        if words not in self._words:
            texts, found = self.texts, np.zeros(len(self), np.bool_)
            for word in words:
                found |= equal(texts, Text.of_strings([word]))
            self._words[words] = found
        return self._words[words]

    @cached_property
    def stripped(self) -> DistinctTexts:
        """The same without XML's white space around the texts; itself if there is none."""
        texts = self.texts
        if not _has_blank_ends(texts).any():
            return self
        stripped = texts.stripped()
        coded = code_texts(stripped)
        return DistinctTexts(stripped.take(coded.first), coded.codes[self.codes])


def _has_blank_ends(texts: Text) -> Flags:
    found = np.zeros(len(texts), np.bool_)
    rows = np.flatnonzero(texts.length > 0)
    for letter in (texts.buffer[texts.start[rows]], texts.buffer[texts.stop[rows] - 1]):
        found[rows] |= _XML_BLANKS[letter]
    return found


_KNOWN: dict[int, tuple[weakref.ref[Column], DistinctTexts]] = {}
"""What was found, by the identity of the column; forgotten when the column is."""

_BY_PARTS: dict[int, tuple[weakref.ref[Column], Column, Column]] = {}
"""Columns that are one column below another, by their identity, until their texts are asked for."""

_BY_ROWS: dict[int, tuple[weakref.ref[Column], Column, Rows]] = {}
"""Columns that take rows of a shorter one, by their identity, until their texts are asked for."""


def distinct_texts(column: Column) -> DistinctTexts:
    """Return the different texts of a column; of the same column they are found once.

    >>> from constraint_sdc.data.table import column_of
    >>> found = distinct_texts(column_of("V1", ["7", " 7", "x", "7"]))
    >>> found.texts.strings, found.codes.tolist(), found.stripped.codes.tolist()
    (['7', ' 7', 'x'], [0, 1, 2, 0], [0, 0, 1, 0])
    """
    place = id(column)
    known = _KNOWN.get(place)
    if known is not None and known[0]() is column:
        return known[1]
    taken, parts = _BY_ROWS.pop(place, None), _BY_PARTS.pop(place, None)
    if parts is not None and parts[0]() is column:
        found = _of_both(*(distinct_texts(part) for part in parts[1:]))
    elif taken is not None and taken[0]() is column:
        found = _of_rows(distinct_texts(taken[1]), taken[2])
    else:
        texts = Text.of_column(column)
        coded = code_texts(texts)
        found = DistinctTexts(texts.take(coded.first), coded.codes)
    _KNOWN[place] = (weakref.ref(column, lambda gone: _forget(place, gone)), found)
    return found


def takes_rows(column: Column, source: Column, rows: Rows) -> None:
    """Say that a column takes the rows of a shorter one: only the texts of that one will be read.

    >>> from constraint_sdc.data.table import column_of
    >>> groups, rows = column_of("V1", ["7", "x", "7"]), np.array([1, 0, 2, 1])
    >>> column = groups.take(rows)
    >>> takes_rows(column, groups, rows)
    >>> distinct_texts(column).texts.strings, distinct_texts(column).codes.tolist()
    (['x', '7'], [0, 1, 1, 0])
    """
    place = id(column)
    _BY_ROWS[place] = (weakref.ref(column, lambda gone: _forget(place, gone)), source, rows)


def stands_below(column: Column, first: Column, second: Column) -> None:
    """Say that a column is the first column and below it the second: only the different texts of both are compared.

    >>> from constraint_sdc.data.table import column_of
    >>> first, second, both = (column_of("V1", texts) for texts in (["7", "x"], ["y", "7"], ["7", "x", "y", "7"]))
    >>> stands_below(both, first, second)
    >>> distinct_texts(both).texts.strings, distinct_texts(both).codes.tolist()
    (['7', 'x', 'y'], [0, 1, 2, 0])
    """
    place = id(column)
    _BY_PARTS[place] = (weakref.ref(column, lambda gone: _forget(place, gone)), first, second)


def _of_both(first: DistinctTexts, second: DistinctTexts) -> DistinctTexts:
    """Return the different texts of both, in the order in which they first appear."""
    texts = Text.joined([first.texts, second.texts])
    coded = code_texts(texts)
    codes = coded.codes.astype(np.int32)
    joined = np.concatenate((codes[: len(first)][first.codes], codes[len(first) :][second.codes]))
    return DistinctTexts(texts.take(coded.first), joined)


def _of_rows(known: DistinctTexts, rows: Rows) -> DistinctTexts:
    """Return the different texts of these rows, in the order in which they first appear there."""
    codes = known.codes[rows]
    first = np.full(len(known), len(codes), np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last one written stays: the first record
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(known), np.int32)
    rank[order] = np.arange(len(known), dtype=np.int32)
    return DistinctTexts(known.texts.take(order[: np.count_nonzero(first < len(codes))]), rank[codes])


def codes_of_values(column: Column) -> Codes | SmallCodes:
    """Return a number for the value of every record, text and state, as `code_values` does.

    >>> from constraint_sdc.data.table import column_of
    >>> codes_of_values(column_of("V1", ["5", None, "", "5", None])).tolist()
    [0, 1, 2, 0, 1]
    """
    codes = distinct_texts(column).codes
    return codes if not column.state.any() else code_integers(codes.astype(np.int64) * len(State) + column.state).codes


def _forget(place: int, gone: weakref.ref[Column]) -> None:
    """Drop what was found of a column that is no more, unless another one has taken its place in memory."""
    if place in _KNOWN and _KNOWN[place][0] is gone:
        del _KNOWN[place]
    if place in _BY_ROWS and _BY_ROWS[place][0] is gone:
        del _BY_ROWS[place]
    if place in _BY_PARTS and _BY_PARTS[place][0] is gone:
        del _BY_PARTS[place]
