"""Mask: plan, mask, write beside the target, judge what was written, and only then give it its name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from constraint_sdc.commands.certificate.certificate import certificate_path, certificate_text, file_digest
from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.masking.carrying_out import carry_out, require_same_plan
from constraint_sdc.commands.masking.goal_files import GoalFiles
from constraint_sdc.commands.masking.preparation import Progress, prepare
from constraint_sdc.commands.masking.staged import smallest_groups, verify_staged, write_staged
from constraint_sdc.errors import NotPublishedError
from constraint_sdc.files.atomic import atomic_file, atomic_path, side_files
from constraint_sdc.files.microdata.microdata import Microdata
from constraint_sdc.judge.finding import CheckResult, RuleResult
from constraint_sdc.maskers.masked import MaskOptions, MaskResult, RuleOutcome
from constraint_sdc.plan.plan import Plan
from constraint_sdc.reports.disclosure import hidden_error

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
    )


def _places(result: RuleResult) -> frozenset[object]:
    """Return the records that break the rule; a violation outside the records stands for itself."""
    return frozenset(v.location if v.record is None else v.record for v in result.violations)


_MOST_LINES = 20
_NOTHING = GoalFiles()


def mask_file(
    data: Path,
    rules: Path | None,
    output: Path,
    options: MaskOptions,
    *,
    overwrite: bool = False,
    expected: Plan | None = None,
    beside: GoalFiles = _NOTHING,
    progress: Progress = lambda _: None,
) -> MaskResult:
    """Publish the masked file and its certificate, or nothing.

    `expected` is a saved plan that must still be the plan; `beside` is what else is written. NotPublishedError when the
    judge finds a rule newly broken or fewer than k records sharing a block's values on the written file.
    """
    certificate = certificate_path(output)
    beside.require(options, overwrite, (data, rules, options.recipe_file, options.original, output, certificate))
    prepared = prepare(data, rules, options, progress)
    plan, masked = carry_out(prepared)
    if expected is not None:
        require_same_plan(expected, plan)
    columns = masked.columns()
    removed = frozenset(kept.name for kept in plan.kept if kept.is_removed)
    with side_files(overwrite) as publish_beside, atomic_path(output, overwrite) as staged:
        write_staged(prepared.microdata, staged, columns, removed)
        written = verify_staged(prepared.microdata, staged, columns, removed)
        smallest = _count_groups(written, plan)
        after = None if rules is None else _judge(staged, rules, prepared.check)
        outcomes = compare_verdicts(prepared.before, after)
        _refuse_broken(outcomes, after, output)
        result = MaskResult(
            plan=plan,
            masked=masked,
            before=prepared.before,
            after=after,
            outcomes=outcomes,
            smallest=smallest,
            digests={**plan.inputs, "output": file_digest(staged)},
            data=data,
            rules=rules,
            output=output,
            certificate=certificate,
        )
        # What stands beside is taken back should one of the two files that follow fail to take its name.
        publish_beside(beside.contents(plan, masked))
        # The certificate takes its name first: a masked file is never without one, and an old file beside a new
        # certificate is found out by its digest.
        with atomic_file(certificate, overwrite=overwrite) as stream:
            stream.write(certificate_text(result, options).encode("utf-8"))
    return result


def _count_groups(written: Microdata, plan: Plan) -> tuple[int, ...]:
    smallest = smallest_groups(written.chunks(), [block.names for block in plan.blocks])
    counted = zip(plan.blocks, smallest, strict=True)
    small = [(block, size) for block, size in counted if block.shares and size < plan.k]
    if small:
        lines = tuple(f"block {b.number} ({', '.join(b.names)}): {size} records share values" for b, size in small)
        raise NotPublishedError(f"fewer than {plan.k} records would share their values", details=lines)
    return smallest


def _judge(staged: Path, rules: Path, check: CheckOptions) -> CheckResult:
    return check_file(staged, rules, replace(check, engine="saxon"))


def _refuse_broken(outcomes: tuple[RuleOutcome, ...], after: CheckResult | None, output: Path) -> None:
    """Refuse to publish when a rule is broken where it held, or cannot be evaluated any more."""
    if after is None:
        return
    new = {outcome.rule: outcome for outcome in outcomes if outcome.newly_broken}
    lines: list[str] = []
    for result in after.results:
        if result.status == "error":
            lines.append(f"{result.rule}: cannot be evaluated on the masked file: {hidden_error(result.error or '')}")
        elif result.rule in new:
            places = [f"record {v.record}" if v.record else v.location for v in result.violations[:3]]
            more = ", ..." if len(result.violations) > 3 else ""
            count = f"{new[result.rule].newly_broken:,} newly broken of {result.fired:,}"
            lines.append(f"{result.rule}: {count} ({', '.join(places)}{more})")
    if lines:
        what = f"the masked file breaks rules that held; {output.name} was not written"
        raise NotPublishedError(what, details=tuple(lines[:_MOST_LINES]))
