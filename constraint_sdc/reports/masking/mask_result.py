"""What masking did, for a terminal and as JSON, and what verifying a certificate found."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc import __version__
from constraint_sdc.files.json_file import json_text
from constraint_sdc.maskers.masked import (
    CertificateCheck,
    Judgement,
    MaskedBlock,
    MaskResult,
    Reproduction,
    RuleOutcome,
)
from constraint_sdc.maskers.registry import DEFAULT
from constraint_sdc.plan.plan import BlockPlan, ExactStep, Price
from constraint_sdc.plan.plan_json import price_to_json, totals_to_json
from constraint_sdc.plan.promised import people_to_json
from constraint_sdc.reports.check.wording import checked_times, counted, number, or_unknown
from constraint_sdc.reports.masking.goal_text import goal_lines, has_numbers, treatment_word
from constraint_sdc.reports.masking.inventory_text import inventory_lines
from constraint_sdc.reports.masking.people_text import people_lines, recoded_lines
from constraint_sdc.reports.masking.plan_text import promise_lines
from constraint_sdc.reports.masking.totals_text import totals_lines
from constraint_sdc.reports.sentences import sentences, with_sentences
from constraint_sdc.reports.terminal import align, clean, paint, wrapped
from constraint_sdc.settings.masker import masker_to_json
from constraint_sdc.settings.reason import reasons_to_json
from constraint_sdc.settings.words import Treatment

# What masking did, for a terminal: the rules before and after, each block's groups and price, and the files.

# The rules before and after masking as a table for a terminal.

_HEAD = ("rule", "severity", "checked", "broken before", "still broken", "repaired", "newly broken")
_MISSING = "missing"


def rule_table(outcomes: tuple[RuleOutcome, ...], colour: bool) -> Iterator[str]:
    """Yield a head and a line per rule; rules that some masked record breaks stand out."""
    rows = [_HEAD, *map(_rule_cells, outcomes)]
    if any(outcome.checked and outcome.missing != 0 for outcome in outcomes):
        missing = [_MISSING, *(or_unknown(outcome.missing) for outcome in outcomes)]
        rows = [(*row, cell) for row, cell in zip(rows, missing, strict=True)]
    first, *lines = align(rows, right=range(2, len(rows[0])))
    yield paint(first, "faint", colour)
    for outcome, line in zip(outcomes, lines, strict=True):
        yield paint(line, "doubtful", colour) if outcome.still_broken or outcome.newly_broken else line
    for outcome in outcomes:
        if outcome.no_longer_applies or outcome.newly_applies:
            yield _moved_context(outcome)


def _moved_context(outcome: RuleOutcome) -> str:
    gone, new = counted(outcome.no_longer_applies, "record"), counted(outcome.newly_applies, "record")
    return f"{clean(outcome.rule)}: no longer applies to {gone}, newly applies to {new}"


def _rule_cells(outcome: RuleOutcome) -> tuple[str, ...]:
    counts = (
        outcome.checked,
        outcome.broken_before,
        outcome.still_broken,
        outcome.repaired,
        outcome.newly_broken,
    )
    return (clean(outcome.rule), outcome.severity, *map(number, counts))


_LEGEND = (
    "smallest: records that share a block's values, counted in the written file; loss: 100 * SSE / SST, beside plain "
    "MDAV without rules; last columns: groups by the exact step that they took"
)


def mask_text(result: MaskResult, *, columns: int = 100, colour: bool = False) -> str:
    """Return what was masked and published as plain text; escape sequences only when `colour` is on."""
    head, *more = wrapped(f"PUBLISHED: {_summary(result)}", columns, "", "  ")
    lines = [head.replace("PUBLISHED", paint("PUBLISHED", "good", colour), 1), *more]
    for warning in sentences(result.plan.warnings):
        lines += [
            "",
            *(paint(line, "doubtful", colour) for line in wrapped(f"WARNING: {clean(warning)}", columns, "", "  ")),
        ]
    if result.outcomes:
        lines += ["", *rule_table(result.outcomes, colour)]
    lines += _judged(result.judgement, columns)
    lines += _blocks(result, columns, colour)
    lines += totals_lines(result.plan, columns, colour)
    lines += recoded_lines(result.plan, colour)
    lines += people_lines(result.people, colour)
    lines += inventory_lines(result.plan, columns, colour)
    files = {"output": result.output, "certificate": result.certificate, "signature": result.signature}
    lines += ["", *align([(name, clean(str(path))) for name, path in files.items() if path is not None])]
    return "\n".join(lines) + "\n"


def _summary(result: MaskResult) -> str:
    records = counted(result.plan.records, "record")
    if not result.smallest:
        return "; ".join((f"{records}, none of their variables masked", _rules_summary(result), *_not_promised(result)))
    return "; ".join((f"{records} masked {_how(result)}", _rules_summary(result), *_not_promised(result)))


def _not_promised(result: MaskResult) -> list[str]:
    """Return what is not promised about people: it belongs into the first line."""
    return [clean(line) for line in sentences(result.plan.not_promised)]


def _how(result: MaskResult) -> str:
    """Say what was promised of the groups, and what was counted in the written file."""
    plan, least = result.plan, min(result.smallest)
    name = "" if plan.masker.name == DEFAULT else f"by {plan.masker.name} "
    if plan.k == 1:
        return name.rstrip() or "with k = 1"
    if plan.masker.gives_own_values:
        return f"{name}in clusters of at least {number(plan.k)}, as few as {number(least)} share the values of a block"
    if all(block.shares for block in plan.blocks):
        return f"{name}with k = {number(plan.k)}, at least {number(least)} share the values of a block"
    return (
        f"{name}with k = {number(plan.k)}, which is not promised: as few as {number(least)} share the values of a block"
    )


def _rules_summary(result: MaskResult) -> str:
    if result.rules is None:
        return "no rules were given"
    total = len(result.outcomes)
    broken = sum(outcome.still_broken + outcome.newly_broken > 0 for outcome in result.outcomes)
    if not broken:
        times = checked_times(outcome.checked for outcome in result.outcomes)
        return f"{'the only rule holds' if total == 1 else f'all {number(total)} rules hold'}, {times}"
    return f"{number(broken)} of {counted(total, 'rule')} still broken, as before masking"


def _judged(judgement: Judgement | None, columns: int) -> Iterator[str]:
    """Yield how the verdict was reached, if it was not on the whole file alone as every small file's is."""
    if judgement is None or judgement.judge == "every-record":
        return
    said = "judged by cases: no rule can be"
    if judgement.cases:
        shown = f"Saxon judged {number(judgement.cases)} of {counted(judgement.records, 'record')}"
        said = f"judged by cases: {shown}, at least one for every different combination of the values that a rule reads"
    if judgement.aggregated:
        said += f"; added up over all records: {clean(', '.join(judgement.aggregated))}"
    if judgement.whole_file:
        said += f"; by Saxon on the whole file: {clean(', '.join(judgement.whole_file))}"
    yield from wrapped(said, columns, "", "  ")


