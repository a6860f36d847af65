"""The report as JUnit XML: one test suite, one test case per rule, for the test pages of CI servers.

A rule that is broken below the gate passes as a test case, with its findings in `system-out`: the colour of the page
agrees with the exit code.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from constraint_sdc.judge.finding import CheckResult, RuleResult
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.check.wording import (
    counts_line,
    idle_sentences,
    is_gated,
    number,
    outcome,
    place,
    unlisted,
    verdict,
)
from constraint_sdc.reports.check.xml_text import element, xml_text
from constraint_sdc.reports.disclosure import shown_message
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.reports.terminal import clean, clipped


def render_junit(result: CheckResult) -> str:
    """Return the report as JUnit XML; no time is written, so that equal results give equal reports."""
    cases = [_case(rule, result) for rule in result.results]
    totals: dict[str, str | None] = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": str(sum(case.find("error") is not None for case in cases)),
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
        "time": "0",
    }
    suite = element("testsuite", {"name": result.title or result.rules or "rules", **totals})
    suite.append(_properties(result))
    suite.extend(cases)
    suite.append(element("system-out", {}, "\n".join([verdict(result), *sentences(result.notes)])))
    root = element("testsuites", {"name": "constraint-sdc check", **totals})
    root.append(suite)
    return xml_text(root)


REGISTERED = {"junit": CheckFormat("junit", render_junit, syntax="xml")}


def _properties(result: CheckResult) -> ElementTree.Element:
    found = element("properties", {})
    for name, value in (
        ("data", result.data),
        ("rules", result.rules),
        ("phase", result.phase),
        ("binding", result.binding),
        ("fail_on", result.fail_on),
        ("records", "" if result.records is None else str(result.records)),
    ):
        found.append(element("property", {"name": name, "value": value}))
    return found


def _case(rule: RuleResult, result: CheckResult) -> ElementTree.Element:
    case = element("testcase", {"classname": rule.pattern or "pattern", "name": rule.rule, "time": "0"})
    details = "\n".join(_details(rule))
    match rule.status:
        case "error":
            reason = clipped(rule.error or outcome(rule))
            case.append(element("error", {"message": reason, "type": "not-evaluated"}, details))
        case "fail" if is_gated(rule, result):
            case.append(element("failure", {"message": outcome(rule), "type": rule.severity}, details))
        case "fail":
            case.append(element("system-out", {}, details))
        case "idle":
            reason = clipped("; ".join(map(clean, idle_sentences(rule))))
            case.append(element("error", {"message": reason, "type": "idle"}, details))
        case "not applicable":
            case.append(element("skipped", {"message": "not applicable: " + _why_not_applicable(rule)}))
        case "pass":
            case.append(element("system-out", {}, counts_line(rule)))
    return case


def _why_not_applicable(rule: RuleResult) -> str:
    return clipped("; ".join(map(clean, idle_sentences(rule)))) or "the context matches nothing"


def _details(rule: RuleResult) -> Iterator[str]:
    yield f"{rule.severity} {rule.kind} {clean(rule.test)} ({clean(str(rule.origin))})"
    yield outcome(rule)
    yield counts_line(rule)
    yield from map(clean, idle_sentences(rule))
    if rule.error is not None:
        yield f"stopped: {clean(rule.error)}"
    for violation in rule.violations:
        line = "" if violation.line is None else f", line {violation.line}"
        yield f"{clean(place(violation))}{line}: {clipped(clean(shown_message(violation)))}"
    if more := unlisted(rule):
        yield f"... and {number(more)} more"
