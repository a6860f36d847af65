"""Turn expressions into forms: which are arithmetic on the record's numbers, and in which XPath number type."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import TypeAlias

from constraint_sdc.constraints.constraint import Number
from constraint_sdc.constraints.date_forms import date_form, result_kind, whole_days
from constraint_sdc.constraints.forms import (
    Form,
    Missing,
    NotArithmeticError,
    Special,
    add,
    constant_form,
    divide,
    join,
    multiply,
    power,
    root,
    special_form,
    variable_form,
)
from constraint_sdc.evaluate.expression import (
    EMPTY,
    Arithmetic,
    ArithmeticOp,
    Call,
    Expression,
    If,
    Literal,
    Negate,
    Sequence,
    Variable,
)
from constraint_sdc.xpath.functions import INTEGER_TYPES

_ROUNDINGS = frozenset({"floor", "ceiling", "round", "round-half-to-even"})
_HIGHEST_POWER = 12


def arithmetic_form(expression: Expression, *, xpath1: bool) -> Form:
    """Return the expression as a form, or raise `NotArithmeticError` with the reason.

    A bare variable counts as a number here; the comparison around it decides whether XPath treats it as one.
    """
    return _any_form(expression, xpath1)


def _form(expression: Expression, xpath1: bool) -> Form:
    """Return a form that is a number."""
    form = _any_form(expression, xpath1)
    if form.kind != "number":
        raise NotArithmeticError("computes with dates in a way that XPath does not allow")
    return form


def _any_form(expression: Expression, xpath1: bool) -> Form:
    match expression:
        case Literal(value):
            return _literal(value)
        case Variable(name):
            return variable_form(name, Number.DOUBLE, "empty")
        case Negate(operand):
            inner = _operand(operand, xpath1)
            return multiply(constant_form(Fraction(-1), inner.number), inner)
        case Arithmetic():
            return _arithmetic(expression, xpath1)
        case Call():
            return _call(expression, xpath1)
        case _:
            raise NotArithmeticError("is not arithmetic on numbers")


def _literal(value: bool | int | Decimal | float | str) -> Form:
    match value:
        case bool() | str():
            raise NotArithmeticError("is not a number")
        case int():
            return constant_form(Fraction(value), Number.INTEGER)
        case Decimal():
            return constant_form(Fraction(value), Number.DECIMAL)
        case float() if isfinite(value):
            return constant_form(Fraction(repr(value)), Number.DOUBLE)
        case _:
            raise NotArithmeticError("is not a finite number")


def literal_number(expression: Expression) -> Expression:
    """Return a literal text as the number that XPath 1.0 makes of it in <, <=, > and >=."""
    match expression:
        case Literal(str() as text) if re.fullmatch(r"\s*-?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*", text):
            return Literal(Decimal(text.strip()))
        case _:
            return expression


def _operand(expression: Expression, xpath1: bool) -> Form:
    """Return an operand of arithmetic; XPath 1.0 makes every operand a double, and NaN of an absent one."""
    return _converted(_form(expression, xpath1), xpath1)


def _converted(form: Form, xpath1: bool) -> Form:
    if not xpath1:
        return form
    missing: Missing = "nan" if form.missing != "none" else "none"
    return replace(form, number=Number.DOUBLE, missing=missing)


def _arithmetic(expression: Arithmetic, xpath1: bool) -> Form:
    left, right = (_converted(_any_form(side, xpath1), xpath1) for side in (expression.left, expression.right))
    kind = result_kind(expression.op, left.kind, right.kind)
    return replace(_computed(expression.op, left, right), kind=kind)


def _computed(op: ArithmeticOp, left: Form, right: Form) -> Form:
    match op:
        case "+":
            return add(left, right)
        case "-":
            return add(left, right, -1)
        case "*":
            return multiply(left, right)
        case "div":
            return divide(left, right)
        case "idiv":
            return special_form(Special("round", (divide(left, right),)), Number.INTEGER)
        case "mod":
            modulus = right.constant
            if not modulus:
                raise NotArithmeticError("takes a remainder by something that is not a constant")
            return special_form(Special("mod", (left,), abs(modulus)), join(left.number, right.number))


def _call(call: Call, xpath1: bool) -> Form:
    name, arguments = call.name, call.arguments
    if len(arguments) == 1 and (name in ("number", "xs:double", "xs:decimal") or name in INTEGER_TYPES):
        return _cast(name, arguments[0], xpath1)
    if name == "exactly-one":
        return _form(arguments[0], xpath1)
    if not xpath1:
        if name == "days-from-duration":
            return whole_days(_any_form(arguments[0], xpath1))
        if (date := date_form(call)) is not None:
            return date
    if name in _ROUNDINGS:
        return _rounding(call, xpath1)
    if name == "abs":
        return _absolute(_operand(arguments[0], xpath1))
    if name in ("sum", "avg", "min", "max") and len(arguments) == 1:
        return _aggregate(name, arguments[0], xpath1)
    if name == "math:pow":
        return _power(call, xpath1)
    if name == "math:sqrt":
        return root(_operand(arguments[0], xpath1), Fraction(1, 2), Number.DOUBLE)
    raise NotArithmeticError(f"{name}() is not supported in arithmetic")


def _cast(name: str, argument: Expression, xpath1: bool) -> Form:
    if isinstance(argument, Call) and argument.name in ("string", "normalize-space", "exactly-one"):
        argument = argument.arguments[0] if argument.arguments else argument
    inner = _form(argument, xpath1)
    if name in INTEGER_TYPES:
        if isinstance(argument, Variable):
            return variable_form(argument.name, Number.INTEGER, "empty", is_integer=True)
        if inner.number is Number.INTEGER:
            return inner
        # A cast from a number to an integer type cuts the decimals off.
        return special_form(Special("round", (inner,)), Number.INTEGER)
    number = Number.DECIMAL if name == "xs:decimal" else Number.DOUBLE
    missing: Missing = "nan" if name == "number" and inner.missing != "none" else inner.missing
    return replace(inner, number=number, missing=missing)


def _rounding(call: Call, xpath1: bool) -> Form:
    inner = _operand(call.arguments[0], xpath1)
    grid = Fraction(1)
    if len(call.arguments) == 2:
        digits = call.arguments[1]
        if not (isinstance(digits, Literal) and isinstance(digits.value, int)):
            raise NotArithmeticError("rounds to a number of decimals that is not a constant")
        grid = Fraction(10) ** -digits.value
    return special_form(Special("round", (inner,), grid), inner.number)


def _absolute(inner: Form) -> Form:
    known = inner.constant
    if known is not None and not inner.mentioned:
        return constant_form(abs(known), inner.number)
    return special_form(Special("abs", (inner,)), inner.number)


def _aggregate(name: str, argument: Expression, xpath1: bool) -> Form:
    items = argument.items if isinstance(argument, Sequence) else (argument,)
    forms = [_form(_without_guard(item), xpath1) for item in items]
    if not forms:
        raise NotArithmeticError(f"{name}() of an empty list")
    if name in ("min", "max"):
        number = forms[0].number
        for form in forms[1:]:
            number = join(number, form.number)
        return special_form(Special("max" if name == "max" else "min", tuple(forms)), number)
    total = forms[0]
    for form in forms[1:]:
        total = add(total, form)
    return total if name == "sum" else divide(total, constant_form(Fraction(len(forms)), Number.INTEGER))


def _without_guard(item: Expression) -> Expression:
    """Return the value of `for $v in V1 return ...`, which contributes nothing when V1 is absent."""
    match item:
        case If(Call("exists", (Variable(),)), value, Sequence(())):
            return value
        case _:
            return item


def _power(call: Call, xpath1: bool) -> Form:
    base, exponent = (_operand(argument, xpath1) for argument in call.arguments)
    wanted = exponent.constant
    if wanted is None or abs(wanted) > _HIGHEST_POWER:
        raise NotArithmeticError("raises to a power that is not a small constant")
    if wanted.denominator != 1:
        if wanted < 0:
            raise NotArithmeticError("raises to a negative power that is not whole")
        return root(base, wanted, Number.DOUBLE)
    return power(base, int(wanted), Number.DOUBLE)


# The cases of an operand: `if` is moved out of arithmetic, lists are split into their items.

_MOST = 1000


class _TooManyError(Exception):
    """The number of cases exceeds the limit."""


@dataclass(frozen=True, slots=True)
class Case:
    """One value that an operand may have, and the tests, with their outcomes, under which it has it."""

    value: Expression
    tests: tuple[tuple[Expression, bool], ...] = ()


def alternatives(operand: Expression) -> tuple[Case, ...] | None:
    """Return the operand's cases; a list counts as one case for each item. None when there are too many.

    The empty list is a case of its own, so that every operand has at least one.
    """
    try:
        return _cases(operand)
    except _TooManyError:
        return None


def _cases(operand: Expression) -> tuple[Case, ...]:
    match operand:
        case If(test, then, otherwise):
            return _few(_under(test, True, _cases(then)) + _under(test, False, _cases(otherwise)))
        case Sequence(items) if items:
            return _few(tuple(case for item in items for case in _cases(item)))
        case Arithmetic(op, left, right) if not _has_list(operand):
            sides = [(one, other) for one in _cases(left) for other in _cases(right)]
            return _computed_cases(
                [((a.value, b.value), Arithmetic(op, a.value, b.value), a.tests + b.tests) for a, b in sides]
            )
        case Negate(inner) if not _has_list(operand):
            return _computed_cases([((case.value,), Negate(case.value), case.tests) for case in _cases(inner)])
        case Call("number", (inner,)) if not _has_list(operand) and not _may_be_empty(inner):
            return tuple(Case(Call("number", (case.value,)), case.tests) for case in _cases(inner))
        case Call(name, (inner,)) if name in ("abs", "xs:decimal", "xs:double") and not _has_list(operand):
            return _computed_cases([((case.value,), Call(name, (case.value,)), case.tests) for case in _cases(inner)])
        case _:
            return (Case(operand),)


_Computed: TypeAlias = tuple[tuple[Expression, ...], Expression, tuple[tuple[Expression, bool], ...]]


def _computed_cases(computed: Iterable[_Computed]) -> tuple[Case, ...]:
    """Return the cases of a computation, given as operands, result and tests.

    What is computed from no item is no item, with which no comparison holds, whatever the tests: one case stands for
    all of these.
    """
    cases: list[Case] = []
    for operands, result, tests in computed:
        cases.append(Case(EMPTY) if EMPTY in operands else Case(result, tests))
    return _few(tuple(dict.fromkeys(cases)))


def _may_be_empty(operand: Expression) -> bool:
    return any(case.value == EMPTY for case in _cases(operand))


def _few(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    if len(cases) > _MOST:
        raise _TooManyError
    return cases


def _under(test: Expression, wanted: bool, cases: tuple[Case, ...]) -> tuple[Case, ...]:
    return tuple(Case(case.value, ((test, wanted), *case.tests)) for case in cases)


def _has_list(operand: Expression) -> bool:
    """Tell whether the operand of an operation that takes at most one item contains a list of items."""
    match operand:
        case Sequence(items):
            return bool(items)
        case Arithmetic(_, left, right):
            return _has_list(left) or _has_list(right)
        case Negate(inner) | Call(_, (inner,)):
            return _has_list(inner)
        case If(_, then, otherwise):
            return _has_list(then) or _has_list(otherwise)
        case _:
            return False
