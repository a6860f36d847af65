"""`never-fires`: other rules exclude the condition of a rule."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.settings.reason import because


def find_never_firing(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the rules whose condition holds in no record that satisfies the others."""
    for rule, others in subject.consequences.never_fires.items():
        reason = because("lint-never-fires", rules=others)
        yield LintFinding("never-fires", "warning", subject.place(rule), reason, subject.places(*others))


REGISTERED = {"never-fires": LintKind("never-fires", "warning", find_never_firing)}
