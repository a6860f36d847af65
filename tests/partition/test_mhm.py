"""MHM cuts its path in the best way, and so never loses more than MDAV, whose groups lie on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.exam.partition import KINDS, Takes, draw_cloud
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.mhm import Mhm
from tests.partition.brute_force import least_loss_of_cuts
from tests.partition.textbook import centroid, distance, farthest, textbook_mdav


def path_in_words(points: Points, k: int) -> list[int]:
    """Walk through MDAV's groups: to the nearest centroid between them, to the nearest record inside them."""
    labels = textbook_mdav(points, k)
    groups = {label: [i for i in range(len(points)) if labels[i] == label] for label in set(labels)}
    here = farthest(points, list(range(len(points))), centroid(points, list(range(len(points)))))
    group = labels[here]
    path: list[int] = []
    while True:
        inside = groups.pop(group)
        centre = centroid(points, inside)
        if path:
            here = closest(points, inside, points[path[-1]].tolist())
        while True:
            path.append(here)
            inside.remove(here)
            if not inside:
                break
            here = closest(points, inside, points[here].tolist())
        if not groups:
            return path
        group = min(groups, key=lambda label: (distance(centroid(points, groups[label]), centre), label))


def closest(points: Points, records: list[int], place: list[float]) -> int:
    return min(records, key=lambda i: (distance(points[i].tolist(), place), i))


@settings(max_examples=40)
@given(n=st.integers(2, 13), k=st.integers(2, 4), d=st.integers(1, 3), seed=st.integers(0, 10**6))
def test_no_cut_of_the_path_is_better(n: int, k: int, d: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(max(n, k), d))
    found = sse(Cloud(points), Mhm().partition(Cloud(points), k, 0))
    assert found == pytest.approx(least_loss_of_cuts(points[path_in_words(points, k)], k), rel=1e-9, abs=1e-12)


@settings(max_examples=60)
@given(kind=st.sampled_from(KINDS), n=st.integers(10, 90), k=st.integers(2, 7), seed=st.integers(0, 10**6))
def test_the_loss_is_never_above_that_of_mdav(kind: str, n: int, k: int, seed: int) -> None:
    cloud = draw_cloud(Takes.NUMBERS, kind, n, seed)
    bar = sse(cloud, Mdav().partition(cloud, k, 0))
    assert sse(cloud, Mhm().partition(cloud, k, 0)) <= bar * (1 + 1e-9) + 1e-12


def test_it_is_often_below() -> None:
    clouds = [Cloud(np.random.default_rng(seed).normal(size=(100, 2))) for seed in range(20)]
    lower = [sse(c, Mhm().partition(c, 3, 0)) < 0.999 * sse(c, Mdav().partition(c, 3, 0)) for c in clouds]
    assert sum(lower) >= 15
