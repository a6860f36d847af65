"""All records of a file as columns: the texts of every variable, packed; the columns of a large file are on disk."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from constraint_sdc.data.table import Chunk, Column, State, Table
from constraint_sdc.engines.growing import GrowingArray
from constraint_sdc.engines.running import scratch
from constraint_sdc.engines.scratch import Scratch
from constraint_sdc.limits import require_memory


def read_table(chunks: Iterable[Chunk], file: str = "the file") -> Table:
    """Return the whole file as columns; a variable that a chunk does not have is absent from its records."""
    growing: dict[str, _GrowingColumn] = {}
    place, records = scratch(), 0
    for chunk in chunks:
        for name, column in chunk.columns.items():
            if name not in growing:
                growing[name] = _GrowingColumn(place)
            growing[name].append(chunk.first, column)
        records += len(chunk)
        require_memory(records, len(growing), file)
    return Table({name: found.finished(name, records) for name, found in growing.items()}, records)


class _GrowingColumn:
    """One variable over the records so far, with a buffer that holds no other bytes of the file."""

    def __init__(self, place: Scratch) -> None:
        self._buffer = GrowingArray(place, np.uint8)
        self._start = GrowingArray(place, np.int64)
        self._stop = GrowingArray(place, np.int64)
        self._state = GrowingArray(place, np.uint8)
        self._records = 0
        self._bytes = 0

    def append(self, first: int, column: Column) -> None:
        """Add the records of a chunk, which begin with number `first`; those before that were not given are absent."""
        self._absent_up_to(first)
        length = column.stop - column.start
        stop = np.cumsum(length)
        start = stop - length
        total = int(stop[-1]) if len(stop) else 0
        places = np.repeat(column.start - start, length) + np.arange(total)
        self._buffer.append(column.buffer[places])
        self._start.append(start + self._bytes)
        self._stop.append(stop + self._bytes)
        self._state.append(column.state)
        self._records += len(column)
        self._bytes += total

    def finished(self, name: str, records: int) -> Column:
        """Return the column over all records of the file."""
        self._absent_up_to(records)
        # Never an empty buffer: the evaluator reads eight bytes at a time from wherever a value begins.
        self._buffer.append(np.zeros(8, np.uint8))
        arrays = (self._buffer, self._start, self._stop, self._state)
        return Column(name, *(array.finished() for array in arrays))

    def _absent_up_to(self, records: int) -> None:
        count = records - self._records
        if count > 0:
            self._start.append(np.zeros(count, np.int64))
            self._stop.append(np.zeros(count, np.int64))
            self._state.append(np.full(count, State.ABSENT, np.uint8))
            self._records = records
