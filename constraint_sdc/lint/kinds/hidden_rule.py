"""`hidden-rule`: earlier rules of the pattern take every node, because the first rule that matches a node takes it."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.settings.reason import because


def find_hidden(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the assertions that can never be tested."""
    for rule, hidden in subject.hidden.items():
        reason = because(
            "lint-hidden",
            lines=tuple(origin.line for origin in hidden.by),
            quotes={"contexts": ", ".join(hidden.contexts)},
        )
        yield LintFinding("hidden-rule", "error", subject.place(rule), reason)


REGISTERED = {"hidden-rule": LintKind("hidden-rule", "error", find_hidden)}
