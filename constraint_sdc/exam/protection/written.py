"""An original and a published file as their bytes say, without any code of the engine: records, values, classes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from lxml import etree

Row = Mapping[str, str]
Value = Fraction | str | None
_NUMBER = re.compile(r"[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Published:
    """What is compared, and what was asked for.

    `recipe` is the recipe as YAML values. `blocks` are the masked variables whose values a group shares, `averaged`
    those of them that are means, and `computed` variables that are computed for every record.
    """

    original: bytes
    masked: bytes
    record: str
    recipe: Mapping[str, Any]
    k: int
    blocks: Sequence[Sequence[str]]
    averaged: frozenset[str] = frozenset()
    computed: tuple[str, ...] = ()


@dataclass(frozen=True)
class WrittenFile:
    """The records of both files, and how their values are read."""

    given: Published
    before: list[Row]
    after: list[Row]
    wishes: Mapping[str, Mapping[str, Any]]
    missing: Mapping[str, frozenset[str]]
    protect: Mapping[str, Any]
    scales: dict[str, bool] = field(default_factory=dict)

    def is_measured(self, name: str) -> bool:
        """Tell whether a variable has numbers or dates; the recipe may call it nominal or ordinal all the same."""
        if name not in self.scales:
            cells = [row.get(name, "") for row in self.before]
            values = [cell for cell in cells if not self._is_missing(name, cell)]
            is_category = self.wishes.get(name, {}).get("type") in ("nominal", "ordinal")
            kinds = (_NUMBER, _DATE)
            self.scales[name] = not is_category and any(all(kind.fullmatch(v) for v in values) for kind in kinds)
        return self.scales[name]

    def value(self, row: Row, name: str) -> Value:
        """Return a number as a fraction, anything else as text, None for a missing value."""
        cell = row.get(name, "").strip()
        if self._is_missing(name, cell):
            return None
        is_number = self.is_measured(name) and _NUMBER.fullmatch(cell)
        return Fraction(cell) if is_number else cell

    def _is_missing(self, name: str, cell: str) -> bool:
        return not cell.strip() or cell.strip() in self.missing.get(name, frozenset())

    def classes(self, names: Sequence[str]) -> dict[tuple[str, ...], list[Row]]:
        """Return the written records by the texts of these variables."""
        found: dict[tuple[str, ...], list[Row]] = defaultdict(list)
        for row in self.after:
            found[tuple(row.get(name, "") for name in names)].append(row)
        return found

    @property
    def key(self) -> tuple[str, ...]:
        """Return the variables of the key: those that `protect` names, or every quasi-identifier."""
        named = self.protect.get("key", {}).get("variables")
        quasi = (name for name, wish in self.wishes.items() if wish.get("role") == "quasi-identifier")
        return tuple(quasi if named is None else named)


def read_files(given: Published) -> WrittenFile:
    """Read both files, and what the recipe says of their variables."""
    recipe = given.recipe
    return WrittenFile(
        given,
        read_rows(given.original, given.record),
        read_rows(given.masked, given.record),
        recipe.get("variables", {}),
        {name: frozenset(map(str, codes)) for name, codes in recipe.get("missing", {}).items()},
        recipe.get("protect", {}),
    )


def read_rows(content: bytes, record: str) -> list[Row]:
    """Return the values of every record by variable, `@name` for an attribute."""
    rows: list[Row] = []
    for element in etree.fromstring(content).iter(record):
        values = {f"@{name!s}": str(text) for name, text in element.items()}
        for leaf in element.iterchildren(etree.Element):
            values[str(leaf.tag)] = "".join(map(str, leaf.itertext(etree.Element)))
        rows.append(values)
    return rows
