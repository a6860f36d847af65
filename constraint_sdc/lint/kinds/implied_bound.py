"""`implied-bound`: the rules together bound a variable for which no rule alone states that bound."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.constraints.show_atom import show_number
from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.settings.reason import because


def find_implied_bounds(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield one finding per variable and side, at the last of the rules that bound it."""
    for found in subject.consequences.ranges:
        if found.kind in ("at least", "at most"):
            *others, last = found.rules
            reason = because(
                "lint-bound",
                variable=found.variable,
                side=found.kind,
                value=show_number(found.value),
                rules=found.rules,
            )
            yield LintFinding("implied-bound", "information", subject.place(last), reason, subject.places(*others))


REGISTERED = {"implied-bound": LintKind("implied-bound", "information", find_implied_bounds)}
