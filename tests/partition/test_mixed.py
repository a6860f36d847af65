"""The mixed method forms the groups of its slow version, whatever the scales, and those of MDAV on numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.methods.mixed import Mixed
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
from tests.partition.textbook import textbook_mdav


def mixed(variables: list[Variable], k: int) -> list[int]:
    labels: list[int] = Mixed().partition(cloud_of(variables), k, seed=0).tolist()
    return labels


def slowly(variables: list[Variable], k: int) -> list[int]:
    centre = centres(variables, has_means=True)
    return labels_of(slow_groups(records_of(variables), k, sum_of_distances(variables, 2), centre))


def some_variables(scales: list[Scale], n: int, seed: int, *, levels: int = 4, missing: float = 0.0) -> list[Variable]:
    return [
        drawn(scale, n, seed * 10 + j, levels=levels, missing=missing, weight=(1.0, 0.5, 1.7)[j % 3])
        for j, scale in enumerate(scales)
    ]


ONE_OF_EACH = [Scale.NUMERIC, Scale.ORDINAL, Scale.NOMINAL]


@settings(max_examples=80)
@given(
    n=st.integers(2, 40),
    scales=st.lists(st.sampled_from(Scale), min_size=1, max_size=5),
    k=st.integers(2, 7),
    levels=st.integers(1, 6),
    missing=st.sampled_from([0.0, 0.2]),
    seed=st.integers(0, 10**6),
)
def test_the_groups_are_those_of_the_slow_version(
    n: int, scales: list[Scale], k: int, levels: int, missing: float, seed: int
) -> None:
    variables = some_variables(scales, max(n, k), seed, levels=levels, missing=missing)
    assert mixed(variables, k) == slowly(variables, k)


@pytest.mark.parametrize("levels", [2, 5, 50])
def test_a_larger_file_has_the_groups_of_the_slow_version(levels: int) -> None:
    variables = some_variables(ONE_OF_EACH * 2, 150, seed=levels, levels=levels, missing=0.1)
    assert mixed(variables, 3) == slowly(variables, 3)


@pytest.mark.parametrize("seed", range(6))
def test_records_that_are_all_equally_far_apart_are_grouped_as_by_the_slow_version(seed: int) -> None:
    variables = some_variables([Scale.NOMINAL] * 2, 40, seed, levels=40)
    assert mixed(variables, 3) == slowly(variables, 3)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_on_numbers_alone_the_groups_are_those_of_mdav(k: int) -> None:
    points = np.random.default_rng(k).normal(size=(120, 4))
    assert Mixed().partition(Cloud(points), k, seed=0).tolist() == textbook_mdav(points, k)


def test_each_scale_is_measured_in_its_own_way() -> None:
    # A category differs by 1 whichever it is, two ordinal codes by their steps, and the total is a sum of squares.
    kind = Variable(Scale.NOMINAL, [0, 9, 1, 0])
    rank = Variable(Scale.ORDINAL, [0, 1, 2, 3])
    distance = sum_of_distances([kind], 2)
    assert [distance((0,), (other,)) for other in (0, 1, 9)] == [0.0, 1.0, 1.0]
    cloud = cloud_of([kind, rank])
    squares = ((cloud.points[:, None, :] - cloud.points[None, :, :]) ** 2).sum(axis=2)
    both = sum_of_distances([kind, rank], 2)
    records = records_of([kind, rank])
    assert np.allclose(squares, [[both(one, other) for other in records] for one in records])


def test_a_missing_category_is_as_far_from_the_others_as_they_are_from_each_other() -> None:
    # Record 2 is farthest from the mode and begins; all others are equally far from it, so the first in the file joins.
    # By indicator columns alone, the record without a value would be nearer to it than any category.
    kind = Variable(Scale.NOMINAL, [0, 0, 1, None])
    assert mixed([kind], 2) == [0, 1, 0, 1]
    assert textbook_mdav(cloud_of([kind]).points, 2) == [1, 1, 0, 0]


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("n", [7, 13, 20, 21, 42])
def test_every_record_is_in_one_group_of_k_to_2k_less_1(n: int, k: int) -> None:
    sizes = np.bincount(mixed(some_variables(ONE_OF_EACH, n, seed=n), k))
    assert sizes.sum() == n
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def test_k_of_one_leaves_every_record_alone() -> None:
    assert mixed(some_variables(ONE_OF_EACH, 9, seed=1), 1) == list(range(9))


@pytest.mark.parametrize("n", [4, 6, 7])
def test_fewer_than_2k_records_are_one_group(n: int) -> None:
    assert mixed(some_variables(ONE_OF_EACH, n, seed=1), 4) == [0] * n


def test_records_alike_stay_together_where_there_are_k_of_each() -> None:
    kinds = [4, 1, 0, 2, 0, 4, 1, 2, 2, 0, 1, 4]
    variables = [Variable(scale, [code % m for code in kinds]) for scale, m in zip(ONE_OF_EACH, (5, 3, 4), strict=True)]
    assert [len({kinds[i] for i in group}) for group in groups_of(mixed(variables, 3))] == [1, 1, 1, 1]


@pytest.mark.parametrize("scale", Scale)
def test_records_that_are_all_alike_are_grouped_in_file_order(scale: Scale) -> None:
    assert mixed([Variable(scale, [2] * 9)], 3) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert mixed([Variable(scale, [None] * 9)], 3) == [0, 0, 0, 1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize("other", Scale)
def test_the_heavier_variable_decides(scale: Scale, other: Scale) -> None:
    light = Variable(other, [0, 1, 0, 1])
    assert sorted(groups_of(mixed([Variable(scale, [0, 0, 1, 1], 9.0), light], 2))) == [[0, 1], [2, 3]]
    assert sorted(groups_of(mixed([Variable(scale, [0, 0, 1, 1], 0.09), light], 2))) == [[0, 2], [1, 3]]


@pytest.mark.parametrize("scale", Scale)
def test_a_variable_of_weight_zero_decides_nothing(scale: Scale) -> None:
    rest = some_variables(ONE_OF_EACH, 50, seed=3)
    assert mixed([*rest, drawn(scale, 50, 1, weight=0.0)], 3) == mixed(rest, 3)


def test_the_loss_is_near_the_least_possible() -> None:
    lost = least = worst = 0.0
    for seed in range(25):
        variables = some_variables(ONE_OF_EACH, 7, seed)
        records, distance = records_of(variables), sum_of_distances(variables, 2)
        centre = centres(variables, has_means=True)
        losses = [total_loss(groups, records, distance, centre) for groups in all_partitions(7, 2)]
        own = total_loss(groups_of(mixed(variables, 2)), records, distance, centre)
        assert own >= min(losses) - 1e-9
        lost, least, worst = lost + own, least + min(losses), worst + max(losses)
    assert lost <= 1.4 * least < 0.8 * worst


def test_values_of_any_size_have_distances() -> None:
    points = np.random.default_rng(1).normal(size=(40, 50))
    expected = Mixed().partition(Cloud(points), 3, seed=0).tolist()
    assert Mixed().partition(Cloud(points * 2.0**496), 3, seed=0).tolist() == expected
    assert Mixed().partition(Cloud(points * 2.0**-600), 3, seed=0).tolist() == expected


def test_the_order_of_the_file_changes_nothing_where_there_are_no_ties() -> None:
    random = np.random.default_rng(4)
    numbers = [Variable(Scale.NUMERIC, random.normal(size=60).tolist()) for _ in range(2)]
    order = random.permutation(60)
    variables = [*numbers, drawn(Scale.NOMINAL, 60, 1), drawn(Scale.ORDINAL, 60, 2)]
    shuffled = [Variable(v.scale, [v.values[i] for i in order]) for v in variables]
    groups = {frozenset(group) for group in groups_of(mixed(variables, 4))}
    assert {frozenset(int(order[i]) for i in group) for group in groups_of(mixed(shuffled, 4))} == groups


def test_neither_seed_nor_layout_matters_and_the_points_stay_as_they_were() -> None:
    cloud = cloud_of(some_variables(ONE_OF_EACH, 60, seed=8, missing=0.1))
    before = cloud.points.copy()
    expected = Mixed().partition(cloud, 3, seed=0).tolist()
    assert Mixed().partition(Cloud(np.asfortranarray(cloud.points), cloud.axes), 3, seed=9).tolist() == expected
    assert (cloud.points == before).all()


def test_a_stratum_is_divided_as_if_it_were_the_file() -> None:
    variables = some_variables(ONE_OF_EACH, 60, seed=5)
    cloud = cloud_of(variables)
    rows = np.arange(3, 60, 2)
    own = Mixed().partition(cloud.of(rows), 3, seed=0).tolist()
    assert own == Mixed().partition(Cloud(cloud.points[rows].copy(), cloud.axes), 3, seed=0).tolist()
    assert np.bincount(own).min() >= 3


def test_weights_of_records_are_refused() -> None:
    with pytest.raises(UsageError, match="takes no weights"):
        Mixed().partition(Cloud(np.zeros((4, 1)), weights=np.ones(4)), 2, seed=0)


def test_too_few_records_and_infinite_points_are_refused() -> None:
    with pytest.raises(ValueError, match="2 records cannot form a group of 3"):
        Mixed().partition(Cloud(np.zeros((2, 1))), 3, seed=0)
    with pytest.raises(ValueError, match="finite"):
        Mixed().partition(Cloud(np.array([[np.nan], [1.0]])), 2, seed=0)
