"""Which variables are computed from the others: one for each equality of a stratum, in an order without cycles.

A variable that stands alone on one side of the rule's own comparison is computed by the other side, in the order and
the arithmetic that the rule uses, so the rule holds digit for digit. Equalities without such a variable are solved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from constraint_sdc.constraints.constraint import (
    Atom,
    EditRule,
    LinearAtom,
    Number,
    OpaqueAtom,
    PolynomialAtom,
    Powers,
    ProductAtom,
    atom_variables,
    atoms,
)
from constraint_sdc.data.series import Series
from constraint_sdc.evaluate.expression import (
    And,
    Arithmetic,
    Call,
    Compare,
    Expression,
    If,
    Literal,
    Not,
    Or,
    Variable,
    variables_of,
)
from constraint_sdc.plan.design import Derivation

# Gauss-Jordan elimination in exact fractions: a linear system solved for one variable per equation.


@dataclass(frozen=True, slots=True)
class Equation:
    """`sum(coefficient * variable) = constant`, and the rules from which it comes: several after a combination."""

    rules: tuple[str, ...]
    terms: dict[str, Fraction]
    constant: Fraction


def reduced(equations: Sequence[Equation], order: Sequence[str]) -> list[tuple[Equation, str]]:
    """Return each independent equation with its pivot, which no other one contains; pivots in order of preference.

    >>> one = Equation(("A",), {"x": Fraction(1), "y": Fraction(1)}, Fraction(3))
    >>> two = Equation(("B",), {"x": Fraction(1), "y": Fraction(-1)}, Fraction(1))
    >>> [(pivot, str(e.constant / e.terms[pivot])) for e, pivot in reduced([one, two], ["x", "y"])]
    [('x', '2'), ('y', '1')]
    """
    rows = list(equations)
    solved: list[tuple[int, str]] = []
    for name in order:
        used = {row for row, _ in solved}
        row = next((i for i, e in enumerate(rows) if i not in used and e.terms.get(name)), None)
        if row is None:
            continue
        rows = [e if i == row else _without(e, rows[row], name) for i, e in enumerate(rows)]
        solved.append((row, name))
    return [(rows[row], name) for row, name in solved]


def _without(equation: Equation, pivot: Equation, name: str) -> Equation:
    """Subtract a multiple of the pivot's equation so that the variable is eliminated."""
    factor = equation.terms.get(name, Fraction(0)) / pivot.terms[name]
    if not factor:
        return equation
    names = dict.fromkeys((*equation.terms, *pivot.terms))
    zero = Fraction(0)
    terms = {n: equation.terms.get(n, zero) - factor * pivot.terms.get(n, zero) for n in names}
    rules = tuple(dict.fromkeys((*equation.rules, *pivot.rules)))
    return Equation(rules, {n: c for n, c in terms.items() if c}, equation.constant - factor * pivot.constant)


_CASTS = ("number", "xs:decimal", "xs:double", "xs:integer", "xs:date")
_FREE_DIGITS = 20


@dataclass(frozen=True, slots=True)
class _Equality:
    """An equality and the variables it can be solved for: variable to (preference, expression)."""

    rule: str
    atom: Atom
    variables: frozenset[str]
    solutions: Mapping[str, tuple[float, Expression]]


def derive(
    conjunction: Sequence[tuple[str, Atom]], rules: Mapping[str, EditRule], series: Mapping[str, Series]
) -> tuple[Derivation, ...]:
    """Return derivations in the order of computation; `series` are the variables that may be computed."""
    equalities = [e for rule, atom in conjunction if (e := _equality(rule, atom, rules[rule], conjunction, series))]
    last_first: list[Derivation] = []
    while leaf := _best_leaf(equalities):
        equality, name = leaf
        equalities.remove(equality)
        _, expression = equality.solutions[name]
        last_first.append(Derivation(name, (equality.rule,), expression, is_own=True))
    return (*_solved_together(equalities, series), *reversed(last_first))


