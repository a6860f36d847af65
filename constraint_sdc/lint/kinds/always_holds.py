"""`always-holds`: every record satisfies a rule, whatever its values are."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.settings.reason import because


def find_tautologies(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the rules that can never fail."""
    for rule in subject.consequences.always_holds:
        yield LintFinding("always-holds", "warning", subject.place(rule), because("lint-always-holds"))


REGISTERED = {"always-holds": LintKind("always-holds", "warning", find_tautologies)}
