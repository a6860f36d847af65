"""Plain rows by their bytes: a run of records becomes spans with NumPy alone, without a Python object per value.

Plain is: nothing but records with child elements, whose tags can be learnt; no comment, CDATA section, processing
instruction, reference or `>` in a text, no carriage return in a value. All else is refused with None, never guessed:
the real parser takes over. What is accepted has been checked to be well-formed, byte by byte:

- every `<` and `>` belongs to a tag whose bytes equal a tag that lxml has parsed;
- consecutive tags follow the grammar of a row, open and close by the same name;
- text stands only in values, the rest is white space; its characters are legal and strict UTF-8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from constraint_sdc.model.table import Bytes, Chunk, Column, Layout, Spans, State
from constraint_sdc.read.parse import Place
from constraint_sdc.read.tags import MAX_TOKEN_BYTES, Ids, Kind, NotPlainError, TagTable

Rows: TypeAlias = npt.NDArray[np.intp]
_ColumnSpans: TypeAlias = tuple[Spans, Spans, npt.NDArray[np.uint8]]
_LESS, _GREATER, _SLASH = b"<>/"
_BLANK = b" \t\r\n"
_PAD = bytes(MAX_TOKEN_BYTES + 8)
# First n bytes of a little-endian word, by n.
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)


def _grammar() -> npt.NDArray[np.bool_]:
    follows = {
        Kind.RECORD_OPEN: (Kind.OPEN, Kind.EMPTY, Kind.RECORD_CLOSE),
        Kind.OPEN: (Kind.CLOSE,),
        Kind.CLOSE: (Kind.OPEN, Kind.EMPTY, Kind.RECORD_CLOSE),
        Kind.EMPTY: (Kind.OPEN, Kind.EMPTY, Kind.RECORD_CLOSE),
        Kind.RECORD_CLOSE: (Kind.RECORD_OPEN,),
    }
    table = np.zeros(64, np.bool_)
    for kind, nexts in follows.items():
        for following in nexts:
            table[kind * 8 + following] = True
    return table


_ALLOWED = _grammar()


@dataclass(frozen=True, slots=True)
class Run:
    """Bytes that begin and end between records (white space in front included)."""

    data: bytes
    place: Place


@dataclass(frozen=True, slots=True)
class _Tags:
    """The tags of a run: where each begins, its `>`, its token's number and kind."""

    less: Spans
    greater: Spans
    ids: Ids
    kind: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Cells:
    """Values in document order: the column of each, its span and its state."""

    column: npt.NDArray[np.int16]
    start: Spans
    stop: Spans
    state: npt.NDArray[np.uint8]


