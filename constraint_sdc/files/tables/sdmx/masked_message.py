"""The same SDMX message with other values: every byte outside masked cells is kept.

A variable of a series stands once for all its observations, so all of them must have the same masked value. A group, or
the data set itself, that names a masked variable reveals its values: the message is refused unless the recipe takes
the group out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from constraint_sdc.data.surroundings import STRUCTURE
from constraint_sdc.data.table import Column
from constraint_sdc.errors import DataError
from constraint_sdc.files.publication.disk import open_to_write
from constraint_sdc.files.rows_file import header_of, quoted, xml_name
from constraint_sdc.files.tables.sdmx.message import SdmxMessage
from constraint_sdc.files.tables.sdmx.places import SdmxCell
from constraint_sdc.files.tables.sdmx.recognised import DEMANDED, GENERIC
from constraint_sdc.files.tables.sdmx.text import MessageText
from constraint_sdc.files.tables.table_format import TableChange, TableCopied

_ROWS = 1 << 14
_element = lru_cache(maxsize=1 << 14)(xml_name)


class Edit(NamedTuple):
    """Other bytes in place of those from `start` to `stop`."""

    start: int
    stop: int
    new: bytes = b""


def write_masked_message(source: Path, target: Path, change: TableChange) -> TableCopied:
    """Copy the message into the staged file with the values of the change; the digests are those of the source."""
    refuse_demanded(change, source)
    skeleton = hashlib.sha256()
    with MessageText(source) as text, open_to_write(target) as file:
        writer = _NewValues(source, change, is_generic=text.root in GENERIC)
        bare = _BareCells(change, frozenset(change.columns))
        back = hashlib.sha256(text.mark)
        file.write(text.mark)
        for whole, edits in _parts(source, text, change, (writer, bare)):
            back.update(_encoded(whole.data, text.codec, source))
            file.write(_encoded(_edited(whole, edits[0]), text.codec, source))
            skeleton.update(_edited(whole, edits[1]))
        writer.finish()
        if text.codec != "utf-8" and back.hexdigest() != text.sha256:
            what = f"its {text.codec} text cannot be written back byte for byte"
            raise DataError(what, file=str(source), hint="convert the file to UTF-8 first")
        return TableCopied(text.sha256, skeleton.digest())


def message_skeleton(path: Path, change: TableChange) -> TableCopied:
    """Return the digests of a message that `write_masked_message` has written."""
    masked = TableChange({name: column for name, column in change.columns.items() if name not in change.removed})
    skeleton = hashlib.sha256()
    with MessageText(path) as text:
        bare = _BareCells(masked, frozenset(masked.columns))
        for whole, edits in _parts(path, text, masked, (bare,)):
            skeleton.update(_edited(whole, edits[0]))
        return TableCopied(text.sha256, skeleton.digest())


def refuse_demanded(change: TableChange, path: Path) -> None:
    """Refuse to take out what every message must have."""
    for one in (*DEMANDED, STRUCTURE):
        if one in change.taken_out:
            what = f"{one} cannot be removed: no reader of SDMX takes a message without it"
            raise DataError(what, file=str(path), hint=f"keep it in the recipe (surroundings: {{{one}: keep}})")


class _MessageSpan(NamedTuple):
    """Some bytes of a message, by their place."""

    start: int
    data: bytes


def _edited(whole: _MessageSpan, edits: Sequence[Edit]) -> bytes:
    """Return the bytes with the edits made; one inside another goes with it."""
    pieces, at = list[bytes](), whole.start
    for edit in sorted(edits, key=lambda one: (one.start, -one.stop)):
        if edit.start >= at:
            pieces += (whole.data[at - whole.start : edit.start - whole.start], edit.new)
            at = edit.stop
    return b"".join((*pieces, whole.data[at - whole.start :]))


def _encoded(data: bytes, codec: str, path: Path) -> bytes:
    if codec == "utf-8":
        return data
    try:
        return data.decode().encode(codec)
    except UnicodeEncodeError as error:
        what = f"its encoding {codec} cannot hold the character U+{ord(error.object[error.start]):04X} of a new value"
        raise DataError(what, file=str(path), hint="convert the file to UTF-8 first") from None


def _parts(
    path: Path, text: MessageText, change: TableChange, editors: Sequence[_BareCells | _NewValues]
) -> Iterator[tuple[_MessageSpan, list[list[Edit]]]]:
    """Yield the message in parts, each with the edits of every editor."""
    heard = _Everyone(editors)
    message = SdmxMessage(path, text.root, heard, change.taken_out, has_places=True)
    for block in text.blocks():
        message.feed(block)
        yield from _settled(message, editors, min(message.settled, heard.held_from(message.settled)))
    message.feed(b"")
    _refuse_owned(message.remarks.owners, change, path)
    yield from _settled(message, editors, message.window.stop)


def _settled(
    message: SdmxMessage, editors: Sequence[_BareCells | _NewValues], until: int
) -> Iterator[tuple[_MessageSpan, list[list[Edit]]]]:
    for editor in editors:
        editor.drop(message.remarks.drops)
    message.remarks.drops.clear()
    until, start = _whole_edits(editors, until), message.window.base
    if until > start:
        yield _MessageSpan(start, message.window.drop(until)), [editor.taken(until) for editor in editors]


def _whole_edits(editors: Sequence[_BareCells | _NewValues], until: int) -> int:
    """Return the last place up to this one that is inside of no edit."""
    while beyond := [edit.start for editor in editors for edit in editor.edits if edit.start < until < edit.stop]:
        until = min(beyond)
    return until


def _refuse_owned(owners: Mapping[str, set[str]], change: TableChange, path: Path) -> None:
    """Refuse a message whose groups, or whose data set, name a variable that is masked or removed."""
    for name in (*change.columns, *sorted(change.removed)):
        for owner in sorted(owners.get(header_of(name), ())):
            if owner not in change.taken_out and f"{owner}/@{header_of(name)}" not in change.taken_out:
                what = f"{owner} names {header_of(name)} too, which reveals its values before masking"
                hint = f"remove it in the recipe (surroundings: {{{owner}: remove}}), or keep {header_of(name)}"
                raise DataError(what, file=str(path), hint=hint)


class _Edits:
    """Gathers edits; what it hears of and has no use for is passed over."""

    def __init__(self, change: TableChange) -> None:
        self._removed = change.removed
        self._taken_out = change.taken_out
        self.edits: list[Edit] = []

    def drop(self, places: Sequence[tuple[int, int]]) -> None:
        """Leave out what stands around observations."""
        self.edits.extend(Edit(*place) for place in places)

    def taken(self, until: int) -> list[Edit]:
        """Return the edits before a place, and forget them."""
        found = [edit for edit in self.edits if edit.start < until]
        self.edits = [edit for edit in self.edits if edit.start >= until]
        return found

    def note(self, path: str, start: int, stop: int) -> None:
        """Leave out a comment or processing instruction that is taken out."""
        if path in self._taken_out:
            self.edits.append(Edit(start, stop))

    def _gone(self, cell: SdmxCell) -> None:
        assert cell.place is not None
        self.edits.append(Edit(cell.place.start, cell.place.stop))


class _BareCells(_Edits):
    """Leaves out every cell that may differ between a message and its copy: what is left is the skeleton."""

    def __init__(self, change: TableChange, masked: frozenset[str]) -> None:
        super().__init__(change)
        self._bare = masked | change.removed

    def series(self, cells: Sequence[SdmxCell], _: int) -> None:
        """Leave out masked cells of a series."""
        for cell in cells:
            if _element(cell.name) in self._bare:
                self._gone(cell)

    def observation(self, _: Sequence[SdmxCell], own: Sequence[SdmxCell], line: int, _at: int, _inside: str) -> None:
        """Leave out masked cells of an observation."""
        self.series(own, line)

    def series_end(self) -> None:
        """Do nothing."""

    def wrapper(self, names: Sequence[str], start: int, stop: int) -> None:
        """Leave out an element that has nothing but removed cells."""
        if names and all(_element(name) in self._removed for name in names):
            self.edits.append(Edit(start, stop))


class _NewValues(_Edits):
    """Writes masked values, one observation after another."""

    def __init__(self, path: Path, change: TableChange, *, is_generic: bool) -> None:
        super().__init__(change)
        self._path = path
        self._is_generic = is_generic
        self._columns = {name: column for name, column in change.columns.items() if name not in change.removed}
        self._headers = {name: header_of(name) for name in self._columns}
        self._rows = _Values(self._columns)
        self._series: list[tuple[SdmxCell, list[str | None]]] = []
        self._line = 0
        self._in_series = set[str]()
        self._added = set[str]()
        self.waits_from: int | None = None

    def series(self, cells: Sequence[SdmxCell], line: int) -> None:
        """Wait for the values of a series; drop what is removed."""
        self._line = line
        for cell in cells:
            name = _element(cell.name)
            self._in_series.add(name)
            if name in self._added:
                raise self._apart(name, line)
            if name in self._removed:
                self._gone(cell)
            elif name in self._columns:
                assert cell.place is not None
                self._series.append((cell, []))
                if self.waits_from is None:
                    self.waits_from = cell.place.start

    def observation(self, _: Sequence[SdmxCell], own: Sequence[SdmxCell], line: int, add_at: int, _inside: str) -> None:
        """Write the values of an observation."""
        row = self._rows.next_row(self._path)
        of_series = {_element(cell.name) for cell, _ in self._series}
        for cell, values in self._series:
            values.append(row[_element(cell.name)])
        found = {}
        for cell in own:
            name = _element(cell.name)
            if name in self._removed:
                self._gone(cell)
            elif name in self._columns:
                found[name] = cell
        for name, value in row.items():
            if name not in of_series:
                self._write(name, found.get(name), value, line, add_at)

    def _write(self, name: str, cell: SdmxCell | None, value: str | None, line: int, add_at: int) -> None:
        if cell is not None and value is not None:
            assert cell.place is not None
            self.edits.append(Edit(cell.place.value_start, cell.place.value_stop, cell.place.written(value)))
        elif (cell is None or cell.is_no_value) and value is None:
            return
        elif self._is_generic:
            what = f"{self._headers[name]} would come into an observation, or leave it"
            hint = "in a generic message it must have a value everywhere, or be kept or removed in the recipe"
            raise DataError(what, file=str(self._path), line=line, hint=hint)
        elif cell is not None:
            self._gone(cell)
        elif value is not None:
            if name in self._in_series:
                raise self._apart(name, line)
            self._added.add(name)
            self.edits.append(Edit(add_at, add_at, f" {self._headers[name]}={quoted(value)}".encode()))

    def _apart(self, name: str, line: int) -> DataError:
        what = f"{self._headers[name]} stands in series, and would come into observations of a series without it"
        hint = "keep it or remove it in the recipe, or write the message without series"
        return DataError(what, file=str(self._path), line=line, hint=hint)

    def series_end(self) -> None:
        """Write the values of the series, which must be the same in all its observations."""
        for cell, values in self._series:
            if len(set(values)) > 1:
                what = f"{cell.name} stands in the series once, and its observations would get different values"
                hint = f"keep {cell.name} or remove it in the recipe, or write the message without series"
                raise DataError(what, file=str(self._path), line=self._line, hint=hint)
            self._write(_element(cell.name), cell, values[0], self._line, 0)
        self._series, self.waits_from = [], None

    def wrapper(self, names: Sequence[str], start: int, stop: int) -> None:
        """Leave out an element that has nothing but removed cells."""
        if names and all(_element(name) in self._removed for name in names):
            self.edits.append(Edit(start, stop))

    def finish(self) -> None:
        """Refuse a message with another number of observations than there are values."""
        self._rows.finish(self._path)


class _Values:
    """The values of all columns, a row at a time; None where there is none."""

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self._columns = columns
        self._lengths = {len(column) for column in columns.values()}
        self._rows: Iterator[tuple[str | None, ...]] = iter(())
        self._count = 0

    def next_row(self, path: Path) -> dict[str, str | None]:
        """Return the values of the next observation."""
        if not self._columns:
            return {}
        if self._count % _ROWS == 0:
            rows = slice(self._count, self._count + _ROWS)
            self._rows = zip(*(column.of(rows).texts() for column in self._columns.values()), strict=True)
        self._count += 1
        found = next(self._rows, None)
        if found is None:
            raise _changed(path)
        return dict(zip(self._columns, found, strict=True))

    def finish(self, path: Path) -> None:
        """Refuse values that no observation took."""
        if self._lengths - {self._count}:
            raise _changed(path)


def _changed(path: Path) -> DataError:
    what = "the file has changed since it was read: it has another number of observations"
    return DataError(what, file=str(path), hint="run again")


class _Everyone:
    """Lets several editors hear the same message."""

    def __init__(self, editors: Sequence[_BareCells | _NewValues]) -> None:
        self._editors = editors

    def held_from(self, place: int) -> int:
        """Return the place from which an editor waits, or this one."""
        waiting = [one.waits_from for one in self._editors if isinstance(one, _NewValues)]
        return min([place, *(one for one in waiting if one is not None)])

    def series(self, cells: Sequence[SdmxCell], line: int) -> None:
        """Tell all."""
        for one in self._editors:
            one.series(cells, line)

    def observation(
        self, series: Sequence[SdmxCell], own: Sequence[SdmxCell], line: int, add_at: int, inside: str
    ) -> None:
        """Tell all."""
        for one in self._editors:
            one.observation(series, own, line, add_at, inside)

    def series_end(self) -> None:
        """Tell all."""
        for one in self._editors:
            one.series_end()

    def wrapper(self, names: Sequence[str], start: int, stop: int) -> None:
        """Tell all."""
        for one in self._editors:
            one.wrapper(names, start, stop)

    def note(self, path: str, start: int, stop: int) -> None:
        """Tell all."""
        for one in self._editors:
            one.note(path, start, stop)

    def around(self, xml: str) -> None:
        """Pass over it: it is copied."""
