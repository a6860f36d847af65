"""A run of records whose variables may be absent, empty or in any order, as columns.

Only what is known to be well-formed is accepted:
- every `<` and `>` belongs to a tag whose bytes equal a tag that lxml has parsed;
- consecutive tags follow the grammar of a row, open and close by the same name;
- text occurs only in values; between values there is only white space.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Bytes, Positions, Spans, TagIds
from constraint_sdc.data.table import Chunk, Column, Layout, State
from constraint_sdc.files.microdata.build import MAX_CELLS
from constraint_sdc.files.microdata.same_rows import BLANK, RecordRun, add_names, column_spans, line_ends_before
from constraint_sdc.files.microdata.tags import (
    MAX_TOKEN_BYTES,
    NotPlainError,
    TagKind,
    TagTable,
    check_characters,
    decode_values,
)
from constraint_sdc.files.microdata.template import MASKS

_LESS, _GREATER, _SLASH = b"<>/"
_PAD = bytes(MAX_TOKEN_BYTES + 8)


def _grammar() -> npt.NDArray[np.bool_]:
    within = (TagKind.OPEN, TagKind.EMPTY, TagKind.RECORD_CLOSE)
    follows = {
        TagKind.RECORD_OPEN: within,
        TagKind.OPEN: (TagKind.CLOSE,),
        TagKind.CLOSE: within,
        TagKind.EMPTY: within,
        TagKind.RECORD_CLOSE: (TagKind.RECORD_OPEN,),
    }
    table = np.zeros(64, np.bool_)
    for kind, nexts in follows.items():
        for following in nexts:
            table[kind * 8 + following] = True
    return table


_ALLOWED = _grammar()


@dataclass(frozen=True, slots=True)
class _Tags:
    """The tags of a run: where each begins, its `>`, its token's number and kind."""

    less: Spans
    greater: Spans
    ids: TagIds
    kind: npt.NDArray[np.uint8]

    def places(self, kind: TagKind) -> Positions:
        return np.flatnonzero(self.kind == kind)


def mixed_rows(run: RecordRun, table: TagTable, layout: Layout, names: list[str]) -> Chunk:
    """Return the run's records; raise NotPlainError when they are not plain."""
    data = run.data
    padded = np.frombuffer(data + _PAD, np.uint8)
    raw = padded[: len(data)]
    tags = _find_tags(padded, data, table)
    opens, records, ends = (tags.places(kind) for kind in (TagKind.OPEN, TagKind.RECORD_OPEN, TagKind.RECORD_CLOSE))
    _check_structure(tags, opens, table)
    controls = _count_controls(tags, data, table) + _blank_controls(tags, ends, raw)
    is_clean = check_characters(data, raw, controls)
    columns = _columns(tags, opens, records, data, table, names, is_clean)
    table.note(tags.ids)
    return Chunk(
        layout=layout,
        first=run.place.record,
        columns=columns,
        raw=raw,
        record_start=tags.less.take(records),
        record_stop=tags.greater.take(ends) + 1,
        lines=run.place.line + line_ends_before(raw, tags.less.take(records)),
    )


def _find_tags(padded: Bytes, data: bytes, table: TagTable) -> _Tags:
    raw = padded[: len(data)]
    less = np.flatnonzero(raw == _LESS)
    greater = np.flatnonzero(raw == _GREATER)
    if len(less) != len(greater) or not len(less) or data[: less[0]].strip(BLANK):
        raise NotPlainError
    if not ((less < greater).all() and (greater[:-1] < less[1:]).all()):
        raise NotPlainError
    is_close = padded.take(less + 1) == _SLASH
    stops = np.append(less[1:], greater[-1] + 1)
    before_value = np.flatnonzero(is_close[1:] > is_close[:-1])
    stops[before_value] = greater[before_value] + 1
    ids = _recognise(padded, less, stops - less, data, table)
    return _Tags(less, greater, ids, table.kind.take(ids))


