"""The same cases, masked in another way: what a recipe says gives way to a masker, a partition or an operator."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import yaml
from lxml import etree

from constraint_sdc.exam.guarantee.case import ExamCase
from constraint_sdc.exam.guarantee.judging import CODE, NUMBER, cells
from constraint_sdc.exam.guarantee.swap_goals import random_mask
from constraint_sdc.operators.operator import Operator
from constraint_sdc.partition.partitioner import Partitioner, Takes

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


MASKERS: Mapping[str, Callable[[ExamCase, Content, random.Random], ExamCase]] = {
    "microhybrid": _microhybrid,
    "fuzzy-c-means": _fuzzy,
    "individual-ranking": _individual_ranking,
    "projection": _projection,
    "mixed": _mixed,
    "group-anonymity": _group_anonymity,
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
    return _rewritten(case, content, f"operator: {operator.name}")


def _plain(case: ExamCase, content: Content, name: str) -> ExamCase:
    content["mask"] = {"masker": name}
    return case


def _bare(case: ExamCase) -> Content:
    """Return the recipe without its division, and without operators that only groups with one value have."""
    content: Content = yaml.safe_load(case.recipe) or {}
    for entry in ("mask", "effort", "weights"):
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
