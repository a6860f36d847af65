"""V-MDAV forms the groups that the paper's words give, and gamma decides how they grow."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.exam.partition import KINDS, Takes, draw_cloud
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.v_mdav import VMdav
from tests.partition.textbook import centroid, distance, farthest, take_nearest


def in_words(points: Points, k: int, gamma: float) -> list[int]:
    """Follow the paper record by record: build, extend, and at the end give the rest to the closest groups."""
    rest, groups = list(range(len(points))), []
    centre = centroid(points, rest)
    while len(rest) >= k:
        group = take_nearest(points, rest, farthest(points, rest, centre), k)
        while len(group) < 2 * k - 1 and len(rest) > 1:
            closest = min(rest, key=lambda i: (to_group(points, i, group), i))
            d_in = math.sqrt(to_group(points, closest, group))
            d_out = math.sqrt(to_group(points, closest, [i for i in rest if i != closest]))
            if d_in >= gamma * d_out:
                break
            group.append(closest)
            rest.remove(closest)
        groups.append(group)
    joined = [min(range(len(groups)), key=lambda g: nearest_member(points, i, groups[g])) for i in rest]
    for record, number in zip(rest, joined, strict=True):
        groups[number].append(record)
    return [next(number for number, group in enumerate(groups) if i in group) for i in range(len(points))]


def to_group(points: Points, record: int, group: list[int]) -> float:
    return min(distance(points[record].tolist(), points[member].tolist()) for member in group)


def nearest_member(points: Points, record: int, group: list[int]) -> tuple[float, int]:
    """Return the distance of a group, and which of its records it is measured to, for ties."""
    return min((distance(points[record].tolist(), points[member].tolist()), member) for member in group)


@settings(max_examples=120)
@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(2, 40),
    k=st.integers(2, 7),
    gamma=st.sampled_from([0.0, 0.2, 0.5, 1.0, 1.1, 3.0]),
    seed=st.integers(0, 10**6),
)
def test_the_groups_are_those_of_the_papers_words(kind: str, n: int, k: int, gamma: float, seed: int) -> None:
    points = draw_cloud(Takes.NUMBERS, kind, max(n, k), seed).points
    assert VMdav(gamma).partition(Cloud(points), k, 0).tolist() == in_words(points, k, gamma)


def test_groups_of_their_own_size_are_found_where_mdav_cuts_through_them() -> None:
    corner = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    points = np.vstack((corner, corner + 20.0, [[20.5, 20.5]]))
    cloud = Cloud(points)
    assert VMdav(gamma=1.1).partition(cloud, 3, 0).tolist() in ([0] * 4 + [1] * 5, [1] * 4 + [0] * 5)
    assert sse(cloud, VMdav(gamma=1.1).partition(cloud, 3, 0)) < sse(cloud, Mdav().partition(cloud, 3, 0)) / 10


def test_a_gamma_of_0_never_grows_and_a_large_one_always_does() -> None:
    cloud = Cloud(np.random.default_rng(1).normal(size=(90, 3)))
    assert np.bincount(VMdav(gamma=0).partition(cloud, 3, 0)).tolist() == [3] * 30
    assert np.bincount(VMdav(gamma=1e9).partition(cloud, 3, 0)).max() >= 5


def test_the_default_is_the_papers_for_scattered_records() -> None:
    assert VMdav().gamma == 0.2


@pytest.mark.parametrize("gamma", [-0.1, math.nan, math.inf])
def test_what_is_no_gamma_is_refused(gamma: float) -> None:
    with pytest.raises(UsageError, match="the gamma of v-mdav must be 0 or more"):
        VMdav(gamma)
