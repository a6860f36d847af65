"""Follow a way out of a refusal: the case as a user would change it, to be masked from its files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from constraint_sdc.errors import PromiseChange, WayOut
from constraint_sdc.exam.guarantee.exam import CaseOutcome, run_case
from constraint_sdc.exam.guarantee.generator import ExamCase
from constraint_sdc.exam.guarantee.schematron import without_rules
from constraint_sdc.reports.refusal import way_sentence
from constraint_sdc.settings.protect import protect_from_json, protect_to_json, with_change


@dataclass(frozen=True)
class Followed:
    """What became of a case, and which of the ways out that it offers end in no published file."""

    outcome: CaseOutcome
    failing: tuple[str, ...]

    @property
    def is_stuck(self) -> bool:
        """Tell whether nothing is published and nothing is offered."""
        return bool(self.outcome.refusal or self.outcome.withheld) and not self.outcome.ways


def follow(case: ExamCase) -> Followed:
    """Mask a case, and follow every way out that a refusal offers."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = run_case(case, Path(folder) / "case")
        return Followed(outcome, tuple(failing_ways(outcome, Path(folder))))


def changed_case(case: ExamCase, way: WayOut) -> ExamCase:
    """Return the case with another k, without some or all of its rules, and with other roles and promises."""
    changed = replace(case, k=case.k if way.k is None else way.k, recipe=_changed_recipe(case.recipe, way))
    if way.is_without_rules:
        return replace(changed, is_ruleless=True, phase=None, is_damaged=False, across=frozenset())
    rules = without_rules(case.rules, way.without) if way.without else case.rules
    return replace(changed, rules=rules, across=case.across - set(way.without))


def _changed_recipe(recipe: str, way: WayOut) -> str:
    changed = _with_verbatim(_with_promises(_with_roles(recipe, way.roles), way.promises), way.verbatim)
    return _in_one_block(changed) if way.is_one_block else changed


def failing_ways(outcome: CaseOutcome, folder: Path) -> Iterator[str]:
    """Yield the ways out of a case that do not end in a published file without a fault, with what came of them."""
    assert outcome.case is not None
    for number, way in enumerate(outcome.ways):
        after = run_case(changed_case(outcome.case, way), folder / f"way-{number}", advise=False)
        wrong = after.faults or tuple(filter(None, (after.refusal, after.withheld)))
        if wrong:
            yield f"case {outcome.seed}: {way_sentence(way)}: {'; '.join(wrong)}"


def _with_promises(recipe: str, changes: tuple[PromiseChange, ...]) -> str:
    if not changes:
        return recipe
    content = yaml.safe_load(recipe) or {}
    protect = protect_from_json(content.get("protect", {}))
    for change in changes:
        protect = with_change(protect, change)
    said = protect_to_json(protect)
    content = {**content, "protect": said} if said else {n: e for n, e in content.items() if n != "protect"}
    return yaml.safe_dump(content, allow_unicode=True)


def _with_verbatim(recipe: str, verbatim: int | None) -> str:
    if verbatim is None:
        return recipe
    content = yaml.safe_load(recipe) or {}
    said = content.get("protect", {})
    entry = {**said["verbatim"], "at most": verbatim} if isinstance(said.get("verbatim"), dict) else verbatim
    content["protect"] = {**said, "verbatim": entry}
    return yaml.safe_dump(content, allow_unicode=True)


def _in_one_block(recipe: str) -> str:
    content = {name: entry for name, entry in (yaml.safe_load(recipe) or {}).items() if name != "group_size"}
    return yaml.safe_dump({**content, "groups": "all"}, allow_unicode=True)


def _with_roles(recipe: str, roles: tuple[tuple[str, str], ...]) -> str:
    if not roles:
        return recipe
    content = yaml.safe_load(recipe) or {}
    variables = content.setdefault("variables", {})
    variables.update({name: {"role": role} for name, role in roles})
    return yaml.safe_dump(content, allow_unicode=True)
