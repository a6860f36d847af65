"""The report on a rule set as JUnit XML: one test case per code that was looked for."""

from __future__ import annotations

from xml.etree import ElementTree

from constraint_sdc.lint.finding import LintResult
from constraint_sdc.reports.check.wording import counted, shown_origin
from constraint_sdc.reports.check.xml_text import element, xml_text
from constraint_sdc.reports.lint.wording import lint_notes, lint_sentence, lint_verdict
from constraint_sdc.reports.terminal import clean


def render_lint_junit(result: LintResult) -> str:
    """Return the report as JUnit XML; a code passes if it has no finding at or above the gate."""
    cases = [_case(code, result) for code in result.codes]
    totals: dict[str, str | None] = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
        "skipped": "0",
        "time": "0",
    }
    suite = element("testsuite", {"name": result.title or result.rules, **totals})
    suite.extend(cases)
    suite.append(element("system-out", {}, "\n".join([lint_verdict(result), *lint_notes(result)])))
    root = element("testsuites", {"name": "constraint-sdc rules lint", **totals})
    root.append(suite)
    return xml_text(root)


def _case(code: str, result: LintResult) -> ElementTree.Element:
    case = element("testcase", {"classname": "rules lint", "name": code, "time": "0"})
    found = [finding for finding in result.findings if finding.code == code]
    said = "\n".join(
        f"{clean(shown_origin(one.rule.origin))}: {one.severity} {clean(one.rule.id)}: {clean(lint_sentence(one))}"
        for one in found
    )
    if any(finding in result.failing for finding in found):
        message = counted(len(found), "finding")
        case.append(element("failure", {"message": message, "type": found[0].severity}, said))
    elif found:
        case.append(element("system-out", {}, said))
    return case
