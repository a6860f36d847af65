"""Which regular expressions a backtracking engine cannot be given."""

from __future__ import annotations

import re

import pytest

from constraint_sdc.lint.backtracking import explosive_word

EXPLOSIVE = (
    r"^(a+)+$",
    r"^(a*)*$",
    r"^(a|a)*$",
    r"^(a|aa)+$",
    r"^([a-z]+)*[0-9]$",
    r"^(\d+\s?)+$",
    r"^([A-Za-z]+,?)+;$",
    r"^(.*,)*x$",
    r"^((ab)*)*c$",
    r"^(a|b|ab)*$",
    r"^([a-c]{1,20})+$",
    r"^(a+){12}$",
)
HARMLESS = (
    r"^[A-Z]{2}[0-9]+$",
    r"^(a|b)*$",
    r"^(ab|c)*$",
    r"^(\d{3}-)*\d{4}$",
    r"^[0-9]+(\.[0-9]+)?$",
    r"^(a+b)+$",
    r"(a+)+",  # without an end, the first try matches
    r"^\d{4}-\d{2}-\d{2}$",
    r"^a*a*$",  # polynomial
    r"^(a?b)*$",
)


@pytest.mark.parametrize("regex", EXPLOSIVE)
def test_an_explosive_expression_is_named_with_a_word_that_it_repeats(regex: str) -> None:
    found = explosive_word(regex)
    assert found is not None
    start, word = found
    # The witness is on the way to a match: some continuation of it matches.
    once = start + word * 12
    assert word
    assert any(re.match(regex, once + end) for end in ("", "0", ";", "x", "c", ",x", "a;", "b", "bc"))


@pytest.mark.parametrize("regex", HARMLESS)
def test_a_harmless_expression_is_not_named(regex: str) -> None:
    assert explosive_word(regex) is None


@pytest.mark.parametrize("regex", [r"^[a-z-[aeiou]]+$", r"^(a)\1$", "^(a", "a{", r"^\p{IsGreek}+$", "a" * 500])
def test_what_cannot_be_read_is_not_named(regex: str) -> None:
    assert explosive_word(regex) is None


def test_the_ways_double_with_every_repetition() -> None:
    """The number of ways to divide a text into parts, counted by brute force, doubles as the word says."""

    def ways(text: str) -> int:  # of (a+)+ over a text of a's
        return 1 if not text else sum(ways(text[length:]) for length in range(1, len(text) + 1))

    assert explosive_word(r"^(a+)+$") == ("", "a")
    assert [ways("a" * length) for length in range(1, 6)] == [1, 2, 4, 8, 16]
