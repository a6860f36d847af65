"""`conflict`: no record can satisfy all rules. Named are as few rules as contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.schematron.schema import Severity
from constraint_sdc.settings.reason import Reason, because


def find_conflicts(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield one finding per minimal set; it is an error where all of its rules are."""
    found = subject.consequences
    for rules in found.conflicts:
        yield _finding(subject, rules, because("lint-conflict", rules=tuple(rules)))
    for rules in found.conflicts_of_values:
        yield _finding(subject, rules, because("lint-conflict-of-values", rules=tuple(rules)))


def _finding(subject: LintSubject, rules: tuple[str, ...], reason: Reason) -> LintFinding:
    *others, last = rules
    strict = all(subject.by_id[name].assertion.severity == "error" for name in rules)
    severity: Severity = "error" if strict else "warning"
    return LintFinding("conflict", severity, subject.place(last), reason, subject.places(*others))


REGISTERED = {"conflict": LintKind("conflict", "error", find_conflicts)}
