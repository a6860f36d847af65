"""The sections of an assessment's page: pictures, the risk-utility map, the plan and the certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from constraint_sdc.arrays import Floats
from constraint_sdc.data.pair import Compared, Pair
from constraint_sdc.maskers.registry import DEFAULT
from constraint_sdc.measures.assessment import Assessment, Figure, Measured
from constraint_sdc.measures.codebook import CodebookEntry
from constraint_sdc.measures.sweep_points import SweepPoint
from constraint_sdc.measures.verdict import Standing
from constraint_sdc.plan.plan import BlockPlan, Kept, Plan, RulePlan, StratumPlan, Why
from constraint_sdc.reports.assessment.figures_text import NOT_DEFINED, count, percent, plain, shown, shown_figure
from constraint_sdc.reports.assessment.verdict_text import bound_text
from constraint_sdc.reports.charts.before_after import distribution_svg
from constraint_sdc.reports.charts.bins import least_records
from constraint_sdc.reports.charts.sweep import UNMASKED, render_map_svg
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.masking.goal_text import goal_sentence, grid_word, has_numbers, least_words, treatment_word
from constraint_sdc.reports.masking.inventory_text import fate_counts, told_by_inventory
from constraint_sdc.reports.masking.plan_text import promise_text, steps_text, why_meaning
from constraint_sdc.reports.rule_graph import graph_of_plan, render_graph_svg
from constraint_sdc.reports.sentences import sentence, sentences, worded
from constraint_sdc.settings.words import Scale, Standardise

if TYPE_CHECKING:
    from markupsafe import Markup


# The pictures of an assessment's page: each variable before and after masking, and the risk-utility map.

# A page of hundreds of pictures is slow to draw and no summary.
_MOST_PICTURES = 60
# Rows of the drawing of blocks and rules; a longer one is drawn by `plan --graph` alone.
_MOST_DRAWN = 300


def pictures_section(pair: Pair) -> dict[str, object]:
    """Return a picture of every variable that masking was to change, or did; and the names of those without one."""
    least = least_records(pair.k)
    changed = [v for v in pair.variables if v.is_masked or not v.unchanged.all()]
    drawn = [(v, distribution_svg(v, least, f"variable-{i}")) for i, v in enumerate(changed[:_MOST_PICTURES], 1)]
    return {
        "least": number(least),
        "pictures": [_picture(variable, svg, least) for variable, svg in drawn if svg is not None],
        "has_categories": any(v.scale is not Scale.NUMERIC for v, svg in drawn if svg is not None),
        "too_few": [variable.name for variable, svg in drawn if svg is None],
        "beyond": [variable.name for variable in changed[_MOST_PICTURES:]],
        "unchanged": counted(same, "variable") if (same := len(pair.variables) - len(changed)) else None,
    }


def _picture(variable: Compared, svg: str, least: int) -> dict[str, object]:
    return {"name": variable.name, "svg": _trusted(svg), "blanks": _blanks(variable, least)}


def _trusted(svg: str) -> Markup:
    """Return our own drawing as markup; names in it were escaped when it was written."""
    from markupsafe import Markup

    return Markup(svg)


def _blanks(variable: Compared, least: int) -> str | None:
    """Say how many records have no value; of a handful only that there are some."""
    before, after = (_blank(values, least) for values in (variable.original, variable.masked))
    return None if before == after == "0" else f"blank: {before} before, {after} after"


def _blank(values: Floats, least: int) -> str:
    blanks = int(np.count_nonzero(np.isnan(values)))
    return f"fewer than {number(least)}" if 0 < blanks < least else number(blanks)


def map_section(score: Measured, sweep: Sequence[SweepPoint]) -> dict[str, object]:
    """Return the risk-utility map with this file, and the sweep's points where there are some."""
    pil, dr = (next((f.value for f in score.figures if f.name == name), None) for name in ("pil", "dr"))
    this_file = None if pil is None or dr is None else (pil, dr)
    drawn = [point for point in sweep if point.pil is not None and point.dr is not None]
    has_map = this_file is not None or bool(drawn)
    return {
        "svg": _trusted(render_map_svg(drawn, this_file=this_file, is_inline=True)) if has_map else None,
        "this_file": None if this_file is None else (percent(this_file[0]), percent(this_file[1])),
        "points": number(len(drawn)) if sweep else None,
        "left_out": number(len(sweep) - len(drawn)) if len(sweep) > len(drawn) else None,
    }


# What a review board asks first of a masked file: six numbers, taken from the measures by their names.

_NOT_DEFINED, _NOT_MEASURED = "not defined", "not run"


