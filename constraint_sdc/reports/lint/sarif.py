"""The report on a rule set in SARIF 2.1.0: one result per finding, at its line of the rule file."""

from __future__ import annotations

from hashlib import sha256

from constraint_sdc.files.json_file import json_text
from constraint_sdc.lint.finding import LintFinding, LintResult, RulePlace
from constraint_sdc.lint.kind import KINDS
from constraint_sdc.reports.check.sarif import LEVELS, artifact, sarif_log, sarif_message
from constraint_sdc.reports.check.wording import uri_reference
from constraint_sdc.reports.lint.wording import EXIT_MEANING, lint_notes, lint_sentence, lint_verdict


def render_lint_sarif(result: LintResult) -> str:
    """Return the report as SARIF, with every code described that was looked for."""
    rules = [_descriptor(code) for code in result.codes]
    invocation = {
        "executionSuccessful": True,
        "exitCode": result.exit_code,
        "exitCodeDescription": EXIT_MEANING[result.exit_code],
        "toolExecutionNotifications": [
            {"level": "note", "message": sarif_message(note)} for note in lint_notes(result)
        ],
    }
    places = {code: place for place, code in enumerate(result.codes)}
    results = [_result(finding, places[finding.code]) for finding in result.findings]
    return json_text(sarif_log(rules, invocation, results, {"verdict": lint_verdict(result)}))


def _descriptor(code: str) -> dict[str, object]:
    return {"id": code, "name": code, "defaultConfiguration": {"level": LEVELS[KINDS[code].severity]}}


def _result(finding: LintFinding, index: int) -> dict[str, object]:
    uri = uri_reference(finding.rule.origin.file)
    fingerprint = sha256("\n".join((finding.code, finding.rule.id, uri)).encode("utf-8", "replace")).hexdigest()
    found: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": sarif_message(f"rule {finding.rule.id}: {lint_sentence(finding)}"),
        "locations": [_location(finding.rule)],
        "partialFingerprints": {"constraintSdcLint/v1": fingerprint},
    }
    if finding.related:
        related = [_location(place) | {"id": number} for number, place in enumerate(finding.related, 1)]
        found["relatedLocations"] = related
    return found


def _location(place: RulePlace) -> dict[str, object]:
    region = {"region": {"startLine": place.origin.line}} if place.origin.line > 0 else {}
    return {
        "physicalLocation": {**artifact(uri_reference(place.origin.file)), **region},
        "message": sarif_message(f"rule {place.id}"),
    }
