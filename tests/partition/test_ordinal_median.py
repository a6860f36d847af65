"""The median-based method forms the groups of its slow version, and refuses what has no order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.methods.ordinal_median import OrdinalMedian
from constraint_sdc.settings.words import Scale
from tests.partition.slow_categorical import (
    Variable,
    all_partitions,
    centres,
    cloud_of,
    drawn,
    groups_of,
    labels_of,
    records_of,
    slow_groups,
    sum_of_distances,
    total_loss,
)


def ordinal_median(variables: list[Variable], k: int) -> list[int]:
    labels: list[int] = OrdinalMedian().partition(cloud_of(variables), k, seed=0).tolist()
    return labels


def slowly(variables: list[Variable], k: int) -> list[int]:
    centre = centres(variables, has_means=False)
    return labels_of(slow_groups(records_of(variables), k, sum_of_distances(variables, 1), centre))


def some_codes(n: int, d: int, seed: int, *, levels: int = 4, missing: float = 0.0) -> list[Variable]:
    return [
        drawn(Scale.ORDINAL, n, seed * 10 + j, levels=levels, missing=missing, weight=(1.0, 0.7, 2.0)[j % 3])
        for j in range(d)
    ]


@settings(max_examples=80)
@given(
    n=st.integers(2, 40),
    d=st.integers(1, 4),
    k=st.integers(2, 7),
    levels=st.integers(1, 9),
    missing=st.sampled_from([0.0, 0.2]),
    seed=st.integers(0, 10**6),
)
def test_the_groups_are_those_of_the_slow_version(
    n: int, d: int, k: int, levels: int, missing: float, seed: int
) -> None:
    variables = some_codes(max(n, k), d, seed, levels=levels, missing=missing)
    assert ordinal_median(variables, k) == slowly(variables, k)


@pytest.mark.parametrize("levels", [2, 5, 50])
def test_a_larger_file_has_the_groups_of_the_slow_version(levels: int) -> None:
    variables = some_codes(150, 3, seed=levels, levels=levels)
    assert ordinal_median(variables, 3) == slowly(variables, 3)


def test_a_step_up_and_a_step_down_are_equally_far_whatever_the_last_digit_says() -> None:
    # Record 0 is far from all but the next two, one step down and one step up from it in V2: the first of them joins.
    misleading = 0
    for filler in range(12):
        far = Variable(Scale.ORDINAL, [90, 80, 80, 0, 0, 0, 0], 4.0)
        rank = Variable(Scale.ORDINAL, [3, 2, 4, 3, 3, 3, 3 + filler])
        cloud = cloud_of([far, rank])
        down, up = np.abs(cloud.points[1:3] - cloud.points[0]).sum(axis=1)
        misleading += bool(down > up)
        assert groups_of(OrdinalMedian().partition(cloud, 2, seed=0).tolist())[0] == [0, 1]
    assert misleading


def test_numbers_have_an_order_too() -> None:
    points = np.array([[1.5], [90.0], [1.0], [91.0], [2.0], [89.0]])
    assert OrdinalMedian().partition(Cloud(points), 3, seed=0).tolist() == [1, 0, 1, 0, 1, 0]


def test_an_outlier_does_not_move_the_median() -> None:
    # Seen from the mean (about 20) the codes 0 are farther than 30; from the median (1) 30 and 100 are the far ones.
    codes = [0, 0, 0, 1, 1, 1, 30, 30, 100]
    labels = ordinal_median([Variable(Scale.ORDINAL, codes)], 3)
    assert groups_of(labels)[0] == [6, 7, 8]


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("n", [7, 13, 20, 21, 42])
def test_every_record_is_in_one_group_of_k_to_2k_less_1(n: int, k: int) -> None:
    sizes = np.bincount(ordinal_median(some_codes(n, 2, seed=n), k))
    assert sizes.sum() == n
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def test_k_of_one_leaves_every_record_alone() -> None:
    assert ordinal_median(some_codes(9, 2, seed=1), 1) == list(range(9))


@pytest.mark.parametrize("n", [4, 6, 7])
def test_fewer_than_2k_records_are_one_group(n: int) -> None:
    assert ordinal_median(some_codes(n, 2, seed=1), 4) == [0] * n


def test_records_alike_stay_together_where_there_are_k_of_each() -> None:
    codes = [4, 1, 9, 2, 9, 4, 1, 2, 2, 9, 1, 4]
    labels = ordinal_median([Variable(Scale.ORDINAL, codes), Variable(Scale.ORDINAL, [c % 3 for c in codes])], 3)
    assert [len({codes[i] for i in group}) for group in groups_of(labels)] == [1, 1, 1, 1]


def test_records_that_are_all_alike_are_grouped_in_file_order() -> None:
    assert ordinal_median([Variable(Scale.ORDINAL, [5] * 9)], 3) == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_the_heavier_variable_decides() -> None:
    one, other = [0, 0, 1, 1], [0, 1, 0, 1]
    heavy, light = (Variable(Scale.ORDINAL, one, w) for w in (3.0, 0.3))
    assert sorted(groups_of(ordinal_median([heavy, Variable(Scale.ORDINAL, other)], 2))) == [[0, 1], [2, 3]]
    assert sorted(groups_of(ordinal_median([light, Variable(Scale.ORDINAL, other)], 2))) == [[0, 2], [1, 3]]


def test_the_loss_is_near_the_least_possible() -> None:
    lost = least = worst = 0.0
    for seed in range(25):
        variables = some_codes(7, 2, seed, levels=5)
        records, distance = records_of(variables), sum_of_distances(variables, 1)
        centre = centres(variables, has_means=False)
        losses = [total_loss(groups, records, distance, centre) for groups in all_partitions(7, 2)]
        own = total_loss(groups_of(ordinal_median(variables, 2)), records, distance, centre)
        assert own >= min(losses) - 1e-9
        lost, least, worst = lost + own, least + min(losses), worst + max(losses)
    assert lost <= 1.25 * least < 0.6 * worst


def test_neither_seed_nor_layout_matters_and_the_points_stay_as_they_were() -> None:
    cloud = cloud_of(some_codes(60, 3, seed=8))
    before = cloud.points.copy()
    expected = OrdinalMedian().partition(cloud, 3, seed=0).tolist()
    assert OrdinalMedian().partition(Cloud(np.asfortranarray(cloud.points), cloud.axes), 3, seed=9).tolist() == expected
    assert (cloud.points == before).all()


def test_a_nominal_variable_is_refused_by_name() -> None:
    cloud = cloud_of([Variable(Scale.ORDINAL, [1, 2]), Variable(Scale.NOMINAL, [0, 1])])
    with pytest.raises(UsageError, match=r"ordinal-median takes no nominal variables: V2 is nominal \(use mixed"):
        OrdinalMedian().partition(cloud, 2, seed=0)


def test_weights_of_records_are_refused() -> None:
    with pytest.raises(UsageError, match="takes no weights"):
        OrdinalMedian().partition(Cloud(np.zeros((4, 1)), weights=np.ones(4)), 2, seed=0)


def test_too_few_records_and_infinite_points_are_refused() -> None:
    with pytest.raises(ValueError, match="2 records cannot form a group of 3"):
        OrdinalMedian().partition(Cloud(np.zeros((2, 1))), 3, seed=0)
    with pytest.raises(ValueError, match="finite"):
        OrdinalMedian().partition(Cloud(np.array([[np.nan], [1.0]])), 2, seed=0)
