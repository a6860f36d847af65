"""Counts and capped examples per rule, added up over chunks and engines."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from typing import Literal as OneOf

from constraint_sdc.model.finding import RuleResult, Violation
from constraint_sdc.model.schema import Assertion, Schema


@dataclass(slots=True)
class Tally:
    """One rule's running totals; at most `most` violations are kept (None keeps all), those of the first records.

    Answers need not come in the order of the records: a record that one engine passed on to the other comes late.
    """

    most: int | None
    fired: int = 0
    failed: int = 0
    errors: int = 0
    error: str | None = None
    engines: set[str] = field(default_factory=set)
    violations: list[Violation] = field(default_factory=list)

    @property
    def room(self) -> int | None:
        """Say how many more violations are wanted; None is no limit."""
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
        """Keep a violation; when there is no more room, the last one in record order goes."""
        insort(self.violations, violation, key=_in_record_order)
        if self.most is not None:
            del self.violations[self.most :]

    @property
    def engine(self) -> OneOf["vectorised", "saxon", "both"]:
        """Name the engine that judged the rule."""
        if len(self.engines) == 2:
            return "both"
        return "saxon" if self.engines == {"saxon"} else "vectorised"


def _in_record_order(violation: Violation) -> tuple[bool, int]:
    return violation.record is None, violation.record or 0


def rule_results(schema: Schema, tallies: dict[str, Tally]) -> tuple[RuleResult, ...]:
    """Return one result per assertion, in the schema's order, violations in record order."""
    return tuple(
        _result(assertion, pattern.id, rule.context, tallies[assertion.id])
        for pattern in schema.patterns
        for rule in pattern.rules
        for assertion in rule.assertions
    )


def _result(assertion: Assertion, pattern: str, context: str, tally: Tally) -> RuleResult:
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
    )
