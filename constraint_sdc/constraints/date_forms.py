"""Dates in arithmetic: a date is a number of days since 1970-01-01, a difference of dates a number of days."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from constraint_sdc.calendar import DateNotation, day_number
from constraint_sdc.constraints.constraint import Number
from constraint_sdc.constraints.forms import Form, FormKind, NotArithmeticError, constant_form, variable_form
from constraint_sdc.evaluate.date_lexical import DAY_SECONDS, duration_seconds
from constraint_sdc.evaluate.expression import ArithmeticOp, Call, CompareOp, Expression, Literal, Variable

_RESULTS: dict[tuple[ArithmeticOp, FormKind, FormKind], FormKind] = {
    ("-", "date", "date"): "days",
    ("-", "date", "days"): "date",
    ("+", "date", "days"): "date",
    ("+", "days", "date"): "date",
    ("+", "days", "days"): "days",
    ("-", "days", "days"): "days",
    ("*", "days", "number"): "days",
    ("*", "number", "days"): "days",
    ("div", "days", "days"): "number",
}


def result_kind(op: ArithmeticOp, left: FormKind, right: FormKind) -> FormKind:
    """Return what an operation on numbers, dates or numbers of days yields."""
    if left == right == "number":
        return "number"
    if (op, left, right) not in _RESULTS:
        raise NotArithmeticError("computes with dates in a way that XPath does not allow")
    return _RESULTS[op, left, right]


def date_form(call: Call) -> Form | None:
    """Return a date or a duration that is written in the rule or read from one variable; None for other calls."""
    match call:
        case Call("xs:date", (Literal(str() as text),)):
            day = DateNotation.ISO_DAY.number(text.strip())
            if day is None:
                raise NotArithmeticError("is not a plain date")
            return replace(constant_form(Fraction(day), Number.INTEGER), kind="date")
        case Call("xs:date", (source,)):
            return _variable(source)
        case Call("xs:dayTimeDuration", (Literal(str() as text),)):
            seconds = duration_seconds(text.strip())
            if seconds is None or seconds % DAY_SECONDS:
                raise NotArithmeticError("is not a duration of whole days")
            return replace(constant_form(Fraction(seconds, DAY_SECONDS), Number.INTEGER), kind="days")
        case _:
            return None


def _variable(source: Expression) -> Form:
    match source:
        case Variable(name) | Call("string" | "xs:string", (Variable(name),)):
            notation = DateNotation.ISO_DAY
        case Call("concat", parts) if (found := _composed(parts)) is not None:
            name, notation = found
        case _:
            raise NotArithmeticError("makes a date of something other than a variable")
    form = variable_form(name, Number.INTEGER, "empty")
    return replace(form, kind="date", dates=frozenset({(name, notation)}))


_PLACES = {
    DateNotation.DAY: ((1, 4), (5, 2), (7, 2)),
    DateNotation.DAY_FIRST: ((5, 4), (3, 2), (1, 2)),
}


def _composed(parts: tuple[Expression, ...]) -> tuple[str, DateNotation] | None:
    """Return the variable and notation of `concat(substring(V, 1, 4), '-', substring(V, 5, 2), '-', ...)`."""
    if len(parts) != 5 or parts[1] != Literal("-") or parts[3] != Literal("-"):
        return None
    found = [_part(part) for part in parts[::2]]
    for notation, places in _PLACES.items():
        names = {name for name, place in found if place in places}
        if [place for _, place in found] == list(places) and len(names) == 1:
            return names.pop(), notation
    return None


def _part(part: Expression) -> tuple[str, tuple[int, int] | None]:
    match part:
        case Call("substring", (Variable(name), Literal(int() as first), Literal(int() as length))):
            return name, (first, length)
        case _:
            return "", None


def whole_days(form: Form) -> Form:
    """Return days-from-duration() of a number of days; a part of a day would be cut off."""
    if form.kind != "days":
        raise NotArithmeticError("takes the days of something that is not a difference of dates")
    if any(value.denominator != 1 for _, value in form.terms):
        raise NotArithmeticError("cuts off a part of a day")
    return replace(form, kind="number")


# The year of a date against a constant: an interval of days.


def year_interval(op: CompareOp, year: int) -> tuple[tuple[CompareOp, int], ...] | None:
    """Return bounds on the day, all of which hold where the year compares so; None for `!=` and years out of range.

    >>> year_interval("<=", 1970)
    (('<=', 364),)
    """
    first, last = day_number(year, 1, 1), day_number(year, 12, 31)
    if first is None or last is None or op == "!=":
        return None
    bounds: dict[CompareOp, tuple[tuple[CompareOp, int], ...]] = {
        "=": ((">=", first), ("<=", last)),
        "<": (("<", first),),
        "<=": (("<=", last),),
        ">": ((">", last),),
        ">=": ((">=", first),),
    }
    return bounds[op]
