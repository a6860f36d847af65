"""The plan for people: what will be masked together, how, why each rule survives, and what that costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from constraint_sdc.maskers.registry import DEFAULT
from constraint_sdc.plan.plan import (
    BlockPlan,
    ExactStep,
    Formation,
    Kept,
    Plan,
    Price,
    Promise,
    RulePlan,
    StratumPlan,
    Why,
)
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.masking.goal_text import goal_lines, grid_word, has_numbers, least_words, treatment_word
from constraint_sdc.reports.masking.inventory_text import inventory_lines
from constraint_sdc.reports.masking.people_text import promised_lines
from constraint_sdc.reports.masking.totals_text import totals_lines
from constraint_sdc.reports.sentences import sentence, sentences
from constraint_sdc.reports.terminal import Style, align, clean, fact, padded, paint, width, wrapped
from constraint_sdc.settings.recipe import Division
from constraint_sdc.settings.words import Standardise, Treatment

# What `Why` means to somebody who reads the plan for the first time.
WHY_MEANING: dict[Why, str] = {
    Why.UNTOUCHED: "no variable of the rule is masked",
    Why.PRESERVED: "the operator alone preserves the rule, digit for digit",
    Why.EXACT: "the operator preserves the rule in real arithmetic, the exact step on the grid",
    Why.CHECKED: "every representative is checked; those that fail are repaired or replaced",
    Why.MEDOID: "the rule's variables come from one actual record",
    Why.COMPUTED: "a variable of the rule is computed for every record, and the rule is evaluated on every record",
    Why.JUDGED: "nothing but the judge decides, after masking",
}
_SWAP_MEANING: dict[Why, str] = {
    Why.CHECKED: "every pair is evaluated before it is swapped; one that would break the rule is not",
    Why.MEDOID: "the rule's variables have the values of one actual record after the swap",
}
_WHY_STYLES: dict[Why, Style] = {
    Why.UNTOUCHED: "faint",
    Why.PRESERVED: "good",
    Why.EXACT: "good",
    Why.CHECKED: "good",
    Why.MEDOID: "good",
    Why.COMPUTED: "good",
    Why.JUDGED: "doubtful",
}
_STRATA_SHOWN = 12


def why_meaning(why: Why, plan: Plan) -> str:
    """Return what a reason means in this plan."""
    is_swapped = any(v.treatment is Treatment.SWAPPED for block in plan.blocks for v in block.variables)
    return _SWAP_MEANING.get(why, WHY_MEANING[why]) if is_swapped else WHY_MEANING[why]


def plan_text(plan: Plan, *, columns: int = 100, colour: bool = False) -> str:
    """Return the plan as plain text, wrapped to `columns` cells; escape sequences only when `colour` is on.

    >>> import constraint_sdc as cs
    >>> plan = cs.plan_file("census.xml", "census.sch", k=5, partition="mdav")
    >>> print(cs.plan_text(plan).splitlines()[0])
    PLAN: mask 16 variables of 200 records in 5 blocks, at least 5 records to a group
    """
    lines = [*_opening(plan, columns, colour)]
    for block in plan.blocks:
        lines += ["", *_block(plan, block, columns, colour)]
    lines += totals_lines(plan, columns, colour)
    lines += promised_lines(plan, columns, colour)
    lines += _kept(plan.kept, columns, colour)
    lines += inventory_lines(plan, columns, colour)
    lines += _elsewhere(plan.rules, columns, colour)
    lines += _broken(plan, columns, colour)
    lines += _legend(plan, columns, colour)
    return "\n".join(lines) + "\n"


def _opening(plan: Plan, columns: int, colour: bool) -> Iterator[str]:
    masked = sum(len(block.variables) for block in plan.blocks)
    said = f"PLAN: mask {counted(masked, 'variable')} of {counted(plan.records, 'record')} in "
    said += counted(len(plan.blocks), "block")
    said += f", {least}" if (least := least_words(plan)) else ""
    said += f"; compute {counted(len(plan.computed), 'variable')} from them" if plan.computed else ""
    for line in wrapped(said, columns, "", "  "):
        yield paint(line, "strong", colour)
    yield from wrapped(f"{_method(plan)}, seed {plan.seed}, {_survival(plan)}", columns, "", "  ")
    for warning in plan.warnings:
        head, *more = wrapped(f"WARNING: {clean(sentence(warning))}", columns, "", "  ")
        yield from ("", paint(head, "doubtful", colour), *(paint(line, "doubtful", colour) for line in more))
    if plan.assumptions:
        yield from ("", paint("assumed", "strong", colour))
    for assumption in plan.assumptions:
        yield from wrapped(clean(sentence(assumption)), columns, "  - ", "    ")


def _method(plan: Plan) -> str:
    """Say which masker masks, what it was told, and how it divides the records."""
    if plan.masker.name == DEFAULT:
        return _division(plan.division, "partition")
    told = "".join(f", {_parameter(name, value)}" for name, value in plan.masker.told().items() if _is_short(value))
    said = f"masker {plan.masker.name}{told}"
    return said if plan.masker.divides_itself else f"{said}, {_division(plan.division, 'partition')}"


def _is_short(value: object) -> bool:
    """Tell whether a parameter is said in a word or a list of words; longer ones are in the JSON plan."""
    return not isinstance(value, dict) and not (isinstance(value, list) and any(isinstance(v, dict) for v in value))


def _parameter(name: str, value: object) -> str:
    if isinstance(value, list):
        return f"{name} {', '.join(clean(str(one)) for one in value)}"
    return f"{name} {('no', 'yes')[value] if isinstance(value, bool) else value}"


def _division(division: Division, word: str) -> str:
    said = f"{word} {clean(division.partition)}"
    if division.effort is not None:
        said += f" at {clean(division.effort)} effort"
    if division.standardise is not Standardise.Z_SCORE:
        said += f", standardised: {division.standardise.value}"
    if division.weights is not None:
        said += f", records weighted by {clean(division.weights)}"
    return said


def _survival(plan: Plan) -> str:
    rules = plan.all_rules()
    if not rules:
        return "no rules" if plan.masker.name != DEFAULT else f"no rules: plain {DEFAULT}"
    counts = Counter(rule.why for rule in rules)
    return f"{counted(len(rules), 'rule')}: " + ", ".join(f"{counts[why]} {why.value}" for why in Why if counts[why])


def _block(plan: Plan, block: BlockPlan, columns: int, colour: bool) -> Iterator[str]:
    yield paint(f"block {block.number}: {', '.join(map(clean, block.names))}", "strong", colour)
    yield from block_lines(plan, block, columns, colour)
    for rule in block.rules:
        yield from ("", *_rule(rule, columns, colour))


def block_lines(plan: Plan, block: BlockPlan, columns: int, colour: bool) -> Iterator[str]:
    """Yield a block's facts, variables, strata and price; not its rules."""
    if block.price is not None and block.price.goals:
        yield from _swap_lines(block, block.price, columns, colour)
        return
    yield from fact("together", clean(sentence(block.block.because)), columns)
    yield from fact("how", clean(sentence(block.strategy)), columns)
    least = f"; {words}" if (words := least_words(plan)) else ""
    yield from fact("partition", f"{clean(sentence(block.partition))}{least}", columns)
    if _is_trivial(block.strata):
        yield from fact("strata", "none, all records together", columns)
        for derivation in (one for stratum in block.strata for one in stratum.derivations):
            yield from fact("derived", clean(sentence(derivation)), columns)
    if block.price is not None:
        yield from price_lines(block.price, columns, has_numbers(block))
    yield ""
    rows = [("variable", "role", "type", "grid", "operator", "weight")]
    rows += [
        (clean(v.name), v.role.value, v.scale.value, grid_word(v), treatment_word(v), f"{v.weight:g}")
        for v in block.variables
    ]
    is_weighted = any(v.weight != 1.0 for v in block.variables)
    yield from _table(rows if is_weighted else [row[:-1] for row in rows], (), colour)
    for ordered in (v for v in block.variables if v.order):
        yield from wrapped(clean(f"{ordered.name}: {' < '.join(ordered.order)}"), columns, "  ", "    ")
    if not _is_trivial(block.strata):
        yield from ("", *strata_lines(block.strata, columns, colour))


