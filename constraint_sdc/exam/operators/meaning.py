"""What a formula says about one record, on exact numbers and texts, written the slow and obvious way."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from constraint_sdc.constraints.constraint import (
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
    atoms,
)


@dataclass(frozen=True)
class ExactValue:
    """A text and the number that it stands for; a representative in real arithmetic has no text."""

    number: Fraction
    text: str | None = None


Record = Mapping[str, ExactValue]

DOMAIN = frozenset({"1", "2.0", "3", "0.5", "-1", "7"})
OPAQUE: dict[str, Callable[[Record], bool]] = {
    "as many characters": lambda record: len(record["V1"].text or "") == len(record["V2"].text or ""),
    "odd numerators": lambda record: record["V1"].number.numerator % 2 == record["V3"].number.numerator % 2,
    "ends alike": lambda record: (record["V2"].text or "x")[-1] == (record["V3"].text or "y")[-1],
}


def holds(formula: Formula, record: Record, slack: float = 0.0, is_rounded: bool = False) -> bool:
    """Tell whether the formula holds; `slack` is the relative error granted to a number that is not exact.

    `is_rounded` asks about whole numbers, and numbers of some decimals, only after rounding to that many.
    """
    match formula:
        case AllOf(items):
            return all(holds(item, record, slack, is_rounded) for item in items)
        case AnyOf(items):
            return any(holds(item, record, slack, is_rounded) for item in items)
        case LinearAtom() | PolynomialAtom() | ProductAtom():
            return _compare(*_sides(formula, record), formula.op, slack)
        case IntegerAtom(name, modulus, remainder, negated):
            number = record[name].number
            rounded = round(number / modulus) * modulus if is_rounded else number
            return ((rounded - remainder) % modulus == 0) != negated
        case SetAtom(name, values, negated) if isinstance(values[0], str):
            return (record[name].text in values) != negated
        case SetAtom(name, values, negated):
            numbers = [value for value in values if not isinstance(value, str)]
            near = (_compare([record[name].number], [number], "=", slack) for number in numbers)
            return any(near) != negated
        case PatternAtom(name, regex, _, negated):
            return (re.search(regex, record[name].text or "") is not None) != negated
        case PresentAtom(name, negated, filled):
            return (name in record and (not filled or record[name].text != "")) != negated
        case DomainAtom(name, _, negated):
            return (record[name].text in DOMAIN) != negated
        case OpaqueAtom(text):
            return OPAQUE[text](record)


def distance_to_edge(formula: Formula, record: Record) -> Fraction:
    """Return by how much the formula's comparisons are not equalities; 0 for what compares nothing."""
    compared = [atom for atom in atoms(formula) if isinstance(atom, LinearAtom | PolynomialAtom | ProductAtom)]
    sides = (_sides(atom, record) for atom in compared)
    return sum((abs(_total(left) - _total(right)) for left, right in sides), start=Fraction(0))


def _sides(atom: LinearAtom | PolynomialAtom | ProductAtom, record: Record) -> tuple[list[Fraction], list[Fraction]]:
    match atom:
        case LinearAtom(terms, _, constant):
            return [c * record[name].number for name, c in terms], [constant]
        case PolynomialAtom(terms, _, constant):
            return [c * _power(powers, record) for powers, c in terms], [constant]
        case ProductAtom(left, left_factor, _, right, right_factor):
            return [left_factor * _power(left, record)], [right_factor * _power(right, record)]


def _total(numbers: list[Fraction]) -> Fraction:
    return sum(numbers, start=Fraction(0))


def _power(powers: tuple[tuple[str, int], ...], record: Record) -> Fraction:
    return prod((record[name].number ** power for name, power in powers), start=Fraction(1))


def _compare(left: list[Fraction], right: list[Fraction], op: str, slack: float) -> bool:
    difference = _total(left) - _total(right)
    allowed = Fraction(slack) * _total([abs(number) for number in left + right])
    if slack and abs(difference) <= allowed:
        return op != "!="
    answers = {"=": difference == 0, "!=": difference != 0, "<": difference < 0, ">": difference > 0}
    return answers[op] if op in answers else difference == 0 or answers[op[0]]
