"""Flat rows of an XML file as a stream of chunks of columns.

What is read: any root, any wrappers, one repeated record element, in it one child element or one attribute per
variable. Attributes of a variable's own element are no columns (xsi:nil apart, which becomes a state): a rule that
reads them is judged by Saxon on the record's XML.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from constraint_sdc.model.table import Chunk, Layout
from constraint_sdc.read.detect import Detected, detect
from constraint_sdc.read.parse import Place, RowParser, parse_rest
from constraint_sdc.read.plain_rows import plain_chunks
from constraint_sdc.read.source import (
    Encoding,
    Utf8Reader,
    declare_utf8,
    open_binary,
    read_up_to,
    refuse_foreign,
    sniff_encoding,
)

CHUNK_BYTES = 1 << 20
MAX_CHUNK_BYTES = 4 << 20
_SAMPLE_BLOCK = 1 << 14


@dataclass(frozen=True, slots=True)
class Microdata:
    """A microdata file whose opening has been read: `layout` is that of its first record.

    A chunk carries its own layout, which differs when later records sit under other wrappers.
    """

    path: Path
    layout: Layout
    encoding: str
    _detected: Detected
    _how: Encoding
    _chunk_bytes: int

    def chunks(self, outside: set[str] | None = None) -> Iterator[Chunk]:
        """Yield all records in order; once exhausted, every byte of the file was checked.

        By then `outside` holds the names of all elements outside records (wrappers, headers, trailers).

        A chunk's columns are those seen in the file so far: a variable that it does not have is absent from it.
        """
        outside = set() if outside is None else outside
        with open_binary(self.path) as stream:
            if self._how.codec is not None:
                reader = Utf8Reader(stream, self.path, self._how)
                yield from plain_chunks(reader, str(self.path), self._detected, self._chunk_bytes, outside)
            else:
                parser = RowParser(
                    self.layout, Place(str(self.path)), [], outside, count_lines=self._how.is_ascii_based
                )
                blocks = iter(lambda: read_up_to(stream, self._chunk_bytes, self.path), b"")
                yield from parse_rest(parser, blocks, self._chunk_bytes)


def open_microdata(path: Path, *, record: str | None = None, chunk_bytes: int = CHUNK_BYTES) -> Microdata:
    """Open a microdata file and find its rows; `record` names the record element (local or Clark name) if given."""
    with open_binary(path) as stream:
        opening = read_up_to(stream, _SAMPLE_BLOCK, path)
        refuse_foreign(opening, path)
        how = sniff_encoding(opening)
        if how.is_foreign:
            stream.seek(0)
            reader = Utf8Reader(stream, path, how)
            opening, rest = declare_utf8(reader.read(_SAMPLE_BLOCK)), reader.blocks(_SAMPLE_BLOCK)
        else:
            rest = iter(lambda: read_up_to(stream, _SAMPLE_BLOCK, path), b"")
        detected, encoding = detect(chain((opening,), rest), str(path), record)
    name = "UTF-32" if how.is_foreign else encoding
    return Microdata(path, detected.layout, name, detected, how, min(chunk_bytes, MAX_CHUNK_BYTES))