def _swap_lines(block: BlockPlan, price: Price, columns: int, colour: bool) -> Iterator[str]:
    """Yield a block whose values are swapped: how, and every goal."""
    yield from fact("swapped", clean(sentence(block.block.because)), columns)
    yield from fact("how", clean(sentence(block.strategy)), columns)
    moved = price.steps.get(ExactStep.SWAPPED, 0)
    total = moved + price.steps.get(ExactStep.KEPT, 0)
    yield from fact("changed", f"{number(moved)} of {counted(total, 'record')}", columns)
    for goal in price.goals:
        yield from ("", *(f"  {line}".rstrip() for line in goal_lines(goal, columns - 2, colour)))


def _is_trivial(strata: Sequence[StratumPlan]) -> bool:
    """Tell whether all records are treated alike."""
    return len(strata) <= 1 and not any(s.conditions or s.formation is not Formation.WHOLE for s in strata)


def price_lines(price: Price, columns: int, is_lossy: bool) -> Iterator[str]:
    """Yield what the guarantee costs: loss of numbers with and without rules, and the exact steps."""
    plain = "not computed for a file of this size" if price.plain_loss is None else f"{price.plain_loss:.2f}"
    if is_lossy:
        yield from fact("price", f"information loss {price.loss:.2f}, plain MDAV without rules {plain}", columns)
    yield from fact("groups", f"{number(price.groups)}, the smallest of {counted(price.smallest, 'record')}", columns)
    yield from fact("exact steps", steps_text(price), columns)
    yield from promise_lines(price, columns)


