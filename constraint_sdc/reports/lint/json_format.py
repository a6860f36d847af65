"""The report on a rule set as JSON, under schemas/lint.schema.json."""

from __future__ import annotations

from constraint_sdc import __version__
from constraint_sdc.files.json_file import json_text
from constraint_sdc.lint.finding import LintFinding, LintResult, RulePlace
from constraint_sdc.reports.check.json_format import origin_json
from constraint_sdc.reports.lint.wording import lint_sentence, lint_verdict
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.reason import reason_to_json, reasons_to_json

SCHEMA = "constraint-sdc/lint"
SCHEMA_VERSION = 1


def render_lint_json(result: LintResult) -> str:
    """Return the report as JSON with a stable order of keys."""
    return json_text(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "constraint-sdc", "version": __version__},
            "exit_code": result.exit_code,
            "verdict": lint_verdict(result),
            "rules": {
                "file": result.rules,
                "title": result.title,
                "phase": result.phase,
                "binding": result.binding,
                "count": result.count,
            },
            "data": None if result.data is None else {"file": result.data, "records": result.records},
            "fail_on": result.fail_on,
            "codes": list(result.codes),
            "findings": [_finding(finding) for finding in result.findings],
            "exempted": [{**_finding(one.finding), "why": one.why} for one in result.exempted],
            "unused_exemptions": [_place(place) for place in result.unused],
            "left_out": [{**_place(one.rule), "why": one.why} for one in result.left_out],
            "undecided": sentences(result.undecided),
            "undecided_reasons": reasons_to_json(result.undecided),
            "unseen": result.unseen,
        }
    )


def _finding(finding: LintFinding) -> dict[str, object]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        **_place(finding.rule),
        "message": lint_sentence(finding),
        "reason": reason_to_json(finding.reason),
        "related": [_place(place) for place in finding.related],
    }


def _place(place: RulePlace) -> dict[str, object]:
    return {"rule": place.id, "origin": origin_json(place.origin)}
