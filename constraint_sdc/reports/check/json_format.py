"""The report as JSON: everything the check found, under schemas/check.schema.json."""

from __future__ import annotations

from constraint_sdc import __version__
from constraint_sdc.files.json_file import json_text
from constraint_sdc.judge.finding import CheckResult, RuleResult, Violation
from constraint_sdc.maskers.masked import CertificateCheck
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.check.wording import broken_records, is_gated, unlisted, verdict_reason, verdict_word
from constraint_sdc.reports.disclosure import disclosed
from constraint_sdc.reports.sentences import sentence, sentences
from constraint_sdc.schematron.schema import Origin
from constraint_sdc.settings.reason import Reason, reason_to_json, reasons_to_json

SCHEMA = "constraint-sdc/check"
SCHEMA_VERSION = 1


def render_json(result: CheckResult) -> str:
    """Return the report as JSON with a stable order of keys."""
    return json_text(_report(result))


def json_with_certificate(result: CheckResult, found: CertificateCheck) -> str:
    """Return the report as JSON together with what verifying the certificate of the file found."""
    return json_text({**_report(disclosed(result)), "certificate": certificate_json(found)})


def certificate_json(found: CertificateCheck) -> dict[str, object]:
    """Return what verifying a certificate found; `stated` names the fields that were not checked."""
    return {
        "agrees": not found.mismatches,
        "mismatches": list(found.mismatches),
        "confirmed": list(found.confirmed),
        "stated": list(found.stated),
        "notes": list(found.notes),
    }


def _report(result: CheckResult) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "constraint-sdc", "version": __version__},
        "verdict": verdict_word(result).lower(),
        "exit_code": result.exit_code,
        "reason": verdict_reason(result),
        "data": {
            "file": result.data,
            "records": result.records,
            "broken_records": broken_records(result),
        },
        "rules": {
            "file": result.rules,
            "title": result.title,
            "phase": result.phase,
            "binding": result.binding,
        },
        "fail_on": result.fail_on,
        "shows_values": result.shows_values,
        "counts": _counts(result),
        "results": [_rule(rule, result) for rule in result.results],
        "notes": sentences(result.notes),
        "note_reasons": reasons_to_json(result.notes),
    }


REGISTERED = {"json": CheckFormat("json", render_json, syntax="json")}


def _counts(result: CheckResult) -> dict[str, int]:
    states = [rule.status for rule in result.results]
    return {
        "rules": len(states),
        "pass": states.count("pass"),
        "fail": states.count("fail"),
        "error": states.count("error"),
        "idle": states.count("idle"),
        "not_applicable": states.count("not applicable"),
        "violations": sum(rule.failed for rule in result.results),
    }


def _rule(rule: RuleResult, result: CheckResult) -> dict[str, object]:
    return {
        "rule": rule.rule,
        "pattern": rule.pattern,
        "context": rule.context,
        "kind": rule.kind,
        "test": rule.test,
        "severity": rule.severity,
        "is_gated": is_gated(rule, result),
        "origin": origin_json(rule.origin),
        "status": rule.status,
        "fired": rule.fired,
        "passed": rule.passed,
        "failed": rule.failed,
        "missing": {"held": rule.held_missing, "failed": rule.failed_missing},
        "errors": rule.errors,
        "error": rule.error,
        "idle": [with_sentence(reason) for reason in rule.idle],
        "may_be_idle": rule.may_be_idle,
        "engine": rule.engine,
        "violations": [_violation(violation) for violation in rule.violations],
        "unlisted_violations": unlisted(rule),
    }


def with_sentence(reason: Reason) -> dict[str, object]:
    """Return why a rule is idle: code, parameters and sentence."""
    return {**reason_to_json(reason), "sentence": sentence(reason)}


def origin_json(origin: Origin) -> dict[str, object]:
    """Return where a rule was written."""
    return {"file": origin.file, "line": origin.line}


def _violation(violation: Violation) -> dict[str, object]:
    return {
        "record": violation.record,
        "key": violation.key,
        "line": violation.line,
        "location": violation.location,
        "summary": violation.summary,
        "message": violation.message,
        "diagnostics": [{"id": name, "text": text} for name, text in violation.diagnostics],
    }
