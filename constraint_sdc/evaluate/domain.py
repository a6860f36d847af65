"""The distinct texts of a variable in another file, for "this value occurs there" in near-linear time.

A text of at most eight bytes is one 64-bit key, a longer one a fixed-width byte string; XML text never holds a NUL, so
padding with NUL keeps keys and texts one to one. Sorted keys are searched by bisection: no Python object per value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from constraint_sdc.evaluate.text import Mask, Rows, Text
from constraint_sdc.model.table import Column

Keys: TypeAlias = npt.NDArray[Any]


class Domain:
    """A growing set of texts, exact codepoint by codepoint.

    >>> from constraint_sdc.model.table import column_of
    >>> domain = Domain.of([column_of("V1", ["1", "2", None, "1"])])
    >>> domain.contains(column_of("V1", ["1", "1.0", None])).tolist(), len(domain)
    ([True, False, False], 2)
    """

    def __init__(self) -> None:
        self._sorted: dict[int, Keys] = {}
        self._pending: dict[int, list[Keys]] = {}

    @classmethod
    def of(cls, columns: Iterable[Column]) -> Domain:
        """Return the domain of these columns' values; absent values are none."""
        domain = cls()
        for column in columns:
            domain.add(column)
        return domain

    def add(self, column: Column) -> None:
        """Add the values of a column."""
        for width, _, keys in _keys(Text.of_column(column), np.flatnonzero(column.present())):
            pending = self._pending.setdefault(width, [])
            pending.append(np.unique(keys))
            # Merging only when the news outweighs the known keeps the work per value logarithmic, and memory bounded.
            if sum(map(len, pending)) > max(len(self._sorted.get(width, ())), 65_536):
                self._merge(width)

    def contains(self, column: Column) -> Mask:
        """Tell for each record whether its value is in the domain; an absent value is not."""
        return self.contains_text(Text.of_column(column), column.present())

    def contains_text(self, text: Text, present: Mask) -> Mask:
        """Tell for each present text whether it is in the domain."""
        found = np.zeros(len(text), np.bool_)
        for width, rows, keys in _keys(text, np.flatnonzero(present)):
            self._merge(width)
            known = self._sorted.get(width)
            if known is not None:
                places = np.searchsorted(known, keys)
                places[places == len(known)] = 0
                found[rows] = known[places] == keys
        return found

    def texts(self) -> Iterator[str]:
        """Yield the distinct texts, shorter widths first."""
        for width in sorted({*self._sorted, *self._pending}):
            self._merge(width)
            for raw in self._sorted[width].astype(f">u{width}" if width == 8 else f"S{width}").view(f"S{width}"):
                yield bytes(raw).decode("utf-8")

    def __len__(self) -> int:
        for width in list(self._pending):
            self._merge(width)
        return sum(map(len, self._sorted.values()))

    def _merge(self, width: int) -> None:
        pending = self._pending.pop(width, [])
        if pending:
            known = [self._sorted[width]] if width in self._sorted else []
            self._sorted[width] = np.unique(np.concatenate([*known, *pending]))


def _keys(text: Text, rows: Rows) -> Iterator[tuple[int, Rows, Keys]]:
    """Yield (width in bytes, rows, keys): widths are powers of two from eight up."""
    words = np.maximum(text.length[rows] + 7, 8) // 8
    power = np.ceil(np.log2(words)).astype(np.int64)
    for exponent in np.flatnonzero(np.bincount(power)).tolist():
        chosen = rows[power == exponent]
        part = text.take(chosen)
        width = 8 << exponent
        if exponent == 0:
            # Big-endian, so that keys sort as texts do.
            yield width, chosen, part.first_word.byteswap()
        else:
            matrix = np.stack([part.word(k) for k in range(1 << exponent)], axis=1).astype("<u8", copy=False)
            yield width, chosen, matrix.view(f"S{width}").reshape(-1)
