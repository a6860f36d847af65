"""Read rows with the XML parser: slower than the byte scanner, correct for everything that XML allows.

A stream is fed block by block and the parser's tree is pruned after each, so memory does not grow with the file.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml import etree

from constraint_sdc.data.table import Chunk, Layout
from constraint_sdc.errors import DataError, NotRowsError
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.build import RowBuilder, local_name
from constraint_sdc.files.microdata.source import (
    close_parser,
    element_events,
    is_element,
    parse_bytes,
    pull_parser,
    refuse,
    refuse_late,
)
from constraint_sdc.files.xml_names import NameWatch
from constraint_sdc.limits import RECORD_BYTES

# Lines of record start tags, exact at any file size (libxml2's own are not past line 65,535).


def start_tag_pattern(local: str) -> re.Pattern[bytes]:
    """Match a start tag of this local name, or a construct in which `<` is not markup (also an unfinished one).

    In well-formed XML a `<` outside comment, CDATA section and processing instruction always opens a tag.
    """
    name = re.escape(local.encode("utf-8"))
    return re.compile(
        rb"<!--(?P<comment>.*?-->)?|<!\[CDATA\[(?P<cdata>.*?\]\]>)?|<\?(?P<pi>.*?\?>)?"
        rb"|(?P<tag><(?:[^\s<>/!?:]+:)?" + name + rb"(?=[\s/>]))",
        re.DOTALL,
    )


def start_tags(pattern: re.Pattern[bytes], data: bytes) -> Iterator[int]:
    """Yield where the start tags begin, up to a construct that the data does not finish."""
    for found in pattern.finditer(data):
        if found["tag"] is not None:
            yield found.start()
        elif found.lastgroup is None:
            return


class RecordLines:
    """Takes the bytes that the parser gets, and returns the lines of the start tags in document order."""

    def __init__(self, local: str, line: int) -> None:
        self._pattern = start_tag_pattern(local)
        self._line = line
        self._rest = b""
        self._found: deque[int] = deque()

    def feed(self, block: bytes) -> None:
        """Take the next bytes."""
        data = self._rest + block
        counted = 0
        searched = 0
        for found in self._pattern.finditer(data):
            if found["tag"] is not None:
                self._line += data.count(b"\n", counted, found.start())
                counted = found.start()
                self._found.append(self._line)
            elif found.lastgroup is None:
                searched = found.start()
                break
            searched = found.end()
        keep = self._unfinished(data, searched)
        self._line += data.count(b"\n", counted, keep)
        self._rest = data[keep:]

    def next_line(self) -> int:
        """Return the line of the next start tag, which the parser has just reported."""
        return self._found.popleft() if self._found else self._line

    @staticmethod
    def _unfinished(data: bytes, searched: int) -> int:
        last = data.rfind(b"<", searched)
        if data.startswith((b"<!--", b"<![CDATA[", b"<?"), searched):
            return searched
        return last if last >= 0 and b">" not in data[last:] else len(data)


_FEED_BYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where in the file some bytes begin: the line, and the number of the next record."""

    file: str
    line: int = 1
    record: int = 0


