"""An assessment as JSON under schemas/assessment.schema.json."""

from __future__ import annotations

from dataclasses import asdict

from constraint_sdc import __version__
from constraint_sdc.files.json_file import json_text
from constraint_sdc.maskers.masked import RuleOutcome
from constraint_sdc.measures.assessment import Assessment, Measured, ResultTable, SubdomainMeasured
from constraint_sdc.measures.codebook import CodebookEntry
from constraint_sdc.measures.verdict import FileVerdict
from constraint_sdc.reports.assessment.text import is_hidden, shown_name
from constraint_sdc.reports.masking.mask_result import moved_context
from constraint_sdc.reports.sentences import sentences, worded
from constraint_sdc.settings.reason import Reason, reason_to_json, reasons_to_json

SCHEMA = "constraint-sdc/assessment"
SCHEMA_VERSION = 1


def render_assessment_json(assessment: Assessment, *, show_values: bool = False) -> str:
    """Return the assessment as JSON text; results that reveal single records only if `show_values` is set."""
    outcomes = assessment.outcomes
    return json_text(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "constraint-sdc", "version": __version__},
            "original": str(assessment.original),
            "masked": str(assessment.masked),
            "verdict": _verdict(assessment.verdict),
            "records": assessment.records,
            "known": list(assessment.known),
            "k": assessment.pair.k,
            "blocks": [list(block.names) for block in assessment.pair.blocks],
            "rules_file": None if assessment.rules is None else str(assessment.rules),
            "rules": None if outcomes is None else [outcome_to_json(outcome) for outcome in outcomes],
            "has_certificate": assessment.certificate is not None,
            "mismatches": list(assessment.mismatches),
            "score": measured_to_json(assessment.score, show_values),
            "utility": [measured_to_json(one, show_values) for one in assessment.utility],
            "subdomains": [_subdomain(part, assessment, show_values) for part in assessment.subdomains],
            "risk": [measured_to_json(one, show_values) for one in assessment.risk],
            "attacks": [measured_to_json(one, show_values) for one in assessment.attacks],
            "not_run": [{"measure": o.measure, "title": o.title, **_worded(o.why)} for o in assessment.not_run],
            "codebook": [_entry(entry, show_values) for entry in assessment.codebook],
            "notes": sentences(assessment.notes),
            "note_reasons": reasons_to_json(assessment.notes),
        }
    )


def _verdict(verdict: FileVerdict) -> dict[str, object]:
    """Return the verdict with all its criteria."""
    return {
        "word": verdict.word.value,
        "tone": verdict.tone,
        "criteria": [
            {
                "name": one.bound.name,
                "label": one.label,
                "value": one.value,
                "unit": one.unit.value,
                "at_least": one.bound.at_least,
                "at_most": one.bound.at_most,
                "standing": one.standing.value,
                "bound_by": "default" if one.is_default else "recipe",
                **_worded(one.why),
                "does_not_cover": None if one.misses is None else worded(one.misses),
                "does_not_cover_reason": None if one.misses is None else reason_to_json(one.misses),
            }
            for one in verdict.criteria
        ],
    }


def _worded(why: Reason | str | None) -> dict[str, object]:
    said = None if why is None else worded(why)
    return {"why": said, "why_reason": reason_to_json(why) if isinstance(why, Reason) else None}


def _entry(entry: CodebookEntry, show_values: bool) -> dict[str, object]:
    """Return one line of the codebook; the range only if `show_values` is set."""
    content = asdict(entry)
    return content if show_values else {name: value for name, value in content.items() if name not in ("low", "high")}


def _subdomain(part: SubdomainMeasured, assessment: Assessment, show_values: bool) -> dict[str, object]:
    """Return a subdomain; of one with a handful of records nothing but its name."""
    hidden = is_hidden(part, assessment, show_values)
    return {
        "name": shown_name(part, assessment, show_values),
        "records": None if hidden else part.records,
        "utility": [] if hidden else [measured_to_json(one, show_values) for one in part.measured],
    }


def render_attack_json(measured: Measured, *, show_values: bool = False) -> str:
    """Return what one attack found as JSON text, in the form that it has in an assessment."""
    tool = {"name": "constraint-sdc", "version": __version__}
    head = {"schema": "constraint-sdc/attack", "schema_version": SCHEMA_VERSION, "tool": tool}
    return json_text({**head, **measured_to_json(measured, show_values)})


def measured_to_json(measured: Measured, show_values: bool) -> dict[str, object]:
    """Return one measure's findings."""
    tables = [table for table in measured.tables if show_values or not table.is_of_records]
    return {
        "measure": measured.measure,
        "title": measured.title,
        "says": worded(measured.says),
        "says_reason": reason_to_json(measured.says) if isinstance(measured.says, Reason) else None,
        "figures": {
            figure.name: {"label": figure.label, "value": figure.value, "unit": figure.unit.value}
            for figure in measured.figures
        },
        "tables": [_table(table) for table in tables],
        "notes": sentences(measured.notes),
        "note_reasons": reasons_to_json(measured.notes),
    }


def outcome_to_json(outcome: RuleOutcome) -> dict[str, object]:
    """Return one rule before and after masking."""
    return {
        "rule": outcome.rule,
        "severity": outcome.severity,
        "checked": outcome.checked,
        "broken_before": outcome.broken_before,
        "still_broken": outcome.still_broken,
        "repaired": outcome.repaired,
        "newly_broken": outcome.newly_broken,
        "missing": outcome.missing,
        **moved_context(outcome),
    }


def _table(table: ResultTable) -> dict[str, object]:
    return {
        "name": table.name,
        "title": table.title,
        "head": list(table.head),
        "units": [None if unit is None else unit.value for unit in table.units],
        "rows": [list(row) for row in table.rows],
    }
