"""Try an expression on made-up records, by the evaluator that `check` uses: a witness is a record that was tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from constraint_sdc.arrays import Flags
from constraint_sdc.data.table import Column, column_of
from constraint_sdc.evaluate.expression import (
    And,
    Arithmetic,
    Call,
    Castable,
    Compare,
    Expression,
    If,
    Literal,
    Negate,
    Not,
    Or,
    Outside,
    Variable,
    walk,
)
from constraint_sdc.evaluate.expression import Sequence as Listed
from constraint_sdc.evaluate.truth import evaluate_truth, refuses
from constraint_sdc.evaluate.value import Records


def is_tried(expression: Expression | None, *, xpath1: bool) -> bool:
    """Tell whether the evaluator takes an expression that reads no other document."""
    if expression is None or any(isinstance(part, Outside) for part in walk(expression)):
        return False
    return refuses(expression, xpath1=xpath1) is None


def truths(expression: Expression, columns: Mapping[str, Column], count: int, *, xpath1: bool) -> tuple[Flags, Flags]:
    """Return where an expression is certainly true and certainly false, over records given as columns."""
    verdict = evaluate_truth(expression, Records(columns, count), xpath1=xpath1, domains={})
    return verdict.truth & ~verdict.unsure, ~verdict.truth & ~verdict.unsure


def made_columns(records: Sequence[Mapping[str, str | None]]) -> dict[str, Column]:
    """Return made-up records as columns."""
    names = dict.fromkeys(name for record in records for name in record)
    return {name: column_of(name, [record.get(name) for record in records]) for name in names}


def decimal_text(value: Fraction, most: int = 12) -> str | None:
    """Return a number as XPath writes it in full, None if it has no end within `most` decimals.

    >>> decimal_text(Fraction(3, 20)), decimal_text(Fraction(1, 3))
    ('0.15', None)
    """
    for digits in range(most + 1):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            return format(Decimal(int(scaled)).scaleb(-digits), "f")
    return None


def rewritten(expression: Expression, new: Mapping[Expression, Expression]) -> Expression:
    """Return an expression in which parts are replaced; a replacement is not looked into again."""
    if expression in new:
        return new[expression]
    match expression:
        case Literal() | Variable() | Outside():
            return expression
        case Listed(items) | And(items) | Or(items):
            return type(expression)(tuple(rewritten(item, new) for item in items))
        case Arithmetic(_, left, right) | Compare(_, left, right):
            return replace(expression, left=rewritten(left, new), right=rewritten(right, new))
        case Negate(operand) | Castable(operand):
            return replace(expression, operand=rewritten(operand, new))
        case Not(item):
            return Not(rewritten(item, new))
        case If(test, then, otherwise):
            return If(rewritten(test, new), rewritten(then, new), rewritten(otherwise, new))
        case Call(name, arguments):
            return Call(name, tuple(rewritten(argument, new) for argument in arguments))
