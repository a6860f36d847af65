"""Read numbers from text as XPath does: only the lexical forms of XML Schema, correctly rounded.

Almost every value is a plain run of at most sixteen digits with a sign and a point. Those are read many at a time,
eight bytes in a word. The mantissa is then an integer below 2^53 and the scale at most 16, so one division by an
exact power of ten is correctly rounded. All other texts are matched by a regular expression and passed to `float`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Flags, Floats, Integers, Positions, Words
from constraint_sdc.data.text import Text
from constraint_sdc.data.windows import WINDOW, windows
from constraint_sdc.evaluate.date_lexical import ReadNumbers, read_texts

_SPACE = rb"[ \t\r\n]*"
_DECIMAL = re.compile(_SPACE + rb"([+-]?)([0-9]*)(?:\.([0-9]*))?" + _SPACE)
_DIGITS = rb"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
_DOUBLE = re.compile(_SPACE + rb"(?:" + _DIGITS + _SPACE + rb"|([+-]?INF|NaN))")
# Saxon reads '. 5' as 0.05 (space after a point counts as a digit), and does not read 'INF ' or 'NaN ' at all.
_STRANGE = re.compile(_SPACE + rb"(?:[+-]?[0-9]*\.[0-9]*[ \t\r\n]+[0-9]|(?:[+-]?INF|NaN)[ \t\r\n]+)")
_POWERS = np.array([float(f"1e{k}") for k in range(23)])
_EXACT_DOUBLE = np.uint64(1 << 53)
_LARGEST = (1 << 63) - 1
_WIDEST = 32
_WINDOW = 1 << 16  # texts that are laid out as a matrix of letters at a time

_U = np.uint64
_ZEROS = _U(0x3030303030303030)
_POINTS = _U(0x2E2E2E2E2E2E2E2E)
_ONES = _U(0x0101010101010101)
_HIGHS = _U(0x8080808080808080)


@dataclass(frozen=True, slots=True)
class Scan:
    """Texts read as sign, digits and point: the value is `(-1)^negative * mantissa / 10^scale` where `plain`."""

    mantissa: Words
    scale: npt.NDArray[np.int64]
    negative: Flags
    has_point: Flags
    plain: Flags


@dataclass(frozen=True, slots=True)
class Doubles:
    """Texts as xs:double: NaN where `valid` is false; `strange` are texts that Saxon reads contrary to the standard."""

    values: Floats
    valid: Flags
    strange: Flags | None


@dataclass(frozen=True, slots=True)
class Decimals:
    """Texts as decimals `mantissa / 10^scale` where `fits`; `valid` where the text is legal, fitting or not."""

    mantissa: Integers
    scale: int
    fits: Flags
    valid: Flags


class Reading:
    """A text and its readings as numbers, each computed once for all rules."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._times: dict[str, ReadNumbers] = {}

    def times(self, type_name: str) -> ReadNumbers:
        """The texts as a type of dates or durations."""
        if type_name not in self._times:
            self._times[type_name] = read_texts(self.text, type_name)
        return self._times[type_name]

    @cached_property
    def _scan(self) -> Scan:
        return scan(self.text)

    @cached_property
    def doubles(self) -> Doubles:
        """The texts as xs:double."""
        return doubles(self.text, self._scan)

    @cached_property
    def decimals(self) -> Decimals:
        """The texts as xs:decimal."""
        return decimals(self.text, self._scan)

    @cached_property
    def integers(self) -> Decimals:
        """The texts as xs:integer."""
        return integers(self.text, self._scan)


def scan(text: Text) -> Scan:
    """Read every text that is at most sixteen digits and a point, after an optional sign."""
    if len(text) <= WINDOW:
        return _scan(text)
    count = len(text)
    found = Scan(np.empty(count, np.uint64), np.empty(count, np.int64), *(np.empty(count, np.bool_) for _ in range(3)))
    for part in windows(count):
        own = _scan(text.of(part))
        found.mantissa[part], found.scale[part] = own.mantissa, own.scale
        found.negative[part], found.has_point[part], found.plain[part] = own.negative, own.has_point, own.plain
    return found


def _scan(text: Text) -> Scan:
    first = text.first_word & _U(0xFF)
    negative = first == _U(ord("-"))
    signed = negative | (first == _U(ord("+")))
    body = Text(text.buffer, text.start + signed, text.stop) if signed.any() else text
    size = len(body)
    plain = np.zeros(size, np.bool_)
    mantissa, scale, has_point = np.zeros(size, np.uint64), np.zeros(size, np.int64), np.zeros(size, np.bool_)
    short = body.length <= 8
    if short.all():
        mantissa, scale, has_point, plain = _scan_short(body.first_word, body.length)
    else:
        for rows, reader in ((np.flatnonzero(short), _read_short), (np.flatnonzero(~short), _read_long)):
            if len(rows):
                mantissa[rows], scale[rows], has_point[rows], plain[rows] = reader(body.take(rows))
    return Scan(mantissa, scale, negative, has_point, plain)


