"""Simplify formulas without a change of meaning: flatten, remove repetition, unite sets, drop needless guards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    ConditionAtom,
    DomainAtom,
    Formula,
    IntegerAtom,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
)
from constraint_sdc.evaluate.expression import CompareOp

_COMPARISONS = (LinearAtom, ProductAtom, PolynomialAtom, SetAtom, IntegerAtom)
_TRUE, _FALSE = AllOf(()), AnyOf(())


def simplify(formula: Formula) -> Formula:
    """Return an equivalent formula in which no conjunction holds a conjunction and no disjunction a disjunction."""
    if not isinstance(formula, AllOf | AnyOf):
        return formula
    kind: type[AllOf] | type[AnyOf] = AllOf if isinstance(formula, AllOf) else AnyOf
    neutral, absorbing = (_TRUE, _FALSE) if kind is AllOf else (_FALSE, _TRUE)
    items: dict[Formula, None] = {}
    for item in map(simplify, formula.items):
        if item == absorbing:
            return absorbing
        for part in item.items if isinstance(item, kind) else (item,):
            items[part] = None
    items.pop(neutral, None)
    kept = _without_guards(_united(items, kind), kind)
    return kept[0] if len(kept) == 1 else kind(tuple(kept))


def _united(items: Iterable[Formula], kind: type[AllOf] | type[AnyOf]) -> list[Formula]:
    """Unite "is one of" in a disjunction, and "is none of" in a conjunction, where both are sets of one variable."""
    result: list[Formula] = []
    places: dict[tuple[object, ...], int] = {}
    for item in items:
        if not isinstance(item, SetAtom) or item.negated != (kind is AllOf):
            result.append(item)
            continue
        key = (item.variable, item.if_missing, isinstance(item.values[0], str))
        if key not in places:
            places[key] = len(result)
            result.append(item)
            continue
        earlier = result[places[key]]
        assert isinstance(earlier, SetAtom)
        values = tuple(dict.fromkeys((*earlier.values, *item.values)))
        result[places[key]] = replace(earlier, values=values)
    return result


def _without_guards(items: list[Formula], kind: type[AllOf] | type[AnyOf]) -> list[Formula]:
    """Drop "V is present" beside an atom that is false without V, and "V is absent" beside one that is true.

    "V is not blank" and "V is blank" are dropped too, beside an atom that reads V as a number.
    """
    settling = [item for item in items if isinstance(item, _COMPARISONS) and item.if_missing == (kind is AnyOf)]
    settled = {name for item in settling for name in atom_variables(item)}
    numbers = {name for item in settling if not _is_of_texts(item) for name in atom_variables(item)}
    return [item for item in items if not _is_guard(item, kind is AnyOf, settled, numbers)]


def _is_of_texts(item: Formula) -> bool:
    return isinstance(item, SetAtom) and isinstance(item.values[0], str)


def _is_guard(item: Formula, negated: bool, settled: set[str], numbers: set[str]) -> bool:
    match item:
        case PresentAtom(variable, filled=False):
            return item.negated == negated and variable in settled
        case PatternAtom(variable, r"\S", ""):
            return item.negated == negated and variable in numbers
        case _:
            return False


# The negation of a formula, pushed down to its atoms.

OPPOSITE: dict[CompareOp, CompareOp] = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def negate(formula: Formula) -> Formula:
    """Return the formula that holds exactly where this one does not, missing values included."""
    match formula:
        case AllOf(items):
            return AnyOf(tuple(negate(item) for item in items))
        case AnyOf(items):
            return AllOf(tuple(negate(item) for item in items))
        case LinearAtom() | ProductAtom() | PolynomialAtom():
            return replace(formula, op=OPPOSITE[formula.op], if_missing=not formula.if_missing)
        case SetAtom() | IntegerAtom():
            return replace(formula, negated=not formula.negated, if_missing=not formula.if_missing)
        case PatternAtom() | PresentAtom() | DomainAtom() | ConditionAtom():
            return replace(formula, negated=not formula.negated)
        case OpaqueAtom(text):
            inner = text[4:-1] if text.startswith("not(") and text.endswith(")") else f"not({text})"
            return replace(formula, text=inner)
