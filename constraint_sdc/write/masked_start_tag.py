"""A record's start tag with its masked attributes."""

from __future__ import annotations

from dataclasses import dataclass

from constraint_sdc.errors import DataError
from constraint_sdc.write.masked_cells import Cell
from constraint_sdc.write.masked_markup import ATTRIBUTE, with_attribute
from constraint_sdc.write.masked_scope import Memory, Scope, is_declaration


@dataclass(frozen=True, slots=True)
class _TagShape:
    """What to do with the attributes: `masked` are (piece of the value, number), `removed` the value pieces."""

    masked: tuple[tuple[int, int], ...]
    removed: tuple[int, ...]
    missing: tuple[int, ...]


class StartTagWriter:
    """Writes the attributes that are variables; quotes and white space stay as they are.

    Without `inserts` a variable that a record does not have stays out of it.
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

    def write(self, tag: bytes, scope: Scope, row: tuple[Cell, ...]) -> bytes:
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

    def _shape(self, written: tuple[bytes, ...], scope: Scope) -> _TagShape:
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

    def _new_attribute(self, number: int, cell: bytes, scope: Scope) -> bytes:
        uri, _, local = self._names[number].removeprefix("@").rpartition("}")
        prefix = scope.prefix(uri[1:], for_attribute=True)
        if prefix is None:
            what = f"no prefix for the namespace of {self._names[number]} is declared where a record should get it"
            raise DataError(what, hint="declare the prefix at the root element")
        return b'%b%b="%b"' % (prefix, local.encode("utf-8"), cell)
