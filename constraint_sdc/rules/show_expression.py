"""Expressions as XPath-like text."""

from __future__ import annotations

from decimal import Decimal

from constraint_sdc.model.expression import (
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
from constraint_sdc.model.number_text import double_text

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
    """Return a variable's name without its namespace, as a reader of the rules knows it."""
    mark = "@" if name.startswith("@") else ""
    return mark + name.lstrip("@").rpartition("}")[2]


def show_outside(source: Outside) -> str:
    """Return a path into another document as a reader would write it."""
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
