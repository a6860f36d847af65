"""`implied`: a rule follows from others, so that it can never fail where they hold."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.settings.reason import because


def find_implied(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the rules that may be left out; all of them may be left out together."""
    for rule, others in subject.consequences.implied.items():
        reason = because("lint-implied", rules=others)
        yield LintFinding("implied", "warning", subject.place(rule), reason, subject.places(*others))


REGISTERED = {"implied": LintKind("implied", "warning", find_implied)}
