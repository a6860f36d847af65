"""Does a value occur in another document? The value domain rule, in every way that rules write it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.value import NotMine, TextItem, Value, exactly_one, truth
from constraint_sdc.model.expression import Call, Compare, Expression, Literal, Outside

_FOUND = {(">", 0), (">=", 1), ("!=", 0)}
_MISSING = {("=", 0), ("<", 1), ("<=", 0)}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Asked:
    """`sought` is looked up in `outside`; `is_required` tells index-of, which takes no empty sequence, from `=`."""

    outside: Outside
    sought: Expression
    found: bool
    is_required: bool


def sought_outside(expression: Expression) -> Asked | None:
    """Recognise `V1 = outside`, `exists(index-of(outside, V1))`, `empty(...)` and `count(index-of(...)) > 0`."""
    match expression:
        case Compare("=", Outside() as outside, sought, False) | Compare("=", sought, Outside() as outside, False):
            return Asked(outside, sought, True, False)
        case Call("exists" | "empty" as name, (Call("index-of", (Outside() as outside, sought)),)):
            return Asked(outside, sought, name == "exists", True)
        case Compare(op, Call("count", (Call("index-of", (Outside() as outside, sought)),)), Literal(limit)):
            return _counted(op, outside, sought, limit)
        case Compare(op, Literal(limit), Call("count", (Call("index-of", (Outside() as outside, sought)),))):
            return _counted(_TURNED.get(op, op), outside, sought, limit)
    return None


def _counted(op: str, outside: Outside, sought: Expression, limit: object) -> Asked | None:
    if type(limit) is int and ((op, limit) in _FOUND or (op, limit) in _MISSING):
        return Asked(outside, sought, (op, limit) in _FOUND, True)
    return None


def occurs(asked: Asked, sought: Value, domain: Domain) -> Value:
    """Answer for each record; untyped values and strings compare as strings, codepoint by codepoint."""
    doubt = exactly_one(sought, "index-of()") if asked.is_required else sought.doubt
    found = np.zeros(1, np.bool_)
    for item in sought.items:
        if not isinstance(item, TextItem):
            raise NotMine("a number or boolean looked up in another document: only texts are")
        text, present = item.reading.text.broadcast(item.present)
        found = found | domain.contains_text(text, present)
    return Value((truth(found if asked.found else ~found),), doubt)
