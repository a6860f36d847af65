"""Typed constraints of a Schematron file as conditions, so that other languages can write them.

A constraint is a formula over atoms that are true or false on every record; each atom says what it is on a missing
value. Where all comparisons say the same, that is the rule's policy for missing values. Otherwise each comparison is
written with its own question about missing values.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from math import lcm

from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    ConditionAtom,
    DomainAtom,
    EditRule,
    Formula,
    IntegerAtom,
    Kind,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    Powers,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
    atoms,
)
from constraint_sdc.constraints.show import show_constraint
from constraint_sdc.evaluate.regex import compiled_regex
from constraint_sdc.evaluate.value import NotMine
from constraint_sdc.languages.formula import (
    AllConditions,
    AmongValues,
    AnyCondition,
    ColumnTerm,
    ComparedTerms,
    ComputedTerm,
    FunctionTerm,
    HasForm,
    HasNoValue,
    LengthTerm,
    NegativeTerm,
    NumberTerm,
    Opposite,
    RuleCondition,
    RuleTerm,
)
from constraint_sdc.languages.rule_book import BookRule, NaPolicy, UnwritableError
from constraint_sdc.schematron.schema import hidden_message

_ComparisonAtom = LinearAtom | ProductAtom | PolynomialAtom | SetAtom | IntegerAtom
_COMPARISONS = (LinearAtom, ProductAtom, PolynomialAtom, SetAtom, IntegerAtom)
_LENGTH = re.compile(r"\^\.\{(\d+)(?:(,)(\d*))?\}\$")


def book_rule(rule: EditRule) -> BookRule:
    """Return a rule of a schema as one that any language can write; raises UnwritableError with the reason."""
    constraint = rule.constraint
    if constraint.kind in (Kind.OPAQUE, Kind.CROSS_RECORD, Kind.VALUE_DOMAIN):
        raise UnwritableError(f"{constraint.kind.value}: {constraint.reason}")
    condition, na = _condition(constraint.formula)
    severity = rule.assertion.severity
    return BookRule(
        id=rule.id,
        condition=condition,
        text=show_constraint(constraint),
        origin=rule.origin,
        label=hidden_message(rule.assertion.parts),
        severity="" if severity == "error" else severity,
        na=na,
    )


def _condition(formula: Formula) -> tuple[RuleCondition, NaPolicy]:
    answers = {atom.if_missing for atom in atoms(formula) if isinstance(atom, _COMPARISONS)}
    if len(answers) == 2:
        return _written(formula, is_guarded=True), "not applicable"
    return _written(formula, is_guarded=False), "fails" if answers == {False} else "not applicable"


def _written(formula: Formula, *, is_guarded: bool) -> RuleCondition:
    match formula:
        case AllOf(items):
            return AllConditions(tuple(_written(item, is_guarded=is_guarded) for item in items))
        case AnyOf(items):
            return AnyCondition(tuple(_written(item, is_guarded=is_guarded) for item in items))
        case LinearAtom() | ProductAtom() | PolynomialAtom() | SetAtom() | IntegerAtom():
            return _guarded(formula, _comparison(formula)) if is_guarded else _comparison(formula)
        case PatternAtom():
            found = _pattern(formula)
            return Opposite(found) if formula.negated else found
        case PresentAtom(variable, negated):
            missing = HasNoValue(ColumnTerm(variable))
            return missing if negated else Opposite(missing)
        case DomainAtom() | ConditionAtom() | OpaqueAtom():
            raise UnwritableError("a condition without a normal form")


def _guarded(atom: _ComparisonAtom, written: RuleCondition) -> RuleCondition:
    missing = [HasNoValue(ColumnTerm(name)) for name in atom_variables(atom)]
    if atom.if_missing:
        return AnyCondition((*missing, written))
    return AllConditions((*map(Opposite, missing), written))


def _comparison(atom: _ComparisonAtom) -> RuleCondition:
    match atom:
        case LinearAtom(terms, op, constant, dates=dates):
            if dates:
                raise UnwritableError("arithmetic with dates")
            sums = tuple((((name, 1),), value) for name, value in terms)
            return ComparedTerms(op, *_sides(sums, constant))
        case PolynomialAtom(terms, op, constant):
            return ComparedTerms(op, *_sides(terms, constant))
        case ProductAtom(left, left_factor, op, right, right_factor):
            scale = lcm(left_factor.denominator, right_factor.denominator)
            return ComparedTerms(op, _product(left, left_factor * scale), _product(right, right_factor * scale))
        case SetAtom(variable, values, negated):
            found = AmongValues(ColumnTerm(variable), _decimals(values))
            return Opposite(found) if negated else found
        case IntegerAtom(variable, modulus, rest, negated):
            remainder = ComputedTerm("remainder", ColumnTerm(variable), NumberTerm(_decimal(modulus)))
            return ComparedTerms("!=" if negated else "=", remainder, NumberTerm(_decimal(rest)))


def _sides(terms: tuple[tuple[Powers, Fraction], ...], constant: Fraction) -> tuple[RuleTerm, RuleTerm]:
    """Return both sides: with constant zero, negative terms stand on the right; fractions are multiplied out."""
    values = [constant, *(value for _, value in terms)]
    scale = 1 if all(map(_is_decimal, values)) else lcm(*(value.denominator for value in values))
    scaled = [(powers, value * scale) for powers, value in terms]
    right = [(powers, -value) for powers, value in scaled if value < 0] if constant == 0 else []
    left = [(powers, value) for powers, value in scaled if value > 0 or not right]
    if not left or not right:
        return _sum(scaled), NumberTerm(_decimal(constant * scale))
    return _sum(left), _sum(right)


def _sum(terms: list[tuple[Powers, Fraction]]) -> RuleTerm:
    first = _product(*terms[0])
    total: RuleTerm = first
    for powers, value in terms[1:]:
        total = ComputedTerm("-" if value < 0 else "+", total, _product(powers, abs(value)))
    return total


def _product(powers: Powers, factor: Fraction) -> RuleTerm:
    parts: list[RuleTerm] = [_power(name, power) for name, power in powers]
    if not parts:
        return NumberTerm(_decimal(factor))
    product = reduce(lambda left, right: ComputedTerm("*", left, right), parts)
    if factor == 1:
        return product
    return NegativeTerm(product) if factor == -1 else ComputedTerm("*", NumberTerm(_decimal(factor)), product)


def _power(name: str, power: int | Fraction) -> RuleTerm:
    column: RuleTerm = ColumnTerm(name)
    if power == int(power):
        return reduce(lambda left, right: ComputedTerm("*", left, right), [column] * int(power))
    return FunctionTerm("math:pow", (column, NumberTerm(_decimal(Fraction(power)))))


def _pattern(atom: PatternAtom) -> RuleCondition:
    column = ColumnTerm(atom.variable)
    if atom.regex == r"\S":
        return Opposite(HasNoValue(column))
    length = _LENGTH.fullmatch(atom.regex)
    if length is not None and atom.flags == "s":
        return _length(LengthTerm(column), int(length.group(1)), length.group(2), length.group(3))
    if atom.flags:
        raise UnwritableError(f"a pattern with the flags {atom.flags!r}")
    if _is_of_nothing(atom.regex):
        raise UnwritableError("a pattern that an empty text has too")
    return HasForm(column, atom.regex, false_if_missing=True)


def _length(length: LengthTerm, low: int, comma: str | None, high: str | None) -> RuleCondition:
    """Return a bound on the length of a text, which is zero for a missing one."""
    missing = HasNoValue(length.text)
    if not comma:
        bounds = (ComparedTerms("=", length, NumberTerm(Decimal(low))),)
    else:
        lower = (ComparedTerms(">=", length, NumberTerm(Decimal(low))),) if low else ()
        bounds = (*lower, *((ComparedTerms("<=", length, NumberTerm(Decimal(high))),) if high else ()))
    return AnyCondition((missing, *bounds)) if low == 0 else AllConditions((Opposite(missing), *bounds))


def _is_of_nothing(regex: str) -> bool:
    """Tell whether an empty text matches a pattern; one that is not plain is taken for such."""
    try:
        return compiled_regex(regex).search("") is not None
    except NotMine:
        return True


def _is_decimal(value: Fraction) -> bool:
    rest = value.denominator
    for factor in (2, 5):
        while rest % factor == 0:
            rest //= factor
    return rest == 1


def _decimal(value: Fraction) -> Decimal:
    if not _is_decimal(value):
        raise UnwritableError(f"the number {value}, which is not a finite decimal")
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    return Decimal(int(value * 10**places)).scaleb(-places)


def _decimals(values: tuple[Fraction, ...] | tuple[str, ...]) -> tuple[Decimal, ...] | tuple[str, ...]:
    if isinstance(values[0], str):
        return tuple(str(value) for value in values)
    return tuple(_decimal(Fraction(value)) for value in values)
