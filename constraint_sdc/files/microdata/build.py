"""Columns from parsed record elements, one record at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NoReturn
from xml.sax.saxutils import quoteattr

import numpy as np
from lxml import etree

from constraint_sdc.data.table import Chunk, Column, Layout, column_of
from constraint_sdc.errors import NotRowsError
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.source import is_element
from constraint_sdc.limits import VARIABLES

# The start and end tags around the records, as text that turns any run of records into a document.


def layout_around(parent: etree._Element, record: str, style: str) -> Layout:
    """Describe the elements from the root down to `parent`: names and namespaces, on one line, no other attribute."""
    chain = _chain(parent)
    return Layout(
        wrappers=path_of(parent),
        record=record,
        style=style,
        head="".join(_start_tag(element) for element in chain).encode("utf-8"),
        tail="".join(f"</{qualified_name(element)}>" for element in reversed(chain)).encode("utf-8"),
    )


def local_name(name: str) -> str:
    """Return a Clark name without its namespace.

    >>> local_name("{urn:x}Record")
    'Record'
    """
    return name.rpartition("}")[2]


def attribute_names(element: etree._Element) -> Iterator[str]:
    """Yield "@name" for every attribute of an element."""
    return ("@" + str(name) for name in element.attrib)


def path_of(element: etree._Element) -> tuple[str, ...]:
    """Return the names from the root down to the element."""
    return tuple(str(node.tag) for node in _chain(element))


def _chain(element: etree._Element) -> list[etree._Element]:
    return [*reversed(list(element.iterancestors())), element]


def qualified_name(element: etree._Element) -> str:
    """Return the element's name as the file writes it."""
    local = local_name(str(element.tag))
    return f"{element.prefix}:{local}" if element.prefix else local


def _start_tag(element: etree._Element) -> str:
    outer = element.getparent()
    inherited = {} if outer is None else outer.nsmap
    declared = [
        f" xmlns{':' + prefix if prefix else ''}={quoteattr(uri)}"
        for prefix, uri in element.nsmap.items()
        if inherited.get(prefix) != uri
    ]
    # lxml leaves a default namespace that was switched off (xmlns="") out of nsmap.
    if None in inherited and None not in element.nsmap:
        declared.append(' xmlns=""')
    return f"<{qualified_name(element)}{''.join(declared)}>"


XML_BLANK = " \t\r\n"
# A chunk ends here, so that rows that each add new variables do not fill the memory with absent cells.
MAX_CELLS = 4_000_000
NIL_NAME = "{http://www.w3.org/2001/XMLSchema-instance}nil"


def is_nil(element: etree._Element) -> bool:
    """Tell whether the element says xsi:nil="true"."""
    return element.get(NIL_NAME, "").strip(XML_BLANK) in ("true", "1")


class RowBuilder:
    """Collects record elements into chunks. `names` are the file's columns so far; new ones are appended to it.

    What stands around values goes to `around`: attributes of variables, comments, the elements around records.
    """

    def __init__(self, layout: Layout, file: str, first: int, names: list[str], around: Around) -> None:
        self._layout = layout
        self._file = file
        self._first = first
        self._names = names
        self._around = around
        self._parent: etree._Element | None = None
        self._path: tuple[str, ...] = ()
        self._start_chunk()

    def _start_chunk(self) -> None:
        self._values: dict[str, list[str | None]] = {name: [] for name in self._names}
        self._nil: dict[str, set[int]] = {}
        self._records: list[bytes] = []
        self._lines: list[int] = []
        self._chunk_layout: Layout | None = None

    def __len__(self) -> int:
        return len(self._records)

    @property
    def is_full(self) -> bool:
        """Tell whether the chunk should be taken now."""
        return len(self._records) * len(self._names) > MAX_CELLS

    def add(self, record: etree._Element, line: int) -> None:
        """Add one complete record element that starts at this line."""
        self._note_wrappers(record)
        row = len(self._records)
        for name, text in record.items():
            self._put("@" + str(name), row, str(text), line)
        self._refuse_text(record.text, line)
        for child in record:
            if is_element(child):
                text = self._value(child, line)
                self._put(child.tag, row, text, line)
                if child.attrib:
                    self._note_attributes(child, row, is_empty=not text)
            else:
                self._around.note_in_record(child)
            self._refuse_text(child.tail, line)
        self._records.append(etree.tostring(record, encoding="utf-8", xml_declaration=False, with_tail=False))
        self._lines.append(line)

    def _note_attributes(self, variable: etree._Element, row: int, *, is_empty: bool) -> None:
        self._around.note_variable(str(variable.tag), map(str, variable.attrib))
        if is_empty and is_nil(variable):
            self._nil.setdefault(str(variable.tag), set()).add(row)

    def take_chunk(self) -> Chunk:
        """Return the records since the last chunk."""
        sizes = np.fromiter(map(len, self._records), np.int64, len(self._records))
        stop = np.cumsum(sizes)
        nowhere = column_of("", [None] * len(self._records))
        chunk = Chunk(
            layout=self._chunk_layout or self._layout,
            first=self._first,
            columns={name: self._column(name, nowhere) for name in self._names},
            raw=np.frombuffer(b"".join(self._records), np.uint8),
            record_start=stop - sizes,
            record_stop=stop,
            lines=np.array(self._lines, np.int64),
        )
        self._first += len(self._records)
        self._start_chunk()
        return chunk

    def _column(self, name: str, nowhere: Column) -> Column:
        values = self._values[name]
        if not values:
            return replace(nowhere, name=name)
        values.extend([None] * (len(self._records) - len(values)))
        nil = self._nil.get(name)
        return column_of(name, values, None if nil is None else [row in nil for row in range(len(values))])

    def _value(self, child: etree._Element, line: int) -> str:
        if child.tag == self._layout.record:
            self.not_rows(f"a <{child.tag}> inside another", line)
        if not len(child):
            return child.text or ""
        parts = [child.text or ""]
        for node in child:
            if is_element(node):
                self.not_rows(f"<{node.tag}> inside <{child.tag}>, where a value should be", line)
            self._around.note_in_record(node)
            parts.append(node.tail or "")
        return "".join(parts)

    def _put(self, name: str, row: int, text: str, line: int) -> None:
        values = self._values.get(name)
        if values is None:
            if len(self._names) >= VARIABLES:
                self.not_rows(f"more than {VARIABLES:,} variables", line)
            self._names.append(name)
            values = self._values[name] = []
        if len(values) < row:
            values.extend([None] * (row - len(values)))
        elif len(values) > row:
            self.not_rows(f"variable {name} occurs twice in one record", line)
        values.append(text)

    def _note_wrappers(self, record: etree._Element) -> None:
        parent = record.getparent()
        assert parent is not None
        if parent is not self._parent:
            self._parent = parent
            self._path = path_of(parent)
            self._around.note_wrappers(self._path)
        if self._chunk_layout is None:
            is_known = self._path == self._layout.wrappers
            here = self._layout if is_known else layout_around(parent, self._layout.record, self._layout.style)
            self._chunk_layout = replace(here, is_uniform=self._layout.is_uniform and is_known)
        elif self._path != self._chunk_layout.wrappers:
            self._chunk_layout = replace(self._chunk_layout, is_uniform=False)

    def _refuse_text(self, text: str | None, line: int) -> None:
        if text and text.strip(XML_BLANK):
            self.not_rows("text between the variables of a record", line)

    def not_rows(self, what: str, line: int) -> NoReturn:
        """Raise the error that the records are not flat rows."""
        raise NotRowsError(f"not flat rows: {what}", file=self._file, line=line)
