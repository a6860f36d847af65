"""The grid of a variable: learned from how its numbers are written, so that masked ones are written alike."""

from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.data.series import Grid, Series
from constraint_sdc.data.table import column_of
from constraint_sdc.plan.read_series import is_numeric, make_series
from constraint_sdc.settings.words import Scale, Standardise, VariableWish

INTEGER, FREE = Grid(0), Grid(None)
BESIDE_WHOLE = Grid(2, pads=True, plain_whole=True)


def series(texts: list[str | None], wish: VariableWish | None = None, missing: tuple[str, ...] = ()) -> Series:
    return make_series(column_of("V", texts), Scale.NUMERIC, wish or VariableWish(), missing)


@pytest.mark.parametrize(
    ("texts", "grid"),
    [
        (["1", "20", "300"], INTEGER),
        (["-4", "0", "7"], INTEGER),
        (["5", "5"], INTEGER),
        (["+5", "12"], INTEGER),
        ([" 5 ", "\n12\t"], INTEGER),
        (["1e3", "25"], INTEGER),
        (["1.5E1", "3"], INTEGER),
        (["12.50", "7.25"], Grid(2, pads=True)),
        (["12.50", "0.10"], Grid(2, pads=True)),
        (["12.5", "7.25"], Grid(2)),
        (["12", "7.25"], BESIDE_WHOLE),
        (["0", "12.34"], BESIDE_WHOLE),
        (["0", "12.30"], BESIDE_WHOLE),
        (["12.00", "7"], INTEGER),
        (["0", "12.30", "12.34"], BESIDE_WHOLE),
        (["0", "5.00", "12.34"], BESIDE_WHOLE),
        (["0", "12.3", "12.34"], Grid(2)),
        (["0", "12.34", "1e1"], Grid(2)),
        (["12.0", "7.0"], Grid(1, pads=True)),
        (["12.0", "7"], INTEGER),
        (["1e-2", "3"], Grid(2)),
        ([".5", "1"], Grid(1)),
        (["5.", "1"], INTEGER),
        (["1234567890.123456", "7.000001"], Grid(6, pads=True)),
        (["1234567890.123456", "7.5"], Grid(6)),
        (["0.1234567", "0.7654321"], Grid(7, pads=True)),
        (["0.1234567890123456789", "1"], FREE),
        (["0.3333333333333333", "0.1"], FREE),
        (["12345.678901234567", "3"], FREE),
        (["1e300", "5"], INTEGER),
        (["1e-300", "5"], FREE),
        (["9007199254740993", "2"], INTEGER),
        (["90071992547409.93", "2.25"], FREE),
        (["12.50", "", "NaN", "7.25"], Grid(2, pads=True)),
        (["3", "INF", "-INF"], INTEGER),
        (["3", None, "4"], INTEGER),
        ([None, ""], INTEGER),
    ],
)
def test_the_grid_is_learned_from_the_texts(texts: list[str | None], grid: Grid) -> None:
    assert series(texts).grid == grid


def test_a_missing_code_has_no_say_in_the_grid() -> None:
    assert series(["-9.99", "5", "6"]).grid == BESIDE_WHOLE
    assert series(["-9.99", "5", "6"], missing=("-9.99",)).grid == INTEGER


@pytest.mark.parametrize(
    ("texts", "wished", "grid"),
    [
        (["12.50", "7.25"], 0, INTEGER),
        (["12", "7"], 2, Grid(2)),
        (["12.50", "7.25"], 2, Grid(2, pads=True)),
        (["12", "7"], "free", FREE),
        (["12.125", "7"], 1, Grid(1)),
        (["12.34", "0"], 2, BESIDE_WHOLE),
        (["12.34", "0"], 3, Grid(3)),
    ],
)
def test_the_recipe_has_the_last_word(texts: list[str | None], wished: int | str, grid: Grid) -> None:
    assert series(texts, VariableWish(decimals=wished)).grid == grid  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("texts", "numeric"),
    [
        (["1", "2.5", "-3", "+4", "1e5", " 7 "], True),
        (["1", "", None, "NaN", "INF"], True),
        (["007", "012"], False),
        (["0", "0.5", "-0.25"], True),
        (["-05", "3"], False),
        (["0x1F"], False),
        (["1,5"], False),
        (["A", "1"], False),
        (["1_000"], False),
        (["٣"], False),  # a digit, but none of XML Schema's
        (["1e999"], False),
    ],
)
def test_what_counts_as_a_number(texts: list[str | None], numeric: bool) -> None:
    assert is_numeric(column_of("V", texts), ()) == numeric


def test_a_code_that_stands_for_missing_is_no_text() -> None:
    column = column_of("V", ["1", "unknown", "3"])
    assert not is_numeric(column, ())
    assert is_numeric(column, ("unknown",))


def test_each_way_of_having_no_value_is_a_blank_of_its_own() -> None:
    column = column_of("V", ["1", None, "", "", "-9", "NaN", "INF", "2", None], [False] * 3 + [True] + [False] * 5)
    one = make_series(column, Scale.NUMERIC, VariableWish(), ("-9",))
    assert np.isnan(one.values).tolist() == one.is_blank.tolist()
    assert one.is_blank.tolist() == [False, True, True, True, True, True, True, False, True]
    absent, empty, nil, code, nan, infinite = one.blank[1:7].tolist()
    assert len({absent, empty, nil, code, nan, infinite}) == 6, "no two of them are the same to a rule"
    assert one.blank[8] == absent


def test_ordered_codes_are_in_the_order_of_their_numbers_or_else_of_their_texts() -> None:
    ages = make_series(column_of("V", ["10", "9", "100", None]), Scale.ORDINAL, VariableWish(), ())
    assert ages.values[:3].tolist() == [1, 0, 2]
    sizes = make_series(column_of("V", ["b", "a", "c", "b"]), Scale.ORDINAL, VariableWish(), ())
    assert sizes.values.tolist() == [1, 0, 2, 1]


def test_two_categories_are_one_deviation_apart() -> None:
    one = make_series(column_of("V", ["F", "M", "F"]), Scale.NOMINAL, VariableWish(), ())
    points = one.standardised()
    assert np.linalg.norm(points[0] - points[1]) == pytest.approx(1.0)
    assert np.linalg.norm(points[0] - points[2]) == 0.0


def numbers(values: list[float]) -> Series:
    column = column_of("V", [repr(value) for value in values])
    return make_series(column, Scale.NUMERIC, VariableWish(decimals="free"), ())


@pytest.mark.parametrize("how", [Standardise.Z_SCORE, Standardise.ROBUST])
def test_a_large_offset_does_not_change_the_distances(how: Standardise) -> None:
    near = [float(i) for i in (3, 7, 20, 0, 11)]
    plain, offset = (numbers([value + by for value in near]).standardised(how) for by in (0.0, 1e14))
    assert offset == pytest.approx(plain)


@pytest.mark.parametrize("how", [Standardise.Z_SCORE, Standardise.ROBUST])
def test_the_largest_doubles_still_differ(how: Standardise) -> None:
    points = numbers([-1e307, 0.0, 1e307, 5e306]).standardised(how)
    assert np.isfinite(points).all()
    assert points[2] - points[0] > 1.0
