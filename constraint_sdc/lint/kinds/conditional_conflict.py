"""`conditional-conflict`: where the condition of a rule holds, no record can satisfy the rules."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.settings.reason import because


def find_conditional_conflicts(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield one finding per minimal set of rules; the rule itself takes part in the contradiction."""
    for rule, others in subject.consequences.conditional_conflicts.items():
        reason = because("lint-conditional-conflict", rules=others)
        yield LintFinding("conditional-conflict", "warning", subject.place(rule), reason, subject.places(*others))


REGISTERED = {"conditional-conflict": LintKind("conditional-conflict", "warning", find_conditional_conflicts)}
