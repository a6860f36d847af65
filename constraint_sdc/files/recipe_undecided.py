"""Variables of a draft that nobody has decided on: `init` gives them `role: undecided`, and no command takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from constraint_sdc.files.recipe_yaml import RecipeText

UNDECIDED = "undecided"


def refuse_undecided(content: dict[Any, Any], text: RecipeText) -> None:
    """Refuse a draft; the message names the line and the variable of the first decision, and how many there are."""
    variables = content.get("variables")
    if not isinstance(variables, dict):
        return
    names = [name for name, wish in variables.items() if isinstance(wish, dict) and wish.get("role") == UNDECIDED]
    if not names:
        return
    more = f"; so are {len(names) - 1:,} more variables" if len(names) > 2 else f"; so is {names[-1]}"
    raise UsageError(
        f"{names[0]} is undecided{more if len(names) > 1 else ''}",
        file=text.file,
        line=text.line(["variables", names[0], "role"]),
        hint="replace `undecided` by quasi-identifier, confidential, identifier or untouched",
    )
