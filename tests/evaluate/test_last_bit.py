"""Numbers agree with Saxon to the last bit: its own result, handed back to us as text, equals ours."""

from __future__ import annotations

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
    Literal,
    Negate,
    Sequence,
    Variable,
)
from constraint_sdc.evaluate.truth import evaluate_truth
from constraint_sdc.evaluate.value import Records

if TYPE_CHECKING:
    from conftest import Oracle, Record

V1, V2, V3 = Variable("V1"), Variable("V2"), Variable("V3")


def _double(variable: Variable) -> Expression:
    return Call("number", (variable,))


DOUBLES: dict[str, Expression] = {
    "sum of two": Arithmetic("+", _double(V1), _double(V2)),
    "difference": Arithmetic("-", _double(V1), _double(V2)),
    "product": Arithmetic("*", _double(V1), _double(V2)),
    "quotient": Arithmetic("div", _double(V1), _double(V2)),
    "remainder": Arithmetic("mod", _double(V1), _double(V2)),
    "whole quotient": Arithmetic("idiv", _double(V1), _double(V2)),
    "sum in order": Call("sum", (Sequence((_double(V1), _double(V2), _double(V3), _double(V1))),)),
    "average": Call("avg", (Sequence((_double(V1), _double(V2), _double(V3))),)),
    "untyped sum": Arithmetic("+", Arithmetic("*", V1, Literal(3)), V2),
    "negated": Negate(_double(V1)),
    "rounded": Call("round", (_double(V1),)),
    "rounded to cents": Call("round", (Arithmetic("div", _double(V1), Literal(8)), Literal(2))),
    "rounded to tenths": Call("round", (_double(V1), Literal(1))),
    "floor": Call("floor", (Arithmetic("div", _double(V1), Literal(3)),)),
    "ceiling": Call("ceiling", (Arithmetic("*", _double(V1), Literal(0.1)),)),
    "square": Call("math:pow", (Call("round", (_double(V1),)), Literal(2))),
}
DECIMALS: dict[str, Expression] = {
    "decimal sum": Arithmetic("+", Call("xs:decimal", (V1,)), Call("xs:decimal", (V2,))),
    "decimal product": Arithmetic("*", Call("xs:decimal", (V1,)), Call("xs:decimal", (V2,))),
    "decimal remainder": Arithmetic("mod", Call("xs:decimal", (V1,)), Call("xs:decimal", (V2,))),
    "decimal whole quotient": Arithmetic("idiv", Call("xs:decimal", (V1,)), Call("xs:decimal", (V2,))),
    "decimal quotient": Arithmetic("div", Call("xs:decimal", (V1,)), Literal(8)),
    "decimal rounded": Call("round", (Call("xs:decimal", (V1,)), Literal(1))),
    "decimal floor": Call("floor", (Call("xs:decimal", (V1,)),)),
    "decimal ceiling": Call("ceiling", (Negate(Call("xs:decimal", (V1,))),)),
    "largest": Call("max", (Sequence((Call("xs:decimal", (V1,)), Call("xs:decimal", (V2,)), Literal(0))),)),
}


def _records(seed: int, *, whole: bool) -> list[Record]:
    random = Random(seed)

    def text() -> str:
        if whole:
            return f"{random.uniform(-1, 1) * 10 ** random.randint(0, 6):.{random.randint(0, 3)}f}"
        return random.choice(
            [
                repr(random.uniform(-1, 1) * 10 ** random.randint(-20, 20)),
                f"{random.uniform(-1000, 1000):.3f}",
                f"{random.randint(-200, 200) / 8}",
                str(random.randint(-20, 20)),
                random.choice(["-0", "0", "1e308", "4.9e-324", "0.285", "1.005", "2.675", "-2.5", "9007199254740993"]),
            ]
        )

    return [{"V1": text(), "V2": text(), "V3": text()} for _ in range(300)]


def _agree(oracle: Oracle, expression: Expression, records: list[Record], cast: str, *, xpath1: bool) -> int:
    """Return on how many records the evaluator was sure."""
    theirs = oracle.texts(oracle.render(expression), records, xpath1)
    columns = {name: column_of(name, [record[name] for record in records]) for name in ("V1", "V2", "V3")}
    columns["theirs"] = column_of("theirs", theirs)
    test = Compare("=", expression, Call(cast, (Variable("theirs"),)))
    verdict = evaluate_truth(test, Records(columns, len(records)), xpath1=xpath1, domains={})
    known = np.array([text is not None and text != "NaN" for text in theirs])
    wrong = np.flatnonzero(known & ~verdict.unsure & ~verdict.truth)
    assert not len(wrong), (oracle.render(expression), records[wrong[0]], theirs[wrong[0]])
    return int(np.count_nonzero(known & ~verdict.unsure))


@pytest.mark.parametrize("xpath1", [False, True], ids=["xpath2", "xpath1"])
@pytest.mark.parametrize("name", DOUBLES)
def test_a_double_is_saxons_double(oracle: Oracle, name: str, xpath1: bool) -> None:
    sure = _agree(oracle, DOUBLES[name], _records(7, whole=False), "number", xpath1=xpath1)
    assert sure > 100


@pytest.mark.parametrize("name", DECIMALS)
def test_a_decimal_is_saxons_decimal(oracle: Oracle, name: str) -> None:
    sure = _agree(oracle, DECIMALS[name], _records(8, whole=True), "xs:decimal", xpath1=False)
    assert sure > 100
