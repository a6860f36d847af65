"""Recipes of the generated cases: a third of them says something about variables, groups or grids."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from constraint_sdc.exam.guarantee.drafting import Draft
from constraint_sdc.exam.guarantee.schematron import PlacedRule

OPERATORS = ("arithmetic mean", "geometric mean", "lower median", "mode", "medoid")


def random_recipe(draft: Draft, rules: Sequence[PlacedRule], rng: random.Random) -> str | None:
    """Return a recipe or None; one in fifty pins a variable that a rule may tie to masked ones."""
    if rng.random() > 0.35:
        return None
    wishes = _wishes(draft, rules, rng)
    recipe: dict[str, Any] = {"variables": wishes} if wishes else {}
    if rng.random() < 0.3:
        recipe["groups"] = _groups(draft, wishes, rng)
    if rng.random() < 0.4 and recipe.get("groups") != "all":
        recipe["group_size"] = rng.choice((1, 2, 4, 5))
    coded = [name for name in draft.numeric if "-9" in draft.columns[name]]
    if coded and rng.random() < 0.5:
        recipe["missing"] = {draft.layout.variable(name): ["-9"] for name in coded}
    if rng.random() < 0.2:
        recipe["seed"] = rng.randrange(1000)
    if rng.random() < 0.1:
        recipe["on_broken"] = "keep"
    return str(yaml.safe_dump(recipe, allow_unicode=True, sort_keys=True)) if recipe else None


def averaged(draft: Draft) -> list[str]:
    """Return the variables that can be averaged; codes with leading zeros cannot."""
    return [name for name in draft.numeric if not any(re.match("0[0-9]", cell or "") for cell in draft.columns[name])]


def without(recipe: str | None, names: set[str]) -> str | None:
    """Return the recipe without variables that no record has: naming them is a user's mistake, tested elsewhere."""
    if recipe is None or not names:
        return recipe
    content: dict[str, Any] = yaml.safe_load(recipe)
    for entry in ("variables", "missing"):
        if entry in content:
            content[entry] = {name: said for name, said in content[entry].items() if name not in names}
    if isinstance(content.get("groups"), list):
        content["groups"] = [kept for group in content["groups"] if (kept := [n for n in group if n not in names])]
    content = {entry: said for entry, said in content.items() if said not in ({}, [])}
    return str(yaml.safe_dump(content, allow_unicode=True, sort_keys=True)) if content else None


def _groups(draft: Draft, wishes: Mapping[str, Mapping[str, Any]], rng: random.Random) -> Any:
    names = [draft.layout.variable(name) for name in averaged(draft)]
    masked = [name for name in names if wishes.get(name, {}).get("role") != "untouched"]
    return "all" if rng.random() < 0.5 or len(masked) < 2 else [rng.sample(masked, 2)]


def spoken(rules: Sequence[PlacedRule]) -> str:
    """Return all that the rules say, to look names up in."""
    return " ".join(f"{item.rule.test} {item.rule.predicate} {item.rule.variable} {item.rule.lets}" for item in rules)


def _wishes(draft: Draft, rules: Sequence[PlacedRule], rng: random.Random) -> dict[str, dict[str, Any]]:
    said = spoken(rules)
    wishes: dict[str, dict[str, Any]] = {}
    for name in averaged(draft):
        if rng.random() < 0.25:
            is_tied = re.search(rf"\b{name}\b", said) is not None
            wishes[draft.layout.variable(name)] = _numeric_wish(draft, name, rng, is_tied=is_tied)
    for name in draft.text:
        if rng.random() < 0.4:
            masked = {"role": "quasi-identifier", "type": "nominal"}
            wishes[draft.layout.variable(name)] = masked if rng.random() < 0.6 else {"role": "untouched"}
    if "@id" in draft.columns and rng.random() < 0.7:
        wishes["@id"] = {"role": "identifier", "remove": True} if rng.random() < 0.4 else {"role": "identifier"}
    return wishes


def _numeric_wish(draft: Draft, name: str, rng: random.Random, *, is_tied: bool) -> dict[str, Any]:
    kind = rng.random()
    if kind < (0.02 if is_tied else 0.4):
        return {"role": "untouched"}
    if kind < 0.5:
        return {"role": rng.choice(("quasi-identifier", "confidential"))}
    if kind < 0.7:
        cells = [cell for cell in draft.columns[name] if cell and cell[0] != "\0"]
        decimals = max((len(cell.partition(".")[2]) for cell in cells), default=0)
        return {"grid": "integer" if decimals == 0 else decimals if decimals <= 6 else "free"}
    return {"operator": rng.choice(OPERATORS)}