def promise_text(promise: Promise) -> str:
    """Return what is kept and how nearly."""
    if promise.is_exact:  # how many roundings of doubles that is differs between machines
        return f"{sentence(promise.what)}: exactly"
    return f"{sentence(promise.what)}: approximately (largest relative difference {promise.difference:.1e})"


def promise_lines(price: Price, columns: int) -> Iterator[str]:
    """Yield what is kept besides the rules, exactly or how nearly, and what else came about."""
    for promise in price.promises:
        yield from fact("keeps", clean(promise_text(promise)), columns)
    for note in price.notes:
        yield from fact("note", clean(sentence(note)), columns)


def steps_text(price: Price) -> str:
    """Return the exact steps that groups took, in the order of their cost."""
    taken = [f"{step.value} {number(price.steps[step])}" for step in ExactStep if price.steps.get(step)]
    return ", ".join(taken) or "none"


def strata_lines(strata: Sequence[StratumPlan], columns: int, colour: bool) -> Iterator[str]:
    """Yield one line per stratum with its size and formation, and below it conditions and derivations."""
    shown = strata[:_STRATA_SHOWN]
    numbers = [("stratum", "records", "formed")] + [
        (str(i), number(stratum.size), stratum.formation.value) for i, stratum in enumerate(shown, 1)
    ]
    first, *others = align(numbers, right=(0, 1))
    cells = max(map(width, (first, *others)))
    indent = " " * (cells + 6)
    yield "  " + paint(padded(first, cells) + "  condition", "faint", colour)
    for stratum, line in zip(shown, others, strict=True):
        where = "; ".join(map(clean, sentences(stratum.conditions))) or "none"
        yield from wrapped(where, columns, f"  {padded(line, cells)}  ", indent[2:])
        for derivation in stratum.derivations:
            yield from wrapped(f"derived: {clean(sentence(derivation))}", columns, indent[2:], indent)
    if more := len(strata) - len(shown):
        yield f"  ... and {counted(more, 'more stratum').replace('stratums', 'strata')}, all of them in the JSON plan"


def _rule(rule: RulePlan, columns: int, colour: bool) -> Iterator[str]:
    name = paint(clean(rule.rule), "strong", colour)
    yield f"  rule {name}: {paint(rule.why.value, _WHY_STYLES[rule.why], colour)}"
    yield from rule_facts(rule, columns, "    ")


def rule_facts(rule: RulePlan, columns: int, indent: str = "  ") -> Iterator[str]:
    """Yield what a rule says and why it survives."""
    said = clean(rule.says) if rule.says == rule.kind else f"{clean(rule.says)} ({clean(rule.kind)})"
    yield from fact("says", said, columns, indent)
    yield from fact("because", clean(sentence(rule.because)), columns, indent)


def _kept(kept: Sequence[Kept], columns: int, colour: bool) -> Iterator[str]:
    if not kept:
        return
    yield from ("", paint("not masked", "strong", colour))
    names = align([(clean(variable.name), variable.role.value) for variable in kept])
    cells = max(map(width, names))
    for variable, name in zip(kept, names, strict=True):
        said = ("taken out of the file; " if variable.is_removed else "") + clean(sentence(variable.because))
        yield from wrapped(said, columns, f"  {padded(name, cells)}  ", " " * (cells + 4))


def _elsewhere(rules: Sequence[RulePlan], columns: int, colour: bool) -> Iterator[str]:
    judged = [rule for rule in rules if rule.why is Why.JUDGED]
    others = [rule for rule in rules if rule.why is not Why.JUDGED]
    for title, part in (("rules outside the blocks", others), ("rules judged only after masking", judged)):
        if part:
            yield from ("", paint(title, "strong", colour))
        for rule in part:
            yield from _rule(rule, columns, colour)


def _broken(plan: Plan, columns: int, colour: bool) -> Iterator[str]:
    broken = {rule: count for rule, count in plan.broken.items() if count}
    if not broken:
        return
    yield from ("", paint("broken before masking", "doubtful", colour))
    yield from (
        f"  {line}" for line in align([(clean(r), counted(n, "record")) for r, n in broken.items()], right=(1,))
    )
    way = f"these records are masked too; no other record may come to break a rule (on_broken: {plan.on_broken})"
    yield from wrapped(way, columns, "  ", "  ")
    if plan.on_broken == "refuse":  # a broken rule of severity error is refused before there is a plan
        why = "only broken rules of severity error stop masking; these have a lower one"
        yield from wrapped(why, columns, "  ", "  ")


def _legend(plan: Plan, columns: int, colour: bool) -> Iterator[str]:
    used = [why for why in Why if any(rule.why is why for rule in plan.all_rules())]
    if used:
        yield ""
    for why in used:
        for line in fact(why.value, why_meaning(why, plan), columns, ""):
            yield paint(line, "faint", colour)


def _table(rows: Sequence[Sequence[str]], right: Sequence[int], colour: bool) -> Iterator[str]:
    first, *others = align(rows, right)
    yield "  " + paint(first, "faint", colour)
    yield from (f"  {line}" for line in others)
