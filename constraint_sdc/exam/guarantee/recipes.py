"""Recipes of the generated cases, and how they divide the records."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from constraint_sdc.exam.guarantee.drafting import Draft
from constraint_sdc.exam.guarantee.layouts import NIL
from constraint_sdc.exam.guarantee.schematron import PlacedRule

# Recipes of the generated cases: a third of them says something about variables, groups or grids.

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


def with_dates(draft: Draft, recipe: str | None) -> str | None:
    """Return the recipe with the notation of codes that are dates, where it says nothing else about their masking."""
    if not draft.dates:
        return recipe
    content: dict[str, Any] = yaml.safe_load(recipe) if recipe else {}
    wishes = content.setdefault("variables", {})
    for name in map(draft.layout.variable, draft.dates):
        wish = wishes.get(name, {})
        if wish.get("role") != "untouched" and wish.get("operator") != "geometric mean" and not _has_code(draft, name):
            wishes[name] = {**wish, "grid": "YYYYMMDD"}
    return str(yaml.safe_dump(content, allow_unicode=True, sort_keys=True))


def _has_code(draft: Draft, variable: str) -> bool:
    """Tell whether a missing code that the recipe may not know, or an odd spelling, is among the values."""
    names = [name for name in draft.dates if draft.layout.variable(name) == variable]
    cells = [cell for name in names for cell in draft.columns[name] if cell and cell != NIL]
    return any(re.fullmatch("[0-9]{8}", cell) is None for cell in cells)


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


# How the records of a case are divided: mostly MDAV, now and then another partition, unit or weight.
#
# A division has a source of randomness of its own, so that a case is the same whichever partition divides it.

PARTITIONS = {"mdav": 10, "auto": 4, "rim": 1, "v-mdav": 1, "mixed": 1, "v-mdav+refine": 1, "tree": 1, "random": 1}
UNITS = ("robust", "none")
POSITIVE = re.compile(r"[0-9]{1,9}([.][0-9]{1,6})?")


@dataclass(frozen=True)
class DrawnDivision:
    """What is drawn for a case; whether weights can be obeyed depends on its variables."""

    partition: str
    unit: str | None
    weighs_variables: bool
    weighs_records: bool
    rng: random.Random

    @property
    def searches(self) -> bool:
        """Tell whether the partition takes an effort."""
        return self.partition == "auto" or self.partition.endswith("+refine")


def division_of(seed: int) -> DrawnDivision:
    """Return the division of a case."""
    rng = random.Random(f"division {seed}")
    partition = rng.choices(list(PARTITIONS), list(PARTITIONS.values()))[0]
    unit = rng.choice(UNITS) if rng.random() < 0.2 else None
    return DrawnDivision(partition, unit, rng.random() < 0.2, rng.random() < 0.6, rng)


FIRST_TOTALS = 600
"""Cases from this seed on may compute totals; those before it stay as they were."""


def totals_of(seed: int) -> str | None:
    """Return how totals of a case are masked, None if its recipe does not say."""
    if seed < FIRST_TOTALS:
        return None
    return random.Random(f"totals {seed}").choice((None, "computed", "computed", "auto"))


def with_division(
    recipe: str | None,
    draft: Draft,
    rules: Sequence[PlacedRule],
    records: Sequence[Mapping[str, str | None]],
    seed: int,
) -> str:
    """Return the recipe with a partition, and for some cases a unit, weights of variables or records, and totals."""
    content: dict[str, Any] = (yaml.safe_load(recipe) if recipe else None) or {}
    if (totals := totals_of(seed)) is not None:
        content["totals"] = totals
    division = division_of(seed)
    content["mask"] = {"partition": division.partition}
    if division.unit is not None:
        content["standardise"] = division.unit
    if division.weighs_variables:
        _weigh_variables(content, draft, records, division.rng)
    if division.searches:
        content["effort"] = "fast"
        possible = _possible_weights(content, draft, rules, records)
        if division.weighs_records and possible:
            content["weights"] = division.rng.choice(possible)
    return str(yaml.safe_dump(content, allow_unicode=True, sort_keys=True))


def _weigh_variables(
    content: dict[str, Any], draft: Draft, records: Sequence[Mapping[str, str | None]], rng: random.Random
) -> None:
    """Let some masked variables count more or less than the others."""
    wishes = content.setdefault("variables", {})
    for name in averaged(draft):
        wish = wishes.get(draft.layout.variable(name), {})
        is_there = any(record.get(name) is not None for record in records)
        if is_there and wish.get("role") != "untouched" and rng.random() < 0.5:
            wishes[draft.layout.variable(name)] = {**wish, "weight": rng.choice(("0.01", "0.5", "3", "1000"))}
    if not wishes:
        del content["variables"]


def _possible_weights(
    content: Mapping[str, Any], draft: Draft, rules: Sequence[PlacedRule], records: Sequence[Mapping[str, str | None]]
) -> list[str]:
    """Return variables that could weigh the records: positive numbers that no rule reads and no wish is about."""
    said = spoken(rules)
    listed = content.get("groups", [])
    grouped = [] if listed == "all" else [name for group in listed for name in group]
    taken = {*content.get("variables", {}), *content.get("missing", {}), *grouped}
    found = []
    for name in draft.numeric:
        cells = [record.get(name) or "" for record in records]
        is_weight = all(POSITIVE.fullmatch(cell) and float(cell) > 0 for cell in cells)
        is_free = draft.layout.variable(name) not in taken and re.search(rf"\b{name}\b", said) is None
        if is_weight and is_free:
            found.append(draft.layout.variable(name))
    others = [name for name in averaged(draft) if draft.layout.variable(name) not in found]
    return found if others else []
