"""The same cases, masked in another way: what a recipe says of the division gives way to the masker."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import yaml
from lxml import etree

from tests.guarantee.case import Case
from tests.guarantee.swap_goals import random_mask

Content = dict[str, Any]


def _microhybrid(case: Case, content: Content, rng: random.Random) -> Case:
    """Synthetic values need more than one record for each variable, and now and then few variables are together."""
    if rng.random() < 0.3 and content.get("groups") != "all":
        content.setdefault("group_size", rng.choice((1, 2, 3)))
    content["mask"] = {"masker": "microhybrid", "partition": rng.choice(("mdav", "mdav", "v-mdav", "random"))}
    most = max(len(record) + len(record.attrib) for record in etree.fromstring(case.data.encode()).iter(case.record))
    return replace(case, k=max(case.k, most + 1))


def _fuzzy(case: Case, content: Content, rng: random.Random) -> Case:
    m1, m2 = (rng.choice(("1", "1.05", "1.2", "1.5", "2", "8")) for _ in range(2))
    told = {"m1": m1, "m2": m2, "ensure_k": rng.random() < 0.5, "constrained": rng.random() < 0.5}
    content["mask"] = {"masker": "fuzzy-c-means", **told}
    return case


def _individual_ranking(case: Case, content: Content, rng: random.Random) -> Case:
    content["mask"] = {"partition": rng.choice(("individual-ranking", "optimal-univariate"))}
    for entry in ("groups", "group_size", "standardise"):
        content.pop(entry, None)
    for wish in content.get("variables", {}).values():
        wish.pop("weight", None)
    _leave_categories(content)
    return case


def _projection(case: Case, content: Content, rng: random.Random) -> Case:
    content["mask"] = {"partition": rng.choice(("pc1-projection", "z-sum-projection"))}
    _leave_categories(content)
    return case


def _mixed(case: Case, content: Content, rng: random.Random) -> Case:
    content["mask"] = {"partition": rng.choice(("mixed", "mixed+refine"))}
    if content["mask"]["partition"].endswith("+refine"):
        content["effort"] = "fast"
    return case


def _group_anonymity(case: Case, content: Content, rng: random.Random) -> Case:
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


MASKERS: Mapping[str, Callable[[Case, Content, random.Random], Case]] = {
    "microhybrid": _microhybrid,
    "fuzzy-c-means": _fuzzy,
    "individual-ranking": _individual_ranking,
    "projection": _projection,
    "mixed": _mixed,
    "group-anonymity": _group_anonymity,
}


def with_masker(case: Case, name: str) -> Case:
    """Return the case with its recipe rewritten for a masker; wishes that this masker refuses are taken out."""
    rng = random.Random(f"{name} {case.seed}")
    content: Content = yaml.safe_load(case.recipe) or {}
    for entry in ("mask", "effort", "weights"):
        content.pop(entry, None)
    wishes = content.get("variables", {})
    for wish in wishes.values():
        if wish.get("operator") == "geometric mean":
            del wish["operator"]
    case = MASKERS[name](case, content, rng)
    content["variables"] = {variable: wish for variable, wish in content.get("variables", {}).items() if wish}
    content = {entry: said for entry, said in content.items() if said not in ({}, [])}
    recipe = str(yaml.safe_dump(content, allow_unicode=True, sort_keys=True))
    return replace(case, recipe=recipe, says=(*case.says, f"masker: {content['mask']}"))


def _leave_categories(content: Content) -> None:
    """Leave categories as they are: they have no order."""
    for wish in content.get("variables", {}).values():
        if wish.get("type") == "nominal":
            wish.clear()
            wish["role"] = "untouched"
