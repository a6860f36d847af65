"""Comparisons and conditions on a variable's text: sets of texts, patterns, presence."""

from __future__ import annotations

import re

from constraint_sdc.constraints.compare_forms import NUMBER_TEXT
from constraint_sdc.constraints.constraint import AllOf, AnyOf, Formula, IntegerAtom, PatternAtom, PresentAtom, SetAtom
from constraint_sdc.evaluate.expression import Call, Castable, CompareOp, Expression, Literal, Variable

_META = re.compile(r"([\\.\[\]{}()*+?^$|\-])")


def escaped(text: str) -> str:
    """Return a regular expression that matches exactly this text."""
    return _META.sub(r"\\\1", text)


def text_source(expression: Expression) -> tuple[str, str] | None:
    """Return the variable whose text this is, and how an absent one counts: "empty" (no item) or "string" ('').

    For `normalize-space(V1)` the answer is "trimmed".
    """
    match expression:
        case Variable(name):
            return name, "empty"
        case Call("string" | "xs:string", (Variable(name),)):
            return name, "string" if expression.name == "string" else "empty"
        case Call("normalize-space", (Variable(name),)):
            return name, "trimmed"
        case _:
            return None


def compare_text(source: tuple[str, str], op: CompareOp, text: str) -> Formula | None:
    """Return `source = 'text'` or `source != 'text'`, or None for an order, which compares character by character."""
    name, absent = source
    if op not in ("=", "!="):
        return None
    differs = op == "!="
    if absent == "trimmed":
        return _compare_trimmed(name, text, differs)
    if not text:
        return _compare_empty(name, absent, differs)
    return SetAtom(name, (text,), differs, differs and absent == "string")


def _compare_trimmed(name: str, text: str, differs: bool) -> Formula:
    if text != " ".join(text.split()):
        return AllOf(()) if differs else AnyOf(())
    if not text:
        return PatternAtom(name, r"\S", negated=not differs)
    words = r"\s+".join(escaped(word) for word in text.split(" "))
    return PatternAtom(name, rf"^\s*{words}\s*$", "", differs)


def _compare_empty(name: str, absent: str, differs: bool) -> Formula:
    if differs:
        return PresentAtom(name, filled=True)
    if absent == "string":
        return PresentAtom(name, negated=True, filled=True)
    return AllOf((PresentAtom(name), PresentAtom(name, negated=True, filled=True)))


def text_length(source: tuple[str, str], op: CompareOp, length: int) -> Formula | None:
    """Return a bound on the number of characters, zero for an absent value; None if it is not a pattern."""
    name, absent = source
    if absent == "trimmed":
        if (op, length) in ((">", 0), (">=", 1), ("!=", 0)):
            return PatternAtom(name, r"\S")
        return PatternAtom(name, r"\S", negated=True) if (op, length) in (("=", 0), ("<", 1), ("<=", 0)) else None
    bounds = {
        "=": (length, length),
        "<=": (0, length),
        "<": (0, length - 1),
        ">=": (length, None),
        ">": (length + 1, None),
        "!=": (length, length),
    }
    low, high = bounds[op]
    if high is not None and high < 0:
        return AnyOf(()) if op != "!=" else AllOf(())
    low = max(low, 0)
    times = f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
    return PatternAtom(name, f"^.{times}$", "s", op == "!=")


def text_question(call: Call) -> Formula | None:
    """Return matches(), contains(), starts-with() or ends-with() on a variable as a pattern, or None."""
    match call.name, call.arguments:
        case "matches", (source, Literal(str() as regex), *flags):
            options = [flag.value for flag in flags if isinstance(flag, Literal) and isinstance(flag.value, str)]
            found = text_source(source)
            if found is None or found[1] == "trimmed" or len(options) != len(flags):
                return None
            return PatternAtom(found[0], regex, "".join(options))
        case "contains" | "starts-with" | "ends-with", (source, Literal(str() as part)):
            found = text_source(source)
            if found is None or found[1] == "trimmed":
                return None
            start, end = "^" if call.name == "starts-with" else "", "$" if call.name == "ends-with" else ""
            return PatternAtom(found[0], f"{start}{escaped(part)}{end}") if part else AllOf(())
        case _:
            return None


# Conditions on a variable's presence and type: count(...), castable as.

DECIMAL_TEXT = r"^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*$"


def count_present(names: tuple[str, ...], op: CompareOp, limit: int) -> Formula | None:
    """Return `count((V1, V2, ...)) op limit` as presence of all, some or none; None when it asks for another number."""
    numbers = range(len(names) + 1)
    hits = [number for number in numbers if _holds(number, op, limit)]
    present = tuple(PresentAtom(name) for name in names)
    absent = tuple(PresentAtom(name, negated=True) for name in names)
    answers: tuple[tuple[list[int], Formula], ...] = (
        (list(numbers), AllOf(())),
        ([], AnyOf(())),
        ([0], AllOf(absent)),
        ([len(names)], AllOf(present)),
        (list(numbers[1:]), AnyOf(present)),
        (list(numbers[:-1]), AnyOf(absent)),
    )
    return next((formula for wanted, formula in answers if wanted == hits), None)


def _holds(number: int, op: CompareOp, limit: int) -> bool:
    order = (number > limit) - (number < limit)
    return {"=": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[op]


def castable(expression: Castable) -> Formula | None:
    """Return `V1 castable as xs:T` for numeric types, or None."""
    match expression.operand:
        case Variable(name) | Call("string", (Variable(name),)):
            formula = _castable_variable(name, expression.type)
        case _:
            return None
    if formula is None or not expression.optional:
        return formula
    return AnyOf((PresentAtom(name, negated=True), formula))


def _castable_variable(name: str, type_name: str) -> Formula | None:
    match type_name:
        case "xs:integer":
            return IntegerAtom(name)
        case "xs:double":
            return PatternAtom(name, NUMBER_TEXT)
        case "xs:decimal":
            return PatternAtom(name, DECIMAL_TEXT)
        case _:
            return None