def doubles(text: Text, scanned: Scan) -> Doubles:
    """Return every text as XPath's number() reads it."""
    exact = scanned.plain & (scanned.mantissa <= _EXACT_DOUBLE)
    values = scanned.mantissa.astype(np.float64)
    if scanned.scale.any():
        values /= _POWERS[scanned.scale]
    np.negative(values, out=values, where=scanned.negative)
    if not exact.all():
        values[~exact] = np.nan
        return _read_others(text, values, exact)
    return Doubles(values, exact, None)


def decimals(text: Text, scanned: Scan) -> Decimals:
    """Return every text as xs:decimal reads it, all with one scale."""
    valid = scanned.plain.copy()
    mantissa = scanned.mantissa.astype(np.int64)
    np.negative(mantissa, out=mantissa, where=scanned.negative)
    scale = scanned.scale.copy()
    fits = valid.copy()
    rows = np.flatnonzero(~valid & (text.length > 0))
    for row, raw in zip(rows.tolist(), text.raw(rows), strict=True):
        if (read := _read_decimal(raw)) is not None:
            valid[row] = True
            fits[row] = abs(read[0]) <= _LARGEST and read[1] <= 18
            mantissa[row], scale[row] = read if fits[row] else (0, 0)
    return _one_scale(mantissa, np.where(fits, scale, 0), fits, valid)


def integers(text: Text, scanned: Scan) -> Decimals:
    """Return every text as xs:integer reads it (scale 0)."""
    valid = scanned.plain & ~scanned.has_point
    mantissa = np.where(valid, scanned.mantissa, _U(0)).astype(np.int64)
    np.negative(mantissa, out=mantissa, where=scanned.negative)
    fits = valid.copy()
    rows = np.flatnonzero(~valid & (text.length > 0))
    for row, raw in zip(rows.tolist(), text.raw(rows), strict=True):
        read = None if b"." in raw else _read_decimal(raw)
        if read is not None:
            valid[row] = True
            fits[row] = abs(read[0]) <= _LARGEST
            mantissa[row] = read[0] if fits[row] else 0
    return Decimals(mantissa, 0, fits, valid)


def as_double(raw: bytes) -> float | None:
    """Return one text as xs:double reads it, or None; None too where white space follows INF or NaN."""
    match = _DOUBLE.fullmatch(raw)
    return None if match is None else float(match[1] or match[2])


def _read_others(text: Text, values: Floats, valid: Flags) -> Doubles:
    known: dict[bytes, float | None] = {}
    strange = np.zeros(len(text), np.bool_)
    rows = np.flatnonzero(~valid & (text.length > 0) & (text.length <= _WIDEST))
    for start in range(0, len(rows), _WINDOW):
        some = rows[start : start + _WINDOW]
        wide, numbers = _wide_doubles(text.take(some))
        values[some[wide]], valid[some[wide]] = numbers, True
    rows = np.flatnonzero(~valid & (text.length > 0))
    for row, raw in zip(rows.tolist(), text.raw(rows), strict=True):
        value = known[raw] if raw in known else known.setdefault(raw, as_double(raw))
        if value is not None:
            valid[row] = True
            values[row] = value
        elif _STRANGE.match(raw):
            strange[row] = True
    return Doubles(values, valid, strange if strange.any() else None)


def _wide_doubles(text: Text) -> tuple[Positions, Floats]:
    """Read the texts that are digits with at most one point after an optional minus: which, and their values.

    NumPy turns bytes into doubles by Python's correctly rounded conversion; texts that it accepts and XPath does not
    (underscores, `inf`, white space) are excluded.
    """
    width = text.longest
    letters = text.matrix(width)
    digits = (letters >= ord("0")) & (letters <= ord("9"))
    points = letters == ord(".")
    is_number = digits.any(axis=1) & (points.sum(axis=1) <= 1)
    others = ~(digits | points | (letters == 0))
    others[:, :1] &= letters[:, :1] != ord("-")
    rows = np.flatnonzero(is_number & ~others.any(axis=1))
    if not len(rows):
        return rows, np.zeros(0)
    return rows, np.ascontiguousarray(letters[rows]).view(f"S{width}").ravel().astype(np.float64)


def _read_decimal(raw: bytes) -> tuple[int, int] | None:
    """Return mantissa and scale without trailing zeros, or None."""
    match = _DECIMAL.fullmatch(raw)
    if match is None or not (match[2] or match[3]):
        return None
    fraction = (match[3] or b"").rstrip(b"0")
    digits = (match[2] + fraction).lstrip(b"0")
    if len(digits) > 19:
        return _LARGEST + 1, 0
    return int(match[1] + (digits or b"0")), len(fraction)


