"""What a check found: per rule, and per violation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.model.schema import Origin, Severity

Status: TypeAlias = OneOf["pass", "fail", "error", "not applicable"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "information")


@dataclass(frozen=True, slots=True)
class Violation:
    """One failed assert or successful report.

    `record` is the 1-based record number and `key` the record's key when the document has rows; `location` is an XPath
    to the node. `summary` hides microdata values, `message` shows them (None when it was not asked for).
    """

    rule: str
    record: int | None
    key: str | None
    line: int | None
    location: str
    summary: str
    message: str | None = None
    diagnostics: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RuleResult:
    """One assertion over the whole document.

    `fired` counts the nodes it was asked about, `failed` those it complained of, `errors` those on which XPath itself
    stopped (a cast that cannot be done); an error is neither pass nor fail. `violations` may be capped: `failed` counts
    all of them. `context` is the context of the assertion's rule as written.
    """

    rule: str
    pattern: str
    kind: OneOf["assert", "report"]
    severity: Severity
    test: str
    origin: Origin
    fired: int
    failed: int
    errors: int
    error: str | None
    engine: OneOf["vectorised", "saxon", "both"]
    violations: tuple[Violation, ...]
    context: str = ""

    @property
    def passed(self) -> int:
        """Count the nodes on which the rule holds."""
        return self.fired - self.failed - self.errors

    @property
    def status(self) -> Status:
        """Say how the rule came out."""
        if self.errors or self.error:
            return "error"
        if self.failed:
            return "fail"
        return "pass" if self.fired else "not applicable"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The verdict on one document. `records` is None when the document has no rows.

    `broken_records` counts the records with at least one violation; None when nobody counted.
    """

    data: str
    rules: str
    title: str
    phase: str
    binding: str
    records: int | None
    fail_on: Severity
    results: tuple[RuleResult, ...]
    shows_values: bool = False
    notes: tuple[str, ...] = ()
    broken_records: int | None = None

    @property
    def has_errors(self) -> bool:
        """Tell whether some rule could not be evaluated on some node."""
        return any(result.status == "error" for result in self.results)

    @property
    def failing(self) -> tuple[RuleResult, ...]:
        """Return the rules that fail at or above the severity that the gate watches."""
        watched = SEVERITIES[: SEVERITIES.index(self.fail_on) + 1]
        return tuple(r for r in self.results if r.failed and r.severity in watched)

    @property
    def exit_code(self) -> int:
        """0 clean, 1 violations, 2 a rule could not be evaluated."""
        return 2 if self.has_errors else 1 if self.failing else 0
