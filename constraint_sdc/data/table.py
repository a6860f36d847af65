"""Columns of text as the file wrote it, a chunk of records at a time.

The text of a value is exactly the string value that XPath sees. It is kept as spans of one UTF-8 buffer, so that
records need no Python objects of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import cast

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Bytes, Spans


class State(IntEnum):
    """What a record says about a variable. XPath sees EMPTY and NIL alike: an element whose string value is ''."""

    VALUE = 0
    ABSENT = 1
    EMPTY = 2
    NIL = 3


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Column:
    """One variable over a chunk: value i is `buffer[start[i]:stop[i]]` in UTF-8; `state` holds `State` codes.

    Where the state is not VALUE, `start[i] == stop[i]`.
    """

    name: str
    buffer: Bytes
    start: Spans
    stop: Spans
    state: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.start)

    def text(self, i: int) -> str | None:
        """Return value i as XPath's string value, or None where the variable is absent."""
        if self.state[i] == State.ABSENT:
            return None
        return self.buffer[self.start[i] : self.stop[i]].tobytes().decode("utf-8")

    def texts(self) -> list[str | None]:
        """Return every value as XPath's string value, None where absent."""
        raw = self.buffer.tobytes()
        rows = zip(self.start.tolist(), self.stop.tolist(), (self.state == State.ABSENT).tolist(), strict=True)
        return [None if absent else raw[start:stop].decode("utf-8") for start, stop, absent in rows]

    def present(self) -> npt.NDArray[np.bool_]:
        """Tell where the element or attribute exists, empty or not."""
        return np.not_equal(self.state, State.ABSENT)

    def take(self, rows: npt.NDArray[np.intp]) -> Column:
        """Return the same column for these rows only."""
        return Column(self.name, self.buffer, self.start[rows], self.stop[rows], self.state[rows])

    def of(self, rows: slice) -> Column:
        """Return the same column for a run of rows, without a copy."""
        return Column(self.name, self.buffer, self.start[rows], self.stop[rows], self.state[rows])


def column_of(name: str, values: Iterable[str | None], nil: Iterable[bool] | None = None) -> Column:
    """Build a column from strings (None is absent); `nil` marks empty values written as xsi:nil.

    >>> column_of("V1", ["1", None, ""]).texts()
    ['1', None, '']
    """
    given = list(values)
    texts = [value or "" for value in given] if None in given else cast(list[str], given)
    raw = "".join(texts)
    if raw.isascii():
        buffer, lengths = raw.encode("ascii"), np.fromiter(map(len, texts), np.int64, len(texts))
    else:
        encoded = [text.encode("utf-8") for text in texts]
        buffer, lengths = b"".join(encoded), np.fromiter(map(len, encoded), np.int64, len(encoded))
    stop = np.cumsum(lengths)
    state = np.where(lengths > 0, np.uint8(State.VALUE), np.uint8(State.EMPTY))
    if None in given:
        state[[value is None for value in given]] = State.ABSENT
    if nil is not None:
        state[np.fromiter(nil, np.bool_, len(given)) & (state == State.EMPTY)] = State.NIL
    return Column(name, np.frombuffer(buffer or b"\0", np.uint8), stop - lengths, stop, state)


def joined_column(parts: Sequence[Column]) -> Column:
    """Return the values of several columns of one variable, one column after the other.

    >>> joined_column([column_of("V1", ["1", None]), column_of("V1", ["x"])]).texts()
    ['1', None, 'x']
    """
    shift = np.cumsum([0, *(len(part.buffer) for part in parts)])
    pairs = list(zip(parts, shift, strict=False))
    return Column(
        parts[0].name,
        np.concatenate([part.buffer for part in parts]),
        np.concatenate([part.start + by for part, by in pairs]),
        np.concatenate([part.stop + by for part, by in pairs]),
        np.concatenate([part.state for part in parts]),
    )


@dataclass(frozen=True, slots=True)
class Table:
    """All records of a file: every column over all of them, in the order in which the file first names them."""

    columns: Mapping[str, Column]
    records: int

    def column(self, name: str) -> Column:
        """Return the column of a variable; one that no record has is absent from all of them."""
        found = self.columns.get(name)
        return column_of(name, [None] * self.records) if found is None else found


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of the rows of a file.

    `wrappers` are the element names from the root down to the record's parent (Clark notation), `record` the record
    element's name. `head` and `tail` are UTF-8 XML (start tags with all namespace declarations, end tags) that turn
    any run of records into a document. `is_uniform` is false when records are under different wrappers.
    """

    wrappers: tuple[str, ...]
    record: str
    style: str  # "elements" or "attributes"
    head: bytes
    tail: bytes
    is_uniform: bool = True


class NoXmlError(Exception):
    """The XML of a record is requested, but only its values are in memory."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of records. `first` is the 0-based number of its first record in the file.

    `raw[record_start[i]:record_stop[i]]` is record i as XML in UTF-8 (valid inside the layout's head and tail);
    `lines[i]` its 1-based line in the file. A chunk `without_xml` has the values alone. `outline` has the bytes of a
    record without the texts of its variables, if they are known to be the same for all records of the chunk.
    """

    layout: Layout
    first: int
    columns: Mapping[str, Column]
    raw: Bytes
    record_start: Spans
    record_stop: Spans
    lines: npt.NDArray[np.int64]
    outline: bytes | None = None

    @classmethod
    def without_xml(
        cls, layout: Layout, columns: Mapping[str, Column], lines: npt.NDArray[np.int64], first: int = 0
    ) -> Chunk:
        """Return records of which only the values are known."""
        nowhere = np.zeros(len(lines), np.int64)
        return cls(layout, first, columns, np.zeros(0, np.uint8), nowhere, nowhere, lines)

    def __len__(self) -> int:
        return len(self.record_start)

    def record_xml(self, i: int) -> bytes:
        """Return record i as XML."""
        return self.raw[self.record_start[i] : self.record_stop[i]].tobytes()

    def require_xml(self) -> None:
        """Raise NoXmlError if only values are in memory."""
        if not len(self.raw):
            raise NoXmlError

    def document(self, rows: Iterable[int] | None = None) -> bytes:
        """Return a whole XML document with these records (all by default) and nothing else."""
        self.require_xml()
        numbers = range(len(self)) if rows is None else rows
        return self.layout.head + b"\n".join(self.record_xml(i) for i in numbers) + self.layout.tail
