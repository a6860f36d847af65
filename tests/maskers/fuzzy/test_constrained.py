"""Centres under linear rows: where records satisfy them nothing moves, else the nearest admissible place is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.maskers.fuzzy.c_means import fuzzy_c_means
from constraint_sdc.maskers.fuzzy.constrained import LinearRows, constrained_c_means
from tests.maskers.fuzzy.textbook import cyclic_projections

RAW = LinearRows.of(
    np.array([[1.0, 1.0, -1.0, 0.0], [0.0, 0.0, -1.0, 1.0], [-1.0, 0.0, 0.0, 0.0]]),
    np.array([0.0, 0.0, 0.0]),
    np.array([True, False, False]),
)
"""Parts add up to a total, the total bounds the fourth, and the first is not negative."""


def households(records: int, seed: int) -> Points:
    random = np.random.default_rng(seed)
    parts = np.exp(random.standard_normal((records, 2)) + 9.0)
    total = parts.sum(axis=1)
    return np.column_stack((parts, total, total * random.random(records)))


def standardised(values: Points) -> tuple[Points, Points, Points]:
    scale, shift = values.std(axis=0), values.mean(axis=0)
    return (values - shift) / scale, scale, shift


@pytest.mark.parametrize("m", [1.0, 1.2, 2.0])
def test_where_all_records_satisfy_the_rows_nothing_moves(m: float) -> None:
    points, scale, shift = standardised(households(120, 1))
    rows = RAW.in_points(scale, shift)
    found = constrained_c_means(points, 40, m, rows, seed=1)
    assert (found.centres == fuzzy_c_means(points, 40, m, seed=1).centres).all()
    assert RAW.excess(shift + scale * found.centres).max() < 1e-12


@pytest.mark.parametrize("m", [1.0, 1.2, 2.0])
def test_where_some_records_break_them_centres_satisfy_them_all_the_same(m: float) -> None:
    values = households(120, 2)
    values[::4, 2] *= 1.3
    values[1::5, 3] *= 3.0
    values[2::7, 0] *= -1.0
    points, scale, shift = standardised(values)
    rows = RAW.in_points(scale, shift)
    found = constrained_c_means(points, 40, m, rows, seed=1, tolerance=0.0)
    assert RAW.excess(values).max() > 0.1
    assert rows.excess(found.centres).max() < 1e-9
    assert (RAW.matrix @ (shift + scale * found.centres).T <= 1e-9 * scale.max()).all()
    assert (np.diff(found.objectives) <= 0.0).all()
    assert found.objective > fuzzy_c_means(points, 40, m, seed=1).objective


@given(seed=st.integers(0, 10**6), equalities=st.integers(0, 2), inequalities=st.integers(0, 5))
def test_the_nearest_admissible_place_is_that_of_cyclic_projections(
    seed: int, equalities: int, inequalities: int
) -> None:
    random = np.random.default_rng(seed)
    matrix = random.integers(-3, 4, (equalities + inequalities, 4)).astype(np.float64)
    assume(matrix.any(axis=1).all())
    slack = np.where(np.arange(len(matrix)) < equalities, 0.0, random.random(len(matrix)))
    rows = LinearRows.of(matrix, matrix @ random.standard_normal(4) + slack, np.arange(len(matrix)) < equalities)
    places = 3.0 * random.standard_normal((4, 4))
    found = rows.nearest(places)
    assert rows.excess(found).max(initial=0.0) <= 1e-9
    for place, nearest in zip(places, found, strict=True):
        slow = cyclic_projections(rows, place)
        if rows.excess(slow[None, :]).max(initial=0.0) < 1e-10:  # else it has not arrived yet
            np.testing.assert_allclose(nearest, slow, atol=1e-6)


def test_a_row_given_twice_and_a_row_of_nothing_do_no_harm() -> None:
    matrix = np.array([[1.0, 1.0], [2.0, 2.0], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    rows = LinearRows.of(matrix, np.array([2.0, 4.0, 0.0, 0.5, 0.5]), np.array([True, True, True, False, False]))
    np.testing.assert_allclose(rows.nearest(np.array([[3.0, 3.0]])), [[0.5, 1.5]], atol=1e-12)


@pytest.mark.parametrize(
    ("matrix", "bounds", "is_equality"),
    [
        ([[1.0, 1.0], [1.0, 1.0]], [1.0, 2.0], [True, True]),
        ([[1.0, 0.0], [-1.0, 0.0]], [0.0, -1.0], [False, False]),
        ([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], [10.0, 2.0, 3.0], [True, False, False]),
        ([[1.0, 1.0], [1.0, 1.0]], [10.0, 2.0], [True, False]),
        ([[0.0, 0.0]], [1.0], [True]),
        ([[0.0, 0.0]], [-1.0], [False]),
    ],
)
def test_rows_that_contradict_each_other_are_refused(
    matrix: list[list[float]], bounds: list[float], is_equality: list[bool]
) -> None:
    rows = LinearRows.of(np.array(matrix), np.array(bounds), np.array(is_equality))
    with pytest.raises(ValueError, match="contradict each other"):
        constrained_c_means(np.random.default_rng(1).standard_normal((9, 2)), 3, 1.5, rows, seed=1)


def test_rows_that_do_not_match_are_refused() -> None:
    with pytest.raises(ValueError, match="do not match"):
        LinearRows.of(np.zeros((2, 2)), np.zeros(1), np.array([True, False]))
    with pytest.raises(ValueError, match="finite"):
        LinearRows.of(np.ones((1, 2)), np.array([np.inf]), np.array([False]))