def determined(edit: EditRule) -> dict[str, tuple[Expression, bool]]:
    """Return the variables that the equalities of a rule determine, with the expression of each.

    The second value tells whether the rule itself has the variable alone on one side. For other variables that an
    equality only adds or subtracts it is solved: no division is needed.
    """
    found: dict[str, tuple[Expression, bool]] = {}
    for atom in atoms(edit.constraint.formula):
        names = atom_variables(atom)
        if len(names) < 2 or not _is_equality(atom, edit):
            continue
        for name in names:
            if (own := _own_expression(name, frozenset(names), edit)) is not None:
                found.setdefault(name, (own, True))
            elif not _has_dates(atom) and _is_term(name, atom) and (solved := _solved(name, atom)) is not None:
                found.setdefault(name, (solved, False))
    return found


def _is_term(name: str, atom: Atom) -> bool:
    """Tell whether the variable is added or subtracted as it is."""
    match atom:
        case LinearAtom(terms):
            return abs(dict(terms)[name]) == 1
        case PolynomialAtom(sums):
            return [abs(c) for powers, c in sums if powers == ((name, 1),)] == [1]
        case _:
            return False


def _best_leaf(equalities: list[_Equality]) -> tuple[_Equality, str] | None:
    """Return an equality and a variable that no other equality contains: it can be computed after all the others."""
    uses: dict[str, int] = {}
    for equality in equalities:
        for name in equality.variables:
            uses[name] = uses.get(name, 0) + 1
    leaves = [
        (score, -place, name)
        for place, equality in enumerate(equalities)
        for name, (score, _) in equality.solutions.items()
        if uses[name] == 1
    ]
    if not leaves:
        return None
    _, place, name = max(leaves)
    return equalities[-place], name


def _equality(
    rule: str,
    atom: Atom,
    edit: EditRule,
    conjunction: Sequence[tuple[str, Atom]],
    series: Mapping[str, Series],
) -> _Equality | None:
    names = atom_variables(atom)
    if len(names) < 2 or not _is_equality(atom, edit):
        return None
    solutions: dict[str, tuple[float, Expression]] = {}
    for name in names:
        if name not in series:
            continue
        own = _own_expression(name, frozenset(names), edit)
        solved = own or (None if _has_dates(atom) else _solved(name, atom))
        if solved is not None:
            weights = {other: _weight(other, atom, series) for other in names if other in series}
            score = _score(name, weights, conjunction, series) + (4.0 if own is not None else 0.0)
            solutions[name] = score, solved
    return _Equality(rule, atom, frozenset(names), solutions) if solutions else None


def _has_dates(atom: Atom) -> bool:
    """Tell whether an atom is about days of dates, which only the rule's own expression computes."""
    return isinstance(atom, LinearAtom) and bool(atom.dates)


def _is_equality(atom: Atom, edit: EditRule) -> bool:
    match atom:
        case LinearAtom(op=op) | ProductAtom(op=op) | PolynomialAtom(op=op):
            return op == "="
        case OpaqueAtom():
            return any(True for _ in _plain_equalities(edit.expression))
        case _:
            return False


def _plain_equalities(expression: Expression | None, *, is_true: bool = True) -> Iterator[Compare]:
    """Yield the equalities that may be needed for the expression to be true (or false); the judge decides which."""
    match expression:
        case Compare(op=op) if op == ("=" if is_true else "!="):
            yield expression
        case And(items) | Or(items):
            for item in items:
                yield from _plain_equalities(item, is_true=is_true)
        case Not(item):
            yield from _plain_equalities(item, is_true=not is_true)
        case If(_, then, otherwise):
            yield from _plain_equalities(then, is_true=is_true)
            yield from _plain_equalities(otherwise, is_true=is_true)
        case _:
            return


def _own_expression(name: str, names: frozenset[str], edit: EditRule) -> Expression | None:
    """Return the other side of an equality in which the variable stands alone on one side."""
    for part in _plain_equalities(edit.expression):
        if frozenset(variables_of(part)) == names:
            for one, other in ((part.left, part.right), (part.right, part.left)):
                if _bare(one) == name and name not in variables_of(other):
                    return other
    return None


def _bare(expression: Expression) -> str | None:
    match expression:
        case Variable(name) | Call(_, (Variable(name),)):
            is_cast = isinstance(expression, Variable) or expression.name in _CASTS
            return name if is_cast else None
        case _:
            return None


