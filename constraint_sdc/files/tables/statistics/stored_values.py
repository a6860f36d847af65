"""Texts as stored values of SPSS and Stata variables, and the one text that a stored value is read as."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np

from constraint_sdc.arrays import Bytes
from constraint_sdc.data.series import double_text
from constraint_sdc.files.tables.arrow.arrow_texts import NoValueError
from constraint_sdc.files.tables.statistics.stored_table import StorageKind, StoredField, StoredTable

_LETTER = re.compile(r"\.[a-z]")
_TYPES = {"int8": "i1", "int16": "i2", "int32": "i4", "float": "f4", "double": "f8"}
_LARGEST = {"int8": 100, "int16": 32_740, "int32": 2_147_483_620}  # of Stata: the numbers above are missing values
_SMALLEST = {"int8": -127, "int16": -32_767, "int32": -2_147_483_647}
_LARGEST_FLOAT = float(np.float32(1.7014117e38))
_LARGEST_DOUBLE = 8.9884656743115785e307

CLOCKS: dict[str, tuple[dt.datetime, Fraction]] = {
    "spss": (dt.datetime(1582, 10, 14), Fraction(1)),
    "stata days": (dt.datetime(1960, 1, 1), Fraction(1, 86_400)),
    "stata clock": (dt.datetime(1960, 1, 1), Fraction(1_000)),
}
"""The first moment of a clock, and its ticks in a second."""


def clock_of(written_format: str, is_stata: bool) -> str | None:
    """Return the clock of a variable whose numbers are read as dates or times, by its display format.

    >>> [clock_of("DATE11", False), clock_of("F8.2", False), clock_of("%td", True), clock_of("%tcHH:MM", True)]
    ['spss', None, 'stata days', 'stata clock']
    """
    if not is_stata:
        name = written_format.rstrip("0123456789.")
        dates = ("DATETIME", "YMDHMS", "DATE", "ADATE", "EDATE", "JDATE", "SDATE", "TIME", "DTIME")
        return "spss" if name in dates else None
    if written_format in ("%tC", "%tc", "%tcHH:MM:SS", "%tcHH:MM"):
        return "stata clock"
    return "stata days" if written_format in ("%td", "%d", "%tdD_m_Y", "%tdCCYY-NN-DD") else None


def number_text(value: float, kind: str) -> str:
    """Return the shortest text that reads back to the same number of its own precision.

    >>> number_text(0.1, "double"), number_text(float(np.float32(0.1)), "float"), number_text(5.0, "int8")
    ('0.1', '0.1', '5')
    """
    if kind == "float" and math.isfinite(value):
        return np.format_float_positional(np.float32(value), trim="-")
    return double_text(float(value))


def stored_cells(
    texts: Sequence[str | None], field: StoredField, table: StoredTable, clock: str | None
) -> tuple[Bytes, list[str | None]]:
    """Return the cells of a column, one row of bytes each, and the texts as they will be read.

    NoValueError for the first text that the variable cannot hold.
    """
    if field.kind == "text":
        return _text_cells(texts, field, table), list(texts)
    found: dict[str | None, tuple[Any, str | None]] = {None: (table.missing(field.kind), None)}
    for row, text in enumerate(texts):
        if text not in found:
            try:
                found[text] = _number(str(text), field.kind, table, clock)
            except (ValueError, ArithmeticError, InvalidOperation, KeyError):
                raise NoValueError(row) from None
    type_ = np.dtype(table.order + _TYPES[field.kind])
    raw = np.array([found[text][0] for text in texts], dtype=type_) if field.kind not in ("float", "double") else None
    if raw is None:  # a missing float is a pattern of bits, which no arithmetic may touch
        bits = np.array([_bits(found[text][0], field.kind) for text in texts], dtype=table.order + "u" + type_.str[2:])
        return bits.view(np.uint8).reshape(len(texts), field.width), [found[text][1] for text in texts]
    return raw.view(np.uint8).reshape(len(texts), field.width), [found[text][1] for text in texts]


def _bits(value: Any, kind: StorageKind) -> int:
    if isinstance(value, int):
        return value
    return int(np.array(value, "<f4").view("<u4")) if kind == "float" else int(np.array(value, "<f8").view("<u8"))


def _number(text: str, kind: StorageKind, table: StoredTable, clock: str | None) -> tuple[Any, str]:
    if _LETTER.fullmatch(text):
        letter = table.letter(kind, text[1])
        if letter is None:
            raise ValueError(text)
        return letter, text
    ticks = None if clock is None else _ticks(text, clock)
    exact = Fraction(Decimal(text)) if ticks is None else ticks
    if kind in _LARGEST:
        if exact.denominator != 1 or not _SMALLEST[kind] <= exact <= _LARGEST[kind]:
            raise ValueError(text)
        return int(exact), text if ticks is not None else str(int(exact))
    value = float(np.float32(float(exact))) if kind == "float" else float(exact)
    if abs(value) > (_LARGEST_FLOAT if kind == "float" else _LARGEST_DOUBLE):
        raise ValueError(text)
    if ticks is not None:
        if Fraction(value) != ticks:
            raise ValueError(text)
        return value, text
    return value, number_text(value, kind)


def _ticks(text: str, clock: str) -> Fraction | None:
    """Return a date or time as a number of ticks; None for a text that is none."""
    first, rate = CLOCKS[clock]
    if ":" in text and "T" not in text:
        time = dt.time.fromisoformat(text)
        since = dt.timedelta(hours=time.hour, minutes=time.minute, seconds=time.second, microseconds=time.microsecond)
    elif re.match(r"[0-9]{4}-", text):
        since = dt.datetime.fromisoformat(text) - first
    else:
        return None
    return Fraction(since // dt.timedelta(microseconds=1), 1_000_000) * rate


def _text_cells(texts: Sequence[str | None], field: StoredField, table: StoredTable) -> Bytes:
    filler = b" " if table.missing("text") == " " else b"\0"
    cells: dict[str | None, bytes] = {}
    width = field.width
    for row, text in enumerate(texts):
        if text in cells:
            continue
        try:
            raw = (text or "").encode(table.encoding)
        except UnicodeEncodeError:
            raise NoValueError(row) from None
        if len(raw) > width or b"\0" in raw or raw.endswith(b" " if filler == b" " else b"\0"):
            raise NoValueError(row)
        cells[text] = raw.ljust(width, filler)
    joined = b"".join([cells[text] for text in texts])
    return np.frombuffer(joined, np.uint8).reshape(len(texts), width)
