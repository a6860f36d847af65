"""What a check found: per rule, and per violation."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.schematron.schema import Assertion, Origin, Schema, Severity
from constraint_sdc.settings.reason import Reason
from constraint_sdc.shown import Shown, Tabled

Status: TypeAlias = OneOf["pass", "fail", "error", "idle", "not applicable"]
RuleEngine: TypeAlias = OneOf["vectorised", "saxon", "both", "aggregated"]
"""Who judged a rule: the evaluator record by record, Saxon, both, or the evaluator by sums over all records."""
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "information")


@dataclass(frozen=True, slots=True, repr=False)
class Violation(Shown):
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


@dataclass(frozen=True, slots=True, repr=False)
class RuleResult(Shown):
    """One assertion over the whole document.

    `fired` counts the nodes that were tested, `failed` those with a violation, `errors` those on which XPath itself
    stopped (such as an impossible cast); an error is neither pass nor fail. `violations` may be capped: `failed` counts
    all of them. `context` is the context of the assertion's rule as written. `idle` says why the rule checks nothing,
    or looks for what the file does not have; `may_be_idle` if that is allowed. `held_missing` and `failed_missing`
    count the nodes on which a value that the test reads is missing, by the verdict on them; None if it is not known.
    `variables` are those that the test reads of its record; None if that is not known.
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
    engine: RuleEngine
    violations: tuple[Violation, ...]
    context: str = ""
    idle: tuple[Reason, ...] = ()
    may_be_idle: bool = False
    held_missing: int | None = None
    failed_missing: int | None = None
    variables: tuple[str, ...] | None = None

    @property
    def passed(self) -> int:
        """Count the nodes on which the rule holds."""
        return self.fired - self.failed - self.errors

    @property
    def held_present(self) -> int:
        """Count the nodes on which the rule holds with every value that its test reads, as far as that is known."""
        return self.passed - (self.held_missing or 0)

    @property
    def status(self) -> Status:
        """Return the outcome of the rule."""
        if self.errors or self.error:
            return "error"
        if self.idle and not self.may_be_idle:
            return "idle"
        if self.failed:
            return "fail"
        return "pass" if self.fired else "not applicable"


@dataclass(frozen=True, slots=True, repr=False)
class CheckResult(Tabled):
    """The verdict on one document. `records` is None when the document has no rows.

    `broken_records` counts the records with at least one violation; None when they were not counted. `inputs` are the
    SHA-256 of all that was read for it, of the bytes that were judged: "data", "rules", "rules: FILE", "original",
    "domain", "document: FILE".
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
    notes: tuple[Reason, ...] = ()
    broken_records: int | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_errors(self) -> bool:
        """Tell whether some rule could not be evaluated on some node."""
        return any(result.status == "error" for result in self.results)

    @property
    def idle(self) -> tuple[RuleResult, ...]:
        """Return the rules that check nothing, or look for what is not there, although nobody allows it."""
        return tuple(result for result in self.results if result.status == "idle")

    @property
    def tells_missing(self) -> bool:
        """Tell whether missing values are worth a column: some rule met one, or it is not known what it reads."""
        counts = [count for r in self.results if r.fired for count in (r.held_missing, r.failed_missing)]
        return self.records is not None and any(count is None or count > 0 for count in counts)

    @property
    def checks_nothing(self) -> bool:
        """Tell whether no rule was tested on any node: there is no verdict then, unless every rule may be idle."""
        if any(result.fired or result.errors for result in self.results):
            return False
        return not self.results or not all(result.may_be_idle for result in self.results)

    @property
    def failing(self) -> tuple[RuleResult, ...]:
        """Return the rules that fail at or above the gate's severity."""
        watched = SEVERITIES[: SEVERITIES.index(self.fail_on) + 1]
        return tuple(r for r in self.results if r.failed and r.severity in watched)

    @property
    def exit_code(self) -> int:
        """0 clean, 1 violations, 2 a rule could not be evaluated or is idle, or nothing was checked."""
        if self.has_errors or self.idle or self.checks_nothing:
            return 2
        return 1 if self.failing else 0


# Counts and capped examples per rule, added up over chunks and engines.


@dataclass(slots=True)
class Tally:
    """One rule's running totals; at most `most` violations are kept (None keeps all), those of the first records.

    Answers may arrive out of record order: a record that one engine passes on to the other comes late.
    """

    most: int | None
    fired: int = 0
    failed: int = 0
    errors: int = 0
    error: str | None = None
    held_missing: int = 0
    failed_missing: int = 0
    engines: set[str] = field(default_factory=set)
    violations: list[Violation] = field(default_factory=list)

    @property
    def room(self) -> int | None:
        """Return how many more violations are wanted; None is no limit."""
        return None if self.most is None else max(0, self.most - len(self.violations))

    def count(self, engine: str, *, fired: int, failed: int, errors: int = 0, error: str | None = None) -> None:
        """Add the counts that an engine reports."""
        self.fired += fired
        self.failed += failed
        self.errors += errors
        self.error = self.error or error
        if fired or errors:
            self.engines.add(engine)

    def keep(self, violation: Violation) -> None:
        """Keep a violation; when the limit is exceeded, the last one in record order is dropped."""
        insort(self.violations, violation, key=_in_record_order)
        if self.most is not None:
            del self.violations[self.most :]

    @property
    def engine(self) -> RuleEngine:
        """Name the engine that judged the rule."""
        if len(self.engines) == 2:
            return "both"
        if self.engines == {"aggregated"}:
            return "aggregated"
        return "saxon" if self.engines == {"saxon"} else "vectorised"


def _in_record_order(violation: Violation) -> tuple[bool, int]:
    return violation.record is None, violation.record or 0


def rule_results(
    schema: Schema, tallies: dict[str, Tally], variables: Callable[[str], tuple[str, ...] | None] = lambda _: None
) -> tuple[RuleResult, ...]:
    """Return one result per assertion, in the schema's order, violations in record order.

    `variables` tells what a rule reads, None if that is not known.
    """
    return tuple(
        _result(assertion, pattern.id, rule.context, tallies[assertion.id], variables(assertion.id))
        for pattern in schema.patterns
        for rule in pattern.rules
        for assertion in rule.assertions
    )


def _result(
    assertion: Assertion, pattern: str, context: str, tally: Tally, variables: tuple[str, ...] | None
) -> RuleResult:
    return RuleResult(
        rule=assertion.id,
        pattern=pattern,
        kind=assertion.kind,
        severity=assertion.severity,
        test=assertion.test,
        origin=assertion.origin,
        fired=tally.fired,
        failed=tally.failed,
        errors=tally.errors,
        error=tally.error,
        engine=tally.engine,
        violations=tuple(tally.violations),
        context=context,
        held_missing=None if variables is None else tally.held_missing,
        failed_missing=None if variables is None else tally.failed_missing,
        variables=variables,
    )