def key_figures(assessment: Assessment) -> Iterator[tuple[str, str, bool]]:
    """Yield a label, a number in words, and whether it alone speaks against the file."""
    yield _newly_broken(assessment)
    yield _blocks_that_hold(assessment)
    smallest = _figure(assessment.risk, "achieved-k", "k")
    missed = {one.bound.name for one in assessment.verdict.of(Standing.MISSED)}
    yield "Smallest group over all known variables", shown_or_why_not(smallest), "achieved-k.k" in missed
    score, linked = (_figure((assessment.score,), "score", name) for name in ("score", "dbrl"))
    is_useless = score is not None and score.value is not None and score.value >= UNMASKED
    yield "SCORE (50: not masked)", shown_or_why_not(score).removesuffix("%"), is_useless
    averaged = _figure((assessment.score,), "score", "score-averaged")
    if averaged is not None:
        yield "SCORE, linkage averaged", shown_or_why_not(averaged).removesuffix("%"), False
    yield "Records linked (DBRL)", shown_or_why_not(linked), "distance-linkage.linked" in missed
    yield _certain(assessment)


def shown_or_why_not(figure: Figure | None) -> str:
    """Return a figure's number, or that it was not asked for, or is not defined for this file."""
    if figure is None:
        return _NOT_MEASURED
    return _NOT_DEFINED if figure.value is None else shown_figure(figure)


def _newly_broken(assessment: Assessment) -> tuple[str, str, bool]:
    if assessment.outcomes is None:
        return "Rules newly broken", "no rules given", False
    broken = assessment.newly_broken
    return "Rules newly broken", f"{number(broken)} of {number(len(assessment.outcomes))}", broken > 0


def _blocks_that_hold(assessment: Assessment) -> tuple[str, str, bool]:
    k = assessment.pair.k
    if k is None:
        return "Blocks that keep k", "no k promised", False
    label = f"Blocks with groups of at least k = {number(k)}"
    held, blocks = (_figure(assessment.risk, "achieved-k", name) for name in ("blocks-held", "blocks"))
    if held is None or blocks is None or held.value is None or blocks.value is None:
        return label, shown_or_why_not(held), False
    return label, f"{count(held.value)} of {count(blocks.value)}", held.value < blocks.value


def _certain(assessment: Assessment) -> tuple[str, str, bool]:
    """Return how many records the best informed of the intruders is certain of."""
    label = "Certain re-identifications, at worst"
    found = next((one for one in assessment.attacks if one.measure == "transparency"), None)
    if found is None:
        return label, _NOT_MEASURED, False
    certain = [f.value for f in found.figures if f.name.startswith("certain-records-") and f.value is not None]
    if not certain:
        return label, _NOT_DEFINED, False
    return label, f"{count(max(certain))} of {number(assessment.records)}", max(certain) > 0


def _figure(measured: Sequence[Measured], measure: str, name: str) -> Figure | None:
    return next((f for one in measured if one.measure == measure for f in one.figures if f.name == name), None)


# The criteria of the verdict, the codebook, and what was not run.

_STANDING_TONES = {Standing.MET: "pass", Standing.WARNED: "warn", Standing.MISSED: "fail", Standing.NOT_RUN: "warn"}


def criteria_section(assessment: Assessment) -> list[dict[str, object]]:
    """Return every criterion with its bound and what its figure does not cover."""
    return [
        {
            "standing": one.standing.value,
            "tone": _STANDING_TONES[one.standing],
            "label": one.label,
            "name": one.bound.name,
            "found": "not run" if one.value is None else shown(one.value, one.unit),
            "bound": bound_text(one),
            "source": "default" if one.is_default else "recipe",
            "misses": worded(one.why or "") if one.value is None else "" if one.misses is None else worded(one.misses),
        }
        for one in assessment.verdict.criteria
    ]


def codebook_section(assessment: Assessment, show_values: bool) -> list[tuple[str, ...]]:
    """Return a row for every variable; its range only if `show_values` is set."""
    return [
        (
            entry.name,
            entry.fate,
            entry.role or "",
            entry.scale or "",
            *(NOT_DEFINED if n is None else number(n) for n in (entry.distinct_before, entry.distinct, entry.blank)),
            _range(entry, show_values),
        )
        for entry in assessment.codebook
    ]


def _range(entry: CodebookEntry, show_values: bool) -> str:
    if entry.low is None or entry.high is None:
        return NOT_DEFINED
    return f"{plain(entry.low)} to {plain(entry.high)}" if show_values else "hidden"


# The plan and the certificate as an assessment's page tells of them: names and sentences, ready to be set.

_STRATA_SHOWN = 12
_TONES: dict[Why, str] = dict.fromkeys(Why, "pass") | {Why.UNTOUCHED: "idle", Why.JUDGED: "warn"}


def plan_section(plan: Plan | None) -> dict[str, object] | None:
    """Return what the page says of a plan."""
    if plan is None:
        return None
    used = [why for why in Why if any(rule.why is why for rule in plan.all_rules())]
    return {
        "says": _opening(plan),
        "graph": _graph(plan),
        "assumptions": sentences(plan.assumptions),
        "warnings": sentences(plan.warnings),
        "blocks": [_block(plan, block) for block in plan.blocks],
        "rules": [_rule(rule) for rule in plan.rules],
        "kept": [_kept(variable) for variable in plan.kept],
        "fates": fate_counts(plan.inventory) if plan.inventory else "",
        "around": [
            (one.what, one.fate.value, sentence(one.because)) for one in plan.inventory if told_by_inventory(one)
        ],
        "broken": [(rule, counted(records, "record")) for rule, records in plan.broken.items() if records],
        "meanings": [(why.value, _TONES[why], why_meaning(why, plan)) for why in used],
    }


