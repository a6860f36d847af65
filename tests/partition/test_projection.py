"""Projections sort records by one number: the first principal component, or the sum of z-scores."""

from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.arrays import Labels, Points
from constraint_sdc.data.cloud import Axis, Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.methods.projection import (
    PrincipalComponentProjection,
    ZSumProjection,
    first_principal_component,
)
from constraint_sdc.partition.partitioner import Partitioner
from constraint_sdc.settings.words import Scale

BOTH = (PrincipalComponentProjection(), ZSumProjection())


def drawn_points(n: int, d: int, seed: int) -> Points:
    random = np.random.default_rng(seed)
    return random.normal(size=(n, d)) @ random.normal(size=(d, d))


def sorted_and_cut(numbers: Points, k: int) -> list[int]:
    labels = np.zeros(len(numbers), int)
    for place, row in enumerate(sorted(range(len(numbers)), key=lambda i: numbers[i])):
        labels[row] = min(place // k, len(numbers) // k - 1)
    return labels.tolist()


def as_sets(labels: Labels) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == group).tolist()) for group in np.unique(labels)}


@pytest.mark.parametrize("seed", range(8))
def test_the_first_component_is_that_of_a_singular_value_decomposition(seed: int) -> None:
    points = drawn_points(60, 5, seed)
    direction = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2][0]
    direction *= np.sign(direction[np.argmax(np.abs(direction))])
    assert first_principal_component(np.ascontiguousarray(points.T)) == pytest.approx(direction, abs=1e-9)
    labels = PrincipalComponentProjection().partition(Cloud(points), 4, 0)
    assert labels.tolist() == sorted_and_cut(points @ direction, 4)


@pytest.mark.parametrize("seed", range(4))
def test_the_other_sorts_by_the_sum(seed: int) -> None:
    points = drawn_points(61, 3, seed)
    labels = ZSumProjection().partition(Cloud(points), 4, 0)
    assert labels.tolist() == sorted_and_cut(points.sum(axis=1), 4)


def test_ties_go_by_file_order() -> None:
    points = np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 3.0], [1.5, 1.5], [9.0, 9.0], [9.0, 9.0]])
    assert ZSumProjection().partition(Cloud(points), 2, 0).tolist() == [0, 0, 1, 1, 2, 2]
    alike = np.full((5, 3), 0.1)
    assert PrincipalComponentProjection().partition(Cloud(alike), 2, 0).tolist() == [0, 0, 1, 1, 1]


def test_the_component_points_the_same_way_whatever_the_sign_of_the_data() -> None:
    columns = np.ascontiguousarray(drawn_points(50, 4, seed=1).T)
    assert first_principal_component(columns).tolist() == first_principal_component(-columns).tolist()


def test_weights_of_variables_act() -> None:
    points = drawn_points(60, 2, seed=3)
    stretched = points * np.array([1.0, 30.0])
    for method in BOTH:
        assert as_sets(method.partition(Cloud(stretched), 3, 0)) != as_sets(method.partition(Cloud(points), 3, 0))
    by_second = sorted_and_cut(stretched[:, 1], 3)
    agreeing = np.mean(ZSumProjection().partition(Cloud(stretched), 3, 0) == np.array(by_second))
    assert agreeing > 0.5


@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.name)
def test_a_large_offset_changes_nothing(method: Partitioner) -> None:
    points = np.round(drawn_points(80, 3, seed=2) * 40) / 4096
    expected = method.partition(Cloud(points), 3, 0).tolist()
    assert method.partition(Cloud(points + 2.0**40), 3, 0).tolist() == expected


def test_tiny_and_huge_points_have_a_component_too() -> None:
    columns = np.ascontiguousarray(drawn_points(50, 3, seed=5).T)
    expected = first_principal_component(columns)
    assert first_principal_component(columns * 2.0**-700) == pytest.approx(expected, abs=1e-9)
    assert first_principal_component(columns * 2.0**480) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.name)
def test_categories_have_no_place_on_an_axis(method: Partitioner) -> None:
    cloud = Cloud(np.eye(2)[np.array([0, 1, 0, 1])], (Axis("REGION", Scale.NOMINAL, 0, 2),))
    with pytest.raises(UsageError, match="REGION is nominal"):
        method.partition(cloud, 2, 0)
