"""Read the records of a file parent by parent: only the values that tests need, in memory that does not grow with it.

The reader of rows does not say which records share a parent, nor what else stands there. This pass does, and it takes
only files of which it is certain: every parent at the same path, records directly inside parents and nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lxml import etree

from constraint_sdc.arrays import Positions
from constraint_sdc.data.table import Column, Layout, column_of
from constraint_sdc.errors import DataError
from constraint_sdc.files.microdata.build import path_of
from constraint_sdc.files.microdata.source import (
    OnePass,
    Utf8Reader,
    close_parser,
    element_events,
    find_encoding,
    is_element,
    pull_parser,
    read_up_to,
)
from constraint_sdc.files.readings import Readings
from constraint_sdc.judge.across.file_test import PARENT
from constraint_sdc.judge.across.folding import DoubtError

_BLOCK = 1 << 18
_OPENING = 1 << 14
_MOST_RECORDS = 16_384  # of several parents together
MOST_OF_PARENT = 250_000
"""Records of one parent; a larger one is left to Saxon."""


@dataclass(frozen=True, slots=True)
class Families:
    """Some parents with all their records: `parent[i]` is the place of the parent of record i, in document order.

    `records` are columns of the records, `parents` of the parents, under the names that tests have for them.
    """

    records: Mapping[str, Column]
    parents: Mapping[str, Column]
    parent: Positions
    count: int


def read_families(
    path: Path, layout: Layout, names: Collection[str], values: Collection[str], readings: Readings
) -> Iterator[Families]:
    """Yield all parents of a file, with these variables of their records and these values of their own.

    DoubtError if the file is not certainly of this layout, or cannot be read: others say why.
    """
    try:
        with OnePass(path) as source:
            how = find_encoding(read_up_to(source, _OPENING, path), path)
            source.begin()
            parser = _FamilyParser(layout, names, values)
            for block in Utf8Reader(source, path, how).declared_blocks(_BLOCK):
                yield from parser.feed(block)
            yield parser.close()
            readings.note(path, source.sha256)
    except (etree.XMLSyntaxError, DataError):
        raise DoubtError from None


class _FamilyParser:
    """Gathers the values of records and parents as the parser meets them."""

    def __init__(self, layout: Layout, names: Collection[str], values: Collection[str]) -> None:
        self._wrappers, self._record = layout.wrappers, layout.record
        self._parser = pull_parser(tag=(layout.record, layout.wrappers[-1]))
        self._parent: etree._Element | None = None
        self._of_record = _GatheredTexts(names)
        self._of_parent = _GatheredTexts(values)
        self._places: list[int] = []
        self._in_parent = 0

    def feed(self, block: bytes) -> Iterator[Families]:
        self._parser.feed(block)
        for event, element in element_events(self._parser):
            if element.tag == self._record:
                if event == "end":
                    self._end_record(element)
            elif event == "start":
                self._begin_parent(element)
            else:
                self._end_parent(element)
                if len(self._places) >= _MOST_RECORDS or len(self._of_parent) >= _MOST_RECORDS:
                    yield self._taken()

    def close(self) -> Families:
        close_parser(self._parser)
        if self._parent is not None:
            raise DoubtError
        return self._taken()

    def _begin_parent(self, element: etree._Element) -> None:
        if self._parent is not None or path_of(element) != self._wrappers:
            raise DoubtError
        self._parent, self._in_parent = element, 0
        _forget_before(element)

    def _end_record(self, element: etree._Element) -> None:
        if self._parent is None or element.getparent() is not self._parent:
            raise DoubtError
        self._in_parent += 1
        if self._in_parent > MOST_OF_PARENT:
            raise DoubtError
        self._of_record.add(element)
        self._places.append(len(self._of_parent))
        while (before := element.getprevious()) is not None and (before.tag == self._record or not is_element(before)):
            self._parent.remove(before)

    def _end_parent(self, element: etree._Element) -> None:
        if element is not self._parent:
            raise DoubtError
        self._of_parent.add(element)
        self._parent = None

    def _taken(self) -> Families:
        records = self._of_record.taken()
        parents = {PARENT + name: column for name, column in self._of_parent.taken().items()}
        places, self._places = np.array(self._places, np.intp), []
        count = self._of_parent.count
        self._of_parent.count = self._of_record.count = 0
        return Families(records, parents, places, count)


class _GatheredTexts:
    """The texts of some children and attributes of elements, None where there is none."""

    def __init__(self, names: Collection[str]) -> None:
        self._texts: dict[str, list[str | None]] = {name: [] for name in sorted(names)}
        self._tags = [name for name in self._texts if not name.startswith("@")]
        self._attributes = [name for name in self._texts if name.startswith("@")]
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def add(self, element: etree._Element) -> None:
        """Add the values of an element; DoubtError if one is there twice or is more than a text."""
        for name in self._attributes:
            text = element.get(name[1:])
            self._texts[name].append(None if text is None else str(text))
        for child in element.iterchildren(*self._tags) if self._tags else ():
            texts = self._texts[str(child.tag)]
            if len(child) or len(texts) > self.count:
                raise DoubtError
            texts.append(child.text or "")
        self.count += 1
        for name in self._tags:
            if len(self._texts[name]) < self.count:
                self._texts[name].append(None)

    def taken(self) -> dict[str, Column]:
        """Return the columns since the last call; the caller sets `count` back."""
        columns = {name: column_of(name, texts) for name, texts in self._texts.items()}
        for texts in self._texts.values():
            texts.clear()
        return columns


def _forget_before(element: etree._Element) -> None:
    """Remove what is complete before an element and before those around it."""
    node: etree._Element | None = element
    while node is not None and (outer := node.getparent()) is not None:
        while (before := node.getprevious()) is not None:
            outer.remove(before)
        node = outer
