"""Cases of the exam of protection: random files, rules, and recipes that promise something about people."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import yaml

from constraint_sdc.exam.guarantee.generator import ExamCase
from constraint_sdc.exam.guarantee.questionnaire import schema_xml
from constraint_sdc.exam.protection.document import document, draw_around
from constraint_sdc.exam.protection.population import DrawnRule, Population, draw_population
from constraint_sdc.exam.protection.recount import distance, is_diverse, is_dominated

Recipe = dict[str, Any]
MOST_RULES = 5


def make_protected(seed: int) -> ExamCase:
    """Return the case of a seed: always the same one."""
    rng = random.Random(f"protection {seed}")
    k = rng.choice((2, 3, 3, 4, 5, 5, 7))
    people = draw_population(rng, 12 * k + rng.randint(0, 110))
    rules = rng.sample(people.rules, min(len(people.rules), rng.randint(1, MOST_RULES)))
    recipe = _recipe(people, rules, k)
    around = draw_around(people, random.Random(f"around {seed}"))
    if around.decided:
        recipe["surroundings"] = around.decided
    text = str(yaml.safe_dump(recipe, allow_unicode=True, sort_keys=False))
    return ExamCase(
        seed=seed,
        data=document(people, around),
        rules=schema_xml(people.record, {rule.id: rule.test for rule in rules}),
        recipe=text,
        k=k,
        records=people.size,
        record=people.record,
        says=(*(f"{rule.id}: {rule.test}" for rule in rules), *text.splitlines()),
    )


def _recipe(people: Population, rules: Sequence[DrawnRule], k: int) -> Recipe:
    rng = people.rng
    recipe: Recipe = {"variables": people.wishes}
    if people.missing:
        recipe["missing"] = people.missing
    if people.weights and people.chance(0.6):
        recipe["weights"] = people.weights
    partition = "auto" if "weights" in recipe else rng.choice(("mdav", "mdav", "mdav", "v-mdav", "auto"))
    recipe["mask"] = {"partition": partition}
    if partition == "auto":
        recipe["effort"] = "fast"
    if people.chance(0.15):
        recipe["totals"] = rng.choice(("computed", "auto"))
    protect = _protect(people, rules, k, recipe.get("weights"))
    return {**recipe, "protect": protect} if protect else recipe


# What the recipe promises. A promise that could not be kept even if all records with the same unmasked values were one
# group would have to be refused; it is not drawn.


def _protect(people: Population, rules: Sequence[DrawnRule], k: int, weights: str | None) -> Recipe:
    rng = people.rng
    kept = [name for name in people.with_role("untouched") if name not in (people.weights, *_SENSITIVE)]
    masked = [*people.with_role("quasi-identifier"), *people.with_role("confidential")]
    protect: Recipe = {}
    quasi = people.with_role("quasi-identifier")
    is_named = people.chance(0.7)
    key = _key(people, quasi, kept, masked, k) if is_named else tuple(quasi)
    if is_named:
        protect["key"] = {"variables": list(key)}
        if people.chance(0.4):
            protect["key"]["k"] = rng.randint(2, k)
    bound = {name for rule in rules for name in rule.names}
    unmasked = tuple(name for name in kept if name in key or name in bound)
    strata = list(people.classes(unmasked).values())
    together = _tied(key, rules)
    confidential = people.with_role("confidential")
    sensitive = [name for name in (*_SENSITIVE, *confidential) if name in people.columns and name not in together]
    if people.chance(0.45) and (drawn := _diversity(people, sensitive, strata)):
        protect["diversity"] = drawn if people.chance(0.7) else [drawn]
    if people.chance(0.3) and (drawn := _closeness(people, sensitive, strata)):
        protect["closeness"] = drawn
    if people.chance(0.45) and (drawn := _dominance(people, masked, strata, weights)):
        protect["dominance"] = drawn
    if people.chance(0.25) and (drawn := _linkage(people, key, k)):
        protect["linkage"] = drawn
    if people.chance(0.5):
        protect["verbatim"] = rng.choice((0, 0, 0, EVERY, 5, "allowed"))
    return protect


EVERY = {"at most": 0, "count": "every"}
"""The strict reading: records that are equal by chance count too."""

_SENSITIVE = ("Diagnosis", "Rating")


def _key(people: Population, quasi: list[str], kept: list[str], masked: list[str], k: int) -> tuple[str, ...]:
    """Draw masked variables, now and then a confidential one, and unmasked ones of which k records share the values."""
    rng = people.rng
    names = rng.sample(quasi, rng.randint(1, len(quasi)))
    if people.chance(0.15):
        names.append(rng.choice([name for name in masked if name not in names]))
    for name in rng.sample(kept, min(len(kept), rng.choice((0, 1, 2)))):
        unmasked = tuple(n for n in (*names, name) if n in kept)
        if min(map(len, people.classes(unmasked).values())) >= k:
            names.append(name)
    rng.shuffle(names)
    return tuple(names)


def _tied(key: Sequence[str], rules: Sequence[DrawnRule]) -> set[str]:
    """Return the variables that rules may tie to the key, which is masked as one block."""
    together, before = set(key), 0
    while len(together) != before:
        before = len(together)
        for rule in rules:
            if together & set(rule.names):
                together |= set(rule.names)
    return together


def _diversity(people: Population, sensitive: Sequence[str], strata: Sequence[Sequence[int]]) -> Recipe | None:
    rng = people.rng
    of = rng.choice(sensitive) if people.chance(0.3) else next(name for name in _SENSITIVE if name in people.columns)
    kind = rng.choice(("distinct", "distinct", "entropy", "recursive"))
    for least in rng.sample((2, 3, 4), 3):
        c = rng.choice((1.5, 2, 3))
        is_masked = people.wishes[of]["role"] == "confidential"
        if is_masked and (kind != "distinct" or least > 2):
            continue
        counts = [_counts(people, of, rows) for rows in strata]
        if all(is_diverse(count, kind, least * 1.2 if kind == "entropy" else least, c * 0.7) for count in counts):
            said: Recipe = {"of": of, "l": least}
            if kind != "distinct" or people.chance(0.3):
                said["kind"] = kind
            return {**said, "c": c} if kind == "recursive" else said
    return None


def _counts(people: Population, name: str, rows: Sequence[int]) -> list[int]:
    cells = [people.columns[name][row] for row in rows]
    known = [cell for cell in cells if cell not in people.missing.get(name, ())]
    return [known.count(cell) for cell in set(known)]


def _closeness(people: Population, sensitive: Sequence[str], strata: Sequence[Sequence[int]]) -> Recipe | None:
    rng = people.rng
    of = rng.choice(sensitive) if people.chance(0.4) else next(name for name in _SENSITIVE if name in people.columns)
    cells = people.columns[of]
    apart = max(distance([cells[row] for row in rows], cells, is_ordered=False) for rows in strata)
    if of not in _SENSITIVE and apart > 0:
        return None
    possible = [t for t in (0.15, 0.2, 0.3, 0.4, 0.5) if t >= apart + Fraction(1, 50)]
    return {"of": of, "t": rng.choice(possible)} if possible else None


def _dominance(
    people: Population, masked: Sequence[str], strata: Sequence[Sequence[int]], weights: str | None
) -> Recipe | None:
    rng = people.rng
    rules: list[Recipe] = [{"p": 5}, {"p": 10}, {"p": 20}, {"n": 1, "share": 70}, {"n": 2, "share": 85}]
    rules.append({"p": 8, "n": 2, "share": 90})
    columns = list(_amounts(people, masked, weights))
    for rule in rng.sample(rules, 3):
        if not any(is_dominated([column[row] for row in rows], rule) for column in columns for rows in strata):
            return rule
    return None


def _amounts(people: Population, masked: Sequence[str], weights: str | None) -> Iterator[list[Fraction]]:
    """Yield what every record adds to the sum of each masked number."""
    counts = [Fraction(cell) for cell in people.columns[weights]] if weights else [Fraction(1)] * people.size
    for name in masked:
        if people.wishes[name].get("type") == "nominal" or name == "Born":
            continue
        missing = people.missing.get(name, ())
        sizes = [Fraction(0) if cell in missing else abs(Fraction(cell)) for cell in people.columns[name]]
        yield [size * count for size, count in zip(sizes, counts, strict=True)]


def _linkage(people: Population, key: Sequence[str], k: int) -> Recipe | None:
    """Draw numbers of the key that an intruder knows; of k records that share them at most one is linked."""
    wishes = people.wishes
    numbers = [n for n in key if "type" not in wishes[n] and n not in (*people.missing, "Born")]
    known = [n for n in numbers if wishes[n]["role"] != "untouched" and "hierarchy" not in wishes[n]]
    if not known:
        return None
    chosen = people.rng.sample(known, people.rng.randint(1, len(known)))
    return {"at most": f"{math.ceil(100 / k) + people.rng.choice((0, 5, 20))}%", "known": chosen}
