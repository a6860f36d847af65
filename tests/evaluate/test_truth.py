"""What the evaluator takes, refuses, and is sure of."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import reduce
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from constraint_sdc.data.table import Chunk, Layout, column_of
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import (
    TRUE,
    And,
    Arithmetic,
    Call,
    Castable,
    Compare,
    Expression,
    If,
    Literal,
    Negate,
    Not,
    Or,
    Outside,
    Sequence,
    Variable,
)
from constraint_sdc.evaluate.truth import evaluate_truth, refuses
from constraint_sdc.evaluate.value import Records

if TYPE_CHECKING:
    from conftest import Oracle

OUTSIDE = Outside(None, ("original", "value"))


def _v(number: int) -> Variable:
    return Variable(f"V{number}")


def _number(number: int) -> Expression:
    return Call("number", (_v(number),))


def _decimal(number: int) -> Expression:
    return Call("xs:decimal", (_v(number),))


RULES: dict[str, Expression] = {
    "V9 + V10 = V14": Compare("=", Arithmetic("+", _number(9), _number(10)), _number(14)),
    "V5 * V15 = V16": Compare("=", Arithmetic("*", _number(5), _number(15)), _number(16)),
    "V3 in [0, 7500]": And((Compare("<=", Literal(0), _number(3)), Compare("<=", _number(3), Literal(7500)))),
    "if V8 < 1115 then V13 <= V12": Or(
        (Not(Compare("<", _number(8), Literal(1115))), Compare("<=", _number(13), _number(12)))
    ),
    "the same with if": If(Compare("<", _v(8), Literal(1115)), Compare("<=", _number(13), _number(12)), TRUE),
    "V1 occurs in the original": Call("exists", (Call("index-of", (OUTSIDE, _v(1))),)),
    "V1 does not occur there": Not(Compare("=", _v(1), OUTSIDE)),
    "untyped sum": Compare("=", Arithmetic("+", _v(9), _v(10)), _v(14)),
    "untyped bound": Compare("<=", _v(3), Literal(7500)),
    "decimal sum": Compare("=", Arithmetic("+", _decimal(9), _decimal(10)), _decimal(14)),
    "decimal product": Compare("=", Arithmetic("*", _decimal(5), _decimal(15)), _decimal(16)),
    "decimal total": Compare("<=", Call("sum", (Sequence((_decimal(9), _decimal(10), _decimal(14))),)), Literal(99999)),
    "tolerance": Compare(
        "<=",
        Call("abs", (Arithmetic("-", Call("sum", (Sequence((_v(9), _v(10))),)), _number(14)),)),
        Literal(Decimal("0.5")),
    ),
    "whole number by mod": Compare("=", Arithmetic("mod", _number(3), Literal(1)), Literal(0)),
    "whole number by floor": Compare("=", Call("floor", (_number(3),)), _number(3)),
    "castable": Castable(_v(3), "xs:integer"),
    "code list": Compare("=", _v(4), Sequence(tuple(Literal(code) for code in "ABCDEFGHIJ"))),
    "pattern": Call("matches", (_v(3), Literal(r"^\d{1,4}$"))),
    "share": Compare(">=", Arithmetic("div", _number(9), _number(14)), Literal(Decimal("0.1"))),
    "largest": Compare("<=", Call("max", (Sequence((_v(9), _v(10), Literal(0))),)), _number(14)),
}


def _plain_records(count: int) -> list[dict[str, str | None]]:
    random = Random(3)
    records: list[dict[str, str | None]] = []
    for _ in range(count):
        record: dict[str, str | None] = {
            f"V{k}": str(random.randint(1, 10 ** random.randint(1, 5))) for k in range(1, 17)
        }
        record |= {"V9": f"{random.randint(0, 9999) / 100:.2f}", "V4": random.choice("ABCXYZ")}
        records.append(record)
    return records


@pytest.mark.parametrize("xpath1", [False, True], ids=["xpath2", "xpath1"])
def test_real_rules_on_plain_data_leave_nothing_to_saxon(oracle: Oracle, xpath1: bool) -> None:
    records = _plain_records(60)
    original = [str(record["V1"]) for record in records[::2]]
    agreement = oracle.compare(list(RULES.values()), records, xpath1=xpath1, original=original)
    assert agreement.cases == len(RULES) * len(records)
    assert agreement.unsure == 0


REFUSED: dict[str, tuple[Expression, str]] = {
    "a string plus a number": (
        Compare("=", Arithmetic("+", Literal("5"), Literal(1)), Literal(6)),
        "operator + of a string",
    ),
    "a string against a number": (Compare("=", Call("string", (_v(1),)), Literal(1)), "a string with a number"),
    "a boolean against a number": (Compare("=", TRUE, Literal(1)), "a boolean with a number"),
    "an untyped value eq a number": (Compare("=", _v(1), Literal(1), value=True), "a string with a number"),
    "a function we do not know": (Call("format-number", (_v(1), Literal("0"))), "function format-number()"),
    "a type we do not know": (Castable(_v(1), "xs:duration"), "castable as xs:duration"),
    "the truth of two numbers": (Sequence((Literal(1), Literal(2))), "effective boolean value"),
    "two items where one is taken": (Arithmetic("+", Sequence((Literal(1), Literal(2))), Literal(1)), "takes one item"),
    "a path into another file by itself": (Call("exists", (OUTSIDE,)), "another document"),
    "a number looked up in another file": (Compare("=", _number(1), OUTSIDE), "only texts are"),
    "another order of the same": (Compare("<", _v(1), OUTSIDE), "another document"),
    "a literal beyond our range": (Compare("=", _v(1), Literal(10**30)), "more than 18 digits"),
    "too deep a nesting": (reduce(lambda inner, _: Not(inner), range(120), TRUE), "nested deeper"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_its_reason(name: str) -> None:
    expression, reason = REFUSED[name]
    refusal = refuses(expression, xpath1=False)
    assert refusal is not None
    assert reason in refusal
    with pytest.raises(ValueError, match=re.escape(reason)):
        evaluate_truth(expression, Records({}, 3), xpath1=False, domains={OUTSIDE: Domain()})


def test_xpath_1_converts_where_xpath_2_refuses() -> None:
    for name in ("a string plus a number", "a string against a number", "a boolean against a number"):
        assert refuses(REFUSED[name][0], xpath1=True) is None


def _verdict(expression: Expression, *values: str | None, xpath1: bool = False) -> list[bool | None]:
    records = Records({"V1": column_of("V1", values)}, len(values))
    verdict = evaluate_truth(expression, records, xpath1=xpath1, domains={})
    return [None if unsure else bool(holds) for holds, unsure in zip(verdict.truth, verdict.unsure, strict=True)]


def test_an_error_is_a_doubt_and_an_absent_value_is_none() -> None:
    assert _verdict(Compare("<", _v(1), Literal(5)), "4", "6", "abc", "", None) == [True, False, None, None, False]
    assert _verdict(Compare("<", _number(1), Literal(5)), "4", "6", "abc", "", None) == [
        True,
        False,
        False,
        False,
        False,
    ]


def test_an_error_in_one_operand_is_a_doubt_even_where_the_other_decides() -> None:
    guarded = And((Castable(_v(1), "xs:integer"), Compare("<", Call("xs:integer", (_v(1),)), Literal(5))))
    assert _verdict(guarded, "4", "6", "x") == [True, False, None]


def test_the_branch_that_is_not_taken_raises_no_doubt() -> None:
    guarded = If(Castable(_v(1), "xs:integer"), Compare("<", Call("xs:integer", (_v(1),)), Literal(5)), Literal(False))
    assert _verdict(guarded, "4", "6", "x") == [True, False, False]


def test_an_untyped_nan_or_negative_zero_meeting_a_number_is_saxons_to_judge() -> None:
    assert _verdict(Compare(">", _v(1), Literal(5)), "NaN", "6") == [None, True]
    assert _verdict(Compare("=", _v(1), Literal(0)), "-0", "0") == [None, True]


def test_integers_too_large_for_us_are_a_doubt() -> None:
    product = Compare(">", Arithmetic("*", Call("xs:integer", (_v(1),)), Literal(10**10)), Literal(0))
    assert _verdict(product, "5", "9000000000", "123456789012345678901234567890") == [True, None, None]


def test_a_literal_keeps_its_type_although_python_finds_it_equal_to_another() -> None:
    # Literal(1) == Literal(True) == Literal(1.0) in Python; in XPath the first equals no boolean.
    assert refuses(Compare("=", Literal(1), Literal(True)), xpath1=False) is not None
    assert _verdict(Compare("=", Arithmetic("div", Literal(1), Literal(8)), Literal(0.125)), "x") == [True]


def test_a_variable_that_no_record_has_is_absent() -> None:
    assert _verdict(Call("empty", (_v(2),)), "1", "2") == [True, True]
    assert _verdict(Compare("=", Arithmetic("+", _v(2), Literal(1)), Literal(2)), "1", xpath1=True) == [False]


def test_no_records_give_an_empty_verdict() -> None:
    verdict = evaluate_truth(RULES["V9 + V10 = V14"], Records({}, 0), xpath1=False, domains={})
    assert verdict.truth.shape == verdict.unsure.shape == (0,)


def test_a_chunk_is_judged_like_its_records() -> None:
    column = column_of("V1", ["1", "9"])
    nothing = np.zeros(2, np.int64)
    layout = Layout((), "r", "elements", b"", b"")
    chunk = Chunk(layout, 0, {"V1": column}, np.zeros(1, np.uint8), nothing, nothing, nothing)
    verdict = evaluate_truth(Compare(">", _number(1), Literal(5)), chunk, xpath1=False, domains={})
    assert verdict.truth.tolist() == [False, True]


def test_a_looked_up_value_must_be_there_for_index_of_but_not_for_equals() -> None:
    records = Records({"V1": column_of("V1", ["a", "b", None])}, 3)
    domains = {OUTSIDE: Domain.of([column_of("value", ["a"])])}
    found = evaluate_truth(
        Call("exists", (Call("index-of", (OUTSIDE, _v(1))),)), records, xpath1=False, domains=domains
    )
    assert found.unsure.tolist() == [False, False, True]
    equal = evaluate_truth(Compare("=", _v(1), OUTSIDE), records, xpath1=False, domains=domains)
    assert equal.truth.tolist() == [True, False, False]
    assert not equal.unsure.any()


def test_counting_the_places_is_another_way_to_ask() -> None:
    records = Records({"V1": column_of("V1", ["a", "b"])}, 2)
    domains = {OUTSIDE: Domain.of([column_of("value", ["a"])])}
    places = Call("count", (Call("index-of", (OUTSIDE, _v(1))),))
    for test, expected in (
        (Compare(">", places, Literal(0)), [True, False]),
        (Compare("=", places, Literal(0)), [False, True]),
        (Compare("<", Literal(0), places), [True, False]),
    ):
        verdict = evaluate_truth(test, records, xpath1=False, domains=domains)
        assert verdict.truth.tolist() == expected
    assert refuses(Compare(">", places, Literal(1)), xpath1=False) is not None


def test_negative_zero_keeps_its_sign_through_arithmetic() -> None:
    inverse = Arithmetic("div", Literal(1), Negate(_number(1)))
    assert _verdict(Compare("<", inverse, Literal(0)), "0", "-0") == [True, False]
