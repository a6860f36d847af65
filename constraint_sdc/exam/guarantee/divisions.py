"""How the records of a case are divided: mostly MDAV, now and then another method, unit or weight.

A division has a source of randomness of its own, so that a case is the same whichever method divides it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from constraint_sdc.exam.guarantee.drafting import Draft
from constraint_sdc.exam.guarantee.recipes import averaged, spoken
from constraint_sdc.exam.guarantee.schematron import PlacedRule

METHODS = {"mdav": 10, "auto": 4, "rim": 1, "v-mdav": 1, "mixed": 1, "v-mdav+refine": 1, "tree": 1, "random": 1}
UNITS = ("robust", "none")
POSITIVE = re.compile(r"[0-9]{1,9}([.][0-9]{1,6})?")


@dataclass(frozen=True)
class DrawnDivision:
    """What is drawn for a case; whether weights can be obeyed depends on its variables."""

    method: str
    unit: str | None
    weighs_variables: bool
    weighs_records: bool
    rng: random.Random

    @property
    def searches(self) -> bool:
        """Tell whether the method takes an effort."""
        return self.method == "auto" or self.method.endswith("+refine")


def division_of(seed: int) -> DrawnDivision:
    """Return the division of a case."""
    rng = random.Random(f"division {seed}")
    method = rng.choices(list(METHODS), list(METHODS.values()))[0]
    unit = rng.choice(UNITS) if rng.random() < 0.2 else None
    return DrawnDivision(method, unit, rng.random() < 0.2, rng.random() < 0.6, rng)


def with_division(
    recipe: str | None,
    draft: Draft,
    rules: Sequence[PlacedRule],
    records: Sequence[Mapping[str, str | None]],
    seed: int,
) -> str:
    """Return the recipe with a method, and for some cases a unit, weights of variables or weights of records."""
    content: dict[str, Any] = (yaml.safe_load(recipe) if recipe else None) or {}
    division = division_of(seed)
    content["mask"] = {"partition": division.method}
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
