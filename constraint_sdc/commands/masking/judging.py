"""Judge a masking as it is written: the staged file is written, read back, counted, judged and compared."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

from constraint_sdc.commands.check import check_written, idle_noted
from constraint_sdc.commands.masking.applying import MaskedCells, compare_contexts
from constraint_sdc.commands.masking.by_cases import Cases, CasesToJudge, JudgedCases, cases_of, find_cases, judge_cases
from constraint_sdc.commands.masking.preparation import Original
from constraint_sdc.commands.masking.staged import ReadBack, spelled, verify_staged, write_staged
from constraint_sdc.commands.measuring.pairing import pair_tables
from constraint_sdc.data.table import Chunk
from constraint_sdc.engines.freeing import give_back_after_work
from constraint_sdc.engines.running import is_divided
from constraint_sdc.errors import Conflict, NotPublishedError, PromiseChange
from constraint_sdc.judge.finding import CheckResult, RuleResult
from constraint_sdc.judge.idle import names_of
from constraint_sdc.maskers.masked import Judgement, Masked, RuleOutcome
from constraint_sdc.plan.plan import Fate, Plan
from constraint_sdc.plan.promised import PromiseCount
from constraint_sdc.promises.count import count_promises
from constraint_sdc.promises.linkage import count_linkage
from constraint_sdc.promises.release import Release
from constraint_sdc.reports.disclosure import hidden_error
from constraint_sdc.reports.masking.people_text import counted_line
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Scale
from constraint_sdc.stages import stage

_MOST_LINES = 20
_FOUND_ALONE = 2_000_000
"""Records from which on cases are found before promises are counted: each of the two needs memory of its own."""
_COUNT_SECONDS = 2.5e-7
"""CPU seconds in which a masked value is counted for the promises, roughly."""

_Promises: TypeAlias = tuple[PromiseCount, ...]
_Verdicts: TypeAlias = tuple[CheckResult | None, Judgement | None]
_CountedAndJudged: TypeAlias = tuple[_Promises, _Verdicts]


@dataclass(frozen=True, slots=True)
class JudgedMasking:
    """A masking that passed: the file as read back, the verdict on it, and what became of every rule."""

    written: ReadBack
    after: CheckResult | None
    outcomes: tuple[RuleOutcome, ...]
    people: tuple[PromiseCount, ...]
    judgement: Judgement | None = None


def judge_masking(
    original: Original,
    plan: Plan,
    masked: Masked,
    staged: Path,
    output: Path,
    recipe: Recipe,
    left_out: frozenset[str] = frozenset(),
) -> JudgedMasking:
    """Write the staged file, which is to be called `output`, and judge it; rules that are `left_out` do not count.

    NotPublishedError when the judge finds a rule newly broken, or fewer than k records share a block's values.
    """
    cases = cases_of(original)
    written = _write(original, staged, plan, masked, cases)
    give_back_after_work()
    before = _without(original.before, left_out)
    to_judge = cache(lambda: None if cases is None else _find_cases(cases, original, staged, written))
    if len(written.lines) > _FOUND_ALONE:
        to_judge()
        give_back_after_work()
    people, (verdict, judgement) = _counted_and_judged(
        lambda: _count_people(original, written, plan, recipe, output),
        lambda: _judge(original, staged, written, plan, to_judge()),
        work=_COUNT_SECONDS * len(written.lines) * len(plan.masked_names()),
    )
    after = _without(verdict, left_out)
    outcomes = compare_verdicts(before, after)
    _refuse_broken(outcomes, after, plan, output)
    cells = MaskedCells(original.dataset.table, masked.columns(), removed_variables(plan))
    outcomes = compare_contexts(outcomes, before, after, original.understood, cells, output)
    return JudgedMasking(written, after, outcomes, people, judgement)


def _counted_and_judged(
    count: Callable[[], _Promises], judge: Callable[[], _Verdicts], *, work: float
) -> _CountedAndJudged:
    """Return what both find: where cores are there, one counts while the other waits for Saxon.

    `work` is roughly how many CPU seconds the count takes. A promise that is not kept is told first, also if the judge
    objects too.
    """
    if not is_divided(work):
        with stage("counting what is promised"):
            people = count()
        give_back_after_work()
        return people, judge()
    with ThreadPoolExecutor(1, "counting") as thread:
        counting = thread.submit(count)
        try:
            judged = judge()
        except Exception:
            counting.result()
            raise
        return counting.result(), judged


def _without(verdict: CheckResult | None, left_out: frozenset[str]) -> CheckResult | None:
    if verdict is None or not left_out:
        return verdict
    return replace(verdict, results=tuple(result for result in verdict.results if result.rule not in left_out))


# The rules before and after masking, record by record.


def compare_verdicts(before: CheckResult | None, after: CheckResult | None) -> tuple[RuleOutcome, ...]:
    """Compare the verdicts record by record; all violations must be listed."""
    if before is None or after is None:
        return ()
    old = {result.rule: result for result in before.results}
    return tuple(_outcome(old[result.rule], result) for result in after.results)


def _outcome(before: RuleResult, after: RuleResult) -> RuleOutcome:
    was, now = (_places(result) for result in (before, after))
    return RuleOutcome(
        rule=after.rule,
        severity=after.severity,
        checked=after.fired,
        broken_before=len(was),
        still_broken=len(was & now),
        repaired=len(was - now),
        newly_broken=len(now - was),
        missing=after.held_missing,
        no_longer_applies=max(0, before.fired - after.fired),
        newly_applies=max(0, after.fired - before.fired),
    )


def _places(result: RuleResult) -> frozenset[object]:
    """Return the records that break the rule; a violation outside the records stands for itself."""
    return frozenset(v.location if v.record is None else v.record for v in result.violations)


@stage("writing and reading back")
def _write(original: Original, staged: Path, plan: Plan, masked: Masked, cases: Cases | None) -> ReadBack:
    """Write the staged file, read it back, and count how many records share the values of each block."""
    removed = removed_variables(plan)
    columns = spelled(original.dataset, masked.columns(), removed)
    gone = frozenset(one.what for one in plan.inventory if one.fate is Fate.REMOVED and not one.is_variable)
    skeleton = write_staged(original.dataset, staged, columns, removed, gone)
    blocks = [block.names for block in plan.blocks]
    wanted = frozenset(plan.masked_names()) | frozenset(plan.protect.names())
    wanted |= frozenset() if cases is None else cases.names
    outlines = None if cases is None else cases.outlines
    written = verify_staged(original.dataset, staged, columns, skeleton, removed, blocks, gone, wanted, outlines)
    counted = zip(plan.blocks, written.smallest, strict=True)
    small = [(block, size) for block, size in counted if block.shares and size < plan.k]
    if small:
        lines = tuple(f"block {b.number} ({', '.join(b.names)}): {size} records share values" for b, size in small)
        raise NotPublishedError(f"fewer than {plan.k} records would share their values", details=lines)
    return written


def _count_people(original: Original, written: ReadBack, plan: Plan, recipe: Recipe, output: Path) -> _Promises:
    """Count what is promised about people on the written file; NotPublishedError if a promise is not kept."""
    release = Release(
        before=original.dataset.table,
        after=written.table,
        k=plan.k,
        blocks=tuple(block.names for block in plan.blocks if block.shares),
        averaged=frozenset(v.name for block in plan.blocks for v in block.variables if v.traits.is_average),
        missing=recipe.missing,
        wishes=recipe.variables,
        weights=plan.division.weights,
        numbers=frozenset(v.name for block in plan.blocks for v in block.variables if v.scale is Scale.NUMERIC),
        every_block=tuple(block.names for block in plan.blocks),
    )
    people = count_promises(release, plan.protect)
    if plan.protect.linkage is not None:
        pair = pair_tables(release.before, written.table, replace(recipe, key=None), plan).pair
        people = (*people, count_linkage(pair, plan.protect.linkage))
    broken = [one for one in people if one.is_kept is False]
    if broken:
        what = f"the masked file does not keep what is promised about people; {output.name} was not written"
        conflict = _linkage_conflict(people, broken)
        raise NotPublishedError(what, details=tuple(map(counted_line, broken)), conflict=conflict)
    return people


def _linkage_conflict(people: tuple[PromiseCount, ...], broken: list[PromiseCount]) -> Conflict | None:
    """Return what to promise instead if linkage alone is above its bound: what was found, rounded up to a percent."""
    if [one.promise for one in broken] != ["linkage"]:
        return None
    percent = people[-1].found["percent"]
    assert isinstance(percent, float)
    return Conflict((), people[-1].of, weaker=(PromiseChange("linkage", entry="at most", value=math.ceil(percent)),))


def removed_variables(plan: Plan) -> frozenset[str]:
    """Return the variables that are not in the masked file."""
    return frozenset(kept.name for kept in plan.kept if kept.is_removed)


@stage("finding cases")
def _find_cases(cases: Cases, original: Original, staged: Path, written: ReadBack) -> CasesToJudge:
    return find_cases(cases, original, staged, written)


@stage("judging the masked file")
def _judge(original: Original, staged: Path, written: ReadBack, plan: Plan, cases: CasesToJudge | None) -> _Verdicts:
    """Let Saxon judge the staged file, in the process that knows the rules already; say what it was shown."""
    if not original.has_rules:
        return None, None
    original.readings.note(staged, written.sha256)  # the judge must get the bytes that were read back
    rows = Chunk.without_xml(written.layout, {}, written.lines)
    by_case = JudgedCases() if cases is None else judge_cases(cases, original, staged, written)
    after = check_written(
        staged,
        rows,
        original.rule_set,
        original.check,
        original.judges,
        original.understood.missing,
        by_case.tallies,
    )
    names = names_of(original.dataset, removed_variables(plan))
    judgement = Judgement(
        judge="every-record" if cases is None else "every-case",
        records=len(written.lines),
        cases=by_case.records,
        whole_file=tuple(one.rule for one in after.results if one.rule not in by_case.tallies),
        aggregated=tuple(one.rule for one in after.results if one.rule in by_case.aggregated),
    )
    return idle_noted(after, original.rule_set.schema, names, original.check), judgement


def _refuse_broken(outcomes: tuple[RuleOutcome, ...], after: CheckResult | None, plan: Plan, output: Path) -> None:
    """Refuse to publish when a rule is broken where it held, cannot be evaluated any more, or checks nothing now."""
    if after is None:
        return
    new = {outcome.rule: outcome for outcome in outcomes if outcome.newly_broken}
    lines: list[str] = []
    for result in after.results:
        if result.status == "error":
            lines.append(f"{result.rule}: cannot be evaluated on the masked file: {hidden_error(result.error or '')}")
        elif result.status == "idle":
            why = "; ".join(sentences(result.idle))
            way_out = f"--allow-idle {shlex.quote(result.rule)} publishes it"
            lines.append(f"{result.rule}: idle in the masked file: {why}; {way_out}")
        elif result.rule in new:
            places = [f"record {v.record}" if v.record else v.location for v in result.violations[:3]]
            more = ", ..." if len(result.violations) > 3 else ""
            count = f"{new[result.rule].newly_broken:,} newly broken of {result.fired:,}"
            lines.append(f"{result.rule}: {count} ({', '.join(places)}{more})")
    if lines:
        what = f"the masked file breaks rules that held, or leaves them idle; {output.name} was not written"
        if not any(result.status == "idle" for result in after.results):
            what = f"the masked file breaks rules that held; {output.name} was not written"
        raise NotPublishedError(what, details=tuple(lines[:_MOST_LINES]), conflict=_conflict(tuple(new), plan))


def _conflict(rules: tuple[str, ...], plan: Plan) -> Conflict | None:
    """Return the newly broken rules and the masked variables that they read; None if no rule is newly broken."""
    read = {rule.rule: rule.variables for rule in plan.all_rules()}
    masked = plan.masked_names()
    variables = tuple(name for name in masked if any(name in read.get(rule, ()) for rule in rules))
    return Conflict(rules, variables) if rules else None
