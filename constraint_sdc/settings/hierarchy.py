"""Hierarchies of categories: coarser and coarser values of a variable, by code prefixes, bands or a table of levels."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from constraint_sdc.errors import UsageError

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """How values become coarser, level by level; level 0 are the values themselves.

    `prefixes` are numbers of first characters that are kept, `bands` widths of intervals of numbers, both one for each
    level. `table` has a row for each value: the value, then its name on every level.
    """

    prefixes: tuple[int, ...] = ()
    bands: tuple[int, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()

    @property
    def levels(self) -> int:
        """Return how many levels there are above the values."""
        return len(self.prefixes) or len(self.bands) or len(self.table[0]) - 1

    def coarser(self, value: str, level: int) -> str | None:
        """Return the name of a value on a level; None if the hierarchy does not have the value.

        >>> Hierarchy(prefixes=(2, 1)).coarser("NL32", 1), Hierarchy(bands=(10, 50)).coarser("34", 1)
        ('NL*', '30-39')
        """
        if level == 0:
            return value
        if self.prefixes:
            kept = self.prefixes[level - 1]
            return value if len(value) <= kept else f"{value[:kept]}*"
        if self.bands:
            return _band(value, self.bands[level - 1])
        return next((row[level] for row in self.table if row[0] == value), None)


def _band(value: str, width: int) -> str | None:
    """Return the interval of a number: "30-39" for whole numbers, "[30, 40)" for others."""
    if not _NUMBER.fullmatch(value):
        return None
    low = math.floor(float(value) / width) * width
    return f"{low}-{low + width - 1}" if "." not in value else f"[{low}, {low + width})"


def hierarchy_from_json(content: Mapping[str, Any]) -> Hierarchy:
    """Return the hierarchy of a recipe's entry; its levels are rows, not the name of a file."""
    if isinstance(content.get("levels"), str):
        hint = "give the rows: the file of a recipe is read with the recipe only"
        raise UsageError("the levels of a hierarchy are a file name here", hint=hint)
    return Hierarchy(
        prefixes=tuple(content.get("prefix", ())),
        bands=tuple(content.get("bands", ())),
        table=tuple(tuple(str(cell) for cell in row) for row in content.get("levels", ())),
    )


def hierarchy_to_json(hierarchy: Hierarchy) -> dict[str, object]:
    """Return the entry of a recipe."""
    content = {
        "prefix": list(hierarchy.prefixes),
        "bands": list(hierarchy.bands),
        "levels": [list(row) for row in hierarchy.table],
    }
    return {name: entry for name, entry in content.items() if entry}