def _blocks(result: MaskResult, columns: int, colour: bool) -> Iterator[str]:
    """Yield what each block is, then a table of what became of it."""
    blocks = result.masked.blocks
    if not blocks:
        return
    yield ""
    for block in blocks:
        yield from wrapped(f"block {block.plan.number}: {_operators(block)}", columns, "", "  ")
    goals = result.plan.all_goals()
    for goal in goals:
        yield from ("", *goal_lines(goal, columns, colour))
    if goals:
        return
    steps = [step for step in ExactStep if any(block.price.steps.get(step) for block in blocks)]
    head = ("block", "strata", "groups", "smallest", "loss", "plain MDAV", *(step.value for step in steps))
    rows = [_cells(block, smallest, steps) for block, smallest in zip(blocks, result.smallest, strict=True)]
    first, *lines = align([head, *rows], right=range(len(head)))
    yield from ("", paint(first, "faint", colour), *lines)
    yield from wrapped(_LEGEND, columns, "", "")
    for block in blocks:
        lines = [*promise_lines(block.price, columns)]
        yield from ("", f"block {block.plan.number}", *lines) if lines else ()


def _cells(block: MaskedBlock, smallest: int, steps: list[ExactStep]) -> tuple[str, ...]:
    price = block.price
    return (
        str(block.plan.number),
        number(len(block.plan.strata)),
        number(price.groups),
        number(smallest),
        *(_loss(loss if has_numbers(block.plan) else None) for loss in (price.loss, price.plain_loss)),
        *(number(price.steps.get(step, 0)) for step in steps),
    )


def _loss(loss: float | None) -> str:
    return "-" if loss is None else f"{loss:.2f}"


def _operators(block: MaskedBlock) -> str:
    """Return each operator with its variables."""
    by_operator: dict[str, list[str]] = {}
    for variable in block.plan.variables:
        of = " of" if variable.treatment is Treatment.AGGREGATED else ""
        by_operator.setdefault(f"{treatment_word(variable)}{of}", []).append(clean(variable.name))
    return "; ".join(f"{operator} {', '.join(names)}" for operator, names in by_operator.items())


# What masking did, as JSON under schemas/mask.schema.json; the certificate holds the same rules and blocks.

SCHEMA = "constraint-sdc/mask"
SCHEMA_VERSION = 1


def render_mask_json(result: MaskResult) -> str:
    """Return the result as JSON with a stable order of keys."""
    return json_text(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "constraint-sdc", "version": __version__},
            "data": str(result.data),
            "rules_file": None if result.rules is None else str(result.rules),
            "output": str(result.output),
            "certificate": str(result.certificate),
            **({} if result.signature is None else {"signature": str(result.signature)}),
            "records": result.plan.records,
            "k": result.plan.k,
            "masker": masker_to_json(result.plan.masker),
            "warnings": sentences(result.plan.warnings),
            "warning_reasons": reasons_to_json(result.plan.warnings),
            "not_promised": sentences(result.plan.not_promised),
            "not_promised_reasons": reasons_to_json(result.plan.not_promised),
            "rules": rules_to_json(result),
            "blocks": blocks_to_json(result),
            "people": people_to_json(result.people),
            "judgement": judgement_to_json(result.judgement),
            **({} if result.plan.totals is None else {"totals": with_sentences(totals_to_json(result.plan.totals))}),
        }
    )


