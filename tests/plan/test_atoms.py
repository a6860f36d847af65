"""Where an atom holds: every kind of comparison, with factors and powers, on the records of a table."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from constraint_sdc.constraints.constraint import Atom, LinearAtom, PolynomialAtom, ProductAtom
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.plan.rule_facts import AtomTruth
from tests.maskers.extract import columns, extract

A, B, C = (1, 2, 3, 4, 5, 6), (4, 1, 6, 2, 5, 3), (6, 3, 27, 12, 40, 26)
ONE, TWO, THREE, FIFTY_SIX = map(Fraction, (1, 2, 3, 56))
PRODUCT, SQUARE = (("A", 1), ("B", 1)), (("A", 2),)
Holds = Callable[[int, int, int], bool]


@pytest.mark.parametrize(
    ("atom", "holds"),
    [
        (LinearAtom((("A", THREE), ("B", -TWO)), "<", ONE), lambda a, b, _: 3 * a - 2 * b < 1),
        (LinearAtom((("A", Fraction(1, 2)), ("B", TWO)), ">=", Fraction(9)), lambda a, b, _: a / 2 + 2 * b >= 9),
        (ProductAtom(PRODUCT, THREE, "<=", (("C", 1),), TWO), lambda a, b, c: 3 * a * b <= 2 * c),
        (ProductAtom(SQUARE, THREE, "=", (("C", 1),), ONE), lambda a, _, c: 3 * a**2 == c),
        (PolynomialAtom(((PRODUCT, THREE), ((("C", 1),), -TWO)), ">", ONE), lambda a, b, c: 3 * a * b - 2 * c > 1),
        (
            PolynomialAtom(((PRODUCT, THREE), (SQUARE, TWO)), "!=", FIFTY_SIX),
            lambda a, b, _: 3 * a * b + 2 * a**2 != 56,
        ),
    ],
)
def test_an_atom_holds_where_its_comparison_does(tmp_path: Path, atom: Atom, holds: Holds) -> None:
    given = extract(tmp_path, columns(A=A, B=B, C=C))
    table = read_dataset(given.data).table
    expected = [holds(a, b, c) for a, b, c in zip(A, B, C, strict=True)]
    assert len(set(expected)) == 2, "the records must tell a right answer from a wrong one"
    found = AtomTruth(table, {}).of(atom)
    assert found is not None
    assert found.tolist() == expected
