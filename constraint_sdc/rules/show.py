"""Formulas and constraints as one line of text: intervals joined, disjunctions told as "if ... then ..."."""

from __future__ import annotations

from constraint_sdc.model.constraint import (
    AllOf,
    AnyOf,
    Constraint,
    DomainAtom,
    Formula,
    IntegerAtom,
    LinearAtom,
    PatternAtom,
    PresentAtom,
    ProductAtom,
    SetAtom,
)
from constraint_sdc.rules.negate import negate
from constraint_sdc.rules.show_atom import show_atom, show_number
from constraint_sdc.rules.show_expression import show_name


def show_constraint(constraint: Constraint) -> str:
    """Return what a constraint says, in one line."""
    return show_formula(constraint.formula)


def show_formula(formula: Formula) -> str:
    """Return a formula in one line.

    >>> from fractions import Fraction
    >>> low = LinearAtom((("V3", Fraction(1)),), ">=", Fraction(0))
    >>> high = LinearAtom((("V3", Fraction(1)),), "<=", Fraction(7500))
    >>> show_formula(AllOf((low, high)))
    '0 <= V3 <= 7500'
    """
    match formula:
        case AllOf(()):
            return "always true"
        case AnyOf(()):
            return "never true"
        case AllOf(items):
            return " and ".join(_conjuncts(items))
        case AnyOf(items):
            return _disjunction(items)
        case _:
            return show_atom(formula)


def _conjuncts(items: tuple[Formula, ...]) -> list[str]:
    texts: list[str] = []
    joined: set[int] = set()
    for place, item in enumerate(items):
        if place in joined:
            continue
        partner = _other_end(item, items, place)
        if partner is None:
            texts.append(_bracketed(item))
            continue
        joined.add(partner)
        texts.append(_interval(item, items[partner]))
    return texts


def _other_end(item: Formula, items: tuple[Formula, ...], place: int) -> int | None:
    """Find the opposite bound of an interval later in the conjunction."""
    if not _is_bound(item):
        return None
    assert isinstance(item, LinearAtom)
    for later in range(place + 1, len(items)):
        other = items[later]
        if _is_bound(other) and isinstance(other, LinearAtom) and other.terms == item.terms:
            return later if other.op[0] != item.op[0] else None
    return None


def _is_bound(item: Formula) -> bool:
    return isinstance(item, LinearAtom) and len(item.terms) == 1 and item.op[0] in "<>" and not item.if_missing


def _interval(one: Formula, other: Formula) -> str:
    assert isinstance(one, LinearAtom)
    assert isinstance(other, LinearAtom)
    low, high = (one, other) if one.op[0] == ">" else (other, one)
    left = "<=" if low.op == ">=" else "<"
    return f"{show_number(low.constant)} {left} {show_name(low.terms[0][0])} {high.op} {show_number(high.constant)}"


def _disjunction(items: tuple[Formula, ...]) -> str:
    premises = tuple(item for item in items if _is_premise(item))
    rest = tuple(item for item in items if not _is_premise(item))
    if not premises or not rest:
        return " or ".join(_bracketed(item) for item in items)
    condition = " and ".join(_conjuncts(tuple(negate(item) for item in premises)))
    return f"if {condition} then {show_formula(AnyOf(rest) if len(rest) > 1 else rest[0])}"


def _is_premise(item: Formula) -> bool:
    """Tell whether an item of a disjunction reads better as the negation of a condition."""
    match item:
        case LinearAtom() | ProductAtom() | IntegerAtom() | SetAtom():
            return item.if_missing
        case PatternAtom() | PresentAtom() | DomainAtom():
            return item.negated
        case AllOf(items) | AnyOf(items):
            return bool(items) and all(_is_premise(inner) for inner in items)
        case _:
            return item.text.startswith("not(")


def _bracketed(item: Formula) -> str:
    text = show_formula(item)
    is_compound = isinstance(item, AllOf | AnyOf) or (
        isinstance(item, LinearAtom | ProductAtom | SetAtom | IntegerAtom) and item.if_missing
    )
    return f"({text})" if is_compound else text
