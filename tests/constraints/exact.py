"""The meaning of a formula in exact arithmetic, written the slow and obvious way: the examiner of normal forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from math import prod

from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    ConditionAtom,
    Exponent,
    Formula,
    IntegerAtom,
    LinearAtom,
    PatternAtom,
    PolynomialAtom,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
)
from constraint_sdc.data.table import column_of
from constraint_sdc.evaluate.truth import Verdict, evaluate_truth
from constraint_sdc.evaluate.value import Records

ORDER = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def holds(formula: Formula, texts: Mapping[str, str]) -> bool:
    """Tell whether a formula holds on a record; a variable that is not in `texts` is absent."""
    match formula:
        case AllOf(items):
            return all(holds(item, texts) for item in items)
        case AnyOf(items):
            return any(holds(item, texts) for item in items)
        case PresentAtom(name, negated, filled):
            return (name in texts and (not filled or texts[name] != "")) != negated
        case PatternAtom(name, regex, flags, negated):
            assert flags in ("", "s")
            return (re.search(regex, texts.get(name, ""), re.DOTALL if flags else 0) is not None) != negated
        case SetAtom(name, values, negated, if_missing) if isinstance(values[0], str):
            return (texts[name] in values) != negated if name in texts else if_missing
        case ConditionAtom(negated=negated):
            return bool(evaluated(formula, texts).truth[0]) != negated
        case _:
            return _numeric(formula, texts)


def evaluated(atom: ConditionAtom, texts: Mapping[str, str]) -> Verdict:
    """Evaluate a condition that has no normal form; the evaluator has Saxon as an examiner of its own."""
    columns = {name: column_of(name, [text]) for name, text in texts.items() if name == atom.variable}
    return evaluate_truth(atom.expression, Records(columns, 1), xpath1=atom.is_xpath1, domains={})


def _dated(atom: LinearAtom, texts: Mapping[str, str]) -> bool:
    """Compare days by the calendar of Python."""
    values: dict[str, int] = {}
    for name, _ in atom.terms:
        if name not in texts:
            return atom.if_missing
        is_date = name in dict(atom.dates)
        values[name] = date.fromisoformat(texts[name]).toordinal() - 719163 if is_date else int(texts[name])
    return ORDER[atom.op](sum(c * values[name] for name, c in atom.terms), atom.constant)


def _powers(atom: Formula) -> tuple[tuple[str, Exponent], ...]:
    match atom:
        case PolynomialAtom(terms):
            return tuple(pair for powers, _ in terms for pair in powers)
        case ProductAtom(left, _, _, right):
            return left + right
        case _:
            return ()


def _numeric(atom: Formula, texts: Mapping[str, str]) -> bool:
    if isinstance(atom, LinearAtom) and atom.dates:
        return _dated(atom, texts)
    names = atom_variables(atom)
    if not all(name in texts and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", texts[name].strip()) for name in names):
        return atom.if_missing
    value = {name: Fraction(texts[name].strip()) for name in names}
    if any(value[name] < 0 and power != int(power) for name, power in _powers(atom)):
        return atom.if_missing
    match atom:
        case LinearAtom(terms, op, constant):
            return ORDER[op](sum(c * value[name] for name, c in terms), constant)
        case PolynomialAtom(terms, op, constant):
            return ORDER[op](sum(c * prod(value[n] ** p for n, p in powers) for powers, c in terms), constant)
        case ProductAtom(left, left_factor, op, right, right_factor):
            sides = [
                f * prod(value[n] ** p for n, p in powers) for f, powers in ((left_factor, left), (right_factor, right))
            ]
            return ORDER[op](*sides)
        case SetAtom(name, values, negated):
            return (value[name] in values) != negated
        case IntegerAtom(name, modulus, remainder, negated):
            return ((value[name] - remainder) % modulus == 0) != negated
    raise AssertionError(f"no meaning for {atom}")
