"""`duplicate`: two rules say the same."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.settings.reason import because


def find_duplicates(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the later rule of each pair; the two need not be written alike."""
    for rule, first in subject.consequences.duplicates.items():
        reason = because("lint-duplicate", rule=first)
        yield LintFinding("duplicate", "warning", subject.place(rule), reason, subject.places(first))


REGISTERED = {"duplicate": LintKind("duplicate", "warning", find_duplicates)}
