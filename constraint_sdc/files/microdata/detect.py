"""Find the record element: by the name given, by our own format, or as the most frequent row in an opening sample.

A row is an element whose children are all values (no element inside, no name twice), or that has attributes only.
Among rows the most frequent path wins, then the one with more variables, then the later one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NoReturn

from lxml import etree

from constraint_sdc.data.table import Layout
from constraint_sdc.errors import NoRecordsError, NotRowsError
from constraint_sdc.files.microdata.build import NIL_NAME, XML_BLANK, layout_around, local_name, qualified_name
from constraint_sdc.files.microdata.source import close_parser, element_events, pull_parser, refuse, refuse_doctype
from constraint_sdc.limits import ELEMENT_KINDS

SAMPLE_BYTES = 1 << 16
OWN_ROOT, OWN_RECORD = "Microdata", "Record"
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Detected:
    """The layout, the record's name as the file writes it, and how many elements of that name start before it.

    `declared` are the variables that the file has even if no record does: the columns of a table.
    """

    layout: Layout
    written_name: str
    namesakes_before: int
    declared: tuple[str, ...] = ()


@dataclass(slots=True)
class _SeenPath:
    """What the sample shows of one element path."""

    count: int = 0
    rows: int = 0
    variables: int = 0
    has_values_beside: bool = False
    has_children: bool = False
    first: Detected | None = None


@dataclass(slots=True)
class _Open:
    """An open element, and what its children are so far."""

    seen: _SeenPath
    names: set[str] = field(default_factory=set)
    is_flat: bool = True
    has_values: bool = False


def detect(blocks: Iterable[bytes], file: str, record: str | None) -> Detected:
    """Read as little of the file's beginning as needed; return the layout of its rows."""
    sample = _Sample(file, record)
    size = 0
    for block in blocks:
        size += len(block)
        sample.feed(block)
        if size >= SAMPLE_BYTES and sample.is_enough():
            break
    else:
        sample.close()
    return sample.best()


class _Sample:
    def __init__(self, file: str, record: str | None) -> None:
        self._file = file
        self._record = record
        self._parser = pull_parser()
        self._paths: dict[Path, _SeenPath] = {}
        self._starts: Counter[str] = Counter()
        self._open: list[_Open] = []
        self._path: Path = ()
        self._root: etree._Element | None = None

    def feed(self, block: bytes) -> None:
        try:
            self._parser.feed(block)
        except etree.XMLSyntaxError as error:
            self._take_events()
            refuse(error, self._file, 0, self._parser)
        self._take_events()
        self._prune()

    def close(self) -> None:
        try:
            close_parser(self._parser)
        except etree.XMLSyntaxError as error:
            refuse(error, self._file, 0, self._parser)
        self._take_events()

    def is_enough(self) -> bool:
        named = self._named()
        if self._record is not None or named:
            return bool(named)
        return self._root is not None and self._root.tag != OWN_ROOT and any(s.rows > 1 for s in self._paths.values())

    def best(self) -> Detected:
        candidates = self._named() if self._record is not None else self._named() or self._rows()
        if not candidates:
            self._no_records()
        path = max(reversed(candidates), key=self._rank)  # the last of equals
        if self._record is None:
            self._refuse_nested(path)
        same_name = [p for p in self._paths if p[-1] == path[-1] and len(p) > 1]
        first = self._paths[same_name[0]].first
        assert first is not None
        style = "elements" if any(self._paths[p].has_children for p in same_name) else "attributes"
        is_uniform = len(same_name) == 1
        return replace(first, layout=replace(first.layout, style=style, is_uniform=is_uniform))

    def _named(self) -> list[Path]:
        """Return the paths with the given name, or with our own format's name; the root is never a record."""
        inner = [path for path in self._paths if len(path) > 1]
        if self._record is not None:
            return [path for path in inner if self._record in (path[-1], local_name(path[-1]))][:1]
        return [path for path in inner if path == (OWN_ROOT, OWN_RECORD)]

    def _rows(self) -> list[Path]:
        return [path for path, seen in self._paths.items() if seen.rows and len(path) > 1]

    def _rank(self, path: Path) -> tuple[int, int]:
        seen = self._paths[path]
        return seen.rows, seen.variables

    def _refuse_nested(self, path: Path) -> None:
        """Refuse rows beside values in a repeated parent: that parent is the record, and it is not flat."""
        parent = self._paths[path[:-1]]
        if parent.has_values_beside and (parent.count > 1 or self._paths[path].count == 1):
            what = f"<{path[-2]}> holds values and <{path[-1]}>, an element where a value should be"
            raise NotRowsError(
                f"not flat rows: {what}", file=self._file, hint="flatten the rows, or name the record element"
            )

    def _no_records(self) -> NoReturn:
        if self._record is not None:
            raise NotRowsError(f"no <{self._record}> element below the root", file=self._file, hint="check its name")
        if len(self._paths) == 1:
            raise NoRecordsError(next(iter(self._paths))[0], file=self._file)
        hint = "rows are elements with one child element or one attribute per variable"
        raise NotRowsError("no records found", file=self._file, hint=hint)

    def _take_events(self) -> None:
        for event, element in element_events(self._parser):
            if event == "start":
                self._start(element)
            else:
                self._end(element)

    def _start(self, element: etree._Element) -> None:
        if self._root is None:
            self._root = element
            refuse_doctype(element, self._file)
        tag = str(element.tag)
        self._path = (*self._path, tag)
        seen = self._paths.get(self._path)
        if seen is None:
            if self._record is None and len(self._paths) == ELEMENT_KINDS:
                what = f"not rows: more than {ELEMENT_KINDS:,} kinds of elements before the records"
                raise NotRowsError(what, file=self._file, hint="name the record element with --record")
            seen = self._paths[self._path] = _SeenPath(first=self._detected(element, tag))
        self._starts[local_name(tag)] += 1
        self._open.append(_Open(seen))

    def _detected(self, element: etree._Element, tag: str) -> Detected | None:
        parent = element.getparent()
        if parent is None:
            return None
        before = self._starts[local_name(tag)]
        return Detected(layout_around(parent, tag, "elements"), qualified_name(element), before)

    def _end(self, element: etree._Element) -> None:
        closed = self._open.pop()
        seen = closed.seen
        tag = self._path[-1]
        self._path = self._path[:-1]
        attributes = [name for name in element.keys() if name != NIL_NAME]  # noqa: SIM118 - lxml elements iterate children
        has_children = bool(closed.names)
        is_row = (closed.is_flat and not _has_text(element)) if has_children else bool(attributes and not element.text)
        seen.count += 1
        seen.has_children |= has_children
        seen.has_values_beside |= closed.has_values
        if is_row:
            seen.rows += 1
            seen.variables = max(seen.variables, len(closed.names) + len(attributes))
        if self._open:
            parent = self._open[-1]
            is_value = not has_children and not (attributes and not element.text)
            parent.is_flat &= is_value and tag not in parent.names
            parent.has_values |= is_value and bool((element.text or "").strip(XML_BLANK))
            parent.names.add(tag)

    def _prune(self) -> None:
        node = self._root
        for _ in self._open:
            if node is None or not len(node):
                return
            del node[:-1]
            node = node[-1]


def _has_text(element: etree._Element) -> bool:
    texts = [element.text, *(child.tail for child in element)]
    return any(text and text.strip(XML_BLANK) for text in texts)
