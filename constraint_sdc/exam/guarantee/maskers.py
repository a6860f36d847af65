"""The same cases, masked in another way: what a recipe says gives way to a masker, a partition or an operator."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml
from lxml import etree

from constraint_sdc.data.table import column_of
from constraint_sdc.exam.guarantee.generator import ExamCase
from constraint_sdc.exam.guarantee.judging import CODE, NUMBER, cells
from constraint_sdc.operators.operator import Operator
from constraint_sdc.partition.partitioner import Partitioner, Takes
from constraint_sdc.plan.read_series import is_numeric

# Goals of group anonymity for a generated case: parameters and conditions that its data have records for.

_MOST_VALUES = 40


@dataclass(frozen=True)
class _SwapVariable:
    """A variable of the case; `values` has None where a record has no value."""

    name: str
    values: list[float | str | None]
    texts: list[str]

    @property
    def is_number(self) -> bool:
        return any(isinstance(value, float) for value in self.values)

    @property
    def different(self) -> int:
        return len({value for value in self.values if value is not None})


def random_mask(case: ExamCase, missing: Mapping[str, Sequence[str]], rng: random.Random) -> dict[str, Any] | None:
    """Return `mask` of a recipe with one or two goals; None where no two records could be swapped."""
    variables = _variables(case, missing)
    parameters = [v for v in variables if 2 <= v.different <= _MOST_VALUES]
    rng.shuffle(parameters)
    if rng.random() < 0.6:  # few values have many records each, and most to swap
        parameters.sort(key=lambda v: v.different)
    for parameter in parameters:
        others = [v for v in variables if v.name != parameter.name]
        if goal := _goal(parameter, others, rng):
            goals, swapped = [goal], {parameter.name}
            read = goal.pop("reads")
            for second in parameters[: rng.choice((0, 0, 1, 2))]:
                if second.name in read:
                    continue
                rest = [v for v in variables if v.name not in swapped | {second.name}]
                if more := _goal(second, rest, rng):
                    read |= more.pop("reads")
                    goals.append(more)
                    swapped.add(second.name)
            mask: dict[str, Any] = {"masker": "group-anonymity", "goals": goals}
            near = [v.name for v in variables if v.name not in swapped]
            if chosen := rng.sample(near, min(len(near), rng.choice((0, 1, 3)))):
                mask["influential"] = [{"variable": name, "weight": rng.choice((1, "0.5", 3))} for name in chosen]
            return mask
    return None


def _variables(case: ExamCase, missing: Mapping[str, Sequence[str]]) -> list[_SwapVariable]:
    rows = [cells(record) for record in etree.fromstring(case.data.encode("utf-8")).iter(case.record)]
    found = []
    for name in dict.fromkeys(name for row in rows for name in row):
        blank = {*missing.get(name, ()), "", "xsi:nil"}
        raw = [row.get(name, "") for row in rows]
        is_number = is_numeric(
            column_of(name, ["" if text == "xsi:nil" else text for text in raw]), tuple(missing.get(name, ()))
        )
        values = [_value(text, blank, is_number) for text in raw]
        found.append(_SwapVariable(name, values, [text.strip() if is_number else text for text in raw]))
    return found


def _value(text: str, blank: set[str], is_number: bool) -> float | str | None:
    if text.strip(" \t\r\n") in blank:
        return None
    if not is_number:
        return text
    return float(text) if text.strip() not in ("NaN", "INF", "-INF", "+INF") else None


def _goal(parameter: _SwapVariable, others: Sequence[_SwapVariable], rng: random.Random) -> dict[str, Any] | None:
    """Return a goal over the parameter whose group is some, not all, of the records with a value of it."""
    for other in rng.sample(list(others), len(others)):
        known = sorted({v for v in other.values if v is not None}, key=lambda v: (str(type(v)), v))
        if not known:
            continue
        pick = rng.choice(known)
        is_in = [value is not None and (value >= pick if other.is_number else value == pick) for value in other.values]  # type: ignore[operator]
        has = [value is not None for value in parameter.values]
        if not any(a and b for a, b in zip(is_in, has, strict=True)) or not any(
            b and not a for a, b in zip(is_in, has, strict=True)
        ):
            continue
        literal = repr(pick) if other.is_number else "'" + str(pick).replace("'", "''") + "'"
        condition = f"`{other.name}` {'>=' if other.is_number else '='} {literal}"
        return {
            "parameter": parameter.name,
            "vital": condition,
            "signal": rng.choice(("quantity", "concentration")),
            "change": _changes(parameter, is_in, rng),
            "reads": {other.name},
        }
    return None


def _changes(parameter: _SwapVariable, is_in: Sequence[bool], rng: random.Random) -> list[dict[str, Any]]:
    """Return one change; mostly the highest and the lowest number of the signal change places."""
    labels = {v: t for v, t in zip(parameter.values, parameter.texts, strict=True) if v is not None}
    kind = rng.random()
    if kind < 0.2:
        return [{"signal": [rng.randrange(20) for _ in labels]}]
    if kind < 0.35 and len(labels) >= 4 and len(labels) % 2 == 0:
        return [{"wavelet": {"wavelet": "haar", "approximation": rng.choice(("reverse", "flat"))}}]
    if kind < 0.6:
        return [{"add": {"at": rng.choice(list(labels.values()))}}]
    counts = Counter(value for value, vital in zip(parameter.values, is_in, strict=True) if vital)
    ordered = sorted(labels, key=lambda value: counts[value])
    source, target = labels[ordered[-1]], labels[ordered[0]]
    return [{"move": {"from": source, "to": target}}]


# Recipes with another masker, partition or operator.

Content = dict[str, Any]

_SHARE = 0.7  # of the variables that get an operator under examination


def _microhybrid(case: ExamCase, content: Content, rng: random.Random) -> ExamCase:
    """Synthetic values need more than one record for each variable, and now and then few variables are together."""
    if rng.random() < 0.3 and content.get("groups") != "all":
        content.setdefault("group_size", rng.choice((1, 2, 3)))
    content["mask"] = {"masker": "microhybrid", "partition": rng.choice(("mdav", "mdav", "v-mdav", "random"))}
    most = max(len(record) + len(record.attrib) for record in etree.fromstring(case.data.encode()).iter(case.record))
    return replace(case, k=max(case.k, most + 1))


def _fuzzy(case: ExamCase, content: Content, rng: random.Random) -> ExamCase:
    m1, m2 = (rng.choice(("1", "1.05", "1.2", "1.5", "2", "8")) for _ in range(2))
    told = {"m1": m1, "m2": m2, "ensure_k": rng.random() < 0.5, "constrained": rng.random() < 0.5}
    content["mask"] = {"masker": "fuzzy-c-means", **told}
    return case


def _individual_ranking(case: ExamCase, content: Content, rng: random.Random) -> ExamCase:
    content["mask"] = {"partition": rng.choice(("individual-ranking", "optimal-univariate"))}
    _leave_groups(content)
    _leave_categories(content)
    return case


def _projection(case: ExamCase, content: Content, rng: random.Random) -> ExamCase:
    content["mask"] = {"partition": rng.choice(("pc1-projection", "z-sum-projection"))}
    _leave_categories(content)
    return case


def _mixed(case: ExamCase, content: Content, rng: random.Random) -> ExamCase:
    content["mask"] = {"partition": rng.choice(("mixed", "mixed+refine"))}
    if content["mask"]["partition"].endswith("+refine"):
        content["effort"] = "fast"
    return case


def _group_anonymity(case: ExamCase, content: Content, rng: random.Random) -> ExamCase:
    """Swap values of one or two variables; a case in which no two records could be swapped keeps to MDAV."""
    mask = random_mask(case, content.get("missing", {}), rng)
    content["mask"] = mask or {"partition": "mdav"}
    if mask is None:
        return case
    parameters = {goal["parameter"] for goal in mask["goals"]}
    for entry in ("groups", "group_size", "standardise", "k"):
        content.pop(entry, None)
    for variable, wish in content.get("variables", {}).items():
        for entry in ("operator", "grid", "weight", "type"):
            wish.pop(entry, None)
        is_masked = wish.get("role") in ("quasi-identifier", "confidential")
        if is_masked != (variable in parameters):
            wish.pop("role", None)
            wish.pop("remove", None)
    return replace(case, k=1)


def _reshaped(case: ExamCase, content: Content, rng: random.Random) -> ExamCase:
    """Swap for signals with another trend, amplitude or wave, now and then within a threshold."""
    case = _group_anonymity(case, content, rng)
    mask = content["mask"]
    for goal in mask.get("goals", ()):
        changes: list[dict[str, Any]] = [
            {"trend": {"factor": rng.choice((-1, 0, "2.5"))}},
            {"trend": {"coefficients": [rng.choice((-2, "0.5")), "0.1"]}},
            {"amplitude": {"factor": rng.choice((-1, 0, "0.5", 3))}},
        ]
        known = [change for change in goal["change"] if "move" in change or "add" in change]
        if known:
            at = next(iter(known[0].values()))
            changes.append({"cycle": {"period": 2, "height": 4, "at": at.get("at", at.get("to"))}})
        goal["change"] = [rng.choice(changes)]
        if mask.get("influential") and rng.random() < 0.5:
            goal["threshold"] = rng.choice(("0.5", 2))
    return case


MASKERS: Mapping[str, Callable[[ExamCase, Content, random.Random], ExamCase]] = {
    "microhybrid": _microhybrid,
    "fuzzy-c-means": _fuzzy,
    "individual-ranking": _individual_ranking,
    "projection": _projection,
    "mixed": _mixed,
    "group-anonymity": _group_anonymity,
    "reshaped signals": _reshaped,
}


def with_masker(case: ExamCase, name: str) -> ExamCase:
    """Return the case with its recipe rewritten for a masker; entries that this masker refuses are removed."""
    rng = random.Random(f"{name} {case.seed}")
    content = _bare(case)
    case = MASKERS[name](case, content, rng) if name in MASKERS else _plain(case, content, name)
    return _rewritten(case, content, f"masker: {content['mask']}")


def with_partition(case: ExamCase, method: Partitioner) -> ExamCase:
    """Return the case divided by a partition method; what it is not made for is taken out of the recipe."""
    content = _bare(case)
    content["mask"] = {"partition": method.name}
    if method.traits.takes is Takes.ONE_VARIABLE:
        _leave_groups(content)
    if method.traits.takes is not Takes.MIXED:
        _leave_categories(content)
    return _rewritten(case, content, f"partition: {method.name}")


def with_operator(case: ExamCase, operator: Operator) -> ExamCase:
    """Return the case with most numeric variables that are masked represented by an operator."""
    rng = random.Random(f"{operator.name} {case.seed}")
    content: Content = yaml.safe_load(case.recipe) or {}
    wishes = content.setdefault("variables", {})
    for name in _numeric(case):
        wish = wishes.get(name, {})
        is_kept = wish.get("role") in ("untouched", "identifier") or name == content.get("weights")
        if not is_kept and "type" not in wish and rng.random() < _SHARE:
            wishes[name] = {**wish, "operator": operator.name}
    if operator.traits.copies_a_record:
        content["protect"] = {"verbatim": "allowed"}  # its representatives are actual records by definition
    return _rewritten(case, content, f"operator: {operator.name}")


def _plain(case: ExamCase, content: Content, name: str) -> ExamCase:
    content["mask"] = {"masker": name}
    return case


def _bare(case: ExamCase) -> Content:
    """Return the recipe without its division, and without operators that only groups with one value have."""
    content: Content = yaml.safe_load(case.recipe) or {}
    for entry in ("mask", "effort", "weights", "totals"):
        content.pop(entry, None)
    for wish in content.get("variables", {}).values():
        if wish.get("operator") == "geometric mean":
            del wish["operator"]
    return content


def _rewritten(case: ExamCase, content: Content, says: str) -> ExamCase:
    content["variables"] = {variable: wish for variable, wish in content.get("variables", {}).items() if wish}
    content = {entry: said for entry, said in content.items() if said not in ({}, [])}
    recipe = str(yaml.safe_dump(content, allow_unicode=True, sort_keys=True))
    return replace(case, recipe=recipe, says=(*case.says, says))


def _numeric(case: ExamCase) -> list[str]:
    """Return the variables whose values are all numbers, none of them a code with leading zeros."""
    columns: dict[str, list[str]] = {}
    for record in etree.fromstring(case.data.encode()).iter(case.record):
        for name, value in cells(record).items():
            columns.setdefault(name, []).append(value)
    filled = {name: [v for v in values if v not in ("", "xsi:nil")] for name, values in columns.items()}
    return [
        name
        for name, values in filled.items()
        if len(set(values)) > 1 and all(NUMBER.fullmatch(v) and not CODE.match(v) for v in values)
    ]


def _leave_groups(content: Content) -> None:
    """Take out what has no meaning where each variable is masked alone."""
    for entry in ("groups", "group_size", "standardise"):
        content.pop(entry, None)
    for wish in content.get("variables", {}).values():
        wish.pop("weight", None)


def _leave_categories(content: Content) -> None:
    """Leave categories as they are: they have no order."""
    for wish in content.get("variables", {}).values():
        if wish.get("type") == "nominal":
            wish.clear()
            wish["role"] = "untouched"
