"""A long list of codes is searched at once, and only where that says what comparisons with each code say."""

from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.data.text import Text
from constraint_sdc.evaluate.comparison import is_listed
from constraint_sdc.evaluate.value import DoubleItem, ExactItem, Item, Value, text_item

LETTERS, NUMBERS = "ABCDEFGH", range(8)


def texts(*strings: str) -> Item:
    return text_item(Text.of_strings(strings))


def exact(number: int) -> ExactItem:
    return ExactItem(np.array([number]), 0)


@pytest.mark.parametrize(
    ("item", "codes", "expected"),
    [
        (texts("A", "Z", "H"), [texts(letter) for letter in LETTERS], [True, False, True]),
        (texts("1", "9", "7.0"), [exact(number) for number in NUMBERS], [True, False, True]),
        (DoubleItem(np.array([0.0, 0.5, 7.0])), [exact(number) for number in NUMBERS], [True, False, True]),
    ],
    ids=["texts", "texts among numbers", "doubles"],
)
def test_many_codes_are_searched_at_once(item: Item, codes: list[Item], expected: list[bool]) -> None:
    found = is_listed(item, Value(tuple(codes)))
    assert found is not None
    assert found.tolist() == expected
    assert is_listed(item, Value(tuple(codes[1:]))) is None  # few are compared one by one


@pytest.mark.parametrize(
    ("item", "codes"),
    [
        (texts("A"), [texts(letter, letter) for letter in LETTERS]),
        (texts("A"), [*(texts(letter) for letter in LETTERS[1:]), exact(1)]),
        (texts("0"), [*map(exact, NUMBERS), DoubleItem(np.array([-0.0]))]),
        (texts("0"), [*map(exact, NUMBERS), ExactItem(np.array([9]), 0, np.array([False]))]),
        (exact(0), [exact(number) for number in NUMBERS]),
    ],
    ids=["not constant", "of two kinds", "minus zero", "absent", "an exact number"],
)
def test_other_lists_are_compared_code_by_code(item: Item, codes: list[Item]) -> None:
    assert is_listed(item, Value(tuple(codes))) is None
