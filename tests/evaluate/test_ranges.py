"""Roots, powers, exponentials and logarithms: Saxon's result lies within our bounds, and sure verdicts are Saxon's."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from constraint_sdc.data.table import column_of
from constraint_sdc.evaluate.expression import (
    Arithmetic,
    Call,
    Castable,
    Compare,
    Expression,
    If,
    Literal,
    Negate,
    Variable,
)
from constraint_sdc.evaluate.truth import evaluate_number, evaluate_truth, evaluate_value, refuses
from constraint_sdc.evaluate.value import DoubleItem, RangeItem, Records
from tests.draws import draws

if TYPE_CHECKING:
    from conftest import Oracle, Record

NAMES = ("V1", "V2", "V3")
FUNCTIONS = ("math:sqrt", "math:exp", "math:exp10", "math:log", "math:log10")
ODD = (
    "",
    "0",
    "-0",
    "1",
    "NaN",
    "INF",
    "-INF",
    "-1",
    "710",
    "-746",
    "1e-320",
    "1e308",
    "4",
    "abc",
    "0.5",
    "100",
    "-0.5",
)


class Author:
    """Writes tests with functions of the math namespace."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def plain(self) -> Expression:
        name = Variable(self.random.choice(NAMES))
        number = Literal(self.random.choice((0, 1, 2, 10, 100, 2.5, 0.5)))
        return self.random.choice((Call("number", (name,)), Call("number", (name,)), name, number))

    def number(self, depth: int) -> Expression:
        if depth <= 0:
            return self.plain()
        inner = self.number(depth - 1)
        match self.random.randrange(8):
            case 0 | 1:
                return Call(self.random.choice(FUNCTIONS), (inner,))
            case 2:
                exponent = Literal(self.random.choice((0.5, 0.3, 2, 3, -1, 0, 1, -0.5, 1.5)))
                return Call("math:pow", (inner, self.random.choice((exponent, self.plain()))))
            case 3 | 4:
                op = self.random.choice(("+", "-", "*", "div", "mod"))
                return Arithmetic(op, inner, self.number(depth - 1))
            case 5:
                return Call(self.random.choice(("round", "floor", "ceiling", "abs")), (inner,))
            case 6:
                return self.random.choice((Negate(inner), Call("round", (inner, Literal(2)))))
            case _:
                return If(self.truth(depth - 1), inner, self.plain())

    def truth(self, depth: int) -> Expression:
        if self.random.random() < 0.05:
            return Castable(self.number(depth), self.random.choice(("xs:integer", "xs:double")))
        op = self.random.choice(("=", "!=", "<", "<=", ">", ">="))
        return Compare(op, self.number(depth), self.number(depth - 1), self.random.random() < 0.2)


def text(random: Random) -> str | None:
    kind = random.random()
    if kind < 0.05:
        return None
    if kind < 0.3:
        return random.choice(ODD)
    if kind < 0.6:
        return str(random.randint(-5, 120))
    return repr(random.uniform(-30, 30) if kind < 0.8 else 2.0 ** random.uniform(-40, 40))


_SETTINGS = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
_SETTINGS = settings(_SETTINGS, phases=(Phase.explicit, Phase.generate))


@settings(_SETTINGS, max_examples=draws(6, exploring=200))
@given(seed=st.integers(0, 2**32))
def test_every_sure_verdict_about_roots_and_logarithms_is_saxons(oracle: Oracle, seed: int) -> None:
    random = Random(seed)
    author = Author(random)
    tests = [author.truth(random.randint(1, 4)) for _ in range(60)]
    records: list[Record] = [{name: text(random) for name in NAMES} for _ in range(40)]
    assert oracle.compare(tests, records, xpath1=False).cases > 500


@pytest.mark.parametrize("name", [*FUNCTIONS, "math:pow"])
def test_saxons_result_lies_within_the_bounds(oracle: Oracle, name: str) -> None:
    random = Random(name)
    numbers = [repr(random.choice((random.uniform(0.1, 40), 2.0 ** random.uniform(-60, 60)))) for _ in range(500)]
    if "exp" in name:
        numbers = [repr(random.uniform(-200, 200)) for _ in range(500)]
    records: list[Record] = [{"V1": number, "V2": repr(random.uniform(-4, 4))} for number in numbers]
    arguments = [Call("number", (Variable(v),)) for v in (("V1", "V2") if name == "math:pow" else ("V1",))]
    expression = Call(name, tuple(arguments))
    columns = {v: column_of(v, [record[v] for record in records]) for v in ("V1", "V2")}
    (item,) = evaluate_value(expression, Records(columns, len(records)), xpath1=False, domains={}).items
    assert isinstance(item, RangeItem | DoubleItem)
    ends = (item.low, item.high) if isinstance(item, RangeItem) else (item.values, item.values)
    found = [float(text or "nan") for text in oracle.texts(oracle.render(expression), records, xpath1=False)]
    for low, value, high in zip(ends[0].tolist(), found, ends[1].tolist(), strict=True):
        assert low <= value <= high
        assert high - low <= 1e-14 * abs(value)


def test_a_comparison_that_is_not_close_leaves_no_record_to_saxon() -> None:
    test = Compare("<=", Call("math:log10", (Call("number", (Variable("V1"),)),)), Literal(3))
    texts = ["1", "10", "999", "1001", "0", "-5", "1e300", "NaN"]
    found = evaluate_truth(test, Records({"V1": column_of("V1", texts)}, len(texts)), xpath1=False, domains={})
    assert not found.unsure.any()
    assert found.truth.tolist() == [True, True, True, False, True, False, False, False]


def test_an_equality_in_the_last_bits_is_saxons_but_can_be_guessed() -> None:
    exponential = Call("math:exp", (Call("number", (Variable("V1"),)),))
    for op in ("=", "!="):
        assert refuses(Compare(op, exponential, Call("number", (Variable("V2"),))), xpath1=False) is not None
    records = Records({"V1": column_of("V1", ["1", "2"])}, 2)
    sure = evaluate_number(exponential, records, xpath1=False, domains={})
    guess = evaluate_number(exponential, records, xpath1=False, domains={}, guesses=True)
    assert sure is not None
    assert guess is not None
    assert guess.doubles is not None
    assert sure.unsure.tolist() == [True, True]
    assert not guess.unsure.any()
    assert guess.doubles.tolist() == [math.exp(1), math.exp(2)]


def test_a_whole_power_is_compared_here() -> None:
    test = Compare("=", Call("math:pow", (Call("number", (Variable("V1"),)), Literal(2))), Literal(9))
    found = evaluate_truth(test, Records({"V1": column_of("V1", ["3", "-3", "2"])}, 3), xpath1=False, domains={})
    assert (found.truth.tolist(), found.unsure.any()) == ([True, True, False], False)


def test_rounding_settles_what_the_last_bits_leave_open() -> None:
    inner = Arithmetic("*", Call("math:exp", (Call("number", (Variable("V1"),)),)), Literal(100))
    test = Compare("=", Arithmetic("div", Call("round", (inner,)), Literal(100)), Call("number", (Variable("V2"),)))
    columns = {"V1": column_of("V1", ["1", "2"]), "V2": column_of("V2", ["2.72", "7.38"])}
    found = evaluate_truth(test, Records(columns, 2), xpath1=False, domains={})
    assert (found.truth.tolist(), found.unsure.tolist()) == ([True, False], [False, False])
