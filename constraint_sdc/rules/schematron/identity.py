"""Who is who: ids that must not be given twice, and the id under which each assertion is reported.

An author's id appears unchanged as long as it is unique. Ids are made over the whole schema, never over the chosen
phase alone, so that a rule has the same name in every phase.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from constraint_sdc.rules.schematron.element import Element


@dataclass(frozen=True, slots=True)
class Place:
    """An assertion with the rule and the concrete pattern around it, and the rule's number in the schema."""

    pattern: Element
    rule: Element
    rule_number: int
    assertion: Element


def check_unique(elements: Iterable[Element], what: str) -> None:
    """Raise an error if two different elements share an id; one element brought in twice is still one."""
    seen: dict[str, Element] = {}
    for element in elements:
        name = element.get("id")
        if name is None:
            continue
        first = seen.setdefault(name, element)
        if first.source != element.source:
            raise element.error(f"{what} id {name!r} is used twice", hint=f"first used at {first.origin}")


def pattern_ids(patterns: Sequence[Element]) -> list[str]:
    """Return one unique id per concrete pattern: the author's, or one made from `is-a` or its number."""
    wished = [p.get("id") or p.get("is-a") or f"pattern-{n}" for n, p in enumerate(patterns, 1)]
    return _numbered(wished, [p.get("id") is not None for p in patterns])


def assertion_ids(places: Sequence[Place]) -> list[str]:
    """Return one unique id per assertion.

    The author's id; `pattern/id` where several rules share that assertion; without an id the rule's id, else the
    pattern's id or name, else `rule-N`; then ` #2`, ` #3` for further assertions of the same name.
    """
    own = Counter(place.assertion.get("id") for place in places)
    rules = Counter(rule_id for rule_id in {p.rule_number: p.rule.get("id") for p in places}.values())
    wished, is_kept = [], []
    for place in places:
        name = place.assertion.get("id")
        is_kept.append(name is not None and own[name] == 1)
        if name is None:
            wished.append(_without_id(place, rules))
        elif own[name] == 1:
            wished.append(name)
        else:
            wished.append(f"{_label(place) or f'rule-{place.rule_number}'}/{name}")
    return _numbered(wished, is_kept)


def _without_id(place: Place, rules: Counter[str | None]) -> str:
    rule = place.rule.get("id")
    if rule is not None and rules[rule] == 1:
        return rule
    label = _label(place)
    if rule is not None:
        return f"{label}/{rule}" if label and label != rule else rule
    return label or f"rule-{place.rule_number}"


def _label(place: Place) -> str:
    pattern = place.pattern
    return " ".join((pattern.get("id") or pattern.get("name") or pattern.get("is-a") or "").split())


def _numbered(wished: Sequence[str], is_kept: Sequence[bool]) -> list[str]:
    """Make names unique: kept ones stay, the others get ` #2`, ` #3` in order."""
    taken = {name for name, kept in zip(wished, is_kept, strict=True) if kept}
    names = []
    for name, kept in zip(wished, is_kept, strict=True):
        unique, number = name, 1
        while not kept and unique in taken:
            number += 1
            unique = f"{name} #{number}"
        taken.add(unique)
        names.append(unique)
    return names
