"""A rule as logic sees it: its formula, the condition under which it says anything, and how strict it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeGuard

from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    Atom,
    Context,
    EditRule,
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
    atoms,
)
from constraint_sdc.constraints.normalise import normalise
from constraint_sdc.constraints.simplify import simplify
from constraint_sdc.data.groups import Union
from constraint_sdc.evaluate.expression import And, Expression, If, Literal, Not, Or
from constraint_sdc.judge.finding import SEVERITIES

_OF_NUMBERS = (LinearAtom, ProductAtom, PolynomialAtom, IntegerAtom)


@dataclass(frozen=True, slots=True)
class StatedRule:
    """A rule with a typed constraint.

    `condition` is where it says anything: its context, and the `if` of its test; None if it speaks of every record.
    `strictness` is 0 for an error and grows as severity falls.
    """

    id: str
    formula: Formula
    condition: Formula | None
    strictness: int
    variables: tuple[str, ...]


def stated_rules(rules: Iterable[EditRule], *, xpath1: bool) -> tuple[StatedRule, ...]:
    """Return the rules whose whole meaning is known, in order."""
    return tuple(_stated(rule, xpath1) for rule in rules if is_stated(rule))


def is_stated(rule: EditRule) -> bool:
    """Tell whether no part of a rule is opaque."""
    return not any(isinstance(atom, OpaqueAtom) for atom in atoms(rule.constraint.formula))


def _stated(rule: EditRule, xpath1: bool) -> StatedRule:
    return StatedRule(
        rule.id,
        rule.constraint.formula,
        rule_condition(rule, xpath1=xpath1),
        SEVERITIES.index(rule.assertion.severity),
        rule.constraint.variables,
    )


def all_values(rules: Iterable[StatedRule]) -> tuple[Formula, ...]:
    """Return, for each variable that rules compare, that it has a value: a number where they read one."""
    parts = [atom for rule in rules for atom in atoms(rule.formula)]
    dates = {name for atom in parts if isinstance(atom, LinearAtom) for name, _ in atom.dates}
    numbers = {name: None for atom in parts if _is_of_numbers(atom) for name in atom_variables(atom)}
    texts = {atom.variable: None for atom in parts if isinstance(atom, SetAtom) and atom.variable not in numbers}
    found: list[Formula] = [_is_some_number(name) for name in numbers if name not in dates]
    return (*found, *(PatternAtom(name, r"\S") for name in texts))


def asks_presence(rule: StatedRule) -> bool:
    """Tell whether a rule asks whether a variable is there, other than to compare its text."""
    parts = list(atoms(rule.formula))
    compared = {atom.variable for atom in parts if isinstance(atom, SetAtom)}
    asked = {name for atom in parts if _is_of_presence(atom) for name in atom_variables(atom)}
    return not asked <= compared


def _is_of_numbers(atom: Formula) -> TypeGuard[Atom]:
    return isinstance(atom, _OF_NUMBERS) or (isinstance(atom, SetAtom) and isinstance(atom.values[0], Fraction))


def _is_of_presence(atom: Formula) -> TypeGuard[Atom]:
    return isinstance(atom, PresentAtom) or (isinstance(atom, PatternAtom) and atom.regex == r"\S")


def _is_some_number(name: str) -> Formula:
    one = ((name, Fraction(1)),)
    return AnyOf((LinearAtom(one, ">=", Fraction(0)), LinearAtom(one, "<", Fraction(0))))


def rule_condition(rule: EditRule, *, xpath1: bool) -> Formula | None:
    """Return where a rule says anything: its own context, without what earlier rules take, and the `if` of its test."""
    asked = asked_condition(rule.expression)
    parts = [] if rule.context is None else [context_formula(rule.context, xpath1=xpath1)]
    parts += [] if asked is None else [normalise(asked, xpath1=xpath1)]
    whole = simplify(AllOf(tuple(parts)))
    return None if whole == AllOf(()) else whole


def context_formula(context: Context, *, xpath1: bool) -> Formula:
    """Return what the context of a rule asks of the record."""
    present = () if context.variable is None else (PresentAtom(context.variable),)
    asked = () if context.condition is None else (normalise(context.condition, xpath1=xpath1),)
    return simplify(AllOf((*present, *asked)))


def asked_condition(expression: Expression | None) -> Expression | None:
    """Return the condition of a test `not(condition) or ...` or `if (condition) then ... else true()`."""
    match expression:
        case Or(items):
            asked = tuple(item.item for item in items if isinstance(item, Not))
            if not asked or len(asked) == len(items):
                return None
            return asked[0] if len(asked) == 1 else And(asked)
        case If(test, _, Literal(True)):
            return test
        case _:
            return None


def connected(rules: Iterable[StatedRule]) -> tuple[tuple[StatedRule, ...], ...]:
    """Return the rules in parts that share no variable: what one part says has no bearing on another."""
    listed = [rule for rule in rules if rule.variables]
    named = {rule.id: _names(rule) for rule in listed}
    tied = Union(name for names in named.values() for name in names)
    for names in named.values():
        tied.join(names)
    part_of = {name: number for number, part in enumerate(tied.parts()) for name in part}
    parts: dict[int, list[StatedRule]] = {}
    for rule in listed:
        parts.setdefault(part_of[named[rule.id][0]], []).append(rule)
    return tuple(tuple(part) for part in parts.values())


def _names(rule: StatedRule) -> tuple[str, ...]:
    asked = () if rule.condition is None else [name for atom in atoms(rule.condition) for name in atom_variables(atom)]
    return tuple(dict.fromkeys((*rule.variables, *asked)))