class Scanner:
    """Scans the runs of one file in order; what it learns from one run serves the next."""

    def __init__(self, layout: Layout, record_name: str, names: list[str]) -> None:
        self.end_tag = f"</{record_name}>".encode()
        self.is_hopeful = layout.style == "elements"
        self._layout = layout
        self._names = names
        self._table = TagTable(layout, record_name, names)

    def scan(self, run: Run) -> Chunk | None:
        """Return the run's records, or None when it is not plain."""
        try:
            return self._scan(run)
        except NotPlainError:
            return None

    def _scan(self, run: Run) -> Chunk:
        padded = np.frombuffer(run.data + _PAD, np.uint8)
        raw = padded[: len(run.data)]
        tags = self._find_tags(padded, len(raw), run.data)
        opens = np.flatnonzero(tags.kind == Kind.OPEN)
        self._check_structure(tags, opens, raw)
        newlines = self._check_text(tags, opens, raw, run.data)
        records = np.flatnonzero(tags.kind == Kind.RECORD_OPEN)
        ends = np.flatnonzero(tags.kind == Kind.RECORD_CLOSE)
        return Chunk(
            layout=self._layout,
            first=run.place.record,
            columns=self._columns(tags, opens, records, raw),
            raw=raw,
            record_start=tags.less[records],
            record_stop=tags.greater[ends] + 1,
            lines=run.place.line + self._lines(tags, records, raw, run.data, newlines),
        )

    def _find_tags(self, padded: Bytes, size: int, data: bytes) -> _Tags:
        raw = padded[:size]
        less = np.flatnonzero(raw == _LESS)
        greater = np.flatnonzero(raw == _GREATER)
        if len(less) != len(greater) or not len(less) or data[: less[0]].strip(_BLANK):
            raise NotPlainError
        if not ((less < greater).all() and (greater[:-1] < less[1:]).all()):
            raise NotPlainError
        is_close = padded.take(less + 1) == _SLASH
        stops = np.append(less[1:], greater[-1] + 1)
        before_value = np.flatnonzero(is_close[1:] > is_close[:-1])
        stops[before_value] = greater[before_value] + 1
        ids = self._recognise(padded, less, stops - less, data)
        return _Tags(less, greater, ids, self._table.kind.take(ids))

    def _recognise(self, padded: Bytes, less: Spans, lengths: Spans, data: bytes) -> Ids:
        if lengths.max() > MAX_TOKEN_BYTES:
            raise NotPlainError
        words = np.ndarray((len(padded) - 7,), "<u8", padded.data, strides=(1,))
        first = words[less] & _MASKS.take(lengths, mode="clip")
        longer = []
        rows = np.flatnonzero(lengths > 8)
        left = lengths[rows] - 8
        offset = 8
        while len(rows):
            longer.append((rows, words[less[rows] + offset] & _MASKS.take(left, mode="clip")))
            keep = left > 8
            rows, left, offset = rows[keep], left[keep] - 8, offset + 8
        while True:
            ids, same = self._table.recognise(first, longer, lengths)
            if same.all():
                return ids
            unknown = np.flatnonzero(~same)[:4096]
            starts, sizes = less[unknown].tolist(), lengths[unknown].tolist()
            self._table.learn({data[start : start + size] for start, size in zip(starts, sizes, strict=True)})

    def _check_structure(self, tags: _Tags, opens: Rows, raw: Bytes) -> None:
        kind = tags.kind
        if kind[0] != Kind.RECORD_OPEN or kind[-1] != Kind.RECORD_CLOSE:
            raise NotPlainError
        if not _ALLOWED.take(kind[:-1] * 8 + kind[1:]).all():
            raise NotPlainError
        names = self._table.name.take(tags.ids)
        if not (names.take(opens) == names.take(opens + 1)).all():
            raise NotPlainError
        # Before a close tag a token ends at its `>`; only an open variable's may be followed by more than white space.
        closes = np.flatnonzero(kind == Kind.RECORD_CLOSE)
        loose = closes[kind.take(closes - 1) != Kind.CLOSE]
        if not _is_blank(raw, tags.greater.take(loose - 1) + 1, tags.less.take(loose)):
            raise NotPlainError

    def _check_text(self, tags: _Tags, opens: Rows, raw: Bytes, data: bytes) -> bool:
        """Check every character, and tell whether values are free of control characters (so of line ends)."""
        if b"&" in data:
            raise NotPlainError
        if not data.isascii():
            _check_utf8(data)
        counts = np.bincount(tags.ids, minlength=len(self._table.controls))
        in_tokens = int(counts @ self._table.controls) + sum(byte < 0x20 for byte in data[: tags.less[0]])
        controls = np.count_nonzero(raw < 0x20)
        if controls == in_tokens:
            return True
        returns = np.flatnonzero(raw == 0x0D)
        if controls != np.count_nonzero(raw == 0x09) + data.count(b"\n") + len(returns):
            raise NotPlainError
        value = np.searchsorted(tags.greater.take(opens), returns) - 1
        if ((value >= 0) & (returns < tags.less.take(opens + 1).take(value))).any():
            raise NotPlainError
        return False

    def _lines(self, tags: _Tags, records: Rows, raw: Bytes, data: bytes, in_tokens: bool) -> Spans:
        """Return how many line ends stand before each record."""
        if not in_tokens:
            return np.searchsorted(np.flatnonzero(raw == 0x0A), tags.less.take(records))
        per_record = np.add.reduceat(self._table.newlines.take(tags.ids), records)
        return np.cumsum(per_record) - per_record + data.count(b"\n", 0, int(tags.less[0]))

    def _columns(self, tags: _Tags, opens: Rows, records: Rows, raw: Bytes) -> dict[str, Column]:
        ids = tags.ids.take(opens)
        start, stop = tags.greater.take(opens) + 1, tags.less.take(opens + 1)
        state = (start == stop).view(np.uint8) * np.uint8(State.EMPTY)
        if self._table.nil.any():
            state[self._table.nil.take(ids) & (start == stop)] = State.NIL
        cells = _Cells(self._table.column.take(ids), start, stop, state)
        empties = np.flatnonzero(tags.kind == Kind.EMPTY)
        if not len(empties) and (order := _same_order(cells.column, opens, records)) is not None:
            known = _by_position(cells, order, len(records))
        else:
            known = _by_cell(cells, opens, records, self._empty_cells(tags, empties), empties, len(self._names))
        absent = np.zeros(len(records), np.int64)
        nowhere = np.full(len(records), State.ABSENT, np.uint8)
        spans = (known.get(number, (absent, absent, nowhere)) for number in range(len(self._names)))
        return {name: Column(name, raw, *span) for name, span in zip(self._names, spans, strict=True)}

    def _empty_cells(self, tags: _Tags, empties: Rows) -> _Cells:
        ids = tags.ids.take(empties)
        nowhere = np.zeros(len(empties), np.int64)
        state = np.where(self._table.nil.take(ids), State.NIL, State.EMPTY).astype(np.uint8)
        return _Cells(self._table.column.take(ids), nowhere, nowhere, state)