def _graph(plan: Plan) -> Markup | None:
    """Return the drawing of blocks and rules, None where it would be longer than the page."""
    graph = graph_of_plan(plan)
    rows = sum(max(len(panel.variables), len(panel.rules)) for panel in graph.panels)
    return _trusted(render_graph_svg(graph, is_inline=True)) if rows <= _MOST_DRAWN else None


def _opening(plan: Plan) -> str:
    masked = sum(len(block.variables) for block in plan.blocks)
    said = f"{counted(masked, 'variable')} of {counted(plan.records, 'record')} masked in "
    said += counted(len(plan.blocks), "block")
    said += f", {counted(len(plan.computed), 'variable')} computed from them" if plan.computed else ""
    said += f", {least}; " if (least := least_words(plan)) else "; "
    return said + ", ".join(_division(plan))


def _division(plan: Plan) -> Iterator[str]:
    division, beside = plan.division, "" if plan.partition is None else f", partition {plan.partition}"
    divided = f"partition {division.partition}" if plan.masker.name == DEFAULT else f"masker {plan.masker.name}{beside}"
    yield divided + ("" if division.effort is None else f" at {division.effort} effort")
    if division.standardise is not Standardise.Z_SCORE:
        yield f"standardised: {division.standardise.value}"
    if division.weights is not None:
        yield f"records weighted by {division.weights}"
    yield f"seed {plan.seed}."


def _block(plan: Plan, block: BlockPlan) -> dict[str, object]:
    shown = block.strata[:_STRATA_SHOWN]
    more = len(block.strata) - len(shown)
    return {
        "number": block.number,
        "names": block.names,
        "facts": list(_facts(plan, block)),
        "variables": [
            (v.name, v.role.value, v.scale.value, grid_word(v), treatment_word(v), f"{v.weight:g}")
            for v in block.variables
        ],
        "strata": [_stratum(i, stratum) for i, stratum in enumerate(shown, 1)],
        "more_strata": f"… and {number(more)} more, all of them in the certificate" if more else None,
        "rules": [_rule(rule) for rule in block.rules],
    }


def _facts(plan: Plan, block: BlockPlan) -> Iterator[tuple[str, str]]:
    yield "Together", sentence(block.block.because)
    yield "How", sentence(block.strategy)
    yield "Partition", sentence(block.partition) + (f"; {least}" if (least := least_words(plan)) else "")
    price = block.price
    if price is not None and price.goals:
        yield from ((f"Goal {goal.number}", goal_sentence(goal)) for goal in price.goals)
    elif price is not None:
        plain = "not computed for a file of this size" if price.plain_loss is None else percent(price.plain_loss)
        if has_numbers(block):
            yield "Price", f"information loss {percent(price.loss)}, plain MDAV without rules {plain}"
        yield "Groups", f"{number(price.groups)}, the smallest of {counted(price.smallest, 'record')}"
        yield "Exact steps", steps_text(price)
        yield from (("Keeps", promise_text(promise)) for promise in price.promises)
        yield from (("Note", note) for note in sentences(price.notes))


def _stratum(i: int, stratum: StratumPlan) -> dict[str, object]:
    return {
        "number": str(i),
        "records": number(stratum.size),
        "formed": stratum.formation.value,
        "conditions": "; ".join(sentences(stratum.conditions)) or "none, all records together",
        "derivations": sentences(stratum.derivations),
    }


def _rule(rule: RulePlan) -> dict[str, object]:
    says = rule.says if rule.says == rule.kind else f"{rule.says} ({rule.kind})"
    return {
        "rule": rule.rule,
        "why": rule.why.value,
        "tone": _TONES[rule.why],
        "says": says,
        "because": sentence(rule.because),
    }


def _kept(variable: Kept) -> tuple[str, str, str]:
    removed = "taken out of the file; " if variable.is_removed else ""
    return variable.name, variable.role.value, removed + sentence(variable.because)


def certificate_section(certificate: Mapping[str, Any] | None) -> dict[str, object] | None:
    """Return what the page says of a certificate: how the file was masked, the digests and the versions."""
    if certificate is None:
        return None
    output = certificate["output"]
    files = [(one["role"], one["file"] or "", one["sha256"]) for one in certificate["inputs"]]
    return {
        "options": [(name.replace("_", " "), _option(value)) for name, value in certificate["options"].items()],
        "files": [*files, ("masked file", output["file"], output["sha256"]), ("plan", "", certificate["plan_sha256"])],
        "versions": list(certificate["versions"].items()),
    }


def _option(value: object) -> str:
    return "not given" if value is None else str(value)
