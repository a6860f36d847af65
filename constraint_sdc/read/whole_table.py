"""All records of a file in memory: the texts of every variable, packed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from constraint_sdc.model.table import Bytes, Chunk, Column, Spans, State, Table


def read_table(chunks: Iterable[Chunk]) -> Table:
    """Return the whole file as columns; a variable that a chunk does not have is absent from its records."""
    parts: dict[str, list[tuple[int, Column]]] = {}
    records = 0
    for chunk in chunks:
        for name, column in chunk.columns.items():
            parts.setdefault(name, []).append((chunk.first, _packed(column)))
        records += len(chunk)
    return Table({name: _joined(name, found, records) for name, found in parts.items()}, records)


def _packed(column: Column) -> Column:
    """Return the column over a buffer of its own, without the rest of the file's bytes."""
    length = column.stop - column.start
    stop = np.cumsum(length)
    start = stop - length
    total = int(stop[-1]) if len(stop) else 0
    places = np.repeat(column.start - start, length) + np.arange(total)
    return Column(column.name, column.buffer[places], start, stop, column.state)


def _joined(name: str, parts: list[tuple[int, Column]], records: int) -> Column:
    start: Spans = np.zeros(records, np.int64)
    stop: Spans = np.zeros(records, np.int64)
    state = np.full(records, State.ABSENT, np.uint8)
    buffers: list[Bytes] = []
    offset = 0
    for first, column in parts:
        rows = slice(first, first + len(column))
        start[rows], stop[rows], state[rows] = column.start + offset, column.stop + offset, column.state
        buffers.append(column.buffer)
        offset += len(column.buffer)
    # Never an empty buffer: the evaluator reads eight bytes at a time from wherever a value begins.
    return Column(name, np.concatenate([*buffers, np.zeros(8, np.uint8)]), start, stop, state)
