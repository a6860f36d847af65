"""Numbers in text: Python's float and Decimal on XML Schema's lexical forms are the oracle, Saxon on the odd ones."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.text import Text
from constraint_sdc.evaluate import lexical
from constraint_sdc.evaluate.expression import Call, Castable, Compare, Literal, Variable
from constraint_sdc.evaluate.lexical import Reading

if TYPE_CHECKING:
    from conftest import Oracle

DOUBLE = re.compile(r"[ \t\r\n]*([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF|NaN)[ \t\r\n]*")
DECIMAL = re.compile(r"[ \t\r\n]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)[ \t\r\n]*")
INTEGER = re.compile(r"[ \t\r\n]*[+-]?[0-9]+[ \t\r\n]*")

PLAIN = st.from_regex(r"[+-]?[0-9]{0,20}\.?[0-9]{0,20}", fullmatch=True)
SCIENTIFIC = st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{0,20})?[eE][+-]?[0-9]{1,3}", fullmatch=True)
NOISE = st.text("0123456789.+-eE INFa\t_/:\u0663\xa0", max_size=20)
TEXTS = st.lists(st.one_of(PLAIN, PLAIN, SCIENTIFIC, NOISE), min_size=1, max_size=60)


def _reading(texts: list[str]) -> Reading:
    return Reading(Text.of_strings(texts))


@settings(deadline=None, max_examples=100)
@given(texts=TEXTS)
def test_doubles_are_pythons_on_legal_texts_and_nan_on_others(texts: list[str]) -> None:
    read = _reading(texts).doubles
    expected = np.array([float(text) if DOUBLE.fullmatch(text) else np.nan for text in texts])
    assert read.valid.tolist() == [DOUBLE.fullmatch(text) is not None for text in texts]
    same = (read.values.view(np.uint64) == expected.view(np.uint64)) | (np.isnan(read.values) & np.isnan(expected))
    assert same.all(), [text for text, ok in zip(texts, same, strict=True) if not ok]


@settings(deadline=None, max_examples=100)
@given(texts=TEXTS)
def test_decimals_and_integers_are_exact_where_they_fit(texts: list[str]) -> None:
    for read, legal in ((_reading(texts).decimals, DECIMAL), (_reading(texts).integers, INTEGER)):
        assert read.valid.tolist() == [legal.fullmatch(text) is not None for text in texts]
        assert not (read.fits & ~read.valid).any()
        for row in np.flatnonzero(read.fits).tolist():
            assert Decimal(int(read.mantissa[row])).scaleb(-read.scale) == Decimal(texts[row].strip())


def test_a_character_among_digits_is_read_as_the_standard_reads_it() -> None:
    digits = "19283746509182736"
    characters = [chr(code) for code in (9, *range(32, 127))]
    texts = [
        digits[:place] + character + digits[place:size]
        for size in range(18)
        for place in range(size + 1)
        for character in characters
    ]
    reading = _reading(texts)
    for read, legal in ((reading.doubles, DOUBLE), (reading.decimals, DECIMAL), (reading.integers, INTEGER)):
        wrong = [
            text
            for text, valid in zip(reading.text.strings, read.valid.tolist(), strict=True)
            if valid != (legal.fullmatch(text) is not None)
        ]
        assert not wrong


def test_numbers_of_few_digits_are_not_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["12.50", "-3", "+0.25", "9007199254740992", "999999.99", "0"]
    texts += ["1234567890123456"[:digits] + "." + "98765"[: 15 - digits] for digits in range(4, 15)]
    texts += ["1234567890123456"[:digits] for digits in range(8, 16)]
    monkeypatch.setattr(lexical, "_read_others", None)
    assert _reading(texts).doubles.values.tolist() == [float(text) for text in texts]


def test_numbers_of_many_digits_are_not_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["12345678901234567890", "-0.99999999999999999", "9007199254740993", "1", "00000000000000000.5"]
    monkeypatch.setattr(lexical, "as_double", None)
    assert _reading(texts).doubles.values.tolist() == [float(text) for text in texts]


def test_ordinary_decimals_always_fit() -> None:
    texts = ["12.50", "-3", "+0.25", "1000000.01", "00012.500", ".5", "7."]
    assert _reading(texts).decimals.fits.all()
    assert _reading(texts).decimals.scale == 2


def test_one_value_with_many_decimals_does_not_crowd_out_the_others() -> None:
    read = _reading(["123456.78"] * 50 + ["0.1234567890123456"]).decimals
    assert read.fits[:50].all()


HALFWAY = (
    *("9007199254740993", "9007199254740992", "9007199254740991", "9007199254740993.0000000000000000001"),
    *("0.1", "0.10000000000000000555111512312578270211815834045410156250001", "1.00000000000000011102230246251565"),
    *("2.2250738585072011e-308", "2.2250738585072014e-308", "4.9e-324", "2.4703282292062327e-324", "2.47e-324"),
    *("1.7976931348623158e308", "1.7976931348623159e308", "0." + "0" * 320 + "1", "1" + "0" * 308, "1" + "0" * 309),
    *("0" * 40 + "5", "123456789012345678", "12345678901234567.5", "99999999999999999999", "1e22", "1e23", "8.5e22"),
    *("9999999999999999", "99999999.99999999", "9.999999999999999", "0.000000000000001", "-0.0", "-0", "+0"),
)


@pytest.mark.parametrize("text", HALFWAY)
def test_halfway_cases_round_as_python_does(text: str) -> None:
    assert _reading([text]).doubles.values.tolist() == [float(text)]


def test_halfway_cases_round_as_saxon_does(oracle: Oracle) -> None:
    records = [{"V1": text, "V2": repr(float(text)).replace("inf", "INF")} for text in HALFWAY]
    same = Compare("=", Call("number", (Variable("V1"),)), Call("number", (Variable("V2"),)))
    assert oracle.verdicts([oracle.render(same)], records, False) == ["T" * len(records)]


def test_saxon_reads_every_short_text_of_number_characters_as_we_do(oracle: Oracle) -> None:
    texts = ["".join(letters) for size in range(1, 5) for letters in product("1.-+ e0", repeat=size)]
    records = [{"V1": text} for text in texts]
    number = Call("number", (Variable("V1"),))
    tests = [
        Castable(Variable("V1"), "xs:double"),
        Castable(Variable("V1"), "xs:decimal"),
        Castable(Variable("V1"), "xs:integer"),
        Compare("=", number, number),
        Compare("=", number, Literal(1)),
        Compare(">", number, Literal(0)),
    ]
    agreement = oracle.compare(tests, records, xpath1=False)
    # '. 1' and its like, which Saxon takes for 0.01.
    assert agreement.unsure < agreement.cases / 100
