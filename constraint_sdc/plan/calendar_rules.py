"""Rules over variables that are dates: comparisons become orders and sums on the grid of days (months).

The plan and the exact step compute with the number of days of a date, while a rule may compute with the digits of its
text. After this step every linear atom about a date is about its number of days; every other numeric atom about a date
is opaque to the plan, and the exact step evaluates it on the text that would be written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from constraint_sdc.calendar import DateNotation
from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    Atom,
    ConditionAtom,
    EditRule,
    Formula,
    IntegerAtom,
    LinearAtom,
    OpaqueAtom,
    PolynomialAtom,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
)
from constraint_sdc.constraints.date_forms import year_interval
from constraint_sdc.constraints.show_atom import show_atom
from constraint_sdc.evaluate.expression import Call, Castable, Compare, CompareOp, Expression, Literal, Variable

Notations = Mapping[str, DateNotation]


def rules_on_calendar(rules: Iterable[EditRule], notations: Notations) -> tuple[EditRule, ...]:
    """Return the rules with their formulas on the grids of these variables."""
    return tuple(_rule(rule, notations) for rule in rules)


def _rule(rule: EditRule, notations: Notations) -> EditRule:
    formula = _formula(rule.constraint.formula, notations)
    if formula == rule.constraint.formula:
        return rule
    return replace(rule, constraint=replace(rule.constraint, formula=formula))


def _formula(formula: Formula, notations: Notations) -> Formula:
    match formula:
        case AllOf(items):
            return AllOf(tuple(_formula(item, notations) for item in items))
        case AnyOf(items):
            return AnyOf(tuple(_formula(item, notations) for item in items))
        case _:
            return _atom(formula, notations)


def _atom(atom: Atom, notations: Notations) -> Formula:
    known = {name: notations[name] for name in atom_variables(atom) if name in notations}
    match atom:
        case LinearAtom(dates=dates) if dates:
            return atom if dict(dates) == known else _opaque(atom)
        case _ if not known:
            return atom
        case LinearAtom():
            return _linear(atom, known) or _opaque(atom)
        case SetAtom(values=values) if isinstance(values[0], str):
            return atom
        case IntegerAtom(modulus=1, remainder=0) if DateNotation.ISO_DAY not in known.values():
            return atom
        case SetAtom() | IntegerAtom() | ProductAtom() | PolynomialAtom():
            return _opaque(atom)
        case ConditionAtom():
            return _condition(atom, known[atom.variable])
        case _:
            return atom


def _opaque(atom: Atom) -> OpaqueAtom:
    return OpaqueAtom(show_atom(atom), atom_variables(atom), "reads a date in another way than its grid")


def _linear(atom: LinearAtom, known: Notations) -> Formula | None:
    """Return an order of two codes, or a bound on one, on the grid; None for other sums and for codes without order."""
    names = [name for name, _ in atom.terms]
    notations = set(known.values())
    if len(known) < len(names) or len(notations) != 1 or not next(iter(notations)).is_sortable_code:
        return None
    (notation,) = notations
    dates = tuple(sorted((name, notation) for name in names))
    if [value for _, value in atom.terms] == [1, -1] and atom.constant == 0:
        return replace(atom, dates=dates)
    if len(names) > 1 or atom.op in ("=", "!="):
        return None
    bound = _bound(notation, atom.op, atom.constant)
    return None if bound is None else replace(atom, op=bound[0], constant=Fraction(bound[1]), dates=dates)


def _bound(notation: DateNotation, op: CompareOp, code: Fraction) -> tuple[CompareOp, int] | None:
    """Return a bound on a code as a bound on its number of days or months; None if no date satisfies or breaks it."""
    low, high = notation.limits
    passes: Callable[[int], bool] = {
        "<": lambda n: int(notation.text(n)) >= code,
        "<=": lambda n: int(notation.text(n)) > code,
        ">": lambda n: int(notation.text(n)) > code,
        ">=": lambda n: int(notation.text(n)) >= code,
    }[op]
    if passes(low) or not passes(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return ("<=", low) if op.startswith("<") else (">=", high)


def _condition(atom: ConditionAtom, notation: DateNotation) -> Formula:
    """Return a condition on a date that its grid decides: that it is one, and bounds on its year."""
    match atom.expression:
        case Castable(Variable(), "xs:date") if notation is DateNotation.ISO_DAY and not atom.negated:
            return PresentAtom(atom.variable, filled=True)  # every text of the grid is a date
        case Compare(op, part, Literal(int() as year)) if not atom.negated and _is_year(part, notation):
            bounds = year_interval(op, year) if notation.is_day else None
            dates = ((atom.variable, notation),)
            one = ((atom.variable, Fraction(1)),)
            if bounds is None:
                return atom
            return AllOf(tuple(LinearAtom(one, way, Fraction(day), dates=dates) for way, day in bounds))
        case _:
            return atom


def _is_year(part: Expression, notation: DateNotation) -> bool:
    """Tell whether this is the number in the first four characters of a notation that begins with the year."""
    match part:
        case Call("number" | "xs:integer" | "xs:decimal" | "xs:double", (Call("substring", arguments),)):
            is_first = arguments[1:] == (Literal(1), Literal(4)) and isinstance(arguments[0], Variable)
            return is_first and notation is not DateNotation.DAY_FIRST
        case _:
            return False