class RowParser:
    """A push parser for the rest of a file, from `place` on; completed chunks wait in `full`."""

    def __init__(self, layout: Layout, place: FilePlace, names: list[str], around: Around) -> None:
        self._around = around
        self.rows = RowBuilder(layout, place.file, place.record, names, around)
        self.full: list[Chunk] = []
        self._record = layout.record
        self._place = place
        self._local = local_name(layout.record)
        self._parser = pull_parser(tag=("{*}" + self._local, layout.wrappers[0]))
        self._lines = RecordLines(self._local, place.line)
        self._name_watch = NameWatch()
        self._root: etree._Element | None = None
        self._root_is_ours = False
        self._open: etree._Element | None = None
        self._open_line = 0
        self._open_bytes = 0

    def feed(self, block: bytes, *, is_file: bool = True) -> None:
        """Parse the next bytes; `is_file` is false for start tags that we put before the file's own bytes."""
        late = None
        if is_file:
            self._lines.feed(block)
            late = self._name_watch.feed(block)
        self._root_is_ours |= self._root is None and not is_file
        try:
            self._parser.feed(block)
        except etree.XMLSyntaxError as error:
            self._take_events()
            refuse(error, self._place.file, self._place.line - 1, self._parser)
        refuse_late(late, self._place.file, self._place.line - 1)
        self._take_events()
        self._bound_record(len(block))
        self._prune()

    def close(self) -> None:
        """Say that the document is complete."""
        try:
            close_parser(self._parser)
        except etree.XMLSyntaxError as error:
            refuse(error, self._place.file, self._place.line - 1, self._parser)
        self._take_events()
        if self._root is not None:
            self._around.note_document(self._root, self._record)

    def take_full(self) -> list[Chunk]:
        """Return the waiting chunks, once."""
        full, self.full = self.full, []
        return full

    def _take_events(self) -> None:
        for event, element in element_events(self._parser):
            if event == "start":
                self._begin(element)
            elif element is self._open:
                self.rows.add(element, self._open_line)
                self._open = None
                if self.rows.is_full:
                    self.full.append(self.rows.take_chunk())

    def _begin(self, element: etree._Element) -> None:
        is_root = self._root is None
        if is_root:
            self._root = element
        if local_name(str(element.tag)) != self._local or (is_root and self._root_is_ours):
            return
        line = self._lines.next_line()
        if element.tag == self._record and not is_root:
            if self._open is not None:
                self.rows.not_rows(f"a <{element.tag}> inside another", line)
            self._open = element
            self._open_line = line

    def _bound_record(self, size: int) -> None:
        self._open_bytes = 0 if self._open is None else self._open_bytes + size
        if self._open_bytes > RECORD_BYTES:
            hint = f"at most {RECORD_BYTES >> 20} MB are read as one record"
            raise DataError(
                "a record is too large or has no end tag", file=self._place.file, line=self._open_line, hint=hint
            )

    def _prune(self) -> None:
        """Drop what is complete; only the open elements and the whole last record must stay."""
        node, path = self._root, ""
        while node is not None and len(node):
            path = f"{path}/{node.tag}"
            for complete in list(node)[:-1]:
                self._around.note_child(complete, path, self._record)
            del node[:-1]
            node = node[-1] if is_element(node[-1]) and node[-1].tag != self._record else None


def parse_rest(parser: RowParser, blocks: Iterable[bytes], chunk_bytes: int) -> Iterator[Chunk]:
    """Yield the records of the blocks, about `chunk_bytes` of the file in each chunk, and check every byte."""
    fed = 0
    for block in blocks:
        for at in range(0, len(block), _FEED_BYTES):
            part = block[at : at + _FEED_BYTES]
            parser.feed(part)
            fed += len(part)
            if fed >= chunk_bytes and len(parser.rows):
                parser.full.append(parser.rows.take_chunk())
                fed = 0
            yield from parser.take_full()
    parser.close()
    yield from parser.take_full()
    if len(parser.rows):
        yield parser.rows.take_chunk()


def parse_run(data: bytes, layout: Layout, place: FilePlace, names: list[str], around: Around) -> Chunk | None:
    """Parse a run of bytes between the layout's own tags; None when it is not whole records and nothing else."""
    try:
        node = parse_bytes(layout.head + data + layout.tail)
    except etree.XMLSyntaxError:
        return None
    for _ in layout.wrappers[1:]:
        if len(node) != 1:
            return None
        node = node[0]
    lines = RecordLines(local_name(layout.record), place.line)
    lines.feed(data)
    known, found = list(names), Around()
    rows = RowBuilder(layout, place.file, place.record, known, found)
    found.note_text(node.text, "/" + "/".join(layout.wrappers))
    for child in node:
        found.note_child(child, "/" + "/".join(layout.wrappers), layout.record)
        if child.tag == layout.record:
            try:
                rows.add(child, lines.next_line())
            except NotRowsError:
                return None
            if rows.is_full:
                return None
        elif is_element(child):
            return None
    names[:] = known
    around.add(found)
    return rows.take_chunk()
