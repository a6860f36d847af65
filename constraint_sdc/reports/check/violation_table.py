"""Violations as tables: one row for each, and summaries by rule and by record.

What a table cannot list has a row of its own: violations beyond the examples, rules that stopped or check nothing. So
no row is missing without being counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from constraint_sdc.judge.finding import SEVERITIES, CheckResult, RuleResult, Violation
from constraint_sdc.reports.check.wording import counted, idle_sentences, unlisted, verdict_reason
from constraint_sdc.reports.disclosure import shown_message
from constraint_sdc.reports.terminal import clean

TableCell: TypeAlias = str | int | tuple[str, ...] | None
CellKind: TypeAlias = Literal["number", "text", "names"]


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table: what each column holds, and rows as long as the head."""

    columns: dict[str, CellKind]
    rows: tuple[tuple[TableCell, ...], ...]


VIOLATION_COLUMNS: dict[str, CellKind] = {
    "record": "number",
    "key": "text",
    "rule": "text",
    "variables": "names",
    "message": "text",
    "finding": "text",
    "severity": "text",
    "line": "number",
    "location": "text",
    "violations_of_rule": "number",
}


def violation_table(result: CheckResult) -> ReportTable:
    """Return one row per listed violation; `finding` says what other rows are: unlisted, error, idle, nothing."""
    rows = [row for rule in result.results for row in _rows_of(rule)]
    if result.checks_nothing and not rows:
        rows = [(None, None, None, (), verdict_reason(result), "nothing", None, None, None, None)]
    return ReportTable(VIOLATION_COLUMNS, tuple(rows))


def _rows_of(rule: RuleResult) -> Iterator[tuple[TableCell, ...]]:
    for one in rule.violations:
        where = (one.line, _text(one.location), rule.failed)
        said = (_text(one.rule), _variables(rule), _text(shown_message(one)))
        yield (one.record, _text(one.key), *said, "violation", rule.severity, *where)
    if more := unlisted(rule):
        yield _remark(rule, f"{counted(more, 'violation')} not listed", "unlisted")
    if rule.status == "error":
        yield _remark(rule, _stopped(rule), "error")
    if rule.status == "idle":
        yield _remark(rule, "; ".join(idle_sentences(rule)), "idle")


def _stopped(rule: RuleResult) -> str:
    return f"stopped {counted(rule.errors, 'time')}: {rule.error or 'not evaluated'}"


def _remark(rule: RuleResult, text: str, finding: str) -> tuple[TableCell, ...]:
    head = (None, None, _text(rule.rule), _variables(rule), _text(text), finding)
    return (*head, rule.severity, None, None, rule.failed)


RULE_COLUMNS: dict[str, CellKind] = {
    "rule": "text",
    "severity": "text",
    "status": "text",
    "variables": "names",
    "checked": "number",
    "broken": "number",
    "holds": "number",
    "missing_held": "number",
    "missing_broken": "number",
    "stopped": "number",
    "test": "text",
    "origin": "text",
    "remark": "text",
}


def rule_table(result: CheckResult) -> ReportTable:
    """Return one row per rule; `holds` has every value that the rule reads, `missing_held` counts the others apart."""
    rows: list[tuple[TableCell, ...]] = [_rule_row(rule) for rule in result.results]
    if not rows:
        rows.append((*[None] * (len(RULE_COLUMNS) - 1), verdict_reason(result)))
    return ReportTable(RULE_COLUMNS, tuple(rows))


def _rule_row(rule: RuleResult) -> tuple[TableCell, ...]:
    counts = (rule.fired, rule.failed, rule.held_present, rule.held_missing, rule.failed_missing, rule.errors)
    remark = "; ".join(filter(None, (rule.error, *idle_sentences(rule))))
    text = (_text(rule.test), _text(str(rule.origin)), _text(remark))
    return (_text(rule.rule), rule.severity, rule.status, _variables(rule), *counts, *text)


RECORD_COLUMNS: dict[str, CellKind] = {
    "record": "number",
    "key": "text",
    "line": "number",
    "location": "text",
    "violations": "number",
    "severity": "text",
    "rules": "names",
    "remark": "text",
}


@dataclass(slots=True)
class _RecordRow:
    """What is known about one record, or one place of a document without records."""

    first: Violation
    rules: list[RuleResult] = field(default_factory=list)

    def cells(self) -> tuple[TableCell, ...]:
        worst = min((rule.severity for rule in self.rules), key=SEVERITIES.index)
        head = (self.first.record, _text(self.first.key), self.first.line, _text(self.first.location))
        return (*head, len(self.rules), worst, tuple(_text(rule.rule) or "" for rule in self.rules), None)


def record_table(result: CheckResult) -> ReportTable:
    """Return one row per record with a listed violation, in file order; the last rows say what is not told."""
    found: dict[tuple[int | None, str], _RecordRow] = {}
    for rule in result.results:
        for one in rule.violations:
            place = (one.record, "" if one.record is not None else one.location)
            found.setdefault(place, _RecordRow(one)).rules.append(rule)
    ordered = sorted(found.values(), key=lambda row: (row.first.record is None, row.first.record or 0))
    remarks = [remark for rule in result.results for remark in _record_remarks(rule)]
    if result.checks_nothing and not result.results:
        remarks.append((*[None] * 4, None, None, (), verdict_reason(result)))
    return ReportTable(RECORD_COLUMNS, (*(row.cells() for row in ordered), *remarks))


def _record_remarks(rule: RuleResult) -> Iterator[tuple[TableCell, ...]]:
    name = (_text(rule.rule) or "",)
    if more := unlisted(rule):
        yield (*[None] * 4, more, rule.severity, name, f"{counted(more, 'violation')} not listed")
    if rule.status == "error":
        yield (*[None] * 4, None, rule.severity, name, _text(_stopped(rule)))
    if rule.status == "idle":
        yield (*[None] * 4, None, rule.severity, name, _text("; ".join(idle_sentences(rule))))


def _variables(rule: RuleResult) -> tuple[str, ...] | None:
    return None if rule.variables is None else tuple(clean(name.rpartition("}")[2]) for name in rule.variables)


def _text(text: str | None) -> str | None:
    return None if text is None else clean(text)
