"""The fast way through a file: runs of records by the byte scanner, every surprise by the real parser.

Invariant: a run begins where all bytes before it are known to be well-formed and the open elements are exactly the
layout's wrappers. The scanner accounts for every `<` of a run, so a run's end is no guess. When it meets a surprise
(comment, CDATA section, a tag it cannot learn, ...) the parser takes the same run between the layout's tags; if that
fails too, because the run was cut inside something or does not hold records alone, the parser takes the rest of the
file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from lxml import etree

from constraint_sdc.errors import DataError
from constraint_sdc.model.table import Chunk, Layout
from constraint_sdc.read.detect import Detected
from constraint_sdc.read.frame import local_name
from constraint_sdc.read.hardened import parse_bytes, refuse
from constraint_sdc.read.lines import start_tag_pattern, start_tags
from constraint_sdc.read.parse import Place, RowParser, document_names_outside, parse_rest, parse_run
from constraint_sdc.read.run import Run, count_line_ends
from constraint_sdc.read.scan import MAX_RUN_BYTES, Scanner
from constraint_sdc.read.source import Utf8Reader

_MAX_RUN_CHUNKS = 8
_MAX_HEAD_BYTES = 32 << 20
_DECLARATION = re.compile(rb"<\?xml\s[^>]*\?>")


def plain_chunks(
    reader: Utf8Reader, file: str, detected: Detected, chunk_bytes: int, outside: set[str]
) -> Iterator[Chunk]:
    """Yield the records of a file whose text is read as UTF-8, checking all of it on the way.

    Element names outside records go to `outside`; a run that the scanner or `parse_run` takes has none.
    """
    layout = detected.layout
    head, rest = _read_head(reader, file, detected, chunk_bytes, outside)
    names: list[str] = []
    place = Place(file, 1 + head.count(b"\n"))
    scanner = Scanner(layout, detected.written_name, names)
    block = rest
    while block:
        cut = scanner.cut(rest)
        if cut:
            run = Run(rest[:cut], place)
            chunk = scanner.scan(run) or parse_run(run.data, layout, place, names)
            if chunk is None:
                break
            if len(chunk):
                yield chunk
            place = Place(file, place.line + count_line_ends(run.data), place.record + len(chunk))
        elif len(rest) > min(_MAX_RUN_CHUNKS * chunk_bytes, MAX_RUN_BYTES):
            break
        block = reader.read(chunk_bytes)
        rest = rest[cut:] + block
    parser = RowParser(layout, place, names, outside)
    parser.feed(layout.head, is_file=False)
    yield from parse_rest(parser, chain((rest,), reader.blocks(chunk_bytes)), chunk_bytes)


def _read_head(reader: Utf8Reader, file: str, detected: Detected, block: int, outside: set[str]) -> tuple[bytes, bytes]:
    """Return the bytes before the first record and those after, as far as they were read."""
    pattern = start_tag_pattern(local_name(detected.layout.record))
    data = b""
    while len(data) <= _MAX_HEAD_BYTES and (more := reader.read(max(block, len(data)))):
        data += more
        start = next(islice(start_tags(pattern, data), detected.namesakes_before, None), None)
        if start is not None:
            head = _verified_head(data[:start], detected.layout, file)
            outside.update(document_names_outside(head, detected.layout.record))
            return data[:start], data[start:]
    raise DataError("no record in the first 32 MB", file=file, hint="shorten what stands before the records")


def _verified_head(head: bytes, layout: Layout, file: str) -> etree._Element:
    # The declaration names the file's encoding, and these bytes are UTF-8 already.
    declaration = _DECLARATION.match(head)
    body = head[declaration.end() :] if declaration else head
    lines = head.count(b"\n") - body.count(b"\n")
    try:
        return parse_bytes(body + layout.tail)
    except etree.XMLSyntaxError as error:
        refuse(error, file, lines)
