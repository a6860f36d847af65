"""Every lexical corner of numbers, dates and booleans, with every kind of white space, as Saxon reads it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from constraint_sdc.evaluate.expression import Call, Castable, Compare, Expression, If, Literal, Sequence, Variable
from tests.parser_gap.gap_files import NUMBERS

if TYPE_CHECKING:
    from conftest import Oracle, Record

SPACES = (
    "",
    " ",
    "\t",
    "\n",
    "\r",
    " \t\r\n",
    "\xa0",
    "\x85",
    "\u2028",
    "\u2003",
    "\ufeff",
    "\u200b",
    "\u3000",
    "\x7f",
)
V = Variable("V1")
TYPES = (
    "xs:double", "xs:float", "xs:decimal", "xs:integer", "xs:boolean", "xs:date", "xs:string", "xs:nonNegativeInteger",
    "xs:positiveInteger", "xs:nonPositiveInteger", "xs:negativeInteger", "xs:int", "xs:short", "xs:byte",
    "xs:unsignedInt", "xs:unsignedShort", "xs:unsignedByte",
)  # fmt: skip


def number(operand: Expression) -> Call:
    return Call("number", (operand,))


def casts(name: str) -> Expression:
    return If(Castable(V, name, False), Compare("<", Call(name, (V,)), Literal(6)), Literal(False))


EXPRESSIONS: tuple[Expression, ...] = (
    *(Castable(V, name, False) for name in TYPES),
    *(Compare(op, number(V), Literal(6)) for op in ("<", ">=", "=", "!=")),
    Compare("=", number(V), number(V)),
    Compare("<", number(V), Literal(float("1e308"))),
    Compare(">", number(V), Literal(float("-1e308"))),
    *(casts(name) for name in ("xs:double", "xs:decimal", "xs:integer")),
    *(Compare(op, V, Literal(6)) for op in ("<", ">=", "=")),
    Compare("=", Call("xs:double", (V,)), Literal(5)),
    Compare("=", Call("xs:decimal", (V,)), Literal(5)),
    Compare("=", Call("xs:integer", (V,)), Literal(5)),
    Compare("=", Call("xs:boolean", (V,)), Literal(True)),
    Compare("=", Call("string", (number(V),)), Call("string", (V,))),
    Compare("=", Call("normalize-space", (V,)), V),
    Compare("=", Call("string-length", (Call("normalize-space", (V,)),)), Literal(1)),
    Compare("<", Call("sum", (Sequence((V,)),)), Literal(6)),
    Compare("=", Call("round", (number(V),)), Literal(5)),
)


@pytest.mark.parametrize("xpath1", [False, True])
def test_every_corner_is_read_as_saxon_reads_it(oracle: Oracle, xpath1: bool) -> None:
    texts = [
        before + text + after for text in NUMBERS for before in SPACES for after in SPACES if not (before and after)
    ]
    records: list[Record] = [{"V1": text} for text in dict.fromkeys(texts)]
    agreement = oracle.compare(EXPRESSIONS, records, xpath1=xpath1)
    assert agreement.unsure < agreement.cases / 2


@pytest.mark.parametrize("xpath1", [False, True])
def test_random_texts_are_read_as_saxon_reads_them(oracle: Oracle, xpath1: bool) -> None:
    draw = Random(f"corners {xpath1}")
    letters = (
        "0",
        "1",
        "5",
        "9",
        ".",
        "+",
        "-",
        "e",
        "E",
        " ",
        "\t",
        "\n",
        "INF",
        "NaN",
        "\xa0",
        "Z",
        "_",
        ":",
        "true",
    )
    texts = {"".join(draw.choices(letters, k=draw.randint(1, 7))) for _ in range(2000)}
    records: list[Record] = [{"V1": text} for text in sorted(texts)]
    assert oracle.compare(EXPRESSIONS, records, xpath1=xpath1).cases
