"""`never-present`: no record that satisfies the rules can have a value of the variable."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.settings.reason import because


def find_never_present(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield one finding per variable, at the last of the rules that exclude it."""
    for found in subject.consequences.ranges:
        if found.kind == "never present":
            *others, last = found.rules
            reason = because("lint-never-present", variable=found.variable, rules=found.rules)
            yield LintFinding("never-present", "error", subject.place(last), reason, subject.places(*others))


REGISTERED = {"never-present": LintKind("never-present", "error", find_never_present)}
