"""Values that differ in the last digit: comparisons agree with Saxon where doubles, decimals and texts part company."""

from __future__ import annotations

from decimal import Decimal
from math import inf, nextafter
from random import Random
from typing import TYPE_CHECKING

import pytest

from constraint_sdc.evaluate.expression import Arithmetic, Call, Compare, Expression, Literal, Variable

if TYPE_CHECKING:
    from conftest import Oracle

V1, V2 = Variable("V1"), Variable("V2")
CENTRES = (0.1, 0.3, 1.0, 2.5, 7500.0, 1115.0, 2.0**53, 2.0**53 - 1, 2.0**62, 123456.789, 1e15 + 0.3, 9999999.99, 1e-5)
CENTRES += (99999999.0, 12345678.9, -1.0, -0.5, -7500.25, 1e16, 1e18)


def _forms(centre: float) -> list[str]:
    """Write a number, its neighbours, and its exact value with a digit more or less."""
    exact = Decimal(centre)
    shift = Decimal(10) ** (exact.adjusted() - 17)
    doubles = (centre, nextafter(centre, inf), nextafter(centre, -inf))
    decimals = [f"{value:f}"[:30] for value in (exact, exact + shift, exact - shift / 10)]
    shapes = [f"{centre:.15g}", f"{centre:.2f}", f"{centre:e}", f" {centre!r} ", str(int(centre)), str(int(centre) + 1)]
    return [*map(repr, doubles), *decimals, *shapes]


class _Author:
    def __init__(self, random: Random, centres: list[float]) -> None:
        self.random = random
        self.centres = centres

    def number(self) -> Expression:
        centre = abs(self.random.choice(self.centres))
        literals = [Literal(centre), Literal(Decimal(repr(centre))), Literal(int(centre))]
        return self.random.choice([*literals, *(Call(f, (V2,)) for f in ("number", "xs:decimal", "xs:integer"))])

    def comparison(self) -> Expression:
        sides = [
            self.random.choice(
                [V1, V1, Call("number", (V1,)), Call("xs:decimal", (V1,)), Arithmetic("+", V1, Literal(0))]
            ),
            self.number(),
        ]
        if self.random.random() < 0.3:
            sides[1] = Arithmetic(self.random.choice(["+", "-", "*", "div", "mod", "idiv"]), sides[1], self.number())
        self.random.shuffle(sides)
        return Compare(self.random.choice(["=", "!=", "<", "<=", ">", ">="]), *sides, value=self.random.random() < 0.3)


@pytest.mark.parametrize("xpath1", [False, True], ids=["xpath2", "xpath1"])
@pytest.mark.parametrize("seed", range(3))
def test_nearly_equal_values_compare_as_saxon_compares_them(oracle: Oracle, seed: int, xpath1: bool) -> None:
    random = Random(seed)
    centres = random.sample(CENTRES, 6)
    records = [
        {"V1": random.choice(forms), "V2": random.choice(forms)}
        for forms in (_forms(random.choice(centres)) for _ in range(120))
    ]
    author = _Author(random, centres)
    agreement = oracle.compare([author.comparison() for _ in range(60)], records, xpath1=xpath1)
    assert agreement.unsure < agreement.cases / 2
