"""The fast path through a file: the byte scanner reads runs of records, the XML parser everything unexpected.

Invariant: a run begins where all bytes before it are known to be well-formed and the open elements are exactly the
layout's wrappers. The scanner accounts for every `<` of a run, so the end of a run is certain. When it meets something
unexpected (comment, CDATA section, a tag it cannot learn, ...) the parser takes the same run between the layout's tags;
if that fails too, because the run was cut inside a construct or does not hold records alone, the parser takes the rest
of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Protocol

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


class NotesAttributes(Protocol):
    """Hears of the attributes that a variable's element has in so many records."""

    def note_variable(self, variable: str, attributes: Iterable[str], count: int = 1) -> None:
        """Note them."""
        ...


class Scanner:
    """Scans the runs of one file in order; what it learns from one run serves the next."""

    def __init__(self, layout: Layout, record_name: str, names: list[str], around: NotesAttributes) -> None:
        self._end_tag = f"</{record_name}>".encode()
        self._layout = layout
        self._names = names
        self._around = around
        self._table = TagTable(layout, record_name)
        self._template: Template | None = None
        self._misses = 0
        self._rest_until = 0
        self._runs = 0

    def last_end(self, data: bytes) -> int:
        """Return where the last end tag of a record ends in the data, 0 if there is none."""
        at = data.rfind(self._end_tag)
        return at + len(self._end_tag) if at >= 0 else 0

    def cut(self, data: bytes) -> int:
        """Return where the last record of the data seems to end, 0 if none does."""
        if end := self.last_end(data):
            return end
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
    rows = PlainRows(reader, file, detected, chunk_bytes, around)
    for data in rows.runs():
        chunk = rows.take(data)
        if chunk is None:
            rows.put_back(data)
            break
        if len(chunk):
            yield chunk
    yield from rows.rest()


class PlainRows:
    """A file cut into runs of whole records. Take the runs in order; the parser reads what is left, to the last byte.

    `place` is where the next run begins that is taken.
    """

    def __init__(self, reader: Utf8Reader, file: str, detected: Detected, chunk_bytes: int, around: Around) -> None:
        head, self._rest = _read_head(reader, file, detected, chunk_bytes, around)
        self._reader = reader
        self._layout = detected.layout
        self._chunk_bytes = chunk_bytes
        self._around = around
        self._names = list(detected.declared)
        self._scanner = Scanner(detected.layout, detected.written_name, self._names, around)
        self.place = FilePlace(file, 1 + head.count(b"\n"))

    def runs(self) -> Iterator[bytes]:
        """Yield the runs; where they are cut depends on the file alone."""
        block, self._rest = self._rest, b""
        while block:
            cut = self._scanner.last_end(block)
            if cut:  # then every byte is copied once
                run, self._rest = b"".join((self._rest, memoryview(block)[:cut])), block[cut:]
                yield run
            else:
                self._rest += block
                cut = self._scanner.cut(self._rest)
                if cut:
                    run, self._rest = self._rest[:cut], self._rest[cut:]
                    yield run
                elif len(self._rest) > min(_MAX_RUN_CHUNKS * self._chunk_bytes, MAX_RUN_BYTES):
                    return
            block = self._reader.read(self._chunk_bytes)

    def take(self, data: bytes) -> Chunk | None:
        """Return the records of the next run, None if it is not records alone."""
        run = RecordRun(data, self.place)
        chunk = self._scanner.scan(run) or parse_run(data, self._layout, self.place, self._names, self._around)
        if chunk is not None:
            self.skip(len(chunk), count_line_ends(data))
        return chunk

    def skip(self, records: int, line_ends: int) -> None:
        """Go on behind a run that somebody else has read."""
        self.place = FilePlace(self.place.file, self.place.line + line_ends, self.place.record + records)

    def put_back(self, data: bytes) -> None:
        """Let the parser read a run that was not taken, and everything behind it."""
        self._rest = data + self._rest

    def rest(self) -> Iterator[Chunk]:
        """Yield the records that are left; every byte is checked."""
        parser = RowParser(self._layout, self.place, self._names, self._around)
        parser.feed(self._layout.head, is_file=False)
        blocks = chain((self._rest,), self._reader.blocks(self._chunk_bytes))
        yield from parse_rest(parser, blocks, self._chunk_bytes)


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
