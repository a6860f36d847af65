"""An assessment as one HTML page for a review board: no script, no network, readable on paper and on a phone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraint_sdc.maskers.masked import RuleOutcome
from constraint_sdc.measures.assessment import Assessment, Measured, ResultTable, SubdomainMeasured
from constraint_sdc.measures.sweep_points import SweepPoint
from constraint_sdc.named_copies import address_of
from constraint_sdc.reports.assessment.figures_text import count, shown_figure, shown_rows
from constraint_sdc.reports.assessment.sections import (
    certificate_section,
    codebook_section,
    criteria_section,
    key_figures,
    map_section,
    pictures_section,
    plan_section,
    shown_or_why_not,
)
from constraint_sdc.reports.assessment.text import assessment_verdict, few, is_hidden, shown_name
from constraint_sdc.reports.charts.bins import least_records
from constraint_sdc.reports.check.wording import counted, number, or_unknown
from constraint_sdc.reports.page import render_page
from constraint_sdc.reports.sentences import sentences, worded

# A longer table is closed until the reader opens it; on paper it is open.
_OPEN_ROWS = 12
# Long tables are in the JSON form; no browser opens a page of a hundred thousand rows.
_MOST_ROWS = 1000


def render_assessment_html(
    assessment: Assessment, *, sweep: Sequence[SweepPoint] = (), show_values: bool = False
) -> str:
    """Return a self-contained page whose content security policy allows its own style sheet and nothing else.

    `sweep` adds the points of a sweep to the risk-utility map. Tables that reveal single records are left out
    unless `show_values` asks for them.
    """
    return render_page("assessment", _page(assessment, sweep, show_values))


def _page(assessment: Assessment, sweep: Sequence[SweepPoint], show_values: bool) -> dict[str, object]:
    word, _, reason = assessment_verdict(assessment).partition(": ")
    figures = list(key_figures(assessment))
    return {
        "word": word,
        "tone": assessment.verdict.tone,
        "reason": reason,
        "mismatches": assessment.mismatches,
        "original": _file_name(assessment.original),
        "masked": _file_name(assessment.masked),
        "rules_file": None if assessment.rules is None else _file_name(assessment.rules),
        "records": number(assessment.records),
        "known": assessment.known,
        "key_figures": figures,
        "criteria": criteria_section(assessment),
        "not_run": [(one.title, worded(one.why)) for one in assessment.not_run],
        "codebook": codebook_section(assessment, show_values),
        "outcomes": None if assessment.outcomes is None else [_outcome(outcome) for outcome in assessment.outcomes],
        "plan": plan_section(assessment.plan),
        "score": _measured(assessment.score, show_values),
        "utility": _family(assessment.utility, show_values),
        "subdomains": _subdomains(assessment, show_values),
        "risk": _family(assessment.risk, show_values),
        "attacks": _family(assessment.attacks, show_values),
        "pictures": pictures_section(assessment.pair),
        "map": map_section(assessment.score, sweep),
        "certificate": certificate_section(assessment.certificate),
        "notes": sentences(assessment.notes),
        "shows_values": show_values,
        "exit_code": assessment.exit_code,
    }


def _file_name(path: Path) -> str:
    """Return the path as given; of an absolute path, only the last part, because the rest describes the machine."""
    return address_of(path) or (path.name if path.is_absolute() else path.as_posix())


def _outcome(outcome: RuleOutcome) -> dict[str, object]:
    label, tone = _state(outcome)
    counts = (
        ("Checked", outcome.checked),
        ("Broken before", outcome.broken_before),
        ("Still broken", outcome.still_broken),
        ("Repaired", outcome.repaired),
        ("Newly broken", outcome.newly_broken),
    )
    cells = [*((name, number(value)) for name, value in counts), ("Missing", or_unknown(outcome.missing))]
    return {"rule": outcome.rule, "severity": outcome.severity, "label": label, "tone": tone, "counts": cells}


def _state(outcome: RuleOutcome) -> tuple[str, str]:
    if outcome.newly_broken:
        return "newly broken", "fail"
    if outcome.still_broken:
        return "broken as before", "warn"
    return ("holds", "pass") if outcome.checked else ("not applicable", "idle")


def _family(measured: Sequence[Measured], show_values: bool) -> list[dict[str, object]]:
    """Return what has a headline; the rest is listed as not run."""
    return [_measured(one, show_values) for one in measured if one.figures[0].value is not None]


def _measured(measured: Measured, show_values: bool) -> dict[str, object]:
    shown = [table for table in measured.tables if show_values or not table.is_of_records]
    hidden = [table.title for table in measured.tables if table.is_of_records and not show_values]
    return {
        "name": measured.measure,
        "title": measured.title,
        "says": worded(measured.says),
        "headline": shown_or_why_not(measured.figures[0]),
        "figures": [(figure.label, shown_or_why_not(figure)) for figure in measured.figures],
        "tables": [_table(table) for table in shown],
        "hidden": hidden,
        "notes": sentences(measured.notes),
    }


def _table(table: ResultTable) -> dict[str, object]:
    rows = shown_rows(table)
    return {
        "title": table.title,
        "head": list(zip(table.head, [unit is not None for unit in table.units], strict=True)),
        "are_numbers": [unit is not None for unit in table.units],
        "rows": rows[:_MOST_ROWS],
        "length": counted(len(rows), "row"),
        "is_long": len(rows) > _OPEN_ROWS,
        "more": number(len(rows) - _MOST_ROWS) if len(rows) > _MOST_ROWS else None,
    }


def _subdomains(assessment: Assessment, show_values: bool) -> dict[str, object] | None:
    """Return a table of headlines and each subdomain's measures; those of a handful of records are told no further."""
    if not assessment.subdomains:
        return None
    titles = list(dict.fromkeys(one.title for part in assessment.subdomains for one in part.measured))
    return {
        "titles": titles,
        "least": number(least_records(assessment.pair.k)),
        "parts": [_subdomain(part, assessment, titles, show_values) for part in assessment.subdomains],
    }


def _subdomain(
    part: SubdomainMeasured, assessment: Assessment, titles: list[str], show_values: bool
) -> dict[str, object]:
    is_small = is_hidden(part, assessment, show_values)
    headlines = {one.title: shown_figure(one.figures[0]) for one in part.measured if one.figures}
    return {
        "name": shown_name(part, assessment, show_values),
        "records": few(assessment) if is_small else count(part.records),
        "is_small": is_small,
        "headlines": ["hidden" if is_small else headlines.get(title, "not measured") for title in titles],
        "measured": [] if is_small else [_measured(one, show_values) for one in part.measured],
    }
