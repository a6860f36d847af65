"""Flat rows of an XML file as a stream of chunks of columns.

What is read: any root, any wrappers, one repeated record element, in it one child element or one attribute per
variable. Attributes of a variable's own element are not columns (except xsi:nil, which becomes a state): a rule that
reads them is judged by Saxon on the record's XML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from constraint_sdc.data.table import Chunk, Layout
from constraint_sdc.engines.engine import SECONDS_PER_BYTE
from constraint_sdc.engines.running import is_divided
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.detect import Detected, detect
from constraint_sdc.files.microdata.divided import Found, RunPiece, map_runs
from constraint_sdc.files.microdata.parse import FilePlace
from constraint_sdc.files.microdata.plain_rows import PlainRows, plain_chunks
from constraint_sdc.files.microdata.source import (
    Continued,
    OnePass,
    Utf8Reader,
    find_encoding,
    open_rows,
    read_up_to,
    refuse_other,
)
from constraint_sdc.files.tables.document import PresentedFile
from constraint_sdc.files.tables.registry import table_format
from constraint_sdc.files.xml_encoding import Encoding

CHUNK_BYTES = 1 << 20
MAX_CHUNK_BYTES = 4 << 20
_SAMPLE_BLOCK = 1 << 14


@dataclass(frozen=True, slots=True)
class Microdata:
    """A microdata file whose opening has been read: `layout` is that of its first record.

    A chunk carries its own layout, which differs when later records sit under other wrappers. `how` is the encoding.
    """

    path: Path
    layout: Layout
    how: Encoding
    _detected: Detected
    _chunk_bytes: int

    def chunks(self, around: Around | None = None, source: OnePass | None = None) -> Iterator[Chunk]:
        """Yield all records in order; after the last one, every byte of the file has been checked.

        `around` then holds what stands around values: names, attributes and values of elements outside records
        (wrappers, headers, trailers), attributes of variables, comments. `source` is the file if it is open already, at
        its first byte.

        A chunk's columns are those seen in the file so far: a variable that it does not have is absent from it.
        """
        around = Around() if around is None else around
        with open_rows(self.path) if source is None else nullcontext(source) as stream:
            reader = Utf8Reader(stream, self.path, self.how)
            yield from plain_chunks(reader, str(self.path), self._detected, self._chunk_bytes, around)

    @property
    def is_worth_dividing(self) -> bool:
        """Tell whether workers would read the file sooner than this process: it is large, and workers are there."""
        size = self.path.stat().st_size if self.path.is_file() else 0
        return self.how.codec == "utf-8" and is_divided(size * SECONDS_PER_BYTE)

    def mapped(
        self, function: Callable[[RunPiece], Found | None], context: object, around: Around, source: OnePass
    ) -> Iterator[tuple[FilePlace, Found | Chunk]]:
        """Yield what workers find in each run of records, in order, and chunks where a run is not plain."""
        reader = Utf8Reader(source, self.path, self.how)
        rows = PlainRows(reader, str(self.path), self._detected, self._chunk_bytes, around)
        size = self.path.stat().st_size
        yield from map_runs(rows, self.layout, self._detected.written_name, function, context, around, size)


def open_microdata(
    path: Path, *, record: str | None = None, chunk_bytes: int = CHUNK_BYTES, source: OnePass | None = None
) -> Microdata:
    """Open a microdata file and find its rows; `record` names the record element (local or Clark name) if given.

    A table has no elements, and so `record`, which a recipe may have for the XML of the same data, does not concern it.
    `source` is the file if it is open already, to be read on from there.
    """
    record = None if table_format(path) is not None else record
    with open_rows(path) if source is None else nullcontext(source) as stream:
        opening = read_up_to(stream, _SAMPLE_BLOCK, path)
        refuse_other(opening, path)
        how = find_encoding(opening, path)
        reader = Utf8Reader(Continued(opening, stream), path, how)
        detected = detect(reader.declared_blocks(_SAMPLE_BLOCK), str(path), record)
        if isinstance(stream, OnePass | PresentedFile):
            detected = replace(detected, declared=stream.names)
    return Microdata(path, detected.layout, how, detected, min(chunk_bytes, MAX_CHUNK_BYTES))
