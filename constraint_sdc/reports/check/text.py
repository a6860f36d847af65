"""The report for a terminal: the verdict, one line per rule, then the examples of what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from constraint_sdc.judge.finding import CheckResult, RuleResult, Violation
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.check.wording import (
    EXIT_MEANING,
    Label,
    idle_sentences,
    label,
    number,
    or_unknown,
    shown_origin,
    unlisted,
    verdict_reason,
    verdict_word,
)
from constraint_sdc.reports.disclosure import shown_message
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.reports.terminal import Style, align, clean, clipped, paint

_STYLES: dict[Label, Style] = {
    "FAIL": "bad",
    "ERROR": "bad",
    "warn": "doubtful",
    "note": "doubtful",
    "pass": "good",
    "IDLE": "bad",
    "not applicable": "faint",
}
_VERDICT_STYLES: dict[str, Style] = {"PASS": "good", "FAIL": "bad", "ERROR": "bad"}
_INDENT = "      "


def render_text(result: CheckResult, *, colour: bool = False) -> str:
    """Return the report as plain text; escape sequences are ours alone, and only when `colour` is on."""
    word = verdict_word(result)
    lines = [f"{paint(word, _VERDICT_STYLES[word], colour)}: {verdict_reason(result)}", ""]
    lines += _subject(result)
    if result.results:
        lines += ["", *_rule_table(result, colour)]
    for rule in result.results:
        if rule.status in ("fail", "error", "idle") or rule.idle:
            lines += ["", *_finding(rule, result, colour)]
    lines += ["", *(paint(line, "faint", colour) for line in _closing(result))]
    return "\n".join(lines) + "\n"


REGISTERED = {"text": CheckFormat("text", render_text, holds_several=True)}


def _subject(result: CheckResult) -> list[str]:
    rows = [("data", clean(result.data)), ("rules", clean(result.rules))]
    if result.title:
        rows.append(("title", clean(result.title)))
    rows.append(("gate", f"fails on {result.fail_on}; phase {clean(result.phase)}, {clean(result.binding)}"))
    return align(rows)


def _rule_table(result: CheckResult, colour: bool) -> list[str]:
    has_errors = any(rule.errors for rule in result.results)
    has_missing = result.tells_missing
    missing, stopped = "missing" if has_missing else "", "stopped" if has_errors else ""
    head = ("status", "rule", "severity", "broken", "holds", missing, "checked", stopped)
    rows = [head] + [
        (
            label(rule, result),
            clean(rule.rule),
            rule.severity,
            number(rule.failed),
            number(rule.held_present),
            or_unknown(rule.held_missing) if has_missing else "",
            number(rule.fired),
            number(rule.errors) if has_errors else "",
        )
        for rule in result.results
    ]
    first, *lines = align(_without_empty(rows), right=(3, 4, 5, 6, 7))
    return [paint(first, "faint", colour)] + [
        paint(word := label(rule, result), _STYLES[word], colour) + line[len(word) :]
        for rule, line in zip(result.results, lines, strict=True)
    ]


def _without_empty(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Leave out the columns without a head."""
    return [tuple(cell for cell, head in zip(row, rows[0], strict=True) if head) for row in rows]


def _finding(rule: RuleResult, result: CheckResult, colour: bool) -> Iterator[str]:
    word = label(rule, result)
    name = paint(clean(rule.rule), "strong", colour)
    yield f"{paint(word, _STYLES[word], colour)}  {name}  {rule.severity}  {clean(shown_origin(rule.origin))}"
    yield f"{_INDENT}{rule.kind}   {clipped(clean(rule.test))}"
    if rule.failed_missing:
        yield f"{_INDENT}missing  a value that the test reads, in {number(rule.failed_missing)} of those broken"
    if rule.error is not None:
        yield f"{_INDENT}stopped  {clipped(clean(rule.error))}"
    if rule.idle:
        yield f"{_INDENT}context  {clipped(clean(rule.context))}"
    for why in idle_sentences(rule):
        yield f"{_INDENT}{'allowed' if rule.may_be_idle else 'idle':<7}  {clean(why)}"
    yield from _examples(rule.violations)
    if more := unlisted(rule):
        yield f"{_INDENT}  ... and {number(more)} more"


def _examples(violations: tuple[Violation, ...]) -> Iterator[str]:
    messages = [clipped(clean(shown_message(violation))) for violation in violations]
    # Without values every example of a rule tends to say the same: say it once.
    is_shared = len(set(messages)) == 1
    if is_shared:
        yield f"{_INDENT}says     {messages[0]}"
    rows = [
        (*_place(violation), "" if is_shared else message)
        for violation, message in zip(violations, messages, strict=True)
    ]
    for violation, line in zip(violations, align(rows, right=(1,)), strict=True):
        yield f"{_INDENT}  {line}"
        for name, text in violation.diagnostics:
            yield f"{_INDENT}    {clean(name)}: {clipped(clean(text))}"


def _place(violation: Violation) -> tuple[str, str, str, str]:
    line = "" if violation.line is None else f"line {number(violation.line)}"
    if violation.record is None:
        return f"at {clipped(clean(violation.location))}", "", "", line
    key = "" if violation.key is None else f"key {clipped(clean(violation.key), 60)}"
    return "record", number(violation.record), key, line


def _closing(result: CheckResult) -> Iterator[str]:
    for note in sentences(result.notes):
        yield f"note: {clean(note)}"
    if result.idle:
        yield "an idle rule proves nothing: mend it, mark it with cs:may-be-idle, or name it with --allow-idle"
    if not result.shows_values and any(rule.violations or rule.error for rule in result.results):
        yield "values are hidden; --show-values shows them"
    yield f"exit code {result.exit_code}: {EXIT_MEANING[result.exit_code]}"