def _score(
    name: str, weights: Mapping[str, float], conjunction: Sequence[tuple[str, Atom]], series: Mapping[str, Series]
) -> float:
    """Prefer the variable that varies most (it absorbs rounding), has the finest grid and the fewest other rules."""
    finest = max(_digits(series[other]) for other in weights)
    bound = sum(name in atom_variables(atom) for _, atom in conjunction)
    smallness = math.log10(max(weights.values()) / weights[name])
    return -6.0 * (_digits(series[name]) < finest) - 0.1 * bound - 3.0 * min(smallness, 3.0)


def _weight(name: str, atom: Atom, series: Mapping[str, Series]) -> float:
    """Return how much a variable contributes to a sum: its deviation in the sum's unit; 1 in other atoms."""
    if not isinstance(atom, LinearAtom):
        return 1.0
    return abs(float(dict(atom.terms)[name])) * series[name].deviation


def _digits(series: Series) -> int:
    return _FREE_DIGITS if series.grid.decimals is None else series.grid.decimals


def _solved(name: str, atom: Atom) -> Expression | None:
    """Solve an atom for one of its variables."""
    match atom:
        case LinearAtom(terms, _, constant, number):
            return _linear_solution(name, dict(terms), constant, number)
        case ProductAtom(left, left_factor, _, right, right_factor, number):
            if dict(left).get(name, 0) + dict(right).get(name, 0) != 1:
                return None
            if name in dict(right):
                left, left_factor, right, right_factor = right, right_factor, left, left_factor
            above = _multiplied(right, right_factor, number)
            below = _multiplied(tuple(p for p in left if p[0] != name), left_factor, number)
            return above if below == _constant(Fraction(1), number) else Arithmetic("div", above, below)
        case PolynomialAtom(sums, _, constant, number):
            mine = [c for powers, c in sums if powers == ((name, 1),)]
            others = [(powers, c) for powers, c in sums if powers != ((name, 1),)]
            if len(mine) != 1 or any(name in dict(powers) for powers, _ in others):
                return None
            total = _constant(constant / mine[0], number)
            for powers, c in others:
                total = Arithmetic("+", total, _multiplied(powers, -c / mine[0], number))
            return total
        case _:
            return None


def _linear_solution(name: str, terms: Mapping[str, Fraction], constant: Fraction, number: Number) -> Expression:
    pivot = terms[name]
    total = _constant(constant / pivot, number)
    for other, coefficient in terms.items():
        if other != name:
            total = Arithmetic("+", total, _multiplied(((other, 1),), -coefficient / pivot, number))
    return total


def _multiplied(powers: Powers, factor: Fraction, number: Number) -> Expression:
    result = _constant(factor, number)
    for name, power in powers:
        if not isinstance(power, int):
            root = Call("math:pow", (_read(name, number), Literal(float(power))))
            result = Arithmetic("*", result, root)
            continue
        for _ in range(power):
            result = Arithmetic("*", result, _read(name, number))
    return result


def _read(name: str, number: Number) -> Expression:
    return Call("number" if number is Number.DOUBLE else "xs:decimal", (Variable(name),))


def _constant(value: Fraction, number: Number) -> Expression:
    is_short = value.denominator.bit_length() < 60 and 10**18 % value.denominator == 0
    if number is Number.DOUBLE or not is_short:
        return Literal(float(value))
    return Literal(Decimal(value.numerator) / Decimal(value.denominator))


def _solved_together(equalities: list[_Equality], series: Mapping[str, Series]) -> Iterator[Derivation]:
    """Solve linear equalities that depend on each other in cycles, for as many variables as there are equalities."""
    equalities = [e for e in equalities if not _has_dates(e.atom)]
    linear = [(e.rule, e.atom) for e in equalities if isinstance(e.atom, LinearAtom)]
    equations = [Equation((rule,), dict(atom.terms), atom.constant) for rule, atom in linear]
    taken: set[str] = {name for e in equalities if not isinstance(e.atom, LinearAtom) for name in e.variables}
    order = sorted((name for name in series if name not in taken), key=lambda name: -_digits(series[name]))
    number = Number.DECIMAL if all(s.grid.decimals is not None for s in series.values()) else Number.DOUBLE
    for equation, pivot in reduced(equations, order):
        expression = _linear_solution(pivot, equation.terms, equation.constant, number)
        yield Derivation(pivot, equation.rules, expression, is_own=False)
