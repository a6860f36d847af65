"""`fixed-variable`: the rules together leave a variable one value, and no rule about it alone says so."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.constraints.show_atom import show_number
from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.settings.reason import because


def find_fixed(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield one finding per variable, at the last of the rules that fix it."""
    for found in subject.consequences.ranges:
        if found.kind == "fixed":
            *others, last = found.rules
            value = show_number(found.value)
            reason = because("lint-fixed", variable=found.variable, value=value, rules=found.rules)
            yield LintFinding("fixed-variable", "warning", subject.place(last), reason, subject.places(*others))


REGISTERED = {"fixed-variable": LintKind("fixed-variable", "warning", find_fixed)}
