"""Mask: plan, mask, write beside the target, judge what was written, and only then give it its name."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from constraint_sdc.commands.certificate.certificate import certificate_path, certificate_text, envelope_path
from constraint_sdc.commands.check import check_written, idle_noted
from constraint_sdc.commands.masking.applying import MaskedCells, compare_contexts
from constraint_sdc.commands.masking.carrying_out import carry_out, require_same_plan
from constraint_sdc.commands.masking.goal_files import GoalFiles
from constraint_sdc.commands.masking.preparation import Original, Progress, open_original, prepare
from constraint_sdc.commands.masking.settings import settle
from constraint_sdc.commands.masking.staged import ReadBack, verify_staged, write_staged
from constraint_sdc.data.table import Chunk
from constraint_sdc.errors import NotPublishedError, UsageError
from constraint_sdc.files.publication.publication import Publication
from constraint_sdc.judge.finding import CheckResult, RuleResult
from constraint_sdc.judge.idle import names_of
from constraint_sdc.maskers.masked import Masked, MaskOptions, MaskResult, RuleOutcome
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.plan.plan import Plan
from constraint_sdc.reports.disclosure import hidden_error
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.mask_settings import MaskSettings

if TYPE_CHECKING:
    from constraint_sdc.commands.certificate.keys import SigningKey

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


_MOST_LINES = 20
_NOTHING = GoalFiles()


def mask_file(
    data: Path,
    rules: Path | None,
    output: Path,
    options: MaskOptions | MaskSettings[Masker],
    *,
    overwrite: bool = False,
    expected: Plan | None = None,
    beside: GoalFiles = _NOTHING,
    sign: SigningKey | None = None,
    progress: Progress = lambda _: None,
) -> MaskResult:
    """Publish the masked file and its certificate, or nothing.

    `expected` is a saved plan that must still be the plan; `beside` is what else is written; `sign` is the key that
    signs the certificate. NotPublishedError when the judge finds a rule newly broken or fewer than k records sharing a
    block's values on the written file.
    """
    settings = settle(options)
    certificate = certificate_path(output)
    inputs = (data, rules, settings.recipe_file, settings.rules.original)
    taken = (*inputs, output, certificate, envelope_path(certificate))
    with ExitStack() as stack:
        publication = stack.enter_context(Publication(output, certificate, overwrite=overwrite))
        _refuse_old_signature(certificate, sign is not None, overwrite)
        beside.require(settings.masker, overwrite, taken)
        original = stack.enter_context(open_original(data, rules, settings.record, settings.rules, progress))
        plan, masked = carry_out(prepare(original, settings))
        if expected is not None:
            require_same_plan(expected, plan)
        staged = publication.stage(output)
        written = _write(original, staged, plan, masked)
        after = _judge(original, staged, written, plan)
        outcomes = compare_verdicts(original.before, after)
        _refuse_broken(outcomes, after, output)
        cells = MaskedCells(original.dataset.table, masked.columns(), _removed(plan))
        outcomes = compare_contexts(outcomes, original.before, after, original.understood, cells, output)
        result = MaskResult(
            plan=plan,
            masked=masked,
            before=original.before,
            after=after,
            outcomes=outcomes,
            smallest=written.smallest,
            # A document may be read first by the judgement of the masked file.
            digests={**original.digests(), **plan.inputs, "output": written.sha256},
            data=data,
            rules=rules,
            output=output,
            certificate=certificate,
            signature=None if sign is None else envelope_path(certificate),
        )
        certified = certificate_text(result, settings).encode("utf-8")
        for path, content in {**beside.contents(plan, masked), **_signed(certificate, certified, sign)}.items():
            publication.add(path, content)
        publication.add(certificate, certified)
        publication.publish({output: written.sha256})
    return result


def _signed(certificate: Path, content: bytes, key: SigningKey | None) -> dict[Path, bytes]:
    """Return the signature of a certificate by its path; none without a key."""
    if key is None:
        return {}
    from constraint_sdc.commands.certificate.envelope import sign_certificate

    return {envelope_path(certificate): sign_certificate(content, certificate.name, key)}


def _refuse_old_signature(certificate: Path, is_signed: bool, overwrite: bool) -> None:
    """Refuse to leave the signature of an earlier certificate beside a new one."""
    envelope = envelope_path(certificate)
    if envelope.exists() and not (is_signed and overwrite):
        hint = "give another name, or --overwrite" if is_signed else "remove it, or sign the new one with --sign"
        raise UsageError("the signature of an earlier certificate is here", file=str(envelope), hint=hint)


def _write(original: Original, staged: Path, plan: Plan, masked: Masked) -> ReadBack:
    """Write the staged file, read it back, and count how many records share the values of each block."""
    columns = masked.columns()
    removed = _removed(plan)
    skeleton = write_staged(original.dataset, staged, columns, removed)
    blocks = [block.names for block in plan.blocks]
    written = verify_staged(original.dataset, staged, columns, skeleton, removed, blocks)
    counted = zip(plan.blocks, written.smallest, strict=True)
    small = [(block, size) for block, size in counted if block.shares and size < plan.k]
    if small:
        lines = tuple(f"block {b.number} ({', '.join(b.names)}): {size} records share values" for b, size in small)
        raise NotPublishedError(f"fewer than {plan.k} records would share their values", details=lines)
    return written


def _removed(plan: Plan) -> frozenset[str]:
    return frozenset(kept.name for kept in plan.kept if kept.is_removed)


def _judge(original: Original, staged: Path, written: ReadBack, plan: Plan) -> CheckResult | None:
    """Let Saxon judge the staged file, in the process that knows the rules already."""
    if not original.has_rules:
        return None
    original.readings.note(staged, written.sha256)  # the judge must get the bytes that were read back
    rows = Chunk.without_xml(written.layout, {}, written.lines)
    missing = original.understood.missing
    after = check_written(staged, rows, original.rule_set, original.check, original.judges, missing)
    return idle_noted(after, original.rule_set.schema, names_of(original.dataset, _removed(plan)), original.check)


def _refuse_broken(outcomes: tuple[RuleOutcome, ...], after: CheckResult | None, output: Path) -> None:
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
        raise NotPublishedError(what, details=tuple(lines[:_MOST_LINES]))
