"""Atoms as text for a statistician: sums left and right of the sign, sets in braces, words for the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from constraint_sdc.calendar import DateNotation
from constraint_sdc.constraints.compare_forms import NUMBER_TEXT
from constraint_sdc.constraints.constraint import (
    Atom,
    ConditionAtom,
    DomainAtom,
    IntegerAtom,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    Powers,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
)
from constraint_sdc.constraints.texts import DECIMAL_TEXT
from constraint_sdc.data.series import double_text
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
    Sequence,
    Variable,
)

# Expressions as XPath-like text.

_VALUE_WORDS = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def show_expression(expression: Expression) -> str:
    """Return the expression as XPath.

    >>> show_expression(Compare("<=", Call("number", (Variable("V3"),)), Literal(7500)))
    'number(V3) <= 7500'
    """
    match expression:
        case Literal(value):
            return _literal(value)
        case Variable(name):
            return show_name(name)
        case Outside():
            return show_outside(expression)
        case Sequence(items):
            return f"({', '.join(map(show_expression, items))})"
        case Arithmetic(op, left, right):
            return f"{_inner(left)} {op} {_inner(right)}"
        case Compare(op, left, right, value):
            return f"{_inner(left)} {_VALUE_WORDS[op] if value else op} {_inner(right)}"
        case Negate(operand):
            return f"-{_inner(operand)}"
        case And(items):
            return " and ".join(map(_inner, items))
        case Or(items):
            return " or ".join(map(_inner, items))
        case Not(item):
            return f"not({show_expression(item)})"
        case If(test, then, otherwise):
            return f"if ({show_expression(test)}) then {_inner(then)} else {_inner(otherwise)}"
        case Call(name, arguments):
            return f"{name}({', '.join(map(show_expression, arguments))})"
        case Castable(operand, type_name, optional):
            return f"{_inner(operand)} castable as {type_name}{'?' if optional else ''}"


def show_name(name: str) -> str:
    """Return a variable's name without its namespace."""
    mark = "@" if name.startswith("@") else ""
    return mark + name.lstrip("@").rpartition("}")[2]


def show_outside(source: Outside) -> str:
    """Return a path into another document as text."""
    path = ("/" if source.absolute else "//") + "/".join(map(show_name, source.steps))
    return f"original {path}" if source.href is None else f"{source.href.rpartition('/')[2]} {path}"


def _inner(expression: Expression) -> str:
    text = show_expression(expression)
    return f"({text})" if isinstance(expression, Arithmetic | Compare | And | Or | If | Castable | Negate) else text


def _literal(value: bool | int | Decimal | float | str) -> str:
    match value:
        case bool():
            return "true()" if value else "false()"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case float():
            return double_text(value)
        case Decimal():
            return format(value, "f")
        case int():
            return str(value)


_LENGTH = re.compile(r"\^\.\{(\d+)(?:(,)(\d*))?\}\$")


def show_atom(atom: Atom) -> str:
    """Return one atom as text; it mentions missing values when they make the atom true."""
    match atom:
        case LinearAtom():
            return show_linear(atom) + _missing(atom, atom.if_missing)
        case ProductAtom(left, left_factor, op, right, right_factor):
            sides = f"{_product(left_factor, left)} {op} {_product(right_factor, right)}"
            return sides + _missing(atom, atom.if_missing)
        case PolynomialAtom():
            return _polynomial(atom) + _missing(atom, atom.if_missing)
        case SetAtom():
            return _set(atom) + _missing(atom, atom.if_missing)
        case IntegerAtom():
            return _integer(atom) + _missing(atom, atom.if_missing)
        case PatternAtom():
            return _pattern(atom)
        case PresentAtom(variable, negated, filled):
            word = ("empty" if negated else "filled") if filled else ("absent" if negated else "present")
            return f"{show_name(variable)} is {word}"
        case DomainAtom(variable, source, negated):
            return f"{show_name(variable)} {'does not occur' if negated else 'occurs'} in {show_outside(source)}"
        case ConditionAtom(_, text, negated=negated):
            return f"not({text})" if negated else text
        case OpaqueAtom(text):
            return text


def show_number(value: Fraction) -> str:
    """Return an exact number as text: as a finite decimal if possible, else as a fraction.

    >>> show_number(Fraction(5, 4)), show_number(Fraction(-1, 3))
    ('1.25', '-1/3')
    """
    if value.denominator == 1:
        return str(value.numerator)
    twos, fives, rest = 0, 0, value.denominator
    while rest % 2 == 0:
        twos, rest = twos + 1, rest // 2
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return ("-" if value < 0 else "") + digits[:-places] + "." + digits[-places:]


def show_linear(atom: LinearAtom) -> str:
    """Return a linear atom: with constant zero, positive terms left and negative ones right, as authors write them."""
    if atom.constant == 0 and len(atom.terms) > 1:
        left = [(name, value) for name, value in atom.terms if value > 0]
        right = [(name, -value) for name, value in atom.terms if value < 0]
        if right:
            return f"{show_sum(left)} {atom.op} {show_sum(right)}"
    return f"{show_sum(atom.terms)} {atom.op} {show_limit(atom)}"


