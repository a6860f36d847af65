"""A run of records that all fit one template, as columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Bytes, Spans
from constraint_sdc.data.table import Chunk, Column, Layout, State
from constraint_sdc.files.microdata.parse import FilePlace
from constraint_sdc.files.microdata.tags import NotPlainError, check_characters, decode_values
from constraint_sdc.files.microdata.template import PAD, Slot, Template
from constraint_sdc.limits import VARIABLES

# A run of bytes that begins and ends between records, and the functions that its readers share.

BLANK = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class RecordRun:
    """Bytes of whole records, white space in front included, none after the last."""

    data: bytes
    place: FilePlace


def line_ends_before(raw: Bytes, places: Spans) -> Spans:
    """Return how many line ends stand before each place."""
    return np.searchsorted(np.flatnonzero(raw == 0x0A), places).astype(np.int64)


def count_line_ends(data: bytes) -> int:
    """Return how many line ends the bytes hold."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == 0x0A))


def add_names(names: list[str], more: Iterable[str]) -> None:
    """Append new names; refuse more variables than the limit."""
    known = set(names)
    names.extend(name for name in more if name not in known)
    if len(names) > VARIABLES:
        raise NotPlainError


def column_spans(name: str, buffer: Bytes, count: int, state: State) -> Column:
    """Return a column without any text."""
    nowhere = np.zeros(count, np.int64)
    return Column(name, buffer, nowhere, nowhere, np.full(count, state, np.uint8))


def same_rows(run: RecordRun, template: Template, layout: Layout, names: list[str]) -> Chunk:
    """Return the run's records; raise NotPlainError when a record does not fit the template."""
    data = run.data
    padded = np.frombuffer(data + PAD, np.uint8)
    raw = padded[: len(data)]
    begins, sizes = template.match(data, padded)
    before = data[: int(begins[0, 0])]
    if before.strip(BLANK) or (_has_stray_greater(template, len(begins), raw) and b"]]>" in data):
        raise NotPlainError
    # The white space after the last record is not part of the run.
    after = sum(byte < 0x20 for byte in template.tokens[-1]) - sum(byte < 0x20 for byte in template.last_bare)
    controls = template.controls * len(begins) - after + sum(byte < 0x20 for byte in before)
    is_clean = check_characters(data, raw, controls)
    add_names(names, template.names)
    if is_clean:
        lines = before.count(b"\n") + np.arange(len(begins), dtype=np.int64) * template.line_ends
    else:
        lines = line_ends_before(raw, begins[:, 0])
    return Chunk(
        layout=layout,
        first=run.place.record,
        columns=_columns(template, begins, sizes, data, raw, names, is_clean),
        raw=raw,
        record_start=np.ascontiguousarray(begins[:, 0]),
        record_stop=begins[:, -1] + len(template.last_bare),
        lines=run.place.line + lines,
        outline=template.outline,
    )


def _has_stray_greater(template: Template, count: int, raw: Bytes) -> bool:
    expected = count * sum(token.count(b">") for token in template.tokens)
    return int(np.count_nonzero(raw == 0x3E)) != expected


def _columns(
    template: Template, begins: Spans, sizes: Spans, data: bytes, raw: Bytes, names: list[str], is_clean: bool
) -> dict[str, Column]:
    tokens = [slot.token for slot in template.slots]
    lengths = [len(template.tokens[token]) for token in tokens]
    buffer = raw
    spans = [
        (start := begins[:, token] + length, start + sizes[:, token])
        for token, length in zip(tokens, lengths, strict=True)
    ]
    if not is_clean:
        start, stop = (np.stack([span[side] for span in spans], axis=1) for side in (0, 1))
        in_attribute = np.tile([slot.name.startswith("@") for slot in template.slots], len(begins))
        buffer, first, last = decode_values(data, raw, start.ravel(), stop.ravel(), in_attribute)
        spans = list(zip(first.reshape(start.shape).T.copy(), last.reshape(start.shape).T.copy(), strict=True))
    known = {
        slot.name: Column(slot.name, buffer, *span, _state(slot, *span))
        for slot, span in zip(template.slots, spans, strict=True)
    }
    for name, state in template.constants:
        known[name] = column_spans(name, buffer, len(begins), state)
    return {name: known.get(name) or column_spans(name, buffer, len(begins), State.ABSENT) for name in names}


def _state(slot: Slot, start: Spans, stop: Spans) -> npt.NDArray[np.uint8]:
    without_text = np.uint8(State.NIL if slot.is_nil else State.EMPTY)
    state: npt.NDArray[np.uint8] = np.multiply(start == stop, without_text, dtype=np.uint8)
    return state
