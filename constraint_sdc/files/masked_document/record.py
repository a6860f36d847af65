"""One record with its masked values: every byte outside them stays.

A masked value is written as plain text even if it is unchanged, because a comment or CDATA section kept only around
unchanged values would reveal which values these are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from constraint_sdc.data.surroundings import XSI
from constraint_sdc.errors import DataError
from constraint_sdc.files.masked_document.alike_run import Opened, RunTemplate, replaced
from constraint_sdc.files.masked_document.cells import ATTRIBUTE, MARKUP, NIL, CellBytes, Cells, with_attribute
from constraint_sdc.files.masked_document.shape import (
    Leaf,
    Memory,
    NamespaceScope,
    Shape,
    changed_markup,
    is_declaration,
    leaves_of,
    nil_attribute,
    shape_of,
    written_name,
)

# A record's start tag with its masked attributes.


@dataclass(frozen=True, slots=True)
class _TagShape:
    """What to do with the attributes: `masked` are (piece of the value, number), `removed` the value pieces."""

    masked: tuple[tuple[int, int], ...]
    removed: tuple[int, ...]
    missing: tuple[int, ...]


class StartTagWriter:
    """Writes the attributes that are variables; quotes and white space stay as they are.

    Without `inserts` no variable is added to a record that lacks it.
    """

    def __init__(self, names: tuple[str, ...], removed: frozenset[str], *, inserts: bool = True) -> None:
        self._names = names
        self._inserts = inserts
        self._removed = frozenset(name for name in removed if name.startswith("@"))
        self._numbers = {
            name: number for number, name in enumerate(names) if name.startswith("@") and name not in removed
        }
        self._shapes: Memory[_TagShape] = Memory()
        self.has_work = bool(self._numbers or self._removed)

    def write(self, tag: bytes, scope: NamespaceScope, row: tuple[CellBytes, ...]) -> bytes:
        """Return the start tag with the values of `row`."""
        pieces = ATTRIBUTE.split(tag)
        shape = self._shape(tuple(pieces[2::5]), scope)
        for at, number in shape.masked:
            cell = row[number]
            if cell is None:
                pieces[at - 3 : at + 1] = [b""] * 4
            else:
                pieces[at] = pieces[at][:1] + cell + pieces[at][:1]
        for at in shape.removed:
            pieces[at - 3 : at + 1] = [b""] * 4
        written = b"".join(pieces)
        for number in shape.missing:
            cell = row[number]
            if cell is not None:
                written = with_attribute(written, self._new_attribute(number, cell, scope))
        return written

    def _shape(self, written: tuple[bytes, ...], scope: NamespaceScope) -> _TagShape:
        key = (scope.key, *written)
        known = self._shapes.get(key)
        if known is not None:
            return known
        names = [None if is_declaration(name) else "@" + scope.attribute(name) for name in written]
        places = {name: 5 * at + 4 for at, name in enumerate(names) if name is not None}
        shape = _TagShape(
            tuple((places[name], number) for name, number in self._numbers.items() if name in places),
            tuple(places[name] for name in self._removed if name in places),
            tuple(number for name, number in self._numbers.items() if self._inserts and name not in places),
        )
        return self._shapes.keep(key, shape)

    def _new_attribute(self, number: int, cell: bytes, scope: NamespaceScope) -> bytes:
        uri, _, local = self._names[number].removeprefix("@").rpartition("}")
        prefix = scope.prefix(uri[1:], for_attribute=True)
        if prefix is None:
            what = f"{self._names[number]} cannot be added to a record: no prefix for its namespace is declared there"
            raise DataError(what, hint="declare the prefix at the root element")
        return b'%b%b="%b"' % (prefix, local.encode("utf-8"), cell)


# Records of the same shape: one pattern splits a record at its masked values, many times faster.
#
# The pattern holds every piece of markup and white space of an example literally, so what it matches has the
# example's shape; texts cannot hold markup. The slower path handles everything else.

_OTHER_TEXT = rb"[^<]*"
# A text with only one notation: equal bytes are equal values, and different bytes are different values.
_MASKED_TEXT = rb"([^<&>\r]*)"


class RecordTemplate:
    """Matches what follows the start tag of a record; `scope` is the namespaces that the example was read with."""

    def __init__(self, pieces: Sequence[bytes], shape: Shape, scope: bytes) -> None:
        assert not shape.other
        self.scope = scope
        self._missing = shape.missing
        self._numbers = tuple(number for _, number in shape.plain)
        pattern, self._slots, self._constants = _pattern(pieces, shape)
        self._match = re.compile(pattern).match
        self.start_tag = pieces[1]
        self.run = RunTemplate.of(pieces, shape)

    @property
    def missing(self) -> tuple[int, ...]:
        """Return the numbers of the variables that these records lack."""
        return self._missing

    def write(self, data: bytes, at: int, row: tuple[CellBytes, ...]) -> tuple[bytes, int] | None:
        """Return the record from the end of its start tag on with the values of `row`, and its end in the data.

        None when the record has another shape, or its new values need one.
        """
        found = self._match(data, at)
        if found is None:
            return None
        cells = [row[number] for number in self._numbers]
        if None in cells or NIL in cells or any(row[number] is not None for number in self._missing):
            return None
        pieces = list(found.groups())
        for slot, cell in zip(self._slots, cells, strict=True):
            pieces[slot] = cell
        for slot, markup in self._constants:
            pieces[slot] = markup
        return b"".join(pieces), found.end()


def _pattern(pieces: Sequence[bytes], shape: Shape) -> tuple[bytes, list[int], list[tuple[int, bytes]]]:
    """Return the pattern, in which removed variables stand outside all groups, and which groups are masked values.

    Markup that is written otherwise has a group of its own; the last list has what is written in its place.
    """
    masked, changed = {at for at, _ in shape.plain}, dict(shape.changed)
    values = {at for leaf in shape.leaves for at in range(leaf.opens + 1, leaf.closes, 2)}
    removed = {at for leaf in shape.removed for at in range(leaf.opens - 1, leaf.closes + 1)}
    parts: list[bytes] = []
    slots: list[int] = []
    constants: list[tuple[int, bytes]] = []
    groups = 0

    def kind(at: int) -> tuple[bool, bool, int]:
        return at in masked, at in removed, at if at in changed and at not in removed else 0

    for (is_masked, is_removed, changing), places in groupby(range(2, len(pieces)), kind):
        text = b"".join(_OTHER_TEXT if at in values else re.escape(pieces[at]) for at in places)
        if changing:
            constants.append((groups, changed[changing]))
        if is_masked:
            slots.append(groups)
        parts.append(text if is_removed else _MASKED_TEXT if is_masked else b"(%b)" % text)
        groups += not is_removed
    return b"".join(parts), slots, constants


@dataclass(frozen=True, slots=True)
class WrittenRun:
    """Rewritten records, where the last of them ends in the data, and how many they are."""

    text: bytes
    stop: int
    records: int


# A rewritten record, and where it ends in the data.
Whole: TypeAlias = tuple[bytes, int]
# Only a text with one of these can mean something else than its bytes, or have another notation.
_SPECIAL = re.compile(rb"[&>\r]")


class RecordWriter:
    """Writes records one after another. `removed` variables are taken out of each.

    So are the attributes and comments whose paths are in `taken_out`.
    With `is_skeleton` every masked element is written in one form whatever its state: opened, emptied, without
    xsi:nil. Two files that differ only in masked values then have the same skeleton.
    """

    def __init__(
        self,
        cells: Cells,
        removed: frozenset[str],
        *,
        taken_out: frozenset[str] = frozenset(),
        is_skeleton: bool = False,
    ) -> None:
        self._cells = cells
        self._removed = removed
        self._taken_out = taken_out
        self._is_skeleton = is_skeleton
        self._numbers = {name: number for number, name in enumerate(cells.names)}
        self._start_tags = StartTagWriter(cells.names, removed, inserts=not is_skeleton)
        self._shapes: Memory[Shape] = Memory()
        self._templates: Memory[RecordTemplate] = Memory()
        self._template: RecordTemplate | None = None
        self._last: tuple[bytes, ...] = ()
        # For each masked variable, from the last new shape that has it: its name as written, the variables before it.
        self._met: dict[str, tuple[bytes, tuple[str, ...]]] = {}

    @property
    def expects(self) -> int | None:
        """Return how many records there are values for, None for any number."""
        return self._cells.count

    def row(self, record: int) -> tuple[CellBytes, ...] | None:
        """Return the intended values of this record, numbered from 0, or None past the last."""
        return self._cells.row(record)

    def shape(self, pieces: list[bytes], scope: NamespaceScope) -> Shape | None:
        """Return the shape of these pieces of a record; None when they are not one whole flat record."""
        key = (scope.key, *pieces[3::2])
        shape = self._shapes.get(key)
        if shape is not None:
            self._learn(key, pieces, shape)
            return shape
        leaves = leaves_of(pieces[1::2], scope)
        if leaves is None:
            return None
        shape = shape_of(leaves, self._numbers, self._removed)
        if self._taken_out:
            shape = replace(shape, changed=changed_markup(pieces, leaves, scope, self._taken_out))
        if self._is_skeleton:
            shape = replace(shape, missing=())
        self._meet(pieces, shape)
        return self._shapes.keep(key, shape)

    def write_alike(
        self, data: bytes, tag: re.Match[bytes], scope: NamespaceScope, row: tuple[CellBytes, ...]
    ) -> Whole | None:
        """Return the record that this start tag opens, with the values of `row`, if it fits the current template."""
        template = self._template
        if template is None or template.scope != scope.key or tag[0].endswith(b"/>"):
            return None
        rest = template.write(data, tag.end(), row)
        if rest is None:
            return None
        start = self._start_tags.write(tag[0], scope, row) if self._start_tags.has_work else tag[0]
        return start + rest[0], rest[1]

    def write_run(self, opened: Opened, tag: re.Match[bytes], scope: NamespaceScope, record: int) -> WrittenRun | None:
        """Return the run of records that this start tag begins, if all of them fit the current template.

        `record` is the number of the first, from 0. The run ends before a record that has to be written by itself.
        """
        template = self._template
        if template is None or template.run is None or self._start_tags.has_work:
            return None
        if template.scope != scope.key or tag[0] != template.start_tag:
            return None
        run = template.run.match(opened, tag.start())
        if run is None:
            return None
        expected = len(run) if self.expects is None else min(len(run), self.expects - record)
        texts, lengths = self._cells.texts(run.numbers, template.missing, record, max(expected, 0))
        if not len(lengths):
            return None
        run = run.first(len(lengths))
        return WrittenRun(replaced(run, texts, lengths), run.stop, len(run))

    def write(self, pieces: list[bytes], shape: Shape, scope: NamespaceScope, row: tuple[CellBytes, ...]) -> bytes:
        """Return the record, cut at its markup, with the values of `row`."""
        indent = pieces[2] if shape.leaves else b""
        for at, markup in shape.changed:
            pieces[at] = markup
        for at, number in shape.plain:
            cell, written = row[number], pieces[at]
            if cell != written:
                if cell is None or cell is NIL or _SPECIAL.search(written):
                    self._set(pieces, _plain_leaf(at), cell, scope)
                else:
                    pieces[at] = cell
        for leaf, number in shape.other:
            self._set(pieces, leaf, row[number], scope)
        for leaf in shape.removed:
            _take_out(pieces, leaf)
        if self._start_tags.has_work:
            pieces[1] = self._start_tags.write(pieces[1], scope, row)
        if self._is_skeleton:
            _open_record(pieces)
        if shape.missing:
            self._insert_missing(pieces, shape, scope, row, indent)
        return b"".join(pieces)

    def _learn(self, key: tuple[bytes, ...], pieces: list[bytes], shape: Shape) -> None:
        """Prepare for more records of this shape; a template pays only when such records follow each other."""
        known = self._templates.get(key)
        if known is None and key == self._last and not shape.other and len(pieces) > 3:
            known = self._templates.keep(key, RecordTemplate(pieces, shape, scope=key[0]))
        self._template = known or self._template
        self._last = key

    def _meet(self, pieces: list[bytes], shape: Shape) -> None:
        names = tuple(leaf.name for leaf in shape.leaves)
        for number, leaf in enumerate(shape.leaves):
            if leaf.name in self._numbers:
                self._met[leaf.name] = written_name(pieces[leaf.opens]), names[:number]

    def _set(self, pieces: list[bytes], leaf: Leaf, cell: CellBytes, scope: NamespaceScope) -> None:
        if cell is None:
            _take_out(pieces, leaf)
            return
        inner = scope.inside(pieces[leaf.opens])
        content = b"" if cell is NIL else cell
        tag = pieces[leaf.opens]
        if leaf.is_nil or cell is NIL or self._is_skeleton:
            tag = _with_nil(tag, inner, cell is NIL)
        if leaf.opens != leaf.closes:
            pieces[leaf.opens + 1 : leaf.closes] = [content] + [b""] * (leaf.closes - leaf.opens - 2)
        elif content or self._is_skeleton:
            tag = b"%b>%b</%b>" % (tag[:-2].rstrip(), content, written_name(tag))
        pieces[leaf.opens] = tag

    def _insert_missing(
        self, pieces: list[bytes], shape: Shape, scope: NamespaceScope, row: tuple[CellBytes, ...], indent: bytes
    ) -> None:
        places = {leaf.name: leaf.closes for leaf in shape.leaves}
        for number in shape.missing:
            cell = row[number]
            if cell is not None:
                _open_record(pieces)
                name = self._cells.names[number]
                at = places[name] = self._place(name, places)
                pieces[at] += indent + self._new_element(name, cell, scope)

    def _place(self, name: str, places: dict[str, int]) -> int:
        """Return the piece to insert after: the nearest variable that preceded it when last seen, or the last."""
        if name not in self._met:
            return max(places.values(), default=1)
        return next((places[before] for before in reversed(self._met[name][1]) if before in places), 1)

    def _new_element(self, name: str, cell: bytes, scope: NamespaceScope) -> bytes:
        uri, _, local = name.rpartition("}")
        written, declaration = self._met[name][0] if name in self._met else b"", b""
        if not written or scope.element(written) != name:
            prefix = scope.prefix(uri[1:], for_attribute=False)
            written = (prefix or b"") + local.encode("utf-8")
            if prefix is None:
                escaped = uri[1:].replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
                declaration = b' xmlns="%b"' % escaped.encode("utf-8")
        start = b"<%b%b>" % (written, declaration)
        if cell is NIL:
            return b"%b</%b>" % (_with_nil(start, scope.inside(start), True), written)
        return b"%b%b</%b>" % (start, cell, written)


def _plain_leaf(text: int) -> Leaf:
    return Leaf("", text - 1, text + 1)


def _take_out(pieces: list[bytes], leaf: Leaf) -> None:
    for at in range(leaf.opens - 1, leaf.closes + 1):
        pieces[at] = b""


def _with_nil(tag: bytes, scope: NamespaceScope, is_nil: bool) -> bytes:
    """Return the start tag with xsi:nil="true" or without; the former only where a prefix for it is in scope."""
    nil = nil_attribute(tag, scope)
    if nil is not None:
        tag = tag[: nil.start()] + tag[nil.end() :]
    prefix = scope.prefix(XSI, for_attribute=True) if is_nil else None
    return tag if prefix is None else with_attribute(tag, prefix + b'nil="true"')


def _open_record(pieces: list[bytes]) -> None:
    if pieces[1].endswith(b"/>"):
        name = written_name(pieces[1])
        pieces[1] = pieces[1][:-2].rstrip() + b">"
        pieces.append(b"</%b>" % name)


def cut(record: bytes) -> list[bytes]:
    """Cut a record at its markup: texts at even places, markup at odd ones."""
    return MARKUP.split(record)
