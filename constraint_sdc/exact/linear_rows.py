"""The atoms of a conjunction as linear rows of the integer programme, once enough variables are held fixed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from constraint_sdc.exact.programme import LinearRow
from constraint_sdc.model.constraint import Atom, LinearAtom, PolynomialAtom, Powers, ProductAtom, SetAtom
from constraint_sdc.model.expression import CompareOp

Fixed: TypeAlias = Mapping[str, Fraction]
Polynomial: TypeAlias = tuple[tuple[Powers, Fraction], ...]


def polynomial(atom: Atom) -> tuple[Polynomial, CompareOp, Fraction] | None:
    """Return a numeric atom as `sum(coefficient * product of powers) op constant`, None for other atoms."""
    match atom:
        case LinearAtom(terms, op, constant):
            return tuple((((name, 1),), c) for name, c in terms), op, constant
        case ProductAtom(left, left_factor, op, right, right_factor):
            return ((left, left_factor), (right, -right_factor)), op, Fraction(0)
        case PolynomialAtom(sums, op, constant):
            return sums, op, constant
        case SetAtom(variable, (only,), False) if isinstance(only, Fraction):
            return ((((variable, 1),), Fraction(1)),), "=", only
        case _:
            return None


def to_fix(atoms: Iterable[Atom], free: Sequence[str]) -> tuple[str, ...]:
    """Return variables to hold fixed so that every numeric atom becomes linear in the others.

    Of a product in an inequality the variable that most atoms read stays free, because it has the most to give way to.
    In an equality none does: with a factor of many digits hardly any whole number of steps meets another.
    """
    forms = [form[:2] for atom in atoms if (form := polynomial(atom))]
    uses = {name: sum(name in dict(powers) for sums, _ in forms for powers, _ in sums) for name in free}
    fixed: dict[str, None] = {}
    for sums, op in forms:
        for powers, _ in sums:
            loose = [(name, power) for name, power in powers if name in uses and name not in fixed]
            if sum(power for _, power in powers) > 1 and loose:
                stays = max(loose, key=lambda item: (item[1] == 1, uses[item[0]]))
                is_alone = len(loose) == 1 and stays[1] == 1
                if op == "=" or not is_alone:
                    fixed.update((n, None) for n, power in loose if op == "=" or n != stays[0] or power > 1)
    return tuple(fixed)


def rows_of(atoms: Iterable[Atom], place: Mapping[str, int], fixed: Fixed) -> tuple[LinearRow, ...] | None:
    """Return the rows of all numeric atoms; None when one is beyond reach (not linear, unknown, or false as fixed)."""
    rows: list[LinearRow] = []
    for atom in atoms:
        form = polynomial(atom)
        if form is None:
            continue
        row = _row(*form, place, fixed)
        if row is None:
            return None
        if row.terms:
            rows.append(row)
    return tuple(rows)


def _row(
    sums: Polynomial, op: CompareOp, constant: Fraction, place: Mapping[str, int], fixed: Fixed
) -> LinearRow | None:
    terms: dict[int, Fraction] = {}
    for powers, coefficient in sums:
        loose: list[str] = []
        for name, power in powers:
            if name in fixed:
                coefficient *= fixed[name] ** power
            elif name in place and power == 1:
                loose.append(name)
            else:
                return None
        if len(loose) > 1:
            return None
        if loose:
            terms[place[loose[0]]] = terms.get(place[loose[0]], Fraction(0)) + coefficient
        else:
            constant -= coefficient
    return LinearRow(tuple((j, c) for j, c in terms.items() if c), op, constant)


def satisfied(atom: Atom, values: Fixed) -> bool | None:
    """Tell whether an atom holds of exact values; None when it is not numeric or a value is not known."""
    form = polynomial(atom)
    if form is None:
        return None
    total, size = -form[2], abs(form[2])
    for powers, coefficient in form[0]:
        for name, power in powers:
            if name not in values:
                return None
            coefficient *= values[name] ** power
        total += coefficient
        size += abs(coefficient)
    # A rule in double arithmetic is satisfied by doubles that are off in their last digits.
    slack = size / 10**9
    return {
        "=": abs(total) <= slack,
        "!=": total != 0,
        "<": total < 0,
        "<=": total <= slack,
        ">": total > 0,
        ">=": total >= -slack,
    }[form[1]]
