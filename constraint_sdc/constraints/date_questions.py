"""Comparisons with dates that need more than arithmetic: an untyped side, and the year of a date."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from constraint_sdc.constraints.arithmetic import arithmetic_form
from constraint_sdc.constraints.compare_forms import compare_forms
from constraint_sdc.constraints.constraint import AllOf, Formula, Number
from constraint_sdc.constraints.date_forms import year_interval
from constraint_sdc.constraints.forms import NotArithmeticError, constant_form
from constraint_sdc.evaluate.expression import Arithmetic, Call, CompareOp, Expression, Variable


def as_date(side: Expression, other: Expression) -> Expression:
    """Return an untyped side as a date if the other side is one: a general comparison casts it."""
    is_date = isinstance(side, Variable) and _is_date(other)
    return Call("xs:date", (side,)) if is_date else side


def _is_date(expression: Expression) -> bool:
    match expression:
        case Call(name):
            return name == "xs:date"
        case Arithmetic("+" | "-", left, right):
            return _is_date(left) != _is_date(right)
        case _:
            return False


def year_question(date: Expression, op: CompareOp, year: int) -> Formula | None:
    """Return `year-from-date(date) op year` as bounds on the day; None if it is not a date that is understood."""
    bounds = year_interval(op, year)
    if bounds is None:
        return None
    try:
        form = arithmetic_form(Call("xs:date", (date,)) if isinstance(date, Variable) else date, xpath1=False)
        limits = [(way, replace(constant_form(Fraction(day), Number.INTEGER), kind="date")) for way, day in bounds]
        return AllOf(tuple(compare_forms(form, way, limit) for way, limit in limits))
    except NotArithmeticError:
        return None
