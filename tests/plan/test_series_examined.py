"""Variables read by columns against the same read cell by cell, on texts that are odd in every way we know."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from constraint_sdc.data.table import Column, Table, column_of
from constraint_sdc.data.text import Text
from constraint_sdc.plan.blocks import decide_roles
from constraint_sdc.plan.decimal_places import decimal_places
from constraint_sdc.plan.read_series import is_numeric, make_series
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Role, Scale, VariableWish
from tests.draws import draws
from tests.plan.slow_series import (
    PLAIN,
    slow_blanks,
    slow_codes,
    slow_decimals,
    slow_distinct,
    slow_grid,
    slow_is_numeric,
    slow_looks_like_count,
    slow_number,
)

NUMBERS = st.one_of(
    st.sampled_from(
        ["0", "-0", "+5", "007", "1.50", "12.5", "3.", ".5", "-.25", "1e3", "1E-3", "-2.50e1", "0.00", "+0.0", "1e-400"]
    ),
    st.integers(-(10**6), 10**6).map(str),
    st.decimals(-1000, 1000, places=2).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"\A[+-]?[0-9]{1,30}(\.[0-9]{1,30})?\Z"),
    st.sampled_from(["9" * 16, "9" * 17, "9" * 45, "0." + "0" * 30 + "1", "1." + "0" * 50, "12345678.12345678"]),
)
NO_VALUES = st.sampled_from([None, "", " ", "\t", "NaN", "INF", "-INF", "+INF", "-9", " -9", "INF "])
TEXTS = st.sampled_from(
    ["a", "b", "ü", "u\u0308", "\u0661", "\u00a01", "1 2", "1,5", "2024-02-29", "n/a", "--1", "1_0", "0x1"]
)
WHITE = st.sampled_from(["", "", "", " ", "\n"])
SPACED = st.tuples(WHITE, NUMBERS, WHITE).map("".join)
MISSING = ("-9", "n/a")


def columns(cells: st.SearchStrategy[str | None]) -> st.SearchStrategy[Column]:
    rows = st.lists(st.tuples(cells, st.booleans()), min_size=1, max_size=25)
    return rows.map(lambda found: column_of("V", [text for text, _ in found], [nil for _, nil in found]))


@settings(max_examples=draws(100))
@given(columns(st.one_of(SPACED, NO_VALUES)))
def test_numbers_blanks_and_grid(column: Column) -> None:
    found = make_series(column, Scale.NUMERIC, VariableWish(), MISSING)
    blank = slow_blanks(column, MISSING, is_number=True)
    values = [np.nan if b else slow_number(text or "") for b, text in zip(blank, column.texts(), strict=True)]
    assert found.blank.tolist() == blank
    np.testing.assert_array_equal(found.values, values)
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    assert found.grid == slow_grid(slow_distinct(column, MISSING), largest)


@settings(max_examples=draws(100))
@given(columns(st.one_of(SPACED, NO_VALUES, TEXTS)))
def test_what_is_numeric(column: Column) -> None:
    assert is_numeric(column, MISSING) == slow_is_numeric(column, MISSING)


@settings(max_examples=draws(60))
@given(
    columns(st.one_of(st.integers(0, 9).map(str), SPACED, NO_VALUES, TEXTS)), st.sampled_from(["ordinal", "nominal"])
)
def test_codes_of_categories(column: Column, scale: str) -> None:
    found = make_series(column, Scale(scale), VariableWish(), MISSING)
    blank = slow_blanks(column, MISSING, is_number=False)
    assert found.blank.tolist() == blank
    np.testing.assert_array_equal(found.values, slow_codes(column, blank, is_ordered=scale == "ordinal"))


@settings(max_examples=draws(100))
@given(st.lists(NUMBERS, max_size=25))
def test_decimals_of_numbers_in_any_spelling(texts: list[str]) -> None:
    found = decimal_places(Text.of_strings(texts))
    assert list(zip(found.written.tolist(), found.needed.tolist(), strict=True)) == [slow_decimals(t) for t in texts]
    assert found.is_positional.tolist() == [PLAIN.fullmatch(text) is not None for text in texts]


@settings(max_examples=draws(40))
@given(
    st.integers(0, 3), st.integers(9, 12), st.sampled_from([None, "", "x", "1", "-1", "1.0", "\u0661", "00", "9" * 20])
)
@example(1, 12, "12")
def test_numbers_of_the_records_are_an_identifier(first: int, count: int, last: str | None) -> None:
    for texts in ([str(first + row) for row in range(count)], [*(str(first + row) for row in range(count - 1)), last]):
        column = column_of("V", texts)
        roles = decide_roles(Table({"V": column}, count), Recipe(), frozenset())
        is_identifier = "V" in roles.kept and roles.kept["V"].role is Role.IDENTIFIER
        assert is_identifier == (slow_looks_like_count(column) and is_numeric(column, ()))
