"""`suspicious-constant`: a rule with a constant fails in nearly all records, for example because of a wrong unit."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import numpy as np

from constraint_sdc.arrays import Flags
from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.evaluate.expression import Expression, Literal, walk
from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintData, LintSubject
from constraint_sdc.lint.trial import is_tried, rewritten, truths
from constraint_sdc.settings.reason import because

_FEWEST = 20  # records that a rule must judge
_NEARLY_ALL = 0.9
_FACTORS = tuple(Decimal(text) for text in ("10", "100", "1000", "1000000", "0.1", "0.01", "0.001", "-1"))


def find_suspicious_constants(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the rules that fail in nine records of ten, with the constant that would mend them if one was found."""
    data = subject.data
    for rule in () if data is None else subject.rules:
        if data is None or not _fails_nearly_always(rule, data):
            continue
        constants = _constants(rule.expression)
        if constants:
            result = data.results[rule.id]
            better = _better(rule, constants, data, subject.is_xpath1)
            reason = because(
                "lint-constant",
                failed=result.failed,
                checked=result.fired,
                constant=_shown(constants[0] if better is None else better[0]),
                better=None if better is None else _shown(better[1]),
            )
            yield LintFinding("suspicious-constant", "warning", subject.place(rule.id), reason)


def _fails_nearly_always(rule: EditRule, data: LintData) -> bool:
    result = data.results[rule.id]
    return result.fired >= _FEWEST and result.failed >= _NEARLY_ALL * result.fired


def _constants(expression: Expression | None) -> list[Literal]:
    parts = () if expression is None else walk(expression)
    found = [part for part in parts if isinstance(part, Literal) and not isinstance(part.value, bool)]
    return list(dict.fromkeys(part for part in found if part.value not in (0, "")))


def _better(rule: EditRule, constants: list[Literal], data: LintData, xpath1: bool) -> tuple[Literal, Literal] | None:
    """Return a constant and one of another size with which nearly all records satisfy the rule."""
    assert rule.expression is not None
    judged = _judged(rule, data, xpath1)
    if judged is None:
        return None
    for constant in constants:
        if not isinstance(constant.value, int | Decimal):
            continue
        for factor in _FACTORS:
            tried = Literal(Decimal(constant.value) * factor)
            expression = rewritten(rule.expression, {constant: tried})
            if is_tried(expression, xpath1=xpath1):
                true, _ = truths(expression, data.columns, data.records, xpath1=xpath1)
                if np.count_nonzero(true & judged) >= _NEARLY_ALL * np.count_nonzero(judged):
                    return constant, tried
    return None


def _judged(rule: EditRule, data: LintData, xpath1: bool) -> Flags | None:
    """Return the records that a rule judges as far as its own context tells, None if that is not known."""
    condition = None if rule.context is None else rule.context.condition
    if condition is None:
        return np.ones(data.records, np.bool_)
    return (
        truths(condition, data.columns, data.records, xpath1=xpath1)[0] if is_tried(condition, xpath1=xpath1) else None
    )


def _shown(constant: Literal) -> str:
    value = constant.value
    return format(value.normalize(), "f") if isinstance(value, Decimal) else str(value)


REGISTERED = {
    "suspicious-constant": LintKind("suspicious-constant", "warning", find_suspicious_constants, needs_data=True)
}
