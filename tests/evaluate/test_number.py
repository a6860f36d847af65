"""The number of an expression is Saxon's number: every bit of a double, every digit of a decimal."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from constraint_sdc.data.table import column_of
from constraint_sdc.evaluate.expression import (
    Arithmetic,
    Call,
    Compare,
    Expression,
    If,
    Literal,
    Negate,
    Outside,
    Sequence,
    Variable,
)
from constraint_sdc.evaluate.truth import Numbers, evaluate_number
from constraint_sdc.evaluate.value import Records

if TYPE_CHECKING:
    from conftest import Oracle, Record

NAMES = ("V1", "V2", "V3")
V1, V2, V3 = map(Variable, NAMES)
INFINITIES = {"INF": np.inf, "-INF": -np.inf, "Infinity": np.inf, "-Infinity": -np.inf}


def _records(random: Random, count: int) -> list[Record]:
    def text() -> str | None:
        kinds = (
            f"{random.uniform(-1000, 1000):.{random.randint(0, 4)}f}",
            str(random.randint(-(10 ** random.randint(1, 9)), 10**9)),
            repr(random.uniform(-1, 1)),
            random.choice(["0", "", "abc", "0.1", "0.2", "1e3", "9007199254740993"]),
            None,
        )
        return random.choices(kinds, (8, 8, 2, 1, 1))[0]

    return [{name: text() for name in NAMES} for _ in range(count)]


def _expression(random: Random, depth: int, cast: str | None) -> Expression:
    if depth == 0 or random.random() < 0.2:
        variable = Variable(random.choice(NAMES))
        if random.random() < 0.2:
            return Literal(random.randint(0, 12))
        return variable if cast is None else Call(cast, (variable,))
    left, right = _expression(random, depth - 1, cast), _expression(random, depth - 1, cast)
    match random.randrange(6):
        case 0:
            return Negate(left)
        case 1:
            return If(Compare("<", Call("number", (V1,)), Literal(100)), left, right)
        case _:
            return Arithmetic(random.choice(["+", "-", "*", "+", "-", "div"]), left, right)


def _evaluate(expression: Expression, records: list[Record], *, xpath1: bool = False) -> Numbers | None:
    columns = {name: column_of(name, [record.get(name) for record in records]) for name in NAMES}
    return evaluate_number(expression, Records(columns, len(records)), xpath1=xpath1, domains={})


def _differs(numbers: Numbers, row: int, text: str | None) -> bool:
    if text is None:
        return True  # Saxon has no number there, so we must not be sure of one
    if numbers.doubles is not None:
        ours, theirs = float(numbers.doubles[row]), INFINITIES.get(text) or float(text)
        return not (ours == theirs or (np.isnan(ours) and np.isnan(theirs)))
    assert numbers.mantissa is not None
    return Fraction(int(numbers.mantissa[row]), 10**numbers.scale) != Fraction(text)


@pytest.mark.parametrize(
    ("cast", "xpath1"), [("number", False), ("xs:decimal", False), (None, False), ("number", True)]
)
def test_a_random_expression_has_saxons_number_wherever_we_are_sure(
    oracle: Oracle, cast: str | None, xpath1: bool
) -> None:
    random = Random(f"{cast} {xpath1}")
    sure = 0
    for _ in range(25):
        expression, records = _expression(random, 3, cast), _records(random, 40)
        if xpath1 and "if" in oracle.render(expression):
            continue
        numbers = _evaluate(expression, records, xpath1=xpath1)
        if numbers is None:
            continue
        theirs = oracle.texts(oracle.render(expression), records, xpath1)
        rows = np.flatnonzero(~numbers.unsure).tolist()
        wrong = [row for row in rows if _differs(numbers, row, theirs[row])]
        assert not wrong, (oracle.render(expression), records[wrong[0]], theirs[wrong[0]])
        sure += len(rows)
    assert sure > 150


def test_a_double_sum_is_not_the_decimal_sum() -> None:
    records: list[Record] = [{"V1": "0.1", "V2": "0.2"}]
    doubles = _evaluate(Arithmetic("+", Call("number", (V1,)), Call("number", (V2,))), records)
    decimals = _evaluate(Arithmetic("+", Call("xs:decimal", (V1,)), Call("xs:decimal", (V2,))), records)
    assert doubles is not None
    assert doubles.doubles is not None
    assert doubles.doubles.tolist() == [0.1 + 0.2]
    assert decimals is not None
    assert decimals.mantissa is not None
    assert (decimals.doubles, decimals.mantissa.tolist(), decimals.scale) == (None, [3], 1)


@pytest.mark.parametrize("xpath1", [False, True])
def test_a_variable_alone_is_its_double(xpath1: bool) -> None:
    numbers = _evaluate(V1, [{"V1": " 12.50 "}, {"V1": None}, {"V1": "7"}], xpath1=xpath1)
    assert numbers is not None
    assert numbers.doubles is not None
    assert numbers.unsure.tolist() == [False, True, False]
    assert numbers.doubles[[0, 2]].tolist() == [12.5, 7.0]


def test_a_text_that_is_no_number_is_nan_by_number_and_an_error_by_cast() -> None:
    records: list[Record] = [{"V1": "abc"}]
    by_number, by_cast = (_evaluate(Call(name, (V1,)), records) for name in ("number", "xs:double"))
    assert by_number is not None
    assert by_number.doubles is not None
    assert np.isnan(by_number.doubles[0])
    assert not by_number.unsure[0]
    assert by_cast is not None
    assert by_cast.unsure[0]


def test_alternatives_of_different_scale_meet_at_the_finer_one() -> None:
    cents = Arithmetic("*", Call("xs:decimal", (V1,)), Literal(1))
    expression = If(Compare(">", Call("number", (V1,)), Literal(1)), cents, Call("xs:integer", (V2,)))
    numbers = _evaluate(expression, [{"V1": "2.25", "V2": "9"}, {"V1": "0.5", "V2": "9"}])
    assert numbers is not None
    assert numbers.mantissa is not None
    assert [Fraction(m, 10**numbers.scale) for m in numbers.mantissa.tolist()] == [Fraction(9, 4), 9]


def test_a_constant_counts_for_every_record() -> None:
    numbers = _evaluate(Literal(5), [{}, {}, {}])
    assert numbers is not None
    assert numbers.mantissa is not None
    assert numbers.mantissa.tolist() == [5, 5, 5]
    assert not numbers.unsure.any()


@pytest.mark.parametrize(
    "expression",
    [
        Compare("=", V1, V2),
        Literal("12"),
        Call("string", (V1,)),
        Sequence(()),
        Sequence((Literal(1), Literal(2))),
        Outside(None, ("V1",)),
        Arithmetic("+", Literal("a"), Literal(1)),
        If(Compare("=", V1, V2), Call("number", (V1,)), Call("xs:decimal", (V1,))),
    ],
    ids=["boolean", "text literal", "string", "empty", "two numbers", "outside", "type error", "two arithmetics"],
)
def test_what_is_not_one_number_has_none(expression: Expression) -> None:
    assert _evaluate(expression, [{"V1": "1", "V2": "1"}]) is None
