"""One axis step from a record, a variable or a place in another document."""

from __future__ import annotations

from constraint_sdc.model.expression import Outside, Variable
from constraint_sdc.rules.scope import AtRoot, Document, Here, RefusedError, Scope, Value, extend
from constraint_sdc.rules.syntax import Step, step_name

_UPWARDS = frozenset({"parent", "ancestor", "ancestor-or-self"})
_SIDEWAYS = frozenset({"preceding-sibling", "following-sibling", "preceding", "following"})


def take_step(origin: Value, step: Step, scope: Scope, *, deep: bool) -> Value:
    """Return where a step leads, or refuse with the reason."""
    if step.axis == "self" and step.test == "node()" and not deep:
        return origin
    match origin:
        case Here():
            return _from_record(step, deep)
        case Variable():
            return _from_variable(origin, step, scope, deep)
        case Document() | Outside():
            return extend(origin, _name(step), deep=deep, text=step.text)
        case AtRoot():
            raise RefusedError("is evaluated at the document's root, outside any record", step.text)
        case _:
            raise RefusedError("takes a step from something that is not a node of the record", step.text)


def _from_record(step: Step, deep: bool) -> Variable:
    if step.axis in _UPWARDS:
        raise RefusedError("looks at what encloses the record", step.text)
    if step.axis in _SIDEWAYS:
        raise RefusedError("looks at other records", step.text)
    if deep:
        raise RefusedError("searches the record at any depth", step.text)
    return Variable(_name(step))


def _from_variable(origin: Variable, step: Step, scope: Scope, deep: bool) -> Value:
    if step.axis == "parent" and step.test == "node()" and not deep:
        if origin.name in scope.present:
            return Here()
        raise RefusedError("steps back from a variable that may be absent", step.text)
    if step.test == "text()" and step.axis == "child":
        raise RefusedError(
            f"text() differs from the value when a comment splits it or it is empty; write {origin.name} alone",
            f"{origin.name}/text()",
        )
    raise RefusedError("looks inside or around a variable", f"{origin.name}/{step.text}")


def _name(step: Step) -> str:
    if step.test == "text()":
        raise RefusedError("text() differs from the value when a comment splits it; name the element alone", step.text)
    name = step_name(step)
    if name is None:
        raise RefusedError("only child elements and attributes with a plain name are variables", step.text)
    return name
