"""The numbers themselves: against definitions on one group at a time, for many groups at once."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.data.groups import Groups
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.convex_median import ConvexMedian
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.operators.lower_median import LowerMedian
from constraint_sdc.operators.medoid import Medoid
from constraint_sdc.operators.mode import Mode
from constraint_sdc.operators.registry import OPERATORS, copying_operator

NUMBERS = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6).map(lambda x: round(x, 2)))


@st.composite
def grouped(draw: st.DrawFn, numbers: st.SearchStrategy[float] = NUMBERS) -> tuple[Points, Groups]:
    """Draw records of up to three variables, in up to five groups without a gap."""
    labels = draw(st.lists(st.integers(0, 4), min_size=1, max_size=30))
    width = draw(st.integers(1, 3))
    rows = draw(st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=len(labels), max_size=len(labels)))
    return np.array(rows), Groups(np.unique(labels, return_inverse=True)[1].astype(np.int64))


@settings(deadline=None)
@given(grouped())
def test_arithmetic_means_are_the_means_of_exact_numbers(drawn: tuple[Points, Groups]) -> None:
    values, groups = drawn
    means = ArithmeticMean().representatives(values, groups)
    for row, members in zip(means, groups.each(), strict=True):
        for mean, column in zip(row, values[members].T, strict=True):
            exact = sum(map(Fraction, column.tolist())) / len(column)
            assert math.isclose(mean, exact, rel_tol=1e-12, abs_tol=1e-12 * np.abs(column).max())
            assert column.min() <= mean <= column.max()


@settings(deadline=None)
@given(grouped(st.floats(1e-6, 1e6)))
def test_geometric_means_are_roots_of_products(drawn: tuple[Points, Groups]) -> None:
    values, groups = drawn
    means = GeometricMean().representatives(values, groups)
    for row, members in zip(means, groups.each(), strict=True):
        for mean, column in zip(row, values[members].T, strict=True):
            assert mean == pytest.approx(statistics.geometric_mean(column.tolist()), rel=1e-9)
            assert column.min() <= mean <= column.max()


def test_geometric_means_refuse_what_has_no_logarithm() -> None:
    for bad in (0.0, -1.0):
        with pytest.raises(ValueError, match="positive"):
            GeometricMean().representatives(np.array([[1.0], [bad]]), Groups(np.zeros(2, np.int64)))


@settings(deadline=None)
@given(grouped())
def test_lower_medians_and_modes_are_those_of_the_standard_library(drawn: tuple[Points, Groups]) -> None:
    values, groups = drawn
    medians, modes = LowerMedian().representatives(values, groups), Mode().representatives(values, groups)
    for number, members in enumerate(groups.each()):
        for column in range(values.shape[1]):
            mine = values[members, column].tolist()
            assert medians[number, column] == statistics.median_low(mine)
            assert modes[number, column] == min(statistics.multimode(mine))


RANKS = {
    "minimum": Fraction(0),
    "lower quartile": Fraction(1, 4),
    "upper quartile": Fraction(3, 4),
    "maximum": Fraction(1),
}


@settings(deadline=None, max_examples=50)
@given(grouped())
def test_order_statistics_have_their_rank(drawn: tuple[Points, Groups]) -> None:
    values, groups = drawn
    for name, share in RANKS.items():
        found = OPERATORS[name].representatives(values, groups)
        for number, members in enumerate(groups.each()):
            for column in range(values.shape[1]):
                mine = sorted(values[members, column].tolist())
                assert found[number, column] == mine[max(math.ceil(share * len(mine)), 1) - 1]


def convex_median_in_words(values: list[float]) -> float:
    """Write every value as often as its raised count says, and take the lower median of the list."""
    counts = {value: values.count(value) for value in sorted(values)}
    longer: list[float] = []
    for value in counts:
        up_to = max(count for other, count in counts.items() if other <= value)
        from_it = max(count for other, count in counts.items() if other >= value)
        longer += [value] * min(up_to, from_it)
    return statistics.median_low(longer)


@settings(deadline=None, max_examples=100)
@given(grouped(st.integers(0, 4).map(float)))
def test_convex_medians_are_those_of_their_definition(drawn: tuple[Points, Groups]) -> None:
    values, groups = drawn
    found = ConvexMedian().representatives(values, groups)
    for number, members in enumerate(groups.each()):
        for column in range(values.shape[1]):
            assert found[number, column] == convex_median_in_words(values[members, column].tolist())


def test_a_convex_median_is_not_always_the_lower_median() -> None:
    values = np.array([[1.0], [1.0], [1.0], [2.0], [3.0], [3.0]])
    groups = Groups(np.zeros(6, np.int64))
    assert ConvexMedian().representatives(values, groups).tolist() == [[2.0]]
    assert LowerMedian().representatives(values, groups).tolist() == [[1.0]]


@settings(deadline=None)
@given(grouped())
def test_the_member_whose_text_is_copied_is_the_first_with_the_value(drawn: tuple[Points, Groups]) -> None:
    values, groups = drawn
    column = values[:, 0]
    for operator in (LowerMedian(), Mode(), ConvexMedian(), *(copying_operator(name) for name in RANKS)):
        chosen, represented = operator.choose(column, groups), operator.representatives(values, groups)[:, 0]
        for row, value, members in zip(chosen, represented, groups.each(), strict=True):
            assert row == next(member for member in members if column[member] == value)


@settings(deadline=None)
@given(grouped())
def test_the_medoid_costs_least_of_all_members(drawn: tuple[Points, Groups]) -> None:
    values, groups = drawn
    chosen = Medoid().choose(values, groups)
    for row, members in zip(chosen, groups.each(), strict=True):
        assert row in members
        costs = [np.square(values[members] - values[member]).sum() for member in members]
        mine = np.square(values[members] - values[row]).sum()
        assert mine <= min(costs) * (1 + 1e-9) + 1e-9
    assert Medoid().representatives(values, groups).tolist() == values[chosen].tolist()


def test_ties_among_medoids_go_to_the_first_record() -> None:
    points = np.array([[5.0], [1.0], [-1.0], [-1.0], [1.0]])
    groups = Groups(np.array([1, 0, 0, 0, 0]))
    assert Medoid().choose(points, groups).tolist() == [1, 0]


@pytest.mark.parametrize("name", OPERATORS.names)
def test_members_that_agree_are_represented_by_their_very_value(name: str) -> None:
    for value in (0.1, 1 / 3, 123456.789, 7.0, 1e-300, 1e300):
        for size in (1, 3, 7, 10):
            column = np.full((size, 2), value)
            assert OPERATORS[name].representatives(column, Groups(np.zeros(size, np.int64))).tolist() == [[value] * 2]


@settings(deadline=None)
@given(grouped(), st.floats(0, 3))
def test_arithmetic_means_keep_an_order_in_double(drawn: tuple[Points, Groups], gap: float) -> None:
    values, groups = drawn
    above = ArithmeticMean().representatives(values + gap * np.abs(values), groups)
    assert (ArithmeticMean().representatives(values, groups) <= above).all()


@pytest.mark.parametrize("name", OPERATORS.names)
@settings(deadline=None)
@given(drawn=grouped(st.floats(0.01, 100.0)))
def test_groups_do_not_influence_each_other(name: str, drawn: tuple[Points, Groups]) -> None:
    values, groups = drawn
    together = OPERATORS[name].representatives(values, groups)
    for number, members in enumerate(groups.each()):
        alone = OPERATORS[name].representatives(values[members], Groups(np.zeros(len(members), np.int64)))
        assert alone.tolist() == [together[number].tolist()]


@pytest.mark.parametrize("name", OPERATORS.names)
def test_sums_beyond_the_largest_double_stay_within_the_group(name: str) -> None:
    values = np.array([[1e308], [1.5e308], [1.2e308]])
    (mean,) = OPERATORS[name].representatives(values, Groups(np.zeros(3, np.int64)))[0]
    assert 1e308 <= mean <= 1.5e308
