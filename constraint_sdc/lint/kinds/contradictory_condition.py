"""`contradictory-condition`: the condition of a rule contradicts itself, so that the rule says nothing."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.constraints.show import show_formula
from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.stated import rule_condition
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.settings.reason import because


def find_contradictory_conditions(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the rules whose context and `if` no record satisfies, whatever other rules say."""
    for rule in subject.consequences.impossible_conditions:
        condition = rule_condition(subject.by_id[rule], xpath1=subject.is_xpath1)
        shown = "" if condition is None else show_formula(condition)
        reason = because("lint-contradictory-condition", quotes={"condition": shown})
        yield LintFinding("contradictory-condition", "error", subject.place(rule), reason)


REGISTERED = {"contradictory-condition": LintKind("contradictory-condition", "error", find_contradictory_conditions)}
