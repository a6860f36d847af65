"""Hierarchies in a recipe: the CSV file of their levels, and what makes no hierarchy."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constraint_sdc.limits import RECIPE_BYTES
from constraint_sdc.named_copies import beside_copy, is_address, shown_address
from constraint_sdc.settings.words import Role, Scale, VariableWish

if TYPE_CHECKING:
    from constraint_sdc.files.recipe_yaml import RecipeText


def with_levels(content: Mapping[str, Any], text: RecipeText, path: Path) -> dict[str, Any]:
    """Return the content with the rows of every CSV file of levels in place of its name.

    So a recipe in a certificate is complete without further files.
    """
    variables = dict(content.get("variables", {}))
    for name, entry in variables.items():
        file = entry.get("hierarchy", {}).get("levels")
        if isinstance(file, str):
            _refuse_elsewhere(path.parent / file, file, text, ["variables", name, "hierarchy", "levels"])
            rows = _rows(path.parent / file, text, ["variables", name, "hierarchy", "levels"])
            variables[name] = {**entry, "hierarchy": {"levels": rows}}
    return {**content, "variables": variables} if variables else dict(content)


def _refuse_elsewhere(file: Path, name: str, text: RecipeText, place: list[str | int]) -> None:
    """Refuse a file that would have to be fetched: only what a user names on the command line is."""
    if is_address(name) or beside_copy(file) is not None:
        what = f"{shown_address(name)} is not fetched because a recipe names it: write its rows in place of its name"
        raise text.mistake(what, place)


def _rows(file: Path, text: RecipeText, place: list[str | int]) -> list[list[str]]:
    try:
        if file.stat().st_size > RECIPE_BYTES:
            raise text.mistake(f"{file.name} is larger than {RECIPE_BYTES:,} bytes", place)
        with file.open(encoding="utf-8-sig", newline="") as stream:
            rows = [[cell.strip() for cell in row] for row in csv.reader(stream, strict=True) if row]
    except OSError as error:
        raise text.mistake(f"cannot read {file.name}: {error.strerror}", place) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise text.mistake(f"{file.name} is no CSV in UTF-8: {error}", place) from None
    if not rows:
        raise text.mistake(f"{file.name} has no rows", place)
    return rows


def refuse_strange_hierarchy(name: str, wish: VariableWish, text: RecipeText) -> None:
    """Refuse levels that do not become coarser, values that are listed twice, and variables that are not in a key."""
    hierarchy, place = wish.hierarchy, ["variables", name, "hierarchy"]
    assert hierarchy is not None
    if wish.role is not Role.QUASI_IDENTIFIER:
        what = f"the hierarchy of {name} needs the role quasi-identifier: it is for variables of the key"
        raise text.mistake(what, place)
    if wish.scale is Scale.NUMERIC and not hierarchy.bands:
        raise text.mistake(f"{name} is numeric: its hierarchy can only have bands", place)
    if list(hierarchy.prefixes) != sorted(set(hierarchy.prefixes), reverse=True):
        raise text.mistake(f"the prefixes of {name} must become shorter", place)
    if list(hierarchy.bands) != sorted(set(hierarchy.bands)):
        raise text.mistake(f"the bands of {name} must become wider", place)
    if len({len(row) for row in hierarchy.table}) > 1:
        raise text.mistake(f"the rows of the levels of {name} have different lengths", place)
    if hierarchy.table and len(hierarchy.table[0]) == 1:
        raise text.mistake(f"the levels of {name} have a value in each row, and no level", place)
    twice = [value for value, count in Counter(row[0] for row in hierarchy.table).items() if count > 1]
    if twice:
        raise text.mistake(f"the levels of {name} list {twice[0]} twice", place)
    for level in range(1, len(hierarchy.table[0]) - 1 if hierarchy.table else 1):
        above = {(row[level], row[level + 1]) for row in hierarchy.table}
        if len(above) > len({low for low, _ in above}):
            raise text.mistake(f"level {level + 1} of {name} divides a value of level {level}", place)
