"""Doubles as text, and what texts say about their variable."""

from __future__ import annotations

import math
from decimal import Decimal

from hypothesis import example, given
from hypothesis import strategies as st

from constraint_sdc.data.series import double_text
from constraint_sdc.data.variable import Survey

NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?", fullmatch=True)
TEXTS = NUMBERS | st.sampled_from(["", "007", " 5", "+1", "1e5", "NaN", "-INF", "x", "-0", "-0.00", "9" * 400])


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(1.7976931348623157e308)
@example(-0.0)
def test_a_double_reads_back_from_its_positional_text(value: float) -> None:
    text = double_text(value)
    assert float(text) == value
    assert math.copysign(1, float(text)) == math.copysign(1, value)
    assert set(text) <= set("-.0123456789")
    assert not text.endswith(".0")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_shorter_digits_read_back_to_the_same_double(value: float) -> None:
    digits = len(Decimal(double_text(value)).normalize().as_tuple().digits)
    assert digits == len(Decimal(repr(value)).normalize().as_tuple().digits)


@given(st.lists(st.none() | TEXTS), st.integers(1, 5))
def test_a_survey_does_not_depend_on_how_the_texts_are_cut(texts: list[str | None], size: int) -> None:
    whole, parts = Survey(), Survey()
    whole.add(texts)
    for start in range(0, len(texts), size):
        parts.add(texts[start : start + size])
    assert whole.type() == parts.type()
    assert (whole.texts, whole.absent, whole.empty) == (len(texts), texts.count(None), texts.count(""))
    for flag in ("is_plain", "is_number", "is_int64", "is_double", "is_same_value"):
        assert getattr(whole, flag) == getattr(parts, flag), flag


@given(st.lists(TEXTS.filter(bool), min_size=1))
@example([str(-(2**63))])
@example([str(2**63 - 1)])
@example([str(2**63)])
@example([str(-(2**63) - 1)])
@example(["0." + "1" * 19])
def test_the_flags_of_a_survey_say_what_they_promise(texts: list[str]) -> None:
    survey = Survey()
    survey.add(texts)
    assert survey.is_int64 == all(_is_int64(text) for text in texts)
    assert survey.is_double == all(_is_double(text) for text in texts)
    if survey.is_same_value:
        assert all(Decimal(double_text(float(text))) == Decimal(text) for text in texts)


def _is_int64(text: str) -> bool:
    try:
        return str(int(text)) == text and -(2**63) <= int(text) < 2**63
    except ValueError:
        return False


def _is_double(text: str) -> bool:
    try:
        return double_text(float(text)) == text
    except ValueError:
        return False
