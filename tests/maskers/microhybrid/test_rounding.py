"""Controlled rounding: every value goes to a neighbour on its grid, and sums of clusters stay."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import Grid
from constraint_sdc.maskers.microhybrid.ipso import round_keeping_sums

Values = st.lists(st.tuples(st.floats(-1e4, 1e4), st.integers(0, 3)), min_size=1, max_size=12)


def groups_of(labels: list[int]) -> Groups:
    return Groups(np.unique(labels, return_inverse=True)[1].astype(np.int64))


@given(drawn=Values, decimals=st.integers(0, 2))
def test_values_move_less_than_a_step_and_sums_at_most_half_a_step(
    drawn: list[tuple[float, int]], decimals: int
) -> None:
    values, groups = np.array([value for value, _ in drawn]), groups_of([label for _, label in drawn])
    rounded = round_keeping_sums(values, Grid(decimals), groups)
    step = 10.0**-decimals
    assert (np.abs(rounded - values) < step * (1 + 1e-9)).all()
    for rows in groups.each():
        assert abs(rounded[rows].sum() - values[rows].sum()) <= step / 2 + 1e-7


@given(steps=st.lists(st.integers(-500, 500), min_size=2, max_size=8), seed=st.integers(0, 10**6))
def test_a_sum_on_the_grid_is_kept_exactly(steps: list[int], seed: int) -> None:
    """Noise without a sum on top of whole numbers: the sum of the rounded ones is theirs."""
    noise = np.random.default_rng(seed).normal(size=len(steps))
    values = np.array(steps) + noise - noise.mean()
    rounded = round_keeping_sums(values, Grid(0), Groups(np.zeros(len(steps), np.int64)))
    assert sum(Decimal(int(value)) for value in rounded) == sum(steps)


@given(values=st.lists(st.floats(0, 9), min_size=1, max_size=7))
def test_no_other_rounding_with_that_sum_is_nearer(values: list[float]) -> None:
    numbers = np.array(values)
    rounded = round_keeping_sums(numbers, Grid(0), Groups(np.zeros(len(numbers), np.int64)))
    low = np.floor(numbers)
    ways = [low + np.array(up) for up in product((0, 1), repeat=len(numbers))]
    best = min(((way - numbers) ** 2).sum() for way in ways if way.sum() == rounded.sum())
    assert ((rounded - numbers) ** 2).sum() <= best + 1e-9


def test_free_doubles_and_numbers_beyond_all_steps_stay() -> None:
    groups = Groups(np.zeros(2, np.int64))
    assert round_keeping_sums(np.array([0.3, 0.4]), Grid(None), groups).tolist() == [0.3, 0.4]
    assert round_keeping_sums(np.array([2.0**60, 2.0**61]), Grid(2), groups).tolist() == [2.0**60, 2.0**61]
