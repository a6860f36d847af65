"""A microdata file in memory: opened, surveyed and hashed in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraint_sdc.data.surroundings import DocumentSurroundings
from constraint_sdc.data.table import Chunk, Layout, Table
from constraint_sdc.engines.growing import GrowingArray
from constraint_sdc.engines.running import scratch
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.microdata import Microdata, open_microdata
from constraint_sdc.files.microdata.source import OnePass
from constraint_sdc.files.microdata.whole_table import read_table
from constraint_sdc.files.readings import Readings
from constraint_sdc.limits import SCRATCH_FACTOR
from constraint_sdc.stages import advance, stage

_ROWS = 16_384  # records that are judged at a time


@dataclass(frozen=True, slots=True)
class Dataset:
    """All records of a file, and what is known about the file after its last byte.

    `layout` is that of the whole file, `outside` are the names of all elements outside records, `attributes` are
    "@name" of those that other elements than records have, `lines` the line of each record. `sha256` is of the bytes
    that the table was read from. `record` is the record element that was asked for. `surroundings` are what the
    document has besides variables.
    """

    microdata: Microdata
    table: Table
    layout: Layout
    outside: frozenset[str]
    attributes: frozenset[str]
    lines: npt.NDArray[np.int64]
    sha256: str
    record: str | None = None
    surroundings: DocumentSurroundings = field(default_factory=DocumentSurroundings)

    @property
    def path(self) -> Path:
        """Return where the file is."""
        return self.microdata.path

    def chunks(self) -> Iterator[Chunk]:
        """Yield the records from memory, without their XML."""
        for first in range(0, self.table.records, _ROWS):
            rows = slice(first, first + _ROWS)
            columns = {name: column.of(rows) for name, column in self.table.columns.items()}
            yield Chunk.without_xml(self.layout, columns, self.lines[rows], first)

    def chunks_with_xml(self, readings: Readings) -> Iterator[Chunk]:
        """Yield the records with their XML, read again; the file must still be the one that was read."""
        with OnePass(self.path) as source:
            source.begin()
            yield from self.microdata.chunks(source=source)
        readings.note(self.path, source.sha256)


@stage("reading")
def read_dataset(path: Path, record: str | None = None, progress: Callable[[int], None] = lambda _: None) -> Dataset:
    """Read a file; `record` names its record element if given, `progress` gets the number of records read."""
    around = Around()
    lines = GrowingArray(scratch(), np.int64)
    with OnePass(path) as source:
        microdata = open_microdata(path, record=record, source=source)
        scratch().require(SCRATCH_FACTOR * path.stat().st_size)
        layout = microdata.layout
        is_uniform = layout.is_uniform

        def chunks() -> Iterator[Chunk]:
            nonlocal is_uniform
            for chunk in microdata.chunks(around, source):
                is_uniform &= chunk.layout.is_uniform and chunk.layout.wrappers == layout.wrappers
                lines.append(chunk.lines)
                progress(chunk.first + len(chunk))
                advance(chunk.first + len(chunk), source.share)
                yield chunk

        source.begin()
        table = read_table(chunks(), str(path))
        digest = source.sha256
    whole = replace(layout, is_uniform=is_uniform)
    names = frozenset(around.elements), frozenset(around.attributes)
    return Dataset(microdata, table, whole, *names, lines.finished(), digest, record, around.surroundings())
