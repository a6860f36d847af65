"""Weights of records: a record of weight w counts like w records, whatever the operator."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Points, Weights
from constraint_sdc.data.groups import Groups
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.convex_median import ConvexMedian
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.operators.lower_median import LowerMedian
from constraint_sdc.operators.medoid import Medoid
from constraint_sdc.operators.mode import Mode
from constraint_sdc.operators.operator import _BITS, Operator
from constraint_sdc.operators.order_statistic import OrderStatistic
from constraint_sdc.operators.registry import OPERATORS
from tests.operators.test_representatives import grouped

EVERY = pytest.mark.parametrize("name", OPERATORS.names)
FEW = settings(deadline=None, max_examples=50)
POSITIVE = st.one_of(st.integers(1, 9).map(float), st.floats(0.01, 100.0))
WEIGHT = st.one_of(st.integers(1, 5).map(float), st.floats(0.01, 1e4), st.sampled_from((1e-12, 1 / 3, 1e9)))


EXTREMES = ("minimum", "maximum")


@st.composite
def weighted(
    draw: st.DrawFn, numbers: st.SearchStrategy[float] = POSITIVE, weights: st.SearchStrategy[float] = WEIGHT
) -> tuple[Points, Groups, Weights]:
    values, groups = draw(grouped(numbers))
    drawn = draw(st.lists(weights, min_size=len(values), max_size=len(values)))
    return values, groups, np.array(drawn)


def repeated(values: Points, groups: Groups, weights: Weights) -> tuple[Points, Groups]:
    """Write every record as often as its weight says."""
    times = weights.astype(np.int64)
    return np.repeat(values, times, axis=0), Groups(np.repeat(groups.label, times))


@EVERY
@FEW
@given(drawn=grouped(POSITIVE), weight=WEIGHT)
def test_equal_weights_change_no_digit(name: str, drawn: tuple[Points, Groups], weight: float) -> None:
    values, groups = drawn
    alike = OPERATORS[name].representatives(values, groups, np.full(len(values), weight))
    assert alike.tolist() == OPERATORS[name].representatives(values, groups).tolist()


@pytest.mark.parametrize(
    "operator",
    [LowerMedian(), Mode(), ConvexMedian(), OrderStatistic("minimum", 0, 1), OrderStatistic("upper quartile", 3, 4)],
    ids=lambda operator: operator.name,
)
@FEW
@given(drawn=weighted(weights=st.integers(1, 7).map(float)))
def test_whole_weights_are_repeated_records(operator: Operator, drawn: tuple[Points, Groups, Weights]) -> None:
    values, groups, weights = drawn
    expected = operator.representatives(*repeated(values, groups, weights))
    assert operator.representatives(values, groups, weights).tolist() == expected.tolist()
    assert operator.representatives(values, groups, weights / 1024).tolist() == expected.tolist()


@pytest.mark.parametrize("operator", [ArithmeticMean(), GeometricMean()], ids=lambda operator: operator.name)
@FEW
@given(drawn=weighted(weights=st.integers(1, 7).map(float)))
def test_whole_weights_are_repeated_records_up_to_rounding(
    operator: ArithmeticMean | GeometricMean, drawn: tuple[Points, Groups, Weights]
) -> None:
    values, groups, weights = drawn
    expected = operator.representatives(*repeated(values, groups, weights))
    assert operator.representatives(values, groups, weights) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("bits", [1, 8, _BITS - 1])
def test_less_than_half_of_the_weight_is_not_the_lower_median(bits: int) -> None:
    """The first of two records is lighter, by the least that is counted or more: the median is the second."""
    groups = Groups(np.zeros(2, np.int64))
    weights = np.array([1.0 - 2.0**-bits, 1.0])
    assert LowerMedian().representatives(np.array([[1.0], [2.0]]), groups, weights).tolist() == [[2.0]]
    assert LowerMedian().representatives(np.array([[2.0], [1.0]]), groups, weights).tolist() == [[1.0]]


def test_half_of_the_weight_is_the_lower_median() -> None:
    """One, two, three and three times four: the third smallest of six is three."""
    values, groups = np.array([[1.0], [2.0], [3.0], [4.0]]), Groups(np.zeros(4, np.int64))
    weights = np.array([1.0, 1.0, 1.0, 3.0])
    assert LowerMedian().representatives(values, groups, weights).tolist() == [[3.0]]
    assert Mode().representatives(np.minimum(values, 3.0), groups, weights).tolist() == [[3.0]]
    assert Mode().representatives(np.array([[1.0], [1.0], [1.0], [4.0]]), groups, weights).tolist() == [[1.0]], "a tie"


@FEW
@given(weighted(st.floats(-1e6, 1e6)))
def test_weighted_means_are_those_of_exact_numbers(drawn: tuple[Points, Groups, Weights]) -> None:
    values, groups, weights = drawn
    means = ArithmeticMean().representatives(values, groups, weights)
    for row, members in zip(means, groups.each(), strict=True):
        shares = list(map(Fraction, weights[members].tolist()))
        for mean, column in zip(row, values[members].T, strict=True):
            exact = sum(Fraction(x) * w for x, w in zip(column.tolist(), shares, strict=True)) / sum(shares)
            assert math.isclose(mean, exact, rel_tol=1e-12, abs_tol=1e-12 * np.abs(column).max())
            assert column.min() <= mean <= column.max()


@FEW
@given(weighted())
def test_geometric_means_are_those_of_weighted_logarithms(drawn: tuple[Points, Groups, Weights]) -> None:
    values, groups, weights = drawn
    means = GeometricMean().representatives(values, groups, weights)
    for row, members in zip(means, groups.each(), strict=True):
        for mean, column in zip(row, values[members].T, strict=True):
            expected = statistics.fmean(map(math.log, column.tolist()), weights[members].tolist())
            assert mean == pytest.approx(math.exp(expected), rel=1e-9)


@FEW
@given(weighted())
def test_the_medoid_costs_least_of_all_members_by_weight(drawn: tuple[Points, Groups, Weights]) -> None:
    values, groups, weights = drawn
    for row, members in zip(Medoid().choose(values, groups, weights), groups.each(), strict=True):
        assert row in members
        costs = [
            float((np.square(values[members] - values[member]).sum(axis=1) * weights[members]).sum())
            for member in members
        ]
        mine = costs[members.tolist().index(row)]
        assert mine <= min(costs) * (1 + 1e-9) + 1e-9 * weights[members].sum()


@FEW
@given(weighted(st.integers(-4, 4).map(float)), st.lists(st.integers(0, 2), min_size=30, max_size=30))
def test_medians_keep_an_order_whatever_the_weights(drawn: tuple[Points, Groups, Weights], gaps: list[int]) -> None:
    """Of V1 <= V2, V1 < V2 + 1 and V1 = V2 in all records, each survives."""
    values, groups, weights = drawn
    below = values[:, :1]
    above = below + np.array(gaps[: len(below)])[:, None]
    median = LowerMedian().representatives(np.hstack((below, above, below)), groups, weights)
    assert (median[:, 0] <= median[:, 1]).all()
    assert (median[:, 0] < median[:, 1] + 1).all()
    assert (median[:, 0] == median[:, 2]).all()


@FEW
@given(weighted(st.floats(-100, 100)), st.floats(0, 3))
def test_weighted_means_keep_an_order_in_double(drawn: tuple[Points, Groups, Weights], gap: float) -> None:
    values, groups, weights = drawn
    above = ArithmeticMean().representatives(values + gap * np.abs(values), groups, weights)
    assert (ArithmeticMean().representatives(values, groups, weights) <= above).all()


@EVERY
@FEW
@given(drawn=weighted())
def test_groups_do_not_influence_each_other_by_their_weights(name: str, drawn: tuple[Points, Groups, Weights]) -> None:
    values, groups, weights = drawn
    together = OPERATORS[name].representatives(values, groups, weights)
    for number, members in enumerate(groups.each()):
        one = Groups(np.zeros(len(members), np.int64))
        assert OPERATORS[name].representatives(values[members], one, weights[members]).tolist() == [
            together[number].tolist()
        ]


@EVERY
def test_weights_of_any_size_leave_numbers_in_their_group(name: str) -> None:
    """A group of records that weigh next to nothing beside another group is still represented by its own values."""
    values = np.array([[1.0], [2.0], [1e300], [1.5e300]])
    weights = np.array([1e-300, 2e-300, 1e300, 1e300])
    first, second = OPERATORS[name].representatives(values, Groups(np.array([0, 0, 1, 1])), weights)[:, 0]
    assert 1.0 <= first <= 2.0
    assert 1e300 <= second <= 1.5e300


@pytest.mark.parametrize("name", EXTREMES)
@FEW
@given(drawn=weighted())
def test_weights_do_not_move_an_extreme(name: str, drawn: tuple[Points, Groups, Weights]) -> None:
    values, groups, weights = drawn
    extreme = OPERATORS[name].representatives(values, groups)
    assert OPERATORS[name].representatives(values, groups, weights).tolist() == extreme.tolist()


@pytest.mark.parametrize("name", [name for name in OPERATORS.names if name not in EXTREMES])
def test_a_record_of_great_weight_is_its_group(name: str) -> None:
    values = np.array([[3.0, 4.0], [50.0, 60.0], [7.0, 1.0]])
    weights = np.array([1.0, 1e15, 1.0])
    found = OPERATORS[name].representatives(values, Groups(np.zeros(3, np.int64)), weights)[0]
    assert found == pytest.approx([50.0, 60.0], rel=1e-9)