def _one_scale(mantissa: Integers, scale: npt.NDArray[np.int64], fits: Flags, valid: Flags) -> Decimals:
    # 12.500 is 12.5: trailing zeros would use digits that sums and products need.
    rows = np.flatnonzero((scale > 0) & (mantissa % 10 == 0))
    while len(rows):
        mantissa[rows] //= 10
        scale[rows] -= 1
        rows = rows[(scale[rows] > 0) & (mantissa[rows] % 10 == 0)]
    top = int(scale.max(initial=0))
    while True:
        factor = np.int64(10) ** np.maximum(top - scale, 0)
        room = (scale <= top) & (np.abs(mantissa) <= _LARGEST // factor)
        # One unusual value with many decimals must not reduce the range of all others.
        if top == 0 or np.count_nonzero(fits & ~room) <= np.count_nonzero(fits & (scale >= top)):
            return Decimals(np.where(room, mantissa * factor, 0), top, fits & room, valid)
        top -= 1


def _read_short(text: Text) -> tuple[Words, npt.NDArray[np.int64], Flags, Flags]:
    return _scan_short(text.first_word, text.length)


def _read_long(text: Text) -> tuple[Words, npt.NDArray[np.int64], Flags, Flags]:
    return _scan_long(text.first_word, text.word(1), text.length)


def _scan_short(word: Words, length: npt.NDArray[np.int64]) -> tuple[Words, npt.NDArray[np.int64], Flags, Flags]:
    word, point, has_point = _without_point(word)
    digits = length - has_point
    scale = np.where(has_point, digits - point, 0)
    word = _right_aligned(word, digits)
    plain = _all_digits(word) & (digits > 0)
    return np.where(plain, _value(word), _U(0)), scale * plain, has_point, plain


def _scan_long(
    low: Words, high: Words, length: npt.NDArray[np.int64]
) -> tuple[Words, npt.NDArray[np.int64], Flags, Flags]:
    short_low, point_low, in_low = _without_point(low)
    short_high, point_high, in_high = _without_point(high)
    in_high &= ~in_low
    low = np.where(in_low, short_low | (high << _U(56)), low)
    high = np.where(in_low, high >> _U(8), np.where(in_high, short_high, high))
    has_point = in_low | in_high
    digits = length - has_point
    scale = np.where(has_point, digits - np.where(in_low, point_low, 8 + point_high), 0)
    legal = digits <= 16
    missing = np.where(legal, 16 - digits, 0)  # 0 to 8: nine bytes at least, one of them the point
    shift = missing.astype(np.uint64) * _U(8)
    part = np.minimum(shift, _U(56))
    whole = shift == _U(64)
    carried = np.where(part == 0, _U(0), low >> ((_U(64) - part) & _U(63)))
    high = np.where(whole, low, (high << part) | carried)
    low = np.where(whole, _ZEROS, (low << part) | (_ZEROS & ((_U(1) << part) - _U(1))))
    plain = legal & _all_digits(low) & _all_digits(high)
    value = _value(low) * _U(100_000_000) + _value(high)
    return np.where(plain, value, _U(0)), np.where(plain, scale, 0), has_point, plain


def _without_point(word: Words) -> tuple[Words, npt.NDArray[np.int64], Flags]:
    """Take the first point out of each word; return its place and whether there was one."""
    differs = word ^ _POINTS
    mark = (differs - _ONES) & ~differs & _HIGHS
    mark &= ~mark + _U(1)
    has_point = mark != 0
    if not has_point.any():
        return word, np.zeros(len(word), np.int64), has_point
    below = np.where(has_point, (mark >> _U(7)) - _U(1), ~_U(0))
    place = np.bitwise_count(below).astype(np.int64) // 8
    return (word & below) | ((word >> _U(8)) & ~below), place, has_point


def _right_aligned(word: Words, digits: npt.NDArray[np.int64]) -> Words:
    """Shift the digits to the end of the word and fill with '0'; rows without digits come out as zeros."""
    shift = (_U(8) - np.clip(digits, 1, 8).astype(np.uint64)) * _U(8)
    aligned: Words = (word << shift) | (_ZEROS & ((_U(1) << shift) - _U(1)))
    return aligned


def _all_digits(word: Words) -> Flags:
    odd: Words = ((word + _U(0x4646464646464646)) | (word - _ZEROS)) & _HIGHS
    return np.equal(odd, 0)


def _value(word: Words) -> Words:
    """Return eight ASCII digits, the first in the lowest byte, as a number."""
    word = word - _ZEROS
    word = word * _U(10) + (word >> _U(8))
    pairs = _U(0x000000FF000000FF)
    low = (word & pairs) * _U(100 + (1_000_000 << 32))
    high = ((word >> _U(16)) & pairs) * _U(1 + (10_000 << 32))
    result: Words = (low + high) >> _U(32)
    return result
