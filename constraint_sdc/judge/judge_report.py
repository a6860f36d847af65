"""The judge's report on one document: counts for every assertion, and the findings themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from constraint_sdc.judge.control import prove
from constraint_sdc.schematron.schema import Schema


@dataclass(frozen=True, slots=True)
class JudgeFinding:
    """One failed assert or successful report.

    `record` is the 1-based number of the record that holds the node, when a record element was named. `location` and
    `line` are those of the subject. `text` shows values, white space normalised; `diagnostics` are (id, text) pairs.
    `document` is the URI of the document when a pattern's `documents` names another than the judged one.
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
    """One assertion over the whole document: nodes tested, violations, and nodes on which XPath itself stopped.

    `error`, `error_record` and `error_location` describe the first such error. `held_missing` and `failed_missing`
    count the nodes on which a value that the test reads is missing, by the verdict on them; 0 if it was not asked.
    """

    assertion: str
    fired: int
    failed: int
    errors: int
    error: str | None = None
    error_record: int | None = None
    error_location: str | None = None
    held_missing: int = 0
    failed_missing: int = 0


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """The verdict: `counts` are complete and in schema order, `findings` may be capped per assertion."""

    counts: tuple[JudgeCount, ...]
    findings: tuple[JudgeFinding, ...]

    def count(self, assertion: str) -> JudgeCount:
        """Return the counts of one assertion."""
        return next(count for count in self.counts if count.assertion == assertion)


def read_report(schema: Schema, text: str, lines: Sequence[int] | None) -> JudgeReport:
    """Read the output of a counting stylesheet; `lines` are the lines of its findings, in the same order.

    JudgeError unless the judge's control is as it must be; the report says nothing of it.
    """
    rows = json.loads(text)
    prove(schema, rows)
    assertions = schema.assertions()
    fired = {row["rule"]: row["count"] for row in rows if row["kind"] == "fired"}
    complaints = {row["assertion"]: row for row in rows if row["kind"] == "complaints"}
    errors = {row["assertion"]: row for row in rows if row["kind"] == "error"}
    findings = [row for row in rows if row["kind"] == "finding"]
    rules = [rule for pattern in schema.patterns for rule in pattern.rules]
    rule_of = [number for number, rule in enumerate(rules, start=1) for _ in rule.assertions]
    missing = {row["token"]: row["count"] for row in rows if row["kind"] == "missing"}
    counts = tuple(
        replace(
            _count(assertion.id, fired.get(rule_of[n], 0), complaints.get(n + 1, {}), errors.get(n + 1, {})),
            held_missing=missing.get(f"held {n + 1}", 0),
            failed_missing=missing.get(f"failed {n + 1}", 0),
        )
        for n, assertion in enumerate(assertions)
    )
    known = [line if line > 0 else None for line in lines] if lines is not None else [None] * len(findings)
    mine = [pair for pair in zip(findings, known, strict=True) if pair[0]["assertion"] <= len(assertions)]
    in_order = sorted(mine, key=lambda pair: int(pair[0]["assertion"]))
    return JudgeReport(
        counts, tuple(_finding(assertions[row["assertion"] - 1].id, row, line) for row, line in in_order)
    )


def read_broken(schema: Schema, text: str) -> dict[str, frozenset[int]]:
    """Read the output of a stylesheet that names records alone: by assertion, those on which it fails or stops.

    Records are numbered from 1; 0 is a node that is in none. JudgeError unless the judge's control is as it must be.
    """
    rows = json.loads(text)
    prove(schema, rows)
    ids = [assertion.id for assertion in schema.assertions()]
    found = {row["assertion"]: frozenset(row["records"]) for row in rows if row["kind"] == "broken"}
    return {name: found.get(number, frozenset()) for number, name in enumerate(ids, start=1)}


def _count(assertion: str, fired: int, complaints: dict[str, Any], error: dict[str, Any]) -> JudgeCount:
    # A node on which the context stops was not taken by the rule: it counts as one that the rule could not judge.
    return JudgeCount(
        assertion,
        fired + complaints.get("stopped", 0),
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
