"""What may be odd about a case beyond its rules: phases, lets of the schema, warnings, damage, groups, other records.

A twist has a source of randomness of its own, so that a case is the same with and without it but for the twist.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml

from constraint_sdc.exam.guarantee.drafting import Draft, RuleText
from constraint_sdc.exam.guarantee.layouts import NIL
from constraint_sdc.exam.guarantee.schematron import Frame, PlacedRule

_SAXON = "only Saxon"
_FROM = 100  # the first seed whose case may have rules that only Saxon evaluates: earlier cases stay as they were
TWISTS = ("phase", "schema let", "warnings", "damage", "several groups", "across records")
ALL_TWISTS = (*TWISTS, _SAXON)
PHASE = "release"
Record = dict[str, str | None]


@dataclass(frozen=True)
class Twist:
    """The names of what is odd, and where its choices come from."""

    names: frozenset[str]
    rng: random.Random

    def __contains__(self, name: str) -> bool:
        return name in self.names


def twist_of(seed: int) -> Twist:
    """Return the twist of a case: none for half of them, else one or two."""
    rng = random.Random(f"twist {seed}")
    count = rng.choice((0, 0, 0, 1, 1, 2))
    names = frozenset(rng.sample(TWISTS, count))
    has_opaque = seed >= _FROM and random.Random(f"{_SAXON} {seed}").random() < 0.25
    return Twist(names | {_SAXON} if has_opaque else names, rng)


def frame_of(twist: Twist, placed: Sequence[PlacedRule]) -> tuple[Frame, list[PlacedRule]]:
    """Return the frame of the schema, and the rules as they read within it."""
    lets: dict[str, str] = {}
    rules = list(placed)
    if "schema let" in twist:
        rules = [_with_let(item, lets) for item in placed]
    warnings = [item.id for item in placed if twist.rng.random() < 0.5] if "warnings" in twist else []
    return Frame(PHASE if "phase" in twist else None, tuple(lets.items()), frozenset(warnings)), rules


def _with_let(item: PlacedRule, lets: dict[str, str]) -> PlacedRule:
    """Let the whole number at a rule's end come from a variable of the schema."""
    found = re.search(r"(?<= )\d+$", item.rule.test)
    if found is None:
        return item
    name = f"bound{len(lets) + 1}"
    lets[name] = found.group()
    return replace(item, rule=replace(item.rule, test=f"{item.rule.test[: found.start()]}${name}"))


def damage(twist: Twist, draft: Draft, records: Sequence[Record]) -> list[Record]:
    """Give some records values of others, which breaks whatever ties them to the rest of the record."""
    if "damage" not in twist or not draft.numeric:
        return list(records)
    share = twist.rng.choice((0.02, 0.1, 0.4))
    damaged = [dict(record) for record in records]
    for place, record in enumerate(damaged):
        if place == 0 or twist.rng.random() < share:
            name = twist.rng.choice(draft.numeric)
            record[name] = twist.rng.choice(records)[name]
    return damaged


def several_groups(twist: Twist, draft: Draft, recipe: str | None) -> str | None:
    """Divide the variables that the recipe lets be masked among two or three groups of the recipe."""
    content: dict[str, Any] = (yaml.safe_load(recipe) if recipe else None) or {}
    wishes: Mapping[str, Mapping[str, Any]] = content.get("variables", {})
    names = [draft.layout.variable(name) for name in draft.numeric if not _is_code(draft, name)]
    masked = [name for name in names if wishes.get(name, {}).get("role") != "untouched"]
    if "several groups" not in twist or len(masked) < 4:
        return recipe
    twist.rng.shuffle(masked)
    count = twist.rng.choice((2, 3))
    content["groups"] = [masked[start::count] for start in range(count)]
    content.pop("group_size", None)
    return str(yaml.safe_dump(content, allow_unicode=True, sort_keys=True))


def _is_code(draft: Draft, name: str) -> bool:
    return any(re.match("0[0-9]", cell or "") for cell in draft.columns[name])


def across_records(twist: Twist, draft: Draft, records: Sequence[Record]) -> dict[str, str]:
    """Return candidate rules that look at other records, by id: some survive any masking, some hardly any."""
    filled = [n for n in draft.numeric if all(record[n] not in (None, "", NIL) for record in records)]
    if "across records" not in twist or not filled:
        return {}
    name = twist.rng.choice(filled)
    path, record = draft.layout.path(name), draft.layout.record_path
    values = [abs(float(row[name] or "0")) for row in records]
    tests = [
        f"count(//{record}) = {len(records)}",
        f"sum(//{record}/{path}) <= {round(2 * sum(values)) + 1}",
        f"number({path}) * {len(records)} <= sum(//{record}/{path}) + {round(len(records) * 2 * max(values)) + 1}",
        f"count(//{record}[{path} = current()/{path}]) = 1",
        f"not(preceding-sibling::{record}[1]/{path} = {path})",
        f"//{record}[1]/{path} = {path} or {len(records)} > 1",
    ]
    if not draft.is_old:
        tests.append(f"max(//{record}/number({path})) <= {round(max(values)) + 1}")
    chosen = twist.rng.sample(tests, twist.rng.choice((1, 2)))
    return {f"X{number}": test for number, test in enumerate(chosen, start=1)}


