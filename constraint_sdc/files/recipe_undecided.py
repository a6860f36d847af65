"""What nobody has decided on in a draft: `init` writes `undecided`, and no command takes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from constraint_sdc.files.recipe_yaml import RecipeText

_UNDECIDED = "undecided"
_HINTS = {
    "variables": "replace `undecided` by quasi-identifier, confidential, identifier or untouched",
    "surroundings": "replace `undecided` by remove, keep, or {keep: why it is harmless}",
}


def refuse_undecided(content: dict[Any, Any], text: RecipeText) -> None:
    """Refuse a draft; the message names the first thing to be decided with its line, and how many more there are."""
    places = list(_undecided(content))
    if not places:
        return
    section, name = places[0][:2]
    more = (
        ""
        if len(places) == 1
        else f"; so is {places[1][1]}"
        if len(places) == 2
        else f"; so are {len(places) - 1:,} more"
    )
    raise UsageError(f"{name} is undecided{more}", file=text.file, line=text.line(places[0]), hint=_HINTS[section])


def _undecided(content: dict[Any, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the path of every entry that nobody decided on."""
    variables, surroundings = content.get("variables"), content.get("surroundings")
    if isinstance(variables, dict):
        for name, wish in variables.items():
            if isinstance(wish, dict) and wish.get("role") == _UNDECIDED:
                yield "variables", name, "role"
    if isinstance(surroundings, dict):
        yield from (("surroundings", path) for path, fate in surroundings.items() if fate == _UNDECIDED)
