"""Texts compare by code points, as Python strings do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.text import Text, equal, order

TEXTS = st.one_of(
    st.text("ab\xe9\ufffd\U0001f600", max_size=20),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40),
    st.integers(0, 70).map(lambda n: "a" * n),
)


@settings(deadline=None)
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=30))
def test_equality_and_order_are_pythons(pairs: list[tuple[str, str]]) -> None:
    left, right = (Text.of_strings(side) for side in zip(*pairs, strict=True))
    assert equal(left, right).tolist() == [a == b for a, b in pairs]
    assert order(left, right).tolist() == [(a > b) - (a < b) for a, b in pairs]


@settings(deadline=None)
@given(texts=st.lists(TEXTS, min_size=2, max_size=20), constant=TEXTS)
def test_one_text_compares_with_every_record(texts: list[str], constant: str) -> None:
    ours, one = Text.of_strings(texts), Text.of_strings([constant])
    assert equal(ours, one).tolist() == [text == constant for text in texts]
    assert order(one, ours).tolist() == [(constant > text) - (constant < text) for text in texts]


@given(texts=st.lists(TEXTS, min_size=1, max_size=20))
def test_what_is_ascii_is_known(texts: list[str]) -> None:
    assert Text.of_strings(texts).is_ascii.tolist() == [text.isascii() for text in texts]


def test_a_value_at_the_very_end_of_the_buffer_is_read_whole() -> None:
    buffer = np.frombuffer(b"xx12", np.uint8)
    text = Text(buffer, np.array([0, 2]), np.array([2, 4]))
    assert text.strings == ["xx", "12"]
    assert equal(text, Text.of_strings(["12"])).tolist() == [False, True]


@pytest.mark.parametrize(
    ("texts", "mask", "expected"),
    [
        (["one", "two"], [True, False], ["one", ""]),
        (["one", "two"], [False, False], ["", ""]),
        (["one"], [True, False, True], ["one", "", "one"]),
    ],
)
def test_texts_outside_the_mask_are_blank(texts: list[str], mask: list[bool], expected: list[str]) -> None:
    assert Text.of_strings(texts).blank_unless(np.array(mask)).strings == expected


def test_texts_that_are_blank_outside_the_mask_are_not_copied() -> None:
    text = Text.of_strings(["one", "", "two"])
    assert text.blank_unless(np.array([True, False, True])) is text
