"""The report as one HTML page for a review board: no script, no network, readable on paper and on a phone."""

from __future__ import annotations

from constraint_sdc.judge.finding import CheckResult, RuleResult, Violation
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.check.wording import (
    EXIT_MEANING,
    Label,
    broken_records,
    idle_sentences,
    label,
    number,
    or_unknown,
    outcome,
    shown_origin,
    unlisted,
    verdict_reason,
    verdict_word,
)
from constraint_sdc.reports.disclosure import shown_message
from constraint_sdc.reports.page import render_page
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.reports.terminal import clipped

_CLASSES: dict[Label, str] = {
    "FAIL": "fail",
    "ERROR": "fail",
    "warn": "warn",
    "note": "warn",
    "pass": "pass",
    "IDLE": "fail",
    "not applicable": "idle",
}
# A page with hundreds of open examples is not a summary: above this many rules, examples are folded.
_OPEN_FINDINGS = 8


def render_html(result: CheckResult) -> str:
    """Return a self-contained page whose content security policy allows its own style sheet and nothing else."""
    return render_page("check", _page(result))


REGISTERED = {"html": CheckFormat("html", render_html, syntax="html")}


def _page(result: CheckResult) -> dict[str, object]:
    word = verdict_word(result)
    findings = [rule for rule in result.results if rule.status in ("fail", "error") or rule.idle]
    return {
        "result": result,
        "notes": sentences(result.notes),
        "word": word,
        "tone": "pass" if word == "PASS" else "fail",
        "reason": verdict_reason(result),
        "figures": _figures(result),
        "rules": [_row(rule, result) for rule in result.results],
        "has_missing": result.tells_missing,
        "has_errors": any(rule.errors for rule in result.results),
        "findings": [_finding(rule, result, i < _OPEN_FINDINGS) for i, rule in enumerate(findings)],
        "exit_code": result.exit_code,
        "exit_meaning": EXIT_MEANING[result.exit_code],
    }


def _figures(result: CheckResult) -> list[tuple[str, str]]:
    broken = sum(rule.failed > 0 for rule in result.results)
    figures = [("Rules broken", f"{number(broken)} of {number(len(result.results))}")]
    figures.append(("Violations", number(sum(rule.failed for rule in result.results))))
    touched = broken_records(result)
    if touched is not None:
        figures.append(("Records with a violation", number(touched)))
    if result.records is not None:
        figures.append(("Records checked", number(result.records)))
    return figures


def _row(rule: RuleResult, result: CheckResult) -> dict[str, object]:
    word = label(rule, result)
    return {
        "label": word,
        "tone": _CLASSES[word],
        "name": rule.rule,
        "severity": rule.severity,
        "failed": number(rule.failed),
        "share": _share(rule),
        "passed": number(rule.held_present),
        "missing": or_unknown(rule.held_missing),
        "fired": number(rule.fired),
        "errors": number(rule.errors),
    }


def _share(rule: RuleResult) -> str:
    """Return the broken share in per cent; a share that is not nought never reads as nought."""
    if not rule.fired:
        return "-"
    share = 100 * rule.failed / rule.fired
    return "< 0.01 %" if 0 < share < 0.01 else f"{share:.2f} %"


def _finding(rule: RuleResult, result: CheckResult, is_open: bool) -> dict[str, object]:
    messages = [clipped(shown_message(violation)) for violation in rule.violations]
    has_diagnostics = any(violation.diagnostics for violation in rule.violations)
    shared = messages[0] if len(set(messages)) == 1 and not has_diagnostics else None
    return _row(rule, result) | {
        "is_open": is_open,
        "outcome": outcome(rule),
        "kind": rule.kind,
        "test": rule.test,
        "origin": shown_origin(rule.origin),
        "pattern": rule.pattern,
        "error": rule.error,
        "context": rule.context,
        "idle": idle_sentences(rule),
        "shared": shared,
        "has_records": any(violation.record is not None for violation in rule.violations),
        "has_keys": any(violation.key is not None for violation in rule.violations),
        "has_lines": any(violation.line is not None for violation in rule.violations),
        "examples": [
            _example(violation, None if shared is not None else message)
            for violation, message in zip(rule.violations, messages, strict=True)
        ],
        "more": number(more) if (more := unlisted(rule)) else None,
    }


def _example(violation: Violation, message: str | None) -> dict[str, object]:
    return {
        "record": "" if violation.record is None else number(violation.record),
        "key": clipped(violation.key or "", 60),
        "line": "" if violation.line is None else number(violation.line),
        "location": violation.location,
        "message": message,
        "diagnostics": violation.diagnostics,
    }
