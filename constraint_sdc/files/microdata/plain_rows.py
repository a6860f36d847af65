"""The fast path through a file: the byte scanner reads runs of records, the XML parser everything unexpected.

Invariant: a run begins where all bytes before it are known to be well-formed and the open elements are exactly the
layout's wrappers. The scanner accounts for every `<` of a run, so the end of a run is certain. When it meets something
unexpected (comment, CDATA section, a tag it cannot learn, ...) the parser takes the same run between the layout's tags;
if that fails too, because the run was cut inside a construct or does not hold records alone, the parser takes the rest
of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from lxml import etree

from constraint_sdc.data.table import Chunk, Layout
from constraint_sdc.errors import DataError
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.build import local_name
from constraint_sdc.files.microdata.detect import Detected
from constraint_sdc.files.microdata.mixed_rows import mixed_rows
from constraint_sdc.files.microdata.parse import (
    FilePlace,
    RowParser,
    parse_rest,
    parse_run,
    start_tag_pattern,
    start_tags,
)
from constraint_sdc.files.microdata.same_rows import BLANK, RecordRun, count_line_ends, same_rows
from constraint_sdc.files.microdata.source import Utf8Reader, parse_bytes, refuse, refuse_late
from constraint_sdc.files.microdata.tags import NotPlainError, TagTable
from constraint_sdc.files.microdata.template import Template, template_of
from constraint_sdc.files.xml_names import late_name
from constraint_sdc.limits import HEAD_BYTES

# Plain rows by their bytes: a run of records becomes spans with NumPy alone, without a Python object per value.
#
# A plain run holds only records whose tags can be learnt, without comment, CDATA section or processing instruction.
# Everything else goes to the XML parser. Rows that look the same are matched against a template; other rows with
# child elements are recognised tag by tag.

# The parser refuses a text of 10 MB, so a run that could contain one goes to the parser.
MAX_RUN_BYTES = 9 << 20


class Scanner:
    """Scans the runs of one file in order; what it learns from one run serves the next."""

    def __init__(self, layout: Layout, record_name: str, names: list[str], around: Around) -> None:
        self._end_tag = f"</{record_name}>".encode()
        self._layout = layout
        self._names = names
        self._around = around
        self._table = TagTable(layout, record_name)
        self._template: Template | None = None
        self._misses = 0
        self._rest_until = 0
        self._runs = 0

    def cut(self, data: bytes) -> int:
        """Return where the last record of the data seems to end, 0 if none does."""
        at = data.rfind(self._end_tag)
        if at >= 0:
            return at + len(self._end_tag)
        return data.rfind(b"/>") + 2 if self._layout.style == "attributes" and b"/>" in data else 0

    def scan(self, run: RecordRun) -> Chunk | None:
        """Return the run's records, or None when it is not plain."""
        self._runs += 1
        if len(run.data) > MAX_RUN_BYTES:
            return None
        if self._layout.style == "attributes" or self._runs >= self._rest_until:
            chunk = self._by_template(run) or self._by_new_template(run)
            if chunk is not None:
                self._misses = 0
                return chunk
            # Rows that differ usually continue to differ: look for a template less and less often.
            self._misses += 1
            self._rest_until = self._runs + min(1 << self._misses, 32)
        return self._by_tags(run)

    def _by_template(self, run: RecordRun) -> Chunk | None:
        if self._template is None:
            return None
        try:
            chunk = same_rows(run, self._template, self._layout, self._names)
        except NotPlainError:
            return None
        for variable, attributes in self._template.attributes:
            self._around.note_variable(variable, attributes, len(chunk))
        return chunk

    def _by_new_template(self, run: RecordRun) -> Chunk | None:
        try:
            self._template = template_of(*self._example(run.data), self._layout)
        except NotPlainError:
            return None
        return self._by_template(run)

    def _example(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the run's first record and the white space after it."""
        start = data.find(b"<")
        end = data.find(self._end_tag, start) + len(self._end_tag)
        if end < len(self._end_tag):
            end = data.find(b"/>", start) + 2
        following = data.find(b"<", end)
        gap = data[end:following] if following >= 0 else b""
        return data[start:end].strip(BLANK), gap

    def _by_tags(self, run: RecordRun) -> Chunk | None:
        if self._layout.style != "elements":
            return None
        try:
            chunk = mixed_rows(run, self._table, self._layout, self._names)
        except NotPlainError:
            return None
        for (variable, attribute), count in self._table.take_attributes().items():
            self._around.note_variable(variable, (attribute,), count)
        return chunk


_MAX_RUN_CHUNKS = 8
_DECLARATION = re.compile(rb"<\?xml\s[^>]*\?>")


def plain_chunks(
    reader: Utf8Reader, file: str, detected: Detected, chunk_bytes: int, around: Around
) -> Iterator[Chunk]:
    """Yield the records of a file whose text is read as UTF-8, checking all of it on the way.

    What stands around values goes to `around`. A run that the scanner or `parse_run` takes has no elements outside
    records.
    """
    layout = detected.layout
    head, rest = _read_head(reader, file, detected, chunk_bytes, around)
    names: list[str] = []
    place = FilePlace(file, 1 + head.count(b"\n"))
    scanner = Scanner(layout, detected.written_name, names, around)
    block = rest
    while block:
        cut = scanner.cut(rest)
        if cut:
            run = RecordRun(rest[:cut], place)
            chunk = scanner.scan(run) or parse_run(run.data, layout, place, names, around)
            if chunk is None:
                break
            if len(chunk):
                yield chunk
            place = FilePlace(file, place.line + count_line_ends(run.data), place.record + len(chunk))
        elif len(rest) > min(_MAX_RUN_CHUNKS * chunk_bytes, MAX_RUN_BYTES):
            break
        block = reader.read(chunk_bytes)
        rest = rest[cut:] + block
    parser = RowParser(layout, place, names, around)
    parser.feed(layout.head, is_file=False)
    yield from parse_rest(parser, chain((rest,), reader.blocks(chunk_bytes)), chunk_bytes)


def _read_head(reader: Utf8Reader, file: str, detected: Detected, block: int, around: Around) -> tuple[bytes, bytes]:
    """Return the bytes before the first record and those after, as far as they were read."""
    pattern = start_tag_pattern(local_name(detected.layout.record))
    data = b""
    while len(data) <= HEAD_BYTES and (more := reader.read(max(block, len(data)))):
        data += more
        start = next(islice(start_tags(pattern, data), detected.namesakes_before, None), None)
        if start is not None:
            head = _verified_head(data[:start], detected.layout, file)
            around.note_document(head, detected.layout.record)
            around.note_wrappers(detected.layout.wrappers)
            return data[:start], data[start:]
    raise DataError(
        f"no record in the first {HEAD_BYTES >> 20} MB", file=file, hint="shorten the content before the records"
    )


def _verified_head(head: bytes, layout: Layout, file: str) -> etree._Element:
    # The declaration names the file's encoding, and these bytes are UTF-8 already.
    declaration = _DECLARATION.match(head)
    body = head[declaration.end() :] if declaration else head
    lines = head.count(b"\n") - body.count(b"\n")
    refuse_late(late_name(head), file)
    try:
        return parse_bytes(body + layout.tail)
    except etree.XMLSyntaxError as error:
        refuse(error, file, lines)