def _recognise(padded: Bytes, less: Spans, lengths: Spans, data: bytes, table: TagTable) -> TagIds:
    if lengths.max() > MAX_TOKEN_BYTES:
        raise NotPlainError
    words = np.ndarray((len(padded) - 7,), "<u8", padded.data, strides=(1,))
    first = words[less] & MASKS.take(lengths, mode="clip")
    longer = []
    rows = np.flatnonzero(lengths > 8)
    left = lengths[rows] - 8
    offset = 8
    while len(rows):
        longer.append((rows, words[less[rows] + offset] & MASKS.take(left, mode="clip")))
        keep = left > 8
        rows, left, offset = rows[keep], left[keep] - 8, offset + 8
    while True:
        ids, same = table.recognise(first, longer, lengths)
        if same.all():
            return ids
        unknown = np.flatnonzero(~same)[:4096]
        spans = zip(less[unknown].tolist(), lengths[unknown].tolist(), strict=True)
        table.learn(dict.fromkeys(data[start : start + size] for start, size in spans))


def _check_structure(tags: _Tags, opens: Positions, table: TagTable) -> None:
    kind = tags.kind
    if kind[0] != TagKind.RECORD_OPEN or kind[-1] != TagKind.RECORD_CLOSE:
        raise NotPlainError
    if not _ALLOWED.take(kind[:-1] * 8 + kind[1:]).all():
        raise NotPlainError
    names = table.name.take(tags.ids)
    if not (names.take(opens) == names.take(opens + 1)).all():
        raise NotPlainError


def _count_controls(tags: _Tags, data: bytes, table: TagTable) -> int:
    counts = np.bincount(tags.ids, minlength=len(table.controls))
    return int(counts @ table.controls) + sum(byte < 0x20 for byte in data[: tags.less[0]])


def _blank_controls(tags: _Tags, ends: Positions, raw: Bytes) -> int:
    """Count the control characters between an empty variable (or an empty record's start) and the record's end tag.

    Before an end tag a token stops at its `>`, and after these two only white space may follow.
    """
    loose = ends[tags.kind.take(ends - 1) != TagKind.CLOSE]
    start = tags.greater.take(loose - 1) + 1
    sizes = tags.less.take(loose) - start
    total = int(sizes.sum())
    between = raw.take(np.repeat(start - (np.cumsum(sizes) - sizes), sizes) + np.arange(total))
    if not np.isin(between, np.frombuffer(BLANK, np.uint8)).all():
        raise NotPlainError
    return int(np.count_nonzero(between < 0x20))


def _columns(
    tags: _Tags, opens: Positions, records: Positions, data: bytes, table: TagTable, names: list[str], is_clean: bool
) -> dict[str, Column]:
    buffer = np.frombuffer(data, np.uint8)
    start, stop = tags.greater.take(opens) + 1, tags.less.take(opens + 1)
    if not is_clean:
        buffer, start, stop = decode_values(data, buffer, start, stop, np.zeros(len(opens), np.bool_))
    empties = tags.places(TagKind.EMPTY)
    places = np.concatenate((opens, empties))
    ids = tags.ids.take(places)
    rows = np.concatenate((_record_of(opens, records), _record_of(empties, records)))
    cell = table.column.take(ids).astype(np.int64) * len(records) + rows
    shape = (len(table.columns), len(records))
    if shape[0] * shape[1] > MAX_CELLS:
        raise NotPlainError
    starts, stops = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    states = np.full(shape, State.ABSENT, np.uint8)
    starts.ravel()[cell[: len(opens)]] = start
    stops.ravel()[cell[: len(opens)]] = stop
    state = np.where(table.nil.take(ids), np.uint8(State.NIL), np.uint8(State.EMPTY))
    state[: len(opens)][start != stop] = State.VALUE
    states.ravel()[cell] = state
    if np.count_nonzero(states != State.ABSENT) != len(places):
        raise NotPlainError  # a variable occurs twice in one record
    known = {name: Column(name, buffer, starts[i], stops[i], states[i]) for i, name in enumerate(table.columns)}
    add_names(names, (name for name, column in known.items() if column.present().any()))
    return {name: known.get(name) or column_spans(name, buffer, len(records), State.ABSENT) for name in names}


def _record_of(places: Positions, records: Positions) -> Positions:
    """Return the number of the record to which each of these tags belongs."""
    bounds = np.append(np.searchsorted(places, records), len(places))
    return np.repeat(np.arange(len(records)), np.diff(bounds))
