"""Random formulas and records for the exam of operators, and what a formula means."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod
from random import Random

from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    Atom,
    ConditionAtom,
    DomainAtom,
    Formula,
    IntegerAtom,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    Powers,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atoms,
)
from constraint_sdc.evaluate.expression import CompareOp, Outside, Variable
from constraint_sdc.operators.operator import NUMBER_TEXTS

# What a formula says about one record, on exact numbers and texts, written the slow and obvious way.


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

CONDITIONS: dict[str, Callable[[ExactValue], bool]] = {
    "number(V) mod 3 > 1": lambda value: value.number > 0 and value.number % 3 > 1,
    "substring(V, 2, 1) = '.'": lambda value: (value.text or "")[1:2] == ".",
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
        case ConditionAtom(name, text, negated=negated):
            return CONDITIONS[text](record[name]) != negated
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
    """Add the numbers up; a single one needs no arithmetic, which fractions take most of the exam's time for."""
    return sum(numbers[1:], start=numbers[0]) if numbers else Fraction(0)


def _power(powers: Powers, record: Record) -> Fraction:
    factors = [record[name].number if power == 1 else Fraction(record[name].number ** power) for name, power in powers]
    return prod(factors[1:], start=factors[0]) if factors else Fraction(1)


_COMPARISONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _compare(left: list[Fraction], right: list[Fraction], op: str, slack: float) -> bool:
    one, other = _total(left), _total(right)
    if slack and abs(one - other) <= Fraction(slack) * _total([abs(number) for number in left + right]):
        return op != "!="
    return _COMPARISONS[op](one, other)


# Random formulas of every kind, and random records that satisfy them.

NAMES = ("V1", "V2", "V3")
OPS: tuple[CompareOp, ...] = ("=", "!=", "<", "<=", ">", ">=")
POSITIVE = ("1", "2", "3", "4", "6", "8", "9", "0.5", "2.0", "1.50", "0.25", "12")
ANY = (*POSITIVE, "0", "-1", "-2", "-3", "-0.5", "-6", "5", "7")
PATTERNS = (*NUMBER_TEXTS, r"^[0-4]", r"^.$")
TEXTUAL = (*PATTERNS, "substring(V, 2, 1) = '.'", "number(V) mod 3 > 1")
MODULI = tuple(map(Fraction, ("1", "2", "3", "5", "0.5", "0.1", "0.01", "0.25", "10")))


def draw_formula(random: Random) -> Formula:
    """Draw an atom; now and then a conjunction, a disjunction, or one inside the other."""
    shape = random.random()
    if shape < 0.7:
        return draw_atom(random)
    if shape < 0.85:
        return AllOf(tuple(draw_atom(random) for _ in range(random.randint(0, 3))))
    if shape < 0.95:
        return AnyOf(tuple(draw_atom(random) for _ in range(random.randint(1, 2))))
    return AllOf((draw_atom(random), AnyOf((_possible_values(random), _possible_values(random)))))


def draw_atom(random: Random) -> Atom:
    """Draw an atom of any kind."""
    kinds = (_linear, _linear, _order, _product, _product, _polynomial, _possible_values, _possible_values, _opaque)
    return random.choice(kinds)(random)


def draw_groups(formula: Formula, random: Random, texts: tuple[str, ...], groups: int) -> Iterator[list[Record]]:
    """Yield groups of one to seven records that satisfy the formula, every other one close to the formula's edge."""
    drawn = [{name: _value(random.choice(texts)) for name in NAMES} for _ in range(120)]
    found = [record for record in drawn if holds(formula, record)]
    found.sort(key=lambda record: distance_to_edge(formula, record))
    for number in range(groups if found else 0):
        pool = found[:8] if number % 2 else found
        yield [random.choice(pool) for _ in range(random.randint(1, 7))]


@cache
def _value(text: str) -> ExactValue:
    return ExactValue(Fraction(text), text)


def _names(random: Random, most: int) -> list[str]:
    return random.sample(NAMES, random.randint(1, most))


def _coefficient(random: Random) -> Fraction:
    return random.choice([Fraction(n) for n in (1, 1, 1, -1, -1, 2, -2, 3)] + [Fraction(1, 2), Fraction(-3, 2)])


def _constant(random: Random) -> Fraction:
    return random.choice([Fraction(0), Fraction(0), Fraction(random.randint(-6, 12)), Fraction(5, 2)])


def _linear(random: Random) -> Atom:
    terms = tuple((name, _coefficient(random)) for name in _names(random, 3))
    return LinearAtom(terms, random.choice(OPS), _constant(random))


def _order(random: Random) -> Atom:
    one, other = random.sample(NAMES, 2)
    terms = ((one, Fraction(1)), (other, Fraction(random.choice((-1, -1, -2, 1)))))
    return LinearAtom(terms, random.choice(OPS), random.choice((Fraction(0), _constant(random))))


def _powers(random: Random, most: int) -> tuple[tuple[str, int], ...]:
    return tuple((name, random.choice((1, 1, 2))) for name in _names(random, most))


def _product(random: Random) -> Atom:
    right = _powers(random, 1) if random.random() < 0.6 else ()
    factor = Fraction(random.choice((-1, 0, 1, 1, 2, 3, 6)))
    if right and not factor:
        factor = Fraction(1)
    return ProductAtom(_powers(random, 2), Fraction(random.randint(1, 3)), random.choice(OPS), right, factor)


def _polynomial(random: Random) -> Atom:
    terms = tuple((_powers(random, 2), _coefficient(random)) for _ in range(random.randint(2, 3)))
    return PolynomialAtom(terms, random.choice(OPS), _constant(random))


def _possible_values(random: Random) -> Atom:
    name, negated = random.choice(NAMES), random.random() < 0.4
    match random.randint(0, 5):
        case 0:
            numbers = tuple(Fraction(text) for text in random.sample(ANY, random.randint(1, 3)))
            return SetAtom(name, numbers, negated)
        case 1:
            return SetAtom(name, tuple(random.sample(ANY, random.randint(1, 4))), negated)
        case 2:
            modulus = random.choice(MODULI)
            return IntegerAtom(name, modulus, random.choice((Fraction(0), modulus, modulus / 2)), negated)
        case 3:
            chosen = random.choice(TEXTUAL)
            if chosen in CONDITIONS:
                return ConditionAtom(name, chosen, Variable(name), negated=negated)
            return PatternAtom(name, chosen, "", negated)
        case 4:
            return DomainAtom(name, Outside(None, ("Record", name)), negated)
        case _:
            return PresentAtom(name, filled=negated)


def _opaque(random: Random) -> Atom:
    # What an opaque part names may be less than what it reads.
    return OpaqueAtom(random.choice(sorted(OPAQUE)), random.choice((("V1", "V2"), ("V1",))), "not understood")
