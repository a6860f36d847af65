"""Questions about a variable's presence and type: count(...), castable as."""

from __future__ import annotations

from constraint_sdc.model.constraint import AllOf, AnyOf, Formula, IntegerAtom, PatternAtom, PresentAtom
from constraint_sdc.model.expression import Call, Castable, CompareOp, Variable
from constraint_sdc.rules.compare_forms import NUMBER_TEXT

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
