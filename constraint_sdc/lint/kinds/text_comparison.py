"""`text-comparison`: an order of untyped values, which XPath compares as texts from version 2.0 on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.constraints.show_atom import show_expression
from constraint_sdc.evaluate.expression import Call, Compare, Expression, Literal, Variable, walk
from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintData, LintSubject
from constraint_sdc.lint.trial import truths
from constraint_sdc.schematron.schema import Severity
from constraint_sdc.settings.reason import because

_NUMBER = re.compile(r"\s*-?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*")


def find_text_comparisons(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the rules that order two untyped values, or one and a quoted number.

    With data a rule is named only if some record is ordered otherwise as numbers; without data it cannot be known.
    """
    for rule in () if subject.is_xpath1 else subject.rules:
        compared = next(_orders(rule), None)
        if compared is None:
            continue
        wrong = None if subject.data is None else _ordered_otherwise(compared, subject.data)
        if wrong != 0:
            reason = because("lint-text-order", records=wrong, quotes={"comparison": show_expression(compared)})
            severity: Severity = "error" if wrong else "warning"
            yield LintFinding("text-comparison", severity, subject.place(rule.id), reason)


def _orders(rule: EditRule) -> Iterator[Compare]:
    for part in () if rule.expression is None else walk(rule.expression):
        if isinstance(part, Compare) and part.op not in ("=", "!=") and _are_texts(part):
            yield part


def _are_texts(comparison: Compare) -> bool:
    sides = (comparison.left, comparison.right)
    return any(isinstance(side, Variable) for side in sides) and all(map(_is_text, sides))


def _is_text(side: Expression) -> bool:
    match side:
        case Variable():
            return True
        case Literal(str() as text):
            return _NUMBER.fullmatch(text) is not None
        case _:
            return False


def _ordered_otherwise(comparison: Compare, data: LintData) -> int:
    """Count the records in which the two are numbers and their order as numbers is another."""
    left, right = (Call("number", (side,)) for side in (comparison.left, comparison.right))
    asked = (
        comparison,
        replace(comparison, left=left, right=right),
        Compare("=", left, left),
        Compare("=", right, right),
    )
    as_texts, as_numbers, *readable = (truths(one, data.columns, data.records, xpath1=False)[0] for one in asked)
    return int((readable[0] & readable[1] & (as_texts != as_numbers)).sum())


REGISTERED = {"text-comparison": LintKind("text-comparison", "warning", find_text_comparisons)}
