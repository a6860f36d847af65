"""The document of a case: records, and around them what must be removed (SECRET) and what may be kept (PUBLIC)."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from constraint_sdc.exam.protection.population import Population

SECRET, PUBLIC = "SECRET", "PUBLIC"


@dataclass
class DrawnAround:
    """What stands around the variables, and what the recipe decides on it.

    `noted` are variables whose elements have an attribute; `lines` stand before the records, `attributes` on the root.
    """

    noted: dict[str, str] = field(default_factory=dict)
    has_comments: bool = False
    attributes: str = ""
    lines: list[str] = field(default_factory=list)
    decided: dict[str, object] = field(default_factory=dict)


def draw_around(people: Population, rng: random.Random) -> DrawnAround:
    """Draw what stands around the variables, in a third of the files; what is kept has a reason."""
    around = DrawnAround()
    if rng.random() > 1 / 3:
        return around
    removed = [name for name, wish in people.wishes.items() if wish.get("remove")]
    noted = [name for name in people.columns if not name.startswith("@") and name not in removed]
    for name in rng.sample(noted, min(len(noted), 3)):
        around.noted[name] = SECRET
        if people.wishes[name]["role"] != "confidential":
            around.decided[f"{name}/@orig"] = "remove"
    around.has_comments = rng.random() < 0.5
    if rng.random() < 0.5:
        around.attributes += f' created="{SECRET}"'
        around.decided["/Survey/@created"] = "remove"
    if rng.random() < 0.5:
        around.attributes += f' edition="{PUBLIC}"'
        around.decided["/Survey/@edition"] = {"keep": "the number of the edition"}
    if rng.random() < 0.5:
        around.lines += [f"<Office>{PUBLIC}</Office>", f"<Clerk>{SECRET}</Clerk>", f"<!-- {SECRET} -->"]
        around.decided |= {"Office": {"keep": "the office is public"}, "Clerk": "remove", "comments": "remove"}
    return around


def document(people: Population, around: DrawnAround) -> str:
    """Return the records; a variable `@name` is an attribute of its record."""
    at = [name for name in people.columns if name.startswith("@")]
    inside = [name for name in people.columns if name not in at]
    lines = [f"<Survey{around.attributes}>", *(f"  {line}" for line in around.lines)]
    for row in range(people.size):
        attributes = "".join(f' {name[1:]}="{people.columns[name][row]}"' for name in at)
        leaves = "".join(_leaf(people, around, name, row) for name in inside)
        comment = f"<!-- {SECRET} -->" if around.has_comments and row % 7 == 0 else ""
        lines.append(f"  <{people.record}{attributes}>{comment}{leaves}</{people.record}>")
    return "\n".join([*lines, "</Survey>", ""])


def _leaf(people: Population, around: DrawnAround, name: str, row: int) -> str:
    value = people.columns[name][row]
    mark = f' orig="{around.noted[name]}{value}"' if name in around.noted and row % 3 == 0 else ""
    return f"<{name}{mark}>{value}</{name}>"
