"""Whole counts: feasible, nearest in L2 (brute force knows), and honest about what was missed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.maskers.group_anonymity.goal_signal import counts_of_nearest_signal, whole_counts

values = st.lists(st.tuples(st.floats(-6, 9), st.integers(0, 5)), min_size=1, max_size=4)


def least_squared_distance(target: np.ndarray, room: np.ndarray, total: int) -> float:
    feasible = (x for x in product(*(range(most + 1) for most in room)) if sum(x) == total)
    return min(float(((np.array(x) - target) ** 2).sum()) for x in feasible)


@given(values, st.floats(0, 1))
def test_no_feasible_counts_are_closer_to_the_wish(drawn: list[tuple[float, int]], share: float) -> None:
    wish, room = np.array([w for w, _ in drawn]), np.array([r for _, r in drawn])
    total = int(share * room.sum())
    result = whole_counts(wish, room, total, keep_shape=False)
    assert result.counts.sum() == total
    assert np.all((result.counts >= 0) & (result.counts <= room))
    found = float(((result.counts - wish) ** 2).sum())
    assert found == pytest.approx(least_squared_distance(wish, room, total), abs=1e-9)


@given(values, st.floats(0, 1))
def test_with_the_shape_kept_they_are_nearest_to_the_wish_drawn_towards_its_mean(
    drawn: list[tuple[float, int]], share: float
) -> None:
    wish, room = np.array([w for w, _ in drawn]), np.array([r for _, r in drawn])
    total = int(share * room.sum())
    result = whole_counts(wish, room, total)
    mean = total / len(wish)
    drawn_in = mean + result.shrunk_by * (wish - wish.mean())
    assert drawn_in.min() >= -1e-9
    assert result.shrunk_by == 1 or drawn_in.min() == pytest.approx(0, abs=1e-9)
    found = float(((result.counts - drawn_in) ** 2).sum())
    assert found == pytest.approx(least_squared_distance(drawn_in, room, total), abs=1e-6)


@given(st.lists(st.tuples(st.floats(0, 1e5), st.integers(0, 10**5)), min_size=1, max_size=50), st.floats(0, 1))
def test_large_counts_are_feasible_and_no_unit_is_better_elsewhere(
    drawn: list[tuple[float, int]], share: float
) -> None:
    wish, room = np.array([w for w, _ in drawn]), np.array([r for _, r in drawn])
    total = int(share * room.sum())
    counts = whole_counts(wish, room, total, keep_shape=False).counts
    assert counts.sum() == total
    assert np.all((counts >= 0) & (counts <= room))
    dearest_taken = np.where(counts > 0, counts - wish - 0.5, -np.inf).max()
    cheapest_left = np.where(counts < room, counts - wish + 0.5, np.inf).min()
    assert dearest_taken <= cheapest_left + 1e-6


@given(st.lists(st.tuples(st.floats(-6, 9), st.integers(0, 7)), min_size=1, max_size=4), st.floats(0, 1))
def test_no_feasible_signal_is_closer_to_the_wished_one(drawn: list[tuple[float, int]], share: float) -> None:
    wish, base = np.array([w for w, _ in drawn]), np.array([b for _, b in drawn])
    total = int(share * base.sum())
    result = counts_of_nearest_signal(wish, base, total)
    assert result.counts.sum() == total
    assert np.all((result.counts >= 0) & (result.counts <= base))
    has_base = base > 0  # a share of nothing is no signal
    feasible = (np.array(x) for x in product(*(range(most + 1) for most in base)) if sum(x) == total)
    distances = [float((((x - wish)[has_base] / base[has_base]) ** 2).sum()) for x in feasible]
    found = float((((result.counts - wish)[has_base] / base[has_base]) ** 2).sum())
    assert found == pytest.approx(min(distances), abs=1e-9)
    assert set(result.infeasible) == {i for i, (w, b) in enumerate(drawn) if w < -1e-9 or w > b + 1e-9}


@given(st.lists(st.tuples(st.floats(-1e5, 1e5), st.integers(0, 10**6)), min_size=1, max_size=50), st.floats(0, 1))
def test_large_bases_leave_no_unit_that_is_better_elsewhere(drawn: list[tuple[float, int]], share: float) -> None:
    wish, base = np.array([w for w, _ in drawn]), np.array([b for _, b in drawn])
    total = int(share * base.sum())
    counts = counts_of_nearest_signal(wish, base, total).counts
    assert counts.sum() == total
    assert np.all((counts >= 0) & (counts <= base))
    square = np.maximum(base, 1).astype(float) ** 2
    dearest_taken = np.where(counts > 0, (counts - wish - 0.5) / square, -np.inf).max()
    cheapest_left = np.where(counts < base, (counts - wish + 0.5) / square, np.inf).min()
    assert dearest_taken <= cheapest_left + 1e-6 * abs(cheapest_left) + 1e-9


def test_ties_go_to_the_lower_value() -> None:
    assert whole_counts(np.array([0.5, 0.5, 0.5, 0.5]), np.full(4, 9), 2).counts.tolist() == [1, 1, 0, 0]


def test_a_wish_beyond_rounding_is_called_missed() -> None:
    fine = whole_counts(np.array([2.4, 3.6]), np.array([9, 9]), 6)
    assert (fine.counts.tolist(), fine.missed) == ([2, 4], ())
    capped = whole_counts(np.array([8.0, 1.0, 0.0]), np.array([5, 9, 9]), 9)
    assert capped.counts.tolist() == [5, 3, 1]
    assert 0 in capped.missed
    assert np.abs(capped.distances).max() == pytest.approx(3)


def test_impossible_totals_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        whole_counts(np.array([1.0, 1.0]), np.array([1, 1]), 3)
