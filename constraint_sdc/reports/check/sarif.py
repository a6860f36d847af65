"""The report in SARIF 2.1.0: one result per rule, because hosts refuse a run with more than 25,000 results.

The result points at the line of the first example; the other examples are its related locations. The fingerprint
names rule and file but no line, so that a host keeps one alert per rule while the data change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from constraint_sdc import __version__
from constraint_sdc.files.json_file import json_text
from constraint_sdc.judge.finding import CheckResult, RuleResult, Violation
from constraint_sdc.named_copies import is_address
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.check.wording import EXIT_MEANING, idle_sentences, outcome, place, uri_reference, verdict
from constraint_sdc.reports.disclosure import shown_message
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.reports.terminal import clean, clipped, legible
from constraint_sdc.schematron.schema import Severity

LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "information": "note"}
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


def render_sarif(result: CheckResult) -> str:
    """Return the report as SARIF with every rule described and a result for each broken or unevaluated one."""
    rules = [_descriptor(rule) for rule in result.results]
    results = [
        _result(rule, index, result)
        for index, rule in enumerate(result.results)
        if rule.status in ("fail", "error", "idle")
    ]
    properties = {"verdict": verdict(result), "showsValues": result.shows_values}
    return json_text(sarif_log(rules, _invocation(result), results, properties))


def sarif_log(
    rules: Sequence[Mapping[str, object]],
    invocation: Mapping[str, object],
    results: Sequence[Mapping[str, object]],
    properties: Mapping[str, object],
) -> dict[str, object]:
    """Return a SARIF log of one run: what is looked for, how the run ended, what it found."""
    run = {
        "tool": {"driver": {"name": "constraint-sdc", "semanticVersion": __version__, "rules": rules}},
        "invocations": [invocation],
        "results": results,
        "columnKind": "unicodeCodePoints",
        "properties": properties,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


REGISTERED = {"sarif": CheckFormat("sarif", render_sarif, syntax="json")}


def _descriptor(rule: RuleResult) -> dict[str, object]:
    text = sarif_message(f"{rule.kind} {clean(rule.test)}")
    return {
        "id": legible(rule.rule),
        "shortDescription": {"text": clipped(text["text"], 200)},
        "fullDescription": text,
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {
            "pattern": rule.pattern,
            "context": rule.context,
            "origin": str(rule.origin),
            "checked": rule.fired,
            "holds": rule.passed,
            "broken": rule.failed,
            "missing": {"held": rule.held_missing, "failed": rule.failed_missing},
        },
    }


def _invocation(result: CheckResult) -> dict[str, object]:
    notifications = [
        {"level": "error", "message": sarif_message(f"{rule.rule}: {rule.error or outcome(rule)}")}
        for rule in result.results
        if rule.status == "error"
    ]
    notifications += [
        {"level": "error", "message": sarif_message(f"{rule.rule}: {'; '.join(idle_sentences(rule))}")}
        for rule in result.idle
    ]
    notifications += [{"level": "note", "message": sarif_message(note)} for note in sentences(result.notes)]
    return {
        "executionSuccessful": result.exit_code != 2,
        "exitCode": result.exit_code,
        "exitCodeDescription": EXIT_MEANING[result.exit_code],
        "toolExecutionNotifications": notifications,
    }


def _result(rule: RuleResult, index: int, result: CheckResult) -> dict[str, object]:
    uri = uri_reference(result.data)
    fingerprint = sha256("\n".join((rule.pattern, rule.rule, uri)).encode("utf-8", "replace")).hexdigest()
    first, *others = [_location(uri, violation) for violation in rule.violations] or [_location(uri, None)]
    found: dict[str, object] = {
        "ruleId": legible(rule.rule),
        "ruleIndex": index,
        "level": "error" if rule.status in ("error", "idle") else LEVELS[rule.severity],
        "message": sarif_message(_sentence(rule)),
        "locations": [first],
        "partialFingerprints": {
            "constraintSdcRule/v1": fingerprint,
            "primaryLocationLineHash": f"{fingerprint[:16]}:1",
        },
        "properties": {
            "fired": rule.fired,
            "failed": rule.failed,
            "errors": rule.errors,
            "listed": len(rule.violations),
        },
    }
    if rule.failed:
        found["occurrenceCount"] = rule.failed
    if others:
        found["relatedLocations"] = [location | {"id": number} for number, location in enumerate(others, 1)]
    return found


def _sentence(rule: RuleResult) -> str:
    said = [outcome(rule)]
    if rule.error is not None:
        said.append(rule.error)
    said += idle_sentences(rule)
    if rule.violations:
        first = rule.violations[0]
        said.append(f"first at {place(first)}: {shown_message(first)}")
    return ". ".join(clipped(clean(part), 1000) for part in said)


def _location(uri: str, violation: Violation | None) -> dict[str, object]:
    physical = artifact(uri)
    if violation is None:
        return {"physicalLocation": physical}
    if violation.line is not None and violation.line > 0:
        physical["region"] = {"startLine": violation.line}
    return {
        "physicalLocation": physical,
        "logicalLocations": [{"fullyQualifiedName": legible(violation.location), "kind": "element"}],
        "message": sarif_message(f"{place(violation)}: {clipped(shown_message(violation))}"),
    }


def artifact(uri: str) -> dict[str, object]:
    """Return a file as a physical location without a region."""
    return {"artifactLocation": {"uri": uri} if is_address(uri) else {"uri": uri, "uriBaseId": "%SRCROOT%"}}


def sarif_message(text: str) -> dict[str, str]:
    """Return a message object; text in the shape of a SARIF link is escaped, for data must not make links."""
    plain = clean(text)
    return {"text": plain.replace("\\", "\\\\").replace("[", "\\[") if "](" in plain else plain}
