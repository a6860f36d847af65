"""Verify what a certificate says about people, as far as the masked file alone tells it.

Diversity and closeness are about written values among records that share written values: nothing else is needed. The
key is counted with the blocks (`verify.py`). Dominance, verbatim records and linkage need the original.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from constraint_sdc.data.table import Table
from constraint_sdc.files.dataset import Dataset
from constraint_sdc.files.recipe import recipe_from_json
from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.promised import Found, PromiseCount, key_of, people_from_json
from constraint_sdc.promises.closeness import count_closeness
from constraint_sdc.promises.diversity import count_diversity
from constraint_sdc.promises.release import Release

_COUNTED = ("diversity", "closeness")
_LAST_DIGITS = 1e-9


def counts_classes(plan: Plan) -> bool:
    """Tell whether a plan promises something about the records that share the key, besides how many they are."""
    return bool(plan.protect.diversity or plan.protect.closeness)


def classes_said(plan: Plan | None) -> str:
    """Return what is confirmed of diversity and closeness; nothing if neither is promised."""
    if plan is None or not counts_classes(plan):
        return ""
    promises = [one for one in _COUNTED if getattr(plan.protect, one)]
    return f"{' and '.join(promises)} among the records that share the key: as counted, and kept"


def class_differences(certificate: Mapping[str, Any], plan: Plan | None, dataset: Dataset | None) -> Iterator[str]:
    """Yield where diversity and closeness are not as the certificate says, or not kept."""
    if plan is None:
        return
    certified = [one for one in people_from_json(certificate["people"]) if one.promise in _COUNTED]
    if dataset is None:
        if certified:
            yield "people: diversity or closeness is certified, and the plan does not promise it"
        return
    counted = list(_counted(plan, dataset.table, certificate))
    if [_asked(one) for one in counted] != [_asked(one) for one in certified]:
        yield "people: diversity or closeness is not that of the certificate's own plan"
        return
    for now, then in zip(counted, certified, strict=True):
        name = f"people: the {now.promise} of {', '.join(now.of)}"
        if not now.is_kept:
            yield f"{name} is not kept"
        if now.is_kept != then.is_kept or not _same(now.found, then.found):
            yield f"{name} is certified otherwise than the file has it"


def _counted(plan: Plan, table: Table, certificate: Mapping[str, Any]) -> Iterator[PromiseCount]:
    recipe, key = recipe_from_json(certificate["recipe"]), key_of(plan.protect)
    release = Release(table, table, plan.k, missing=recipe.missing, wishes=recipe.variables)
    yield from (count_diversity(release, one, key) for one in plan.protect.diversity)
    yield from (count_closeness(release, near, key) for near in plan.protect.closeness)


def _asked(one: PromiseCount) -> tuple[str, tuple[str, ...], dict[str, Found]]:
    return one.promise, one.of, dict(one.asked)


def _same(now: Mapping[str, Found], then: Mapping[str, Found]) -> bool:
    return now.keys() == then.keys() and all(_equal(now[name], then[name]) for name in now)


def _equal(now: Found, then: Found) -> bool:
    """Compare two figures; the last digits of a logarithm depend on the machine."""
    if isinstance(now, float) and isinstance(then, int | float):
        return isclose(now, then, rel_tol=_LAST_DIGITS, abs_tol=_LAST_DIGITS)
    return now == then
