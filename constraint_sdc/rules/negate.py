"""The negation of a formula, pushed down to its atoms."""

from __future__ import annotations

from dataclasses import replace

from constraint_sdc.model.constraint import (
    AllOf,
    AnyOf,
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
)
from constraint_sdc.model.expression import CompareOp

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
        case PatternAtom() | PresentAtom() | DomainAtom():
            return replace(formula, negated=not formula.negated)
        case OpaqueAtom(text):
            inner = text[4:-1] if text.startswith("not(") and text.endswith(")") else f"not({text})"
            return replace(formula, text=inner)
