"""`unknown-name`: a rule looks for an element or attribute that the data do not have."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject

_NAME = "idle-name"


def find_unknown_names(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield one finding per name and rule, with the nearest name of the file; a rule may be marked `cs:may-be-idle`."""
    for rule, result in ({} if subject.data is None else subject.data.results).items():
        for reason in () if result.may_be_idle else result.idle:
            if reason.code == _NAME:
                yield LintFinding("unknown-name", "error", subject.place(rule), reason)


REGISTERED = {"unknown-name": LintKind("unknown-name", "error", find_unknown_names, needs_data=True)}