def rules_to_json(result: MaskResult) -> list[dict[str, object]]:
    """Return each rule before and after masking; `failed` and `checked` are the judge's counts on the masked file."""
    after = {} if result.after is None else {rule.rule: rule for rule in result.after.results}
    return [
        {
            "rule": outcome.rule,
            "severity": outcome.severity,
            "checked": after[outcome.rule].fired,
            "failed": after[outcome.rule].failed,
            "missing": {
                "held": after[outcome.rule].held_missing,
                "failed": after[outcome.rule].failed_missing,
            },
            "broken_before": outcome.broken_before,
            "still_broken": outcome.still_broken,
            "repaired": outcome.repaired,
            "newly_broken": outcome.newly_broken,
            **moved_context(outcome),
        }
        for outcome in result.outcomes
    ]


def judgement_to_json(judgement: Judgement | None) -> dict[str, object] | None:
    """Return how the verdict on the masked file was reached; None without rules."""
    if judgement is None:
        return None
    return {
        "judge": judgement.judge,
        "records": judgement.records,
        "cases": judgement.cases,
        "whole_file": list(judgement.whole_file),
        "aggregated": list(judgement.aggregated),
    }


def moved_context(outcome: RuleOutcome) -> dict[str, object]:
    """Return how many records left the rule's context and came into it, nothing if none did."""
    if not outcome.no_longer_applies and not outcome.newly_applies:
        return {}
    return {"no_longer_applies": outcome.no_longer_applies, "newly_applies": outcome.newly_applies}


def blocks_to_json(result: MaskResult) -> list[dict[str, object]]:
    """Return each block's groups and price; `smallest` is counted on the written file."""
    pairs = zip(result.masked.blocks, result.smallest, strict=True)
    return [block_to_json(block.plan, block.price, smallest) for block, smallest in pairs]


def block_to_json(plan: BlockPlan, price: Price, smallest: int) -> dict[str, object]:
    """Return one block with its price in words and codes."""
    paid = with_sentences(price_to_json(price))
    return {
        "number": plan.number,
        "variables": list(plan.names),
        "operators": {variable.name: treatment_word(variable) for variable in plan.variables},
        "strata": len(plan.strata),
        "groups": paid["groups"],
        "smallest": smallest,
        "steps": paid["steps"],
        "promises": paid["promises"],
        "notes": paid["notes"],
        "note_reasons": paid["note_reasons"],
        "loss": paid["loss"],
        "plain_loss": paid["plain_loss"],
        **({"goals": paid["goals"]} if price.goals else {}),
    }


# What verifying a certificate found, for a terminal.


_COLUMNS = 100


def certificate_text(found: CertificateCheck) -> str:
    """Return the verdict and a line per statement, those that do not agree first.

    >>> print(certificate_text(CertificateCheck(("the file is the one that was certified",), ())), end="")
    certificate agrees
      confirmed  the file is the one that was certified
    """
    lines = [f"certificate {'does not agree' if found.mismatches else 'agrees'}"]
    lines += [f"  MISMATCH   {clean(line)}" for line in found.mismatches]
    lines += [f"  confirmed  {clean(line)}" for line in found.confirmed]
    if found.stated:
        lines += [
            "  stated, not checked here:",
            *wrapped(", ".join(map(clean, found.stated)), _COLUMNS, "    ", "    "),
        ]
    lines += [f"  {clean(note)}" for note in found.notes]
    return "\n".join(lines) + "\n"


# What masking again found, for a terminal.


def reproduction_text(found: Reproduction) -> str:
    """Return the verdict, and what explains it: the first difference, fields, versions."""
    if found.is_same:
        lines = [f"REPRODUCED: masked again, the same bytes (SHA-256 {found.stated_sha256})"]
    else:
        lines = ["DIFFERENT: masked again, the file has other bytes", *_difference(found)]
    if found.permitted:
        lines.append(f"  rules that may check nothing, by the certificate alone: {clean(', '.join(found.permitted))}")
    lines += [f"  {clean(line)}" for line in found.versions]
    if not found.is_same and not found.versions:
        lines.append("  versions and platform are the certified ones")
    if not found.is_same and found.is_other_machine:
        lines.append(f"  {_OTHER_MACHINE}")
    return "\n".join(lines) + "\n"


_OTHER_MACHINE = (
    "the processor or its libraries differ from the certified ones: logarithms, powers and linear algebra "
    "may differ in the last digit"
)


def _difference(found: Reproduction) -> Iterator[str]:
    yield f"  certified SHA-256 {found.stated_sha256}, now {found.sha256 or 'none'}"
    yield f"  first difference: {clean(found.first_difference or '')}"
    yield from (f"  {clean(line)}" for line in found.fields)
