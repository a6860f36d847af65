"""Atoms as rows of a programme: with enough variables held fixed, a row says exactly what the atom says."""

from __future__ import annotations

import operator
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.constraints.constraint import (
    Atom,
    IntegerAtom,
    LinearAtom,
    PolynomialAtom,
    ProductAtom,
    SetAtom,
)
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.exact.programme import LinearRow
from constraint_sdc.exact.repair import polynomial, rows_of, satisfied, to_fix

ONE, TWO = Fraction(1), Fraction(2)
NAMES = ("x", "y", "z")
COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
OPS = st.sampled_from(sorted(COMPARE))
WEIGHTS = st.sampled_from([Fraction(n) for n in (-3, -2, -1, 1, 2, 3)])
SOME = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)
SINGLE = [((name, power),) for name in NAMES for power in (1, 2)]
POWERS = st.sampled_from([(), *SINGLE, *(a + b for a in SINGLE for b in SINGLE if a[0][0] < b[0][0])])

linear = st.builds(
    lambda names, weights, op, constant: LinearAtom(tuple(zip(names, weights, strict=False)), op, Fraction(constant)),
    SOME, st.lists(WEIGHTS, min_size=3, max_size=3), OPS, st.integers(-5, 5),
)  # fmt: skip
products = st.builds(ProductAtom, POWERS, WEIGHTS, OPS, POWERS, WEIGHTS)
sums = st.builds(
    PolynomialAtom,
    st.lists(
        st.tuples(POWERS.filter(lambda powers: len(powers) > 0), WEIGHTS),
        min_size=1,
        max_size=3,
        unique_by=lambda t: t[0],
    ).map(tuple),
    OPS,
    st.integers(-5, 5).map(Fraction),
)
atoms = st.one_of(linear, products, sums)
points = st.fixed_dictionaries({name: st.integers(-4, 4).map(Fraction) for name in NAMES})


def truth(atom: Atom, values: dict[str, Fraction]) -> bool:
    """Evaluate an atom as its docstring says."""

    def power(powers: tuple[tuple[str, int], ...]) -> Fraction:
        result = ONE
        for name, exponent in powers:
            result *= values[name] ** exponent
        return result

    match atom:
        case LinearAtom(terms, op, constant):
            return bool(COMPARE[op](sum(c * values[n] for n, c in terms), constant))
        case ProductAtom(left, left_factor, op, right, right_factor):
            return bool(COMPARE[op](left_factor * power(left), right_factor * power(right)))
        case PolynomialAtom(terms, op, constant):
            return bool(COMPARE[op](sum(c * power(p) for p, c in terms), constant))
        case _:
            raise AssertionError(atom)


def row_holds(row: LinearRow, point: list[Fraction]) -> bool:
    return bool(COMPARE[row.op](sum(c * point[j] for j, c in row.terms), row.constant))


@settings(deadline=None)
@given(atoms, points)
def test_with_the_fixed_variables_at_their_values_the_rows_say_what_the_atom_says(
    atom: Atom, values: dict[str, Fraction]
) -> None:
    held = to_fix([atom], NAMES)
    loose = [name for name in NAMES if name not in held]
    rows = rows_of([atom], {name: j for j, name in enumerate(loose)}, {name: values[name] for name in held})
    assert rows is not None, "what `to_fix` leaves free is linear"
    for others in product((Fraction(-2), Fraction(0), Fraction(3)), repeat=len(loose)):
        everything = values | dict(zip(loose, others, strict=True))
        if rows:
            assert all(row_holds(row, list(others)) for row in rows) == truth(atom, everything)


@settings(deadline=None)
@given(atoms, points)
def test_an_atom_holds_of_exact_values_as_it_says(atom: Atom, values: dict[str, Fraction]) -> None:
    # Sums this small differ from the constant by at least one step, or not at all: the forgiven digits do not matter.
    assert satisfied(atom, values) == truth(atom, values)


@pytest.mark.parametrize("op", sorted(COMPARE))
@pytest.mark.parametrize("x", [1, 2, 3])
def test_a_sum_at_its_bound_satisfies_no_strict_inequality(op: CompareOp, x: int) -> None:
    atom = LinearAtom((("x", ONE), ("y", ONE)), op, Fraction(3))
    assert satisfied(atom, {"x": Fraction(x), "y": ONE}) == COMPARE[op](x + 1, 3)


def test_doubles_that_are_off_in_their_last_digits_satisfy_an_equality() -> None:
    total = LinearAtom((("x", ONE), ("y", ONE), ("z", -ONE)), "=", Fraction(0))
    values = {"x": Fraction(0.1), "y": Fraction(0.2), "z": Fraction(0.1 + 0.2)}
    assert sum((values["x"], values["y"], -values["z"])) != 0
    assert satisfied(total, values) is True
    assert satisfied(total, values | {"z": Fraction(0.3001)}) is False


def test_what_is_not_numeric_or_not_known_has_no_answer() -> None:
    assert polynomial(IntegerAtom("x")) is None
    assert satisfied(IntegerAtom("x"), {"x": ONE}) is None
    assert satisfied(LinearAtom((("x", ONE),), "=", ONE), {}) is None
    assert rows_of([IntegerAtom("x")], {"x": 0}, {}) == ()


def test_one_listed_number_is_an_equality() -> None:
    assert rows_of([SetAtom("x", (TWO,))], {"x": 0}, {}) == (LinearRow(((0, ONE),), "=", TWO),)
    assert polynomial(SetAtom("x", (ONE, TWO))) is None
    assert polynomial(SetAtom("x", (TWO,), negated=True)) is None


def test_an_unknown_variable_is_beyond_reach() -> None:
    assert rows_of([LinearAtom((("x", ONE), ("far", ONE)), "<=", ONE)], {"x": 0}, {}) is None


@pytest.mark.parametrize(
    ("op", "fixed"),
    [("=", {"x", "y"}), ("<=", {"y"})],
    ids=["an equality holds both factors", "an inequality leaves free the one with the most to give way to"],
)
def test_which_factor_is_held(op: str, fixed: set[str]) -> None:
    area = ProductAtom((("x", 1), ("y", 1)), ONE, op, (("z", 1),), ONE)  # type: ignore[arg-type]
    bound = LinearAtom((("x", ONE),), "<=", ONE)
    assert set(to_fix([area, bound], NAMES)) == fixed
