"""`not-exercised`: no record of the data puts a rule to the test."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.evaluate.expression import And, Expression
from constraint_sdc.judge.finding import RuleResult
from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.stated import asked_condition
from constraint_sdc.lint.subject import LintData, LintSubject
from constraint_sdc.lint.trial import is_tried, truths
from constraint_sdc.settings.reason import Reason, because

_NAME = "idle-name"


def find_not_exercised(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the rules that fire on no node, and those whose `if` no record satisfies; names are another finding."""
    data = subject.data
    for rule in () if data is None else subject.rules:
        result = data.results[rule.id] if data is not None else None
        if data is None or result is None or result.may_be_idle or rule.id in subject.hidden:
            continue
        reason = _why(rule, result, data, subject.is_xpath1)
        if reason is not None:
            yield LintFinding("not-exercised", "warning", subject.place(rule.id), reason)


def _why(rule: EditRule, result: RuleResult, data: LintData, xpath1: bool) -> Reason | None:
    if any(reason.code == _NAME for reason in result.idle):
        return None
    if not result.fired:
        return because("lint-not-fired", reasons=result.idle)
    condition = _asked(rule)
    if condition is None or not is_tried(condition, xpath1=xpath1):
        return None
    _, false = truths(condition, data.columns, data.records, xpath1=xpath1)
    return because("lint-no-case", records=data.records) if bool(false.all()) else None


def _asked(rule: EditRule) -> Expression | None:
    """Return the `if` of a test together with the condition of its context."""
    asked = asked_condition(rule.expression)
    around = None if rule.context is None else rule.context.condition
    return asked if asked is None or around is None else And((around, asked))


REGISTERED = {"not-exercised": LintKind("not-exercised", "warning", find_not_exercised, needs_data=True)}
