"""How many decimals numbers have, read from many texts at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal

import numpy as np

from constraint_sdc.arrays import Flags, Integers, Positions
from constraint_sdc.data.text import Text
from constraint_sdc.data.windows import WINDOW, windows
from constraint_sdc.evaluate.lexical import scan

_PLAIN = re.compile(r"[+-]?[0-9]{1,40}(?:\.([0-9]{1,40}))?")
_EXACT = Context(prec=400)
_WIDEST = 32  # bytes of a text that is read as a row of a matrix; longer ones are read one by one
_WINDOW = 1 << 16  # texts of such a matrix


@dataclass(frozen=True, slots=True)
class DecimalPlaces:
    """The decimals of every number: as `written` (`12.50` has two), and as `needed` (it needs one).

    `is_positional` tells where a text has digits, and after a point digits again, but no exponent.
    """

    written: Integers
    needed: Integers
    is_positional: Flags

    @classmethod
    def none(cls, count: int) -> DecimalPlaces:
        """Return as many whole numbers, none of them read yet."""
        return cls(np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.bool_))

    def put(self, rows: Positions | slice, found: DecimalPlaces) -> None:
        """Enter what was found for some texts."""
        self.written[rows], self.needed[rows], self.is_positional[rows] = (
            found.written,
            found.needed,
            found.is_positional,
        )


def decimal_places(texts: Text) -> DecimalPlaces:
    """Return the decimals of texts that are numbers in any spelling, without white space around them.

    >>> found = decimal_places(Text.of_strings(["12.50", "1e-3", "100", "0.00000000000000000100"]))
    >>> found.written.tolist(), found.needed.tolist(), found.is_positional.tolist()
    ([2, 3, 0, 20], [1, 3, 0, 18], [True, False, True, True])
    """
    if len(texts) <= WINDOW:
        return _decimal_places(texts)
    found = DecimalPlaces.none(len(texts))
    for part in windows(len(texts)):
        found.put(part, _decimal_places(texts.of(part)))
    return found


def _decimal_places(texts: Text) -> DecimalPlaces:
    found = DecimalPlaces.none(len(texts))
    scanned = scan(texts)
    short = np.flatnonzero(scanned.plain)
    found.put(short, _of_mantissas(texts.take(short), scanned.mantissa[short], scanned.scale[short]))
    rest = np.flatnonzero(~scanned.plain)
    for rows in _windows(rest[texts.length[rest] <= _WIDEST]):
        some = texts.take(rows)
        places, is_read = _of_letters(some)
        found.put(rows[is_read], places)
        found.put(rows[~is_read], _one_by_one(some.take(np.flatnonzero(~is_read))))
    wide = rest[texts.length[rest] > _WIDEST]
    found.put(wide, _one_by_one(texts.take(wide)))
    return found


def _windows(rows: Positions) -> Iterator[Positions]:
    for start in range(0, len(rows), _WINDOW):
        yield rows[start : start + _WINDOW]


def _of_mantissas(texts: Text, mantissa: np.ndarray[tuple[int], np.dtype[np.uint64]], scale: Integers) -> DecimalPlaces:
    """Return the decimals of numbers without exponent: trailing zeros of the mantissa are not needed."""
    needed, left = scale.copy(), mantissa.copy()
    rows = np.flatnonzero(scale > 0)
    while len(rows := rows[(needed[rows] > 0) & (left[rows] % np.uint64(10) == 0)]):
        left[rows] //= np.uint64(10)
        needed[rows] -= 1
    return DecimalPlaces(scale, needed, _begins_and_ends_with_digit(texts))


def _begins_and_ends_with_digit(texts: Text) -> Flags:
    """Tell which numbers have a digit on both sides of their point, after a sign or not."""
    if not len(texts):
        return np.zeros(0, np.bool_)
    buffer = texts.buffer
    first = buffer[texts.start]
    is_signed = (first == ord("-")) | (first == ord("+"))
    first, last = buffer[texts.start + is_signed], buffer[texts.stop - 1]
    found: Flags = (first >= ord("0")) & (first <= ord("9")) & (last >= ord("0")) & (last <= ord("9"))
    return found


def _of_letters(texts: Text) -> tuple[DecimalPlaces, Flags]:
    """Read texts of a sign, digits and at most one point; tell which texts are that, and return theirs."""
    letters = texts.matrix(max(texts.longest, 1))
    is_digit = (letters >= ord("0")) & (letters <= ord("9"))
    is_point = letters == ord(".")
    is_other = ~(is_digit | is_point | (letters == 0))
    is_other[:, 0] &= (letters[:, 0] != ord("-")) & (letters[:, 0] != ord("+"))
    is_read = ~is_other.any(axis=1) & is_digit.any(axis=1) & (is_point.sum(axis=1) <= 1)
    rows = np.flatnonzero(is_read)
    has_point, point = is_point[rows].any(axis=1), is_point[rows].argmax(axis=1)
    counts = is_digit[rows] & (letters[rows] != ord("0"))
    last = np.where(counts.any(axis=1), letters.shape[1] - 1 - counts[:, ::-1].argmax(axis=1), -1)
    written = np.where(has_point, texts.length[rows] - 1 - point, 0)
    needed = np.where(has_point, np.maximum(last - point, 0), 0)
    return DecimalPlaces(written, needed, _begins_and_ends_with_digit(texts.take(rows))), is_read


def _one_by_one(texts: Text) -> DecimalPlaces:
    """Read numbers with an exponent, and very long ones."""
    found = [decimals(text) for text in texts.strings]
    written, needed = (np.array([pair[side] for pair in found], np.int64) for side in (0, 1))
    return DecimalPlaces(written, needed, texts.test(lambda text: _PLAIN.fullmatch(text) is not None))


def decimals(text: str) -> tuple[int, int]:
    """Return how many decimals a number has as written, and how many it needs.

    >>> decimals("12.50"), decimals("1e-3"), decimals("100")
    ((2, 1), (3, 3), (0, 0))
    """
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        fraction = plain[1] or ""
        return len(fraction), len(fraction.rstrip("0"))
    number = Decimal(text)
    return _places_after_point(number), _places_after_point(number.normalize(_EXACT))


def _places_after_point(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0