def only_saxon(twist: Twist, draft: Draft, records: Sequence[Record]) -> dict[str, str]:
    """Return candidate rules that the evaluator does not take, by id: look-ups by two variables, texts, any child."""
    filled = [n for n in draft.numeric if all(record[n] not in (None, "", NIL) for record in records)]
    if _SAXON not in twist or not filled:
        return {}
    name, other = twist.rng.choice(filled), twist.rng.choice([*draft.text, *filled])
    a, b, record = draft.layout.path(name), draft.layout.path(other), draft.layout.record_path
    longest = max(len(row[name] or "") for row in records)
    tests = [
        f"exists(document('data.xml')//{record}[number({a}) >= number(current()/{a}) and {b} = current()/{b}])",
        f"string-length(translate({a}, '0123456789', '')) <= 2",
        f"string-length(concat({a}, '/', {b})) <= {longest + 12}",
        f"not(starts-with(concat({b}, {a}), concat({a}, {a}, {a})))",
        "count((*|@*)[string-length(.) > 60]) = 0",
    ]
    if not draft.is_old:
        tests += [
            f"every $part in tokenize(string({a}), '\\.') satisfies string-length($part) <= {longest}",
            f"string-join(({a}, {b}), '|') != '1|1'",
            f"(for $x in ({a}, {b}) return string-length($x))[1] <= {longest}",
        ]
    chosen = twist.rng.sample(tests, twist.rng.choice((1, 2, 3)))
    return {f"S{number}": test for number, test in enumerate(chosen, start=1)}


# Missing values: absent, empty or nil, alone or in patterns, and rules that make allowance for them.


def make_missing(draft: Draft) -> None:
    """Take out values of some variables; a pattern is often rarer than k."""
    rng = draft.rng
    if rng.random() < 0.65 or not draft.numeric:
        return
    how_missing = rng.choice((None, "", NIL))
    if how_missing is not None and rng.random() < 0.15:
        how_missing = "-9"
    for _ in range(rng.choice((1, 1, 2))):
        names = rng.sample(draft.numeric, min(len(draft.numeric), rng.choice((1, 1, 2, 3))))
        share = rng.choice((0.01, 0.03, 0.1, 0.3))
        for row in range(draft.size):
            if rng.random() < share:
                for name in names:
                    draft.columns[name][row] = how_missing
    draft.ideas.append("missing values")


def spell_oddly(draft: Draft) -> None:
    """Now and then write some numbers of a column with white space around them, or (XPath 2.0) with an exponent."""
    rng = draft.rng
    if rng.random() < 0.96 or not draft.numeric:
        return
    name = rng.choice(draft.numeric)
    shape = rng.choice((" {}", "{} ", "\n{}\n") if draft.is_old or rng.random() < 0.6 else ("{}e0", "{}E1"))
    cells = draft.columns[name]
    draft.columns[name] = [
        shape.format(cell) if cell and cell != NIL and rng.random() < 0.2 else cell for cell in cells
    ]
    draft.ideas.append("odd spelling")


def guard_rules(draft: Draft) -> None:
    """Let most rules pass over records in which one of their variables is missing."""
    holes = [name for name in draft.numeric if any(cell in (None, "", NIL) for cell in draft.columns[name])]
    draft.rules = [_guarded(draft, rule, holes) for rule in draft.rules]


def _guarded(draft: Draft, rule: RuleText, holes: list[str]) -> RuleText:
    spoken = rule.test + " ".join(value for _, value in rule.lets)
    mentioned = [name for name in holes if re.search(rf"\b{name}\b", spoken)]
    if not mentioned or rule.idea in ("presence", "route") or draft.rng.random() < 0.1:
        return rule
    paths = [draft.layout.path(name) for name in mentioned]
    kind = draft.rng.random()
    if kind < 0.3 and rule.predicate is None:
        return replace(rule, predicate=" and ".join(f"{path} != ''" for path in paths))
    if kind < 0.6 or draft.is_old:
        return replace(rule, test=" or ".join(f"not({path} != '')" for path in paths) + f" or ({rule.test})")
    condition = " and ".join(f"{path} castable as xs:decimal" for path in paths)
    return replace(rule, test=f"if ({condition}) then {rule.test} else true()")
