"""The intended values, record by record, written as the document will hold them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Bytes, Counts, Spans
from constraint_sdc.data.table import Column, State
from constraint_sdc.files.rows_file import quoted, text_xml

# XML as bytes: cutting it at its markup, what a written value means, and how a text is written.
#
# Correct for every well-formed UTF-8 document without a document type declaration; no other document is read.

# One piece of markup: a tag, comment, CDATA section or processing instruction; a bare `<` where the data end inside it.
MARKUP = re.compile(
    rb"""(<[^<>!?"'][^<>"']*+(?:(?:"[^"]*+"|'[^']*+')[^<>"']*+)*+>"""
    rb"""|<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<)""",
    re.DOTALL,
)
UNFINISHED = b"<"
TAG_NAME = re.compile(rb"</?([^\s/>]+)")
# Splitting a start tag by it gives five pieces per attribute: the text before, white space, name, equals sign, value.
ATTRIBUTE = re.compile(rb"""(\s+)([^\s=/>]+)(\s*=\s*)("[^"]*"|'[^']*')""")

_ENTITIES = {b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'"}
_REFERENCE = re.compile(rb"&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(\w+));")
_LINE_END = re.compile(rb"\r\n?")
_ESCAPED_IN_TEXT = re.compile(rb"[&<>\r]")
_ESCAPED_IN_ATTRIBUTE = re.compile(rb"[&<>\"'\r\n\t]")


def string_value(content: bytes) -> bytes:
    """Return what the content of an element without child elements means.

    >>> string_value(b"a&amp;b<!-- no -->&#x41;<![CDATA[<&amp;]]>" + bytes([13, 10]))
    b'a&bA<&amp;\\n'
    """
    pieces = MARKUP.split(_LINE_END.sub(b"\n", content))
    pieces[0::2] = map(_decoded, pieces[0::2])
    pieces[1::2] = [piece[9:-3] if piece.startswith(b"<![CDATA[") else b"" for piece in pieces[1::2]]
    return b"".join(pieces)


def attribute_value(written: bytes) -> bytes:
    """Return what the text between an attribute's quotes means.

    >>> attribute_value(b"a\\tb&#9;&quot;")
    b'a b\\t"'
    """
    return _decoded(re.sub(rb"[\t\n]", b" ", _LINE_END.sub(b"\n", written)))


def _decoded(text: bytes) -> bytes:
    return _REFERENCE.sub(_referred, text) if b"&" in text else text


def _referred(found: re.Match[bytes]) -> bytes:
    hexadecimal, decimal, name = found.groups()
    if name:
        return _ENTITIES[name]
    return chr(int(hexadecimal, 16) if hexadecimal else int(decimal)).encode("utf-8")


def with_attribute(tag: bytes, attribute: bytes) -> bytes:
    """Return the start tag with one more attribute at its end.

    >>> with_attribute(b'<V a="1" />', b'b="2"')
    b'<V a="1" b="2" />'
    """
    bare = tag.rstrip(b"/>").rstrip()
    return b"%b %b%b" % (bare, attribute, tag[len(bare) :])


def escaped_texts(texts: list[bytes]) -> list[bytes]:
    """Return texts as the content of elements."""
    return _escaped(texts, _ESCAPED_IN_TEXT, text_xml)


def escaped_attributes(texts: list[bytes]) -> list[bytes]:
    """Return texts escaped for attribute values in either kind of quotes."""
    return _escaped(texts, _ESCAPED_IN_ATTRIBUTE, lambda text: quoted(text)[1:-1].replace("'", "&apos;"))


def _escaped(texts: list[bytes], special: re.Pattern[bytes], escape: Callable[[str], str]) -> list[bytes]:
    if special.search(b"".join(texts)) is None:
        return texts
    return [escape(text.decode("utf-8")).encode("utf-8") if special.search(text) else text for text in texts]


# A value as escaped bytes; b"" is an empty element or attribute, None an absent one.
CellBytes: TypeAlias = bytes | None
# No text is written as these bytes, so they can mark a nil value.
NIL: CellBytes = UNFINISHED
_RECORDS_AT_ONCE = 4096
_IS_ESCAPED = np.isin(np.arange(256), list(b"&<>\r"))


class Cells:
    """Values of `names` for one record after another; only a few thousand records exist as objects at a time."""

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self.names = tuple(columns)
        self.count = len(next(iter(columns.values()))) if columns else None
        assert all(len(column) == self.count for column in columns.values()), "columns of differing length"
        self._columns = tuple(columns.values())
        self._texts = {id(column.buffer): column.buffer.tobytes() for column in self._columns}
        self._first = 0
        self._at_once = 1
        self._rows: list[tuple[CellBytes, ...]] = []

    def row(self, record: int) -> tuple[CellBytes, ...] | None:
        """Return the values of this record, numbered from 0, or None past the last."""
        if self.count is None:
            return ()
        if not 0 <= record - self._first < len(self._rows):
            # Records are asked for one after another, or few of them between long runs.
            self._at_once = min(2 * self._at_once, _RECORDS_AT_ONCE) if record == self._first + len(self._rows) else 1
            self._first = record
            stop = min(record + self._at_once, self.count)
            self._rows = list(zip(*(self._cells(c, record, stop) for c in self._columns), strict=True))
        return self._rows[record - self._first] if record < self.count else None

    def _cells(self, column: Column, first: int, stop: int) -> list[CellBytes]:
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

    def texts(
        self, numbers: Sequence[int | None], absent: Sequence[int], first: int, count: int
    ) -> tuple[Bytes, Counts]:
        """Return the texts of some records from `first` on, one after another, and their lengths: records x numbers.

        A number None has no text. There are fewer than `count` records if the next one has a value that is not
        written as its own bytes, or not absent although it is in `absent`.
        """
        rows = slice(first, first + count)
        found = [None if number is None else _NewTexts.of(self._columns[number].of(rows)) for number in numbers]
        plain = min([one.plain_until() for one in found if one is not None], default=count)
        for number in absent:
            is_there = self._columns[number].present()[first : first + plain]
            plain = int(is_there.argmax()) if is_there.any() else plain
        lengths = np.zeros((plain, len(found)), np.int64)
        starts, buffers, end = lengths.copy(), [np.zeros(1, np.uint8)], 1
        for place, one in enumerate(found):
            if one is not None:
                starts[:, place], lengths[:, place] = one.start[:plain] + end, one.length[:plain]
                buffers.append(one.buffer)
                end += len(one.buffer)
        return gathered(np.concatenate(buffers), starts.ravel(), lengths.ravel()), lengths


@dataclass(frozen=True, slots=True)
class _NewTexts:
    """The values of a variable for some records, in a buffer that has little besides them."""

    state: npt.NDArray[np.uint8]
    buffer: Bytes
    start: Spans
    length: Counts

    @classmethod
    def of(cls, column: Column) -> _NewTexts:
        length = column.stop - column.start
        low, high = int(column.start.min(initial=0)), int(column.stop.max(initial=0))
        if high - low <= 2 * int(length.sum()):
            return cls(column.state, column.buffer[low:high], column.start - low, length)
        return cls(column.state, gathered(column.buffer, column.start, length), np.cumsum(length) - length, length)

    def plain_until(self) -> int:
        """Return how many values come before the first that is absent, nil or has a character to be escaped."""
        is_other = (self.state == State.ABSENT) | (self.state == State.NIL)
        marks = np.flatnonzero(_IS_ESCAPED[self.buffer])
        if len(marks):
            is_other |= np.searchsorted(marks, self.start) < np.searchsorted(marks, self.start + self.length)
        return int(is_other.argmax()) if is_other.any() else len(is_other)


def gathered(buffer: Bytes, starts: Spans, lengths: Counts) -> Bytes:
    """Return some spans of a buffer, one after another."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    found: Bytes = buffer[np.repeat(starts - (ends - lengths), lengths) + np.arange(total)]
    return found


class EmptyCells(Cells):
    """Every value empty, for any number of records."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__({})
        self.names = tuple(sorted(names))
        self._empty: tuple[CellBytes, ...] = (b"",) * len(names)

    def row(self, record: int) -> tuple[CellBytes, ...]:  # noqa: ARG002 - every record is alike
        """Return the empty values."""
        return self._empty

    def texts(
        self,
        numbers: Sequence[int | None],
        absent: Sequence[int],  # noqa: ARG002 - a skeleton adds nothing
        first: int,  # noqa: ARG002 - every record is alike
        count: int,
    ) -> tuple[Bytes, Counts]:
        """Return nothing for every value."""
        return np.zeros(0, np.uint8), np.zeros((count, len(numbers)), np.int64)
