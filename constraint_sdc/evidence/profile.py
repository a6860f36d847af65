"""The distinct values of a column with their counts, and which of them are numbers.

A million records take a fraction of a second: texts are compared eight bytes at a time, and only distinct texts that
are not numbers are ever read one by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Flags, Floats, Positions
from constraint_sdc.data.codes import text_keys
from constraint_sdc.data.ordering import stable_order
from constraint_sdc.data.table import Column
from constraint_sdc.data.text import Text, equal
from constraint_sdc.evaluate.distinct_texts import distinct_texts
from constraint_sdc.evaluate.lexical import Scan, scan

_NO_VALUES = ("NaN", "INF", "-INF", "+INF")
_NO_VALUE = -1


@dataclass(frozen=True)
class Profile:
    """One variable: its `distinct` texts without white space around, and `counts`, the records of each.

    `codes` is the number of the text of every record that has a value, in the order of the file. Blank records have
    none: absent, empty, nil, white space only, a missing code, or a double that is no number. `numbers` are those of
    the distinct texts, NaN where a text is no number.
    """

    name: str
    distinct: Text
    counts: Counts
    codes: Codes
    numbers: Floats

    @property
    def values(self) -> int:
        """Return how many records have a value."""
        return len(self.codes)

    @cached_property
    def scanned(self) -> Scan:
        """The distinct texts as sign, digits and point."""
        return scan(self.distinct)

    @cached_property
    def is_number(self) -> Flags:
        """Where a distinct text is a number that is not written as a code with a leading zero."""
        return np.isfinite(self.numbers) & ~self.has_zero

    @cached_property
    def has_zero(self) -> Flags:
        """Where a distinct text begins with a zero and another digit, as codes do."""
        return leading_zeros(self.distinct)

    @cached_property
    def in_order(self) -> Floats:
        """The numbers of the records, in the order of the file."""
        return self.numbers[self.codes]

    @cached_property
    def alone(self) -> int:
        """The number of records whose value no other record has."""
        return int(np.count_nonzero(self.counts == 1))

    def strings(self, places: Positions) -> list[str]:
        """Return some of the distinct texts."""
        return [raw.decode("utf-8") for raw in self.distinct.raw(places)]

    def without(self, is_left_out: Flags) -> Profile:
        """Return the profile without the records of some distinct texts."""
        if not is_left_out.any():
            return self
        kept = np.flatnonzero(~is_left_out)
        renumbered = np.cumsum(~is_left_out) - 1
        codes = renumbered[self.codes[~is_left_out[self.codes]]]
        return Profile(self.name, self.distinct.take(kept), self.counts[kept], codes, self.numbers[kept])


def profile_of(column: Column, missing: Iterable[str] = ()) -> Profile:
    """Return the profile of a column; `missing` are texts that stand for no value.

    >>> from constraint_sdc.data.table import column_of
    >>> found = profile_of(column_of("V1", ["7", "7", " 12", "", None, "-9"]), ["-9"])
    >>> found.values, found.distinct.strings, found.counts.tolist()
    (3, ['7', '12'], [2, 1])
    """
    seen = distinct_texts(column).stripped
    texts = seen.texts
    is_value = texts.length > 0
    for code in (*missing, *_NO_VALUES):
        is_value &= ~equal(texts, Text.of_strings([code]))
    values = np.flatnonzero(is_value)
    # Not in the order of the file: examples of several variables would be those of its first records.
    values = values[stable_order(text_keys(texts.take(values)))]
    place = np.full(len(seen), _NO_VALUE, np.int64)
    place[values] = np.arange(len(values))
    codes = place[seen.codes]
    codes = codes if len(values) == len(seen) else codes[codes != _NO_VALUE]
    counts = np.bincount(codes, minlength=len(values))
    return Profile(column.name, texts.take(values), counts, codes, seen.numbers[values])


def leading_zeros(texts: Text) -> Flags:
    """Tell where a text is a zero and at least one more digit, after a sign or not."""
    first = texts.first_word & np.uint64(0xFF)
    is_signed = (first == ord("-")) | (first == ord("+"))
    word = np.where(is_signed, texts.first_word >> np.uint64(8), texts.first_word)
    second = (word >> np.uint64(8)) & np.uint64(0xFF)
    found: Flags = ((word & np.uint64(0xFF)) == ord("0")) & (second >= ord("0")) & (second <= ord("9"))
    return found