def show_limit(atom: LinearAtom | PolynomialAtom) -> str:
    """Return the constant of a comparison: a date, a number of days, or a number."""
    dates = dict(atom.dates) if isinstance(atom, LinearAtom) else {}
    weights = [value for name, value in atom.terms if name in dates] if isinstance(atom, LinearAtom) else []
    if not dates or len(weights) < len(atom.terms) or atom.constant.denominator != 1:
        return show_number(atom.constant)
    low, high = DateNotation.ISO_DAY.limits
    if weights == [1] and low <= atom.constant <= high:
        notation = DateNotation.ISO_DAY if next(iter(dates.values())).is_day else DateNotation.ISO_MONTH
        return notation.text(int(atom.constant))
    unit = "day" if abs(atom.constant) == 1 else "days"
    return f"{show_number(atom.constant)} {unit}" if sum(weights) == 0 else show_number(atom.constant)


def show_sum(terms: Iterable[tuple[str, Fraction]]) -> str:
    """Return a sum of scaled variables."""
    text = ""
    for name, value in terms:
        sign = (" - " if value < 0 else " + ") if text else ("-" if value < 0 else "")
        text += sign + _scaled(abs(value), show_name(name))
    return text


def _scaled(factor: Fraction, what: str) -> str:
    return what if factor == 1 else f"{show_number(factor)} * {what}"


def _product(factor: Fraction, powers: Powers) -> str:
    if not powers or factor == 0:
        return show_number(factor)
    names = (show_name(name) + _exponent(Fraction(power)) for name, power in powers)
    body = " * ".join(names)
    return f"-{body}" if factor == -1 else _scaled(factor, body)


def _exponent(power: Fraction) -> str:
    text = show_number(power)
    return "" if power == 1 else f"^({text})" if "/" in text else f"^{text}"


def _polynomial(atom: PolynomialAtom) -> str:
    left = [(powers, value) for powers, value in atom.terms if value > 0]
    right = [(powers, -value) for powers, value in atom.terms if value < 0]
    if atom.constant == 0 and right:
        return f"{show_products(left)} {atom.op} {show_products(right)}"
    return f"{show_products(atom.terms)} {atom.op} {show_number(atom.constant)}"


def show_products(terms: Iterable[tuple[Powers, Fraction]]) -> str:
    """Return a sum of scaled products."""
    text = ""
    for powers, value in terms:
        sign = (" - " if value < 0 else " + ") if text else ("-" if value < 0 else "")
        text += sign + _product(abs(value), powers)
    return text


def _set(atom: SetAtom) -> str:
    values = [f"'{v}'" if isinstance(v, str) else show_number(v) for v in atom.values]
    name = show_name(atom.variable)
    if len(values) == 1:
        return f"{name} {'!=' if atom.negated else '='} {values[0]}"
    return f"{name} {'not in' if atom.negated else 'in'} {{{', '.join(values)}}}"


def _integer(atom: IntegerAtom) -> str:
    name, no = show_name(atom.variable), " not" if atom.negated else ""
    if atom.remainder:
        return f"{name} is{no} {show_number(atom.remainder)} modulo {show_number(atom.modulus)}"
    if atom.modulus == 1:
        return f"{name} is{no} a whole number"
    places = len(str(atom.modulus.denominator)) - 1
    if atom.modulus == Fraction(1, 10**places) and places:
        return f"{name} has {'more than' if atom.negated else 'at most'} {places} decimal{'s' if places > 1 else ''}"
    return f"{name} is{no} a multiple of {show_number(atom.modulus)}"


def _pattern(atom: PatternAtom) -> str:
    name, no = show_name(atom.variable), " not" if atom.negated else ""
    if atom.regex == NUMBER_TEXT:
        return f"{name} is{no} a number"
    if atom.regex == DECIMAL_TEXT:
        return f"{name} is{no} a decimal number"
    if atom.regex == r"\S":
        return f"{name} is {'blank' if atom.negated else 'not blank'}"
    length = _LENGTH.fullmatch(atom.regex) if atom.flags == "s" else None
    if length is not None:
        return f"{name} {'does not have' if atom.negated else 'has'} {_length(*length.groups())}"
    flags = f" (flags {atom.flags})" if atom.flags else ""
    return f"{name} {'does not match' if atom.negated else 'matches'} '{atom.regex}'{flags}"


def _length(low: str, comma: str | None, high: str | None) -> str:
    if comma is None:
        return f"{low} character{'s' if low != '1' else ''}"
    if not high:
        return f"at least {low} character{'s' if low != '1' else ''}"
    return f"at most {high} characters" if low == "0" else f"{low} to {high} characters"


def _missing(atom: Atom, if_missing: bool) -> str:
    return or_missing(atom_variables(atom)) if if_missing else ""


def or_missing(names: tuple[str, ...]) -> str:
    """Return the words for "or a value is missing"."""
    return f" or {show_name(names[0])} is missing" if len(names) == 1 else " or a value is missing"
