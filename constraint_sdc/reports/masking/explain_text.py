"""The answers of `explain`: why one rule survives masking, and how one record was masked."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.maskers.masked import MaskedBlock, RecordExplanation
from constraint_sdc.plan.plan import BlockPlan, ExactStep, Plan, RulePlan
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.masking.goal_text import grid_word, treatment_word
from constraint_sdc.reports.masking.plan_text import block_lines, rule_facts, why_meaning
from constraint_sdc.reports.masking.totals_text import source_words
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.reports.terminal import align, clean, clipped, fact, paint, wrapped

_STEP_MEANING: dict[ExactStep, str] = {
    ExactStep.ROUNDED: "the operator's value, put on the grid, satisfies every rule",
    ExactStep.DERIVED: "dependent variables were computed by the rules' own expressions",
    ExactStep.NUDGED: "a neighbour on the grid satisfies every rule, the operator's value did not",
    ExactStep.REPAIRED: "the nearest values that satisfy every rule, by integer programme",
    ExactStep.ANCHORED: "the variables of some rules come from one actual record, the others are as the operator says",
    ExactStep.DRAWN_IN: "the values were moved towards the representative of its cluster, until every rule held",
    ExactStep.SHARED: "the representative of its cluster stands in, since nothing nearer satisfied every rule",
    ExactStep.MEDOID: "an actual record stands for the group, since nothing cheaper satisfied every rule",
    ExactStep.MOVED_OFF: "the values were moved from an actual record towards the mean, and are nobody's record",
    ExactStep.SWAPPED: "the value was exchanged with that of another record, and every rule holds for both",
    ExactStep.KEPT: "the record has its own value: it was in no swap",
}


def rule_text(plan: Plan, rule: RulePlan, *, columns: int = 100, colour: bool = False) -> str:
    """Return why a rule of the plan survives: its reason, then the block that it lives in."""
    block = next((block for block in plan.blocks if rule in block.rules), None)
    lines = [f"rule {paint(clean(rule.rule), 'strong', colour)}: {rule.why.value}, {why_meaning(rule.why, plan)}"]
    lines += [*rule_facts(rule, columns)]
    if broken := plan.broken.get(rule.rule):
        lines += fact("before", f"{counted(broken, 'record')} of the original break it", columns)
    lines.append("")
    if block is None:
        lines += wrapped(_outside(plan, rule), columns, "", "")
    else:
        lines.append(paint(f"block {block.number}: {', '.join(map(clean, block.names))}", "strong", colour))
        lines += block_lines(plan, block, columns, colour)
        lines += _neighbours(block, rule, columns)
    return "\n".join(lines) + "\n"


def _outside(plan: Plan, rule: RulePlan) -> str:
    masked = plan.masked_names()
    touched = [clean(name) for name in rule.variables if name in masked]
    if not touched:
        return "no block decides it: none of its variables is masked"
    return f"no block decides it, although masking changes {', '.join(touched)}"


def _neighbours(block: BlockPlan, rule: RulePlan, columns: int) -> Iterator[str]:
    others = [clean(other.rule) for other in block.rules if other != rule]
    if others:
        yield ""
        yield from fact("also here", f"{'rules' if len(others) > 1 else 'rule'} {', '.join(others)}", columns)


def record_text(
    explanation: RecordExplanation, *, show_values: bool = False, columns: int = 100, colour: bool = False
) -> str:
    """Return, block by block, how the record was masked; its original values only with `show_values`."""
    head = f"record {number(explanation.record)} of {number(explanation.plan.records)}"
    head += "" if explanation.plan.all_goals() else f", k = {explanation.plan.k}"
    lines = [paint(head, "strong", colour)]
    for block in explanation.masked.blocks:
        lines += ["", *_masked_block(explanation, block, show_values, columns, colour)]
    lines += _totals(explanation, show_values, colour)
    kept = [f"{clean(kept.name)}{' (taken out)' if kept.is_removed else ''}" for kept in explanation.plan.kept]
    if kept:
        lines += ["", *wrapped(f"not masked: {', '.join(kept)}", columns, "", "  ")]
    if not show_values:
        lines += ["", paint("the original's values are hidden; --show-values shows them", "faint", colour)]
    return "\n".join(lines) + "\n"


def _totals(explanation: RecordExplanation, show_values: bool, colour: bool) -> Iterator[str]:
    """Yield the variables that are computed for every record."""
    if not explanation.plan.computed:
        return
    yield from ("", paint("computed for this record", "strong", colour))
    head = ("variable", "rule", "computed from", "masked", "original" if show_values else "")
    rows = [
        (
            clean(total.name),
            clean(total.rule),
            source_words(total),
            _shown(explanation.masked.totals[total.name].text(explanation.record - 1)),
            _shown(explanation.original.get(total.name)) if show_values else "",
        )
        for total in explanation.plan.computed
    ]
    first, *others = align([head, *rows], right=(3, 4))
    yield "  " + paint(first, "faint", colour)
    yield from (f"  {line}" for line in others)


def _masked_block(
    explanation: RecordExplanation, block: MaskedBlock, show_values: bool, columns: int, colour: bool
) -> Iterator[str]:
    group = int(block.groups.label[explanation.record - 1])
    row = int(block.row[explanation.record - 1])
    place, step = block.stratum[group], block.step[row]
    stratum = block.plan.strata[place]
    yield paint(f"block {block.plan.number}: {', '.join(map(clean, block.plan.names))}", "strong", colour)
    if block.price.goals:
        yield from fact(step.value, _STEP_MEANING[step], columns)
        yield from fact("rules", ", ".join(clean(rule.rule) for rule in block.plan.rules) or "none", columns)
        yield from _values(explanation, block, row, show_values, colour)
        return
    share = "share these values" if block.own is None else "were masked together, each with values of its own"
    yield from fact("group", f"{number(int(block.groups.sizes[group]))} records {share}", columns)
    where = f"{place + 1} of {len(block.plan.strata)}, {counted(stratum.size, 'record')}, {stratum.formation.value}"
    yield from fact("stratum", where, columns)
    for condition in sentences(stratum.conditions):
        yield from fact("condition", clean(condition), columns)
    yield from fact("exact step", f"{step.value}: {_STEP_MEANING[step]}", columns)
    for derivation in sentences(stratum.derivations):
        yield from fact("derivation", clean(derivation), columns)
    yield from fact("rules", ", ".join(clean(rule.rule) for rule in block.plan.rules) or "none", columns)
    yield from _values(explanation, block, row, show_values, colour)


def _values(
    explanation: RecordExplanation, block: MaskedBlock, row: int, show_values: bool, colour: bool
) -> Iterator[str]:
    head = ("variable", "operator", "grid", "masked", "original" if show_values else "")
    rows = [
        (
            clean(variable.name),
            treatment_word(variable),
            grid_word(variable),
            _shown(block.columns[variable.name].text(row)),
            _shown(explanation.original.get(variable.name)) if show_values else "",
        )
        for variable in block.plan.variables
    ]
    first, *others = align([head, *rows], right=(3, 4))
    yield "  " + paint(first, "faint", colour)
    yield from (f"  {line}" for line in others)


def _shown(value: str | None) -> str:
    return "absent" if value is None else clipped(clean(value), 40) or "empty"
