"""The report in the Schematron Validation Report Language (ISO/IEC 19757-3, annex on SVRL), in a compact form.

Compact means: a fired-rule stands once for each context that applied, not once for each node, and the listed findings
are the examples of the check. Whatever is left out is said in a `text` at the top. An assertion that could not be
evaluated, or that is idle, is written as a failed-assert at the root, so that no reader of SVRL mistakes it for a pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from xml.etree import ElementTree

from constraint_sdc.judge.finding import CheckResult, RuleResult, Violation
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.check.wording import (
    counted,
    counts_line,
    idle_sentences,
    number,
    outcome,
    unlisted,
    verdict,
)
from constraint_sdc.reports.check.xml_text import element, name_or_none, xml_text
from constraint_sdc.reports.disclosure import disclosed, shown_message
from constraint_sdc.reports.sentences import sentences

SVRL = "http://purl.oclc.org/dsdl/svrl"
ElementTree.register_namespace("svrl", SVRL)


def render_svrl(result: CheckResult) -> str:
    """Return the report as SVRL; `phase`, ids and diagnostics that are not XML names are left out."""
    root = _svrl("schematron-output", {"title": result.title or None, "phase": name_or_none(result.phase)})
    root.extend(_svrl("text", {}, line) for line in _remarks(result))
    met: set[str] = set()
    for pattern, rules in groupby(result.results, key=lambda rule: rule.pattern):
        root.append(_active_pattern(pattern, result, is_again=pattern in met))
        met.add(pattern)
        for context, assertions in groupby(rules, key=lambda rule: rule.context):
            root.extend(_fired(context, list(assertions)))
    if not result.results:
        root.append(_active_pattern("", result))
    return xml_text(root)


def with_unevaluated(complete: str, result: CheckResult) -> str:
    """Add to Saxon's complete report the rules that are idle or could not be evaluated, as in the compact form."""
    shown = disclosed(result)
    added: list[ElementTree.Element] = []
    for pattern, rules in groupby(shown.results, key=lambda rule: rule.pattern):
        missing = [rule for rule in rules if rule.status in ("error", "idle")]
        for context, assertions in groupby(missing, key=lambda rule: rule.context):
            added += [_active_pattern(pattern, shown, is_again=True), _svrl("fired-rule", {"context": context or "*"})]
            added += map(_unevaluated, assertions)
    before, end, after = complete.rpartition("</svrl:schematron-output>")
    return before + "".join(f"   {ElementTree.tostring(one, encoding='unicode')}\n" for one in added) + end + after


REGISTERED = {"svrl": CheckFormat("svrl", render_svrl, syntax="xml", names_every_rule=False)}


def _svrl(name: str, attributes: dict[str, str | None], text: str | None = None) -> ElementTree.Element:
    return element(f"{{{SVRL}}}{name}", attributes, text)


def _remarks(result: CheckResult) -> Iterator[str]:
    yield verdict(result)
    for rule in result.results:
        yield f"{rule.rule}: {counts_line(rule)}"
        if unlisted(rule):
            yield f"{rule.rule}: {number(len(rule.violations))} of {counted(rule.failed, 'violation')} listed"
    yield from sentences(result.notes)


def _active_pattern(pattern: str, result: CheckResult, *, is_again: bool = False) -> ElementTree.Element:
    """Return the element of a pattern; its id stands once in a report, because it is an XML ID there."""
    own = None if is_again else name_or_none(pattern)
    return _svrl("active-pattern", {"id": own, "name": pattern or None, "documents": result.data or None})


def _fired(context: str, assertions: list[RuleResult]) -> Iterator[ElementTree.Element]:
    if not any(rule.fired or rule.status in ("error", "idle") for rule in assertions):
        return
    yield _svrl("fired-rule", {"context": context or "*"})
    for rule in assertions:
        if rule.status in ("error", "idle"):
            yield _unevaluated(rule)
        for violation in rule.violations:
            yield _finding(rule, violation)


def _finding(rule: RuleResult, violation: Violation) -> ElementTree.Element:
    found = _svrl(
        "failed-assert" if rule.kind == "assert" else "successful-report", _attributes(rule, violation.location)
    )
    for name, text in violation.diagnostics:
        reference = _svrl("diagnostic-reference", {"diagnostic": name_or_none(name) or "diagnostic"})
        reference.append(_svrl("text", {}, text))
        found.append(reference)
    found.append(_svrl("text", {}, shown_message(violation)))
    return found


def _unevaluated(rule: RuleResult) -> ElementTree.Element:
    flag = "idle" if rule.status == "idle" else "not-evaluated"
    found = _svrl("failed-assert", _attributes(rule, "/") | {"flag": flag})
    reason = "; ".join(idle_sentences(rule)) if rule.status == "idle" else rule.error or "no reason given"
    found.append(_svrl("text", {}, f"{outcome(rule)}: {reason}"))
    return found


def _attributes(rule: RuleResult, location: str) -> dict[str, str | None]:
    return {"id": name_or_none(rule.rule), "location": location or "/", "role": rule.severity, "test": rule.test}
