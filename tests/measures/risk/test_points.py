"""Records as points: units of the original, blanks and categories one unit apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.measures import points as module
from constraint_sdc.measures.points import FAR, Standardisation, joined, place, places_of, standardised
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared


def test_numbers_are_in_standard_deviations_of_the_original() -> None:
    original = np.array([[1.0], [2.0], [6.0]])
    places = standardised(original, original * 2)
    deviation = math.sqrt((4 + 1 + 9) / 3)
    assert places.original[:, 0] == pytest.approx([-2 / deviation, -1 / deviation, 3 / deviation])
    assert places.masked[:, 0] == pytest.approx([-1 / deviation, 1 / deviation, 9 / deviation])


def test_a_large_offset_costs_no_digits() -> None:
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    assert Standardisation.of(values + 1e15).place(values + 1e15) == pytest.approx(
        Standardisation.of(values).place(values), rel=1e-12
    )


@pytest.mark.parametrize("factor", [1e300, 1e-300, 2.0**-1000])
def test_neither_large_nor_small_numbers_overflow(factor: float) -> None:
    values = np.array([3.0, -1.0, 4.0, 1.0, 5.0])
    assert Standardisation.of(values * factor).place(values * factor) == pytest.approx(
        Standardisation.of(values).place(values), rel=1e-9
    )


def test_what_is_thrown_far_away_stays_a_number() -> None:
    places = standardised(np.array([[1e-300], [2e-300]]), np.array([[1e308], [-1e308]]))
    assert places.masked.tolist() == [[FAR], [-FAR]]


def test_a_constant_has_the_unit_one() -> None:
    places = standardised(np.full((7, 1), 0.1), np.full((7, 1), 2.1))
    assert places.original.tolist() == [[0.0]] * 7
    assert places.masked[:, 0] == pytest.approx(np.full(7, 2.0))


def test_a_blank_is_one_unit_from_the_mean_and_nothing_from_a_blank() -> None:
    nan = math.nan
    places = standardised(np.array([[1.0], [3.0], [nan], [2.0]]), np.array([[nan], [3.0], [nan], [2.0]]))
    assert math.dist(places.original[3], places.original[2]) == 1.0
    assert math.dist(places.original[2], places.masked[0]) == 0.0
    assert math.dist(places.original[0], places.original[2]) == pytest.approx(math.sqrt(1.5 + 1.0))


def test_all_blank_is_one_place() -> None:
    places = standardised(np.full((3, 1), math.nan), np.full((3, 1), math.nan))
    assert np.ptp(np.vstack((places.original, places.masked)), axis=0).tolist() == [0.0, 0.0]


def test_different_categories_are_one_unit_apart_and_a_blank_is_one() -> None:
    town = compared("Town", [0, 1, 2, math.nan], [2, 1, math.nan, math.nan], scale=Scale.NOMINAL)
    places = place(town)
    apart = [[math.dist(a, b) for b in places.masked] for a in places.original]
    assert np.array(apart) == pytest.approx(np.array([[1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 0]]))


def test_ordinal_codes_are_measured_by_their_spread() -> None:
    codes = [0.0, 1.0, 2.0, 3.0]
    ordinal = place(compared("Grade", codes, codes[::-1], scale=Scale.ORDINAL))
    number = place(compared("Grade", codes, codes[::-1]))
    assert ordinal.masked.tolist() == number.masked.tolist()


def test_too_many_categories_are_few_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CELLS", 30)
    code = compared("Code", [0, 0, 0, 1, 1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 2, 3, 4, 5, 6], scale=Scale.NOMINAL)
    places = places_of([code], 10)
    assert places.original.shape == (10, 3)
    assert math.dist(places.original[0], places.original[3]) == pytest.approx(1.0)
    assert math.dist(places.original[5], places.original[9]) == 0.0
    assert tuple(sentences(places.notes)) == (
        "Code has 7 categories; the rarest 5 of them count as one, so the risk is understated.",
    )


def test_joined_without_a_variable_has_no_column() -> None:
    assert joined([], 4).original.shape == (4, 0)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(allow_nan=True, allow_infinity=False), min_size=1, max_size=9))
def test_equal_numbers_have_equal_places_and_all_places_are_numbers(values: list[float]) -> None:
    column = np.array(values)[:, None]
    places = standardised(column, column[::-1])
    assert np.isfinite(places.original).all()
    assert places.original.tolist() == places.masked[::-1].tolist()
    assert np.abs(places.original).max() <= math.sqrt(len(values)) * (1 + 1e-6)
