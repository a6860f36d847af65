"""The rules before and after masking, record by record."""

from __future__ import annotations

from constraint_sdc.model.finding import CheckResult, RuleResult
from constraint_sdc.model.masking import RuleOutcome


def compare_verdicts(before: CheckResult | None, after: CheckResult | None) -> tuple[RuleOutcome, ...]:
    """Compare the verdicts record by record; all violations must be listed."""
    if before is None or after is None:
        return ()
    old = {result.rule: result for result in before.results}
    return tuple(_outcome(old[result.rule], result) for result in after.results)


def _outcome(before: RuleResult, after: RuleResult) -> RuleOutcome:
    was, now = (_places(result) for result in (before, after))
    return RuleOutcome(
        rule=after.rule,
        severity=after.severity,
        checked=after.fired,
        broken_before=len(was),
        still_broken=len(was & now),
        repaired=len(was - now),
        newly_broken=len(now - was),
    )


def _places(result: RuleResult) -> frozenset[object]:
    """Return the records that break the rule; a violation outside the records stands for itself."""
    return frozenset(v.location if v.record is None else v.record for v in result.violations)
