"""The intended values, record by record, written as the document will hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from constraint_sdc.model.table import Column, State
from constraint_sdc.write.masked_markup import UNFINISHED, escaped_attributes, escaped_texts

# A value as escaped bytes; b"" is an empty element or attribute, None an absent one.
Cell: TypeAlias = bytes | None
# No text is ever written like this, so it can stand among the values.
NIL: Cell = UNFINISHED
_RECORDS_AT_ONCE = 4096


class Cells:
    """Values of `names` for one record after another; only a few thousand records exist as objects at a time."""

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self.names = tuple(columns)
        self.count = len(next(iter(columns.values()))) if columns else None
        assert all(len(column) == self.count for column in columns.values()), "columns of differing length"
        self._columns = tuple(columns.values())
        self._texts = {id(column.buffer): column.buffer.tobytes() for column in self._columns}
        self._first = 0
        self._rows: list[tuple[Cell, ...]] = []

    def row(self, record: int) -> tuple[Cell, ...] | None:
        """Return the values of this record, numbered from 0, or None past the last."""
        if self.count is None:
            return ()
        if not 0 <= record - self._first < len(self._rows):
            self._first = record
            stop = min(record + _RECORDS_AT_ONCE, self.count)
            self._rows = list(zip(*(self._cells(c, record, stop) for c in self._columns), strict=True))
        return self._rows[record - self._first] if record < self.count else None

    def _cells(self, column: Column, first: int, stop: int) -> list[Cell]:
        buffer = self._texts[id(column.buffer)]
        spans = zip(column.start[first:stop].tolist(), column.stop[first:stop].tolist(), strict=True)
        is_attribute = column.name.startswith("@")
        texts = (escaped_attributes if is_attribute else escaped_texts)([buffer[a:b] for a, b in spans])
        state = column.state[first:stop]
        if not state.any():
            return list(texts)
        without_text = {State.ABSENT: None, State.EMPTY: b"", State.NIL: b"" if is_attribute else NIL}
        pairs = zip(texts, state.tolist(), strict=True)
        return [text if code == State.VALUE else without_text[State(code)] for text, code in pairs]


class EmptyCells(Cells):
    """Every value empty, for any number of records."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__({})
        self.names = tuple(sorted(names))
        self._empty: tuple[Cell, ...] = (b"",) * len(names)

    def row(self, record: int) -> tuple[Cell, ...]:  # noqa: ARG002 - every record is alike
        """Return the empty values."""
        return self._empty