def _same_order(column: npt.NDArray[np.int16], opens: Rows, records: Rows) -> npt.NDArray[np.int16] | None:
    """Return the order of variables when every record has the same ones in the same order."""
    width, odd = divmod(len(column), len(records))
    if odd or not width or not (np.searchsorted(opens, records) == np.arange(len(records)) * width).all():
        return None
    order = column[:width]
    if len(np.unique(order)) < width or not (column.reshape(-1, width) == order).all():
        return None
    return order


def _by_position(cells: _Cells, order: npt.NDArray[np.int16], count: int) -> dict[int, _ColumnSpans]:
    start, stop, state = (
        np.ascontiguousarray(values.reshape(count, -1).T) for values in (cells.start, cells.stop, cells.state)
    )
    return {int(number): (start[at], stop[at], state[at]) for at, number in enumerate(order)}


def _by_cell(
    cells: _Cells, opens: Rows, records: Rows, empty: _Cells, empties: Rows, width: int
) -> dict[int, _ColumnSpans]:
    count = len(records)
    start, stop = np.zeros(width * count, np.int64), np.zeros(width * count, np.int64)
    state = np.full(width * count, State.ABSENT, np.uint8)
    for some, places in ((cells, opens), (empty, empties)):
        row = np.searchsorted(records, places) - 1
        cell = some.column.astype(np.int64) * count + row
        start[cell], stop[cell], state[cell] = some.start, some.stop, some.state
    if np.count_nonzero(state != State.ABSENT) != len(opens) + len(empties):
        raise NotPlainError  # a variable twice in one record
    shape = (width, count)
    return dict(enumerate(zip(start.reshape(shape), stop.reshape(shape), state.reshape(shape), strict=True)))


def _is_blank(raw: Bytes, start: Spans, stop: Spans) -> bool:
    """Tell whether every byte of these spans is XML white space."""
    sizes = stop - start
    total = int(sizes.sum())
    if not total:
        return True
    places = np.repeat(start - (np.cumsum(sizes) - sizes), sizes) + np.arange(total)
    return bool(np.isin(raw.take(places), np.frombuffer(_BLANK, np.uint8)).all())


def _check_utf8(data: bytes) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotPlainError from None
    if b"\xef\xbf\xbe" in data or b"\xef\xbf\xbf" in data:
        raise NotPlainError
