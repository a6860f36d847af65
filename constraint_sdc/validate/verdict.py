"""What the judge says about one document: counts for every assertion, and the findings themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from constraint_sdc.model.schema import Schema


@dataclass(frozen=True, slots=True)
class JudgeFinding:
    """One failed assert or successful report.

    `record` is the 1-based number of the record that holds the node, when a record element was named. `location` and
    `line` are those of the subject. `text` shows values, white space normalised; `diagnostics` are (id, text) pairs.
    `document` is the URI of the document when a pattern's `documents` led away from the judged one.
    """

    assertion: str
    record: int | None
    location: str
    line: int | None
    text: str
    diagnostics: tuple[tuple[str, str], ...]
    document: str | None = None


@dataclass(frozen=True, slots=True)
class JudgeCount:
    """One assertion over the whole document: nodes asked, complaints, and nodes on which XPath itself stopped.

    `error`, `error_record` and `error_location` tell of the first such stop.
    """

    assertion: str
    fired: int
    failed: int
    errors: int
    error: str | None = None
    error_record: int | None = None
    error_location: str | None = None


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """The verdict: `counts` are complete and in schema order, `findings` may be capped for each assertion."""

    counts: tuple[JudgeCount, ...]
    findings: tuple[JudgeFinding, ...]

    def count(self, assertion: str) -> JudgeCount:
        """Return the counts of one assertion."""
        return next(count for count in self.counts if count.assertion == assertion)


def read_report(schema: Schema, text: str, lines: Sequence[int] | None) -> JudgeReport:
    """Read what a counting stylesheet wrote; `lines` are those of the findings in the order in which it lists them."""
    rows = json.loads(text)
    assertions = schema.assertions()
    fired = {row["rule"]: row["count"] for row in rows if row["kind"] == "fired"}
    complaints = {row["assertion"]: row for row in rows if row["kind"] == "complaints"}
    errors = {row["assertion"]: row for row in rows if row["kind"] == "error"}
    findings = [row for row in rows if row["kind"] == "finding"]
    rules = [rule for pattern in schema.patterns for rule in pattern.rules]
    rule_of = [number for number, rule in enumerate(rules, start=1) for _ in rule.assertions]
    counts = tuple(
        _count(assertion.id, fired.get(rule_of[n], 0), complaints.get(n + 1, {}), errors.get(n + 1, {}))
        for n, assertion in enumerate(assertions)
    )
    known = [line if line > 0 else None for line in lines] if lines is not None else [None] * len(findings)
    in_order = sorted(zip(findings, known, strict=True), key=lambda pair: int(pair[0]["assertion"]))
    return JudgeReport(
        counts, tuple(_finding(assertions[row["assertion"] - 1].id, row, line) for row, line in in_order)
    )


def _count(assertion: str, fired: int, complaints: dict[str, Any], error: dict[str, Any]) -> JudgeCount:
    return JudgeCount(
        assertion,
        fired,
        complaints.get("failed", 0),
        complaints.get("errors", 0),
        error.get("text"),
        error.get("record"),
        error.get("location"),
    )


def _finding(assertion: str, row: dict[str, Any], line: int | None) -> JudgeFinding:
    diagnostics = tuple((name, text) for name, text in row["diagnostics"])
    return JudgeFinding(
        assertion, row.get("record"), row["location"], line, row["text"], diagnostics, row.get("document")
    )
