"""The best cut of a path is the best of all cuts, and the brute force that says so tries every one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods import optimal_univariate as module
from constraint_sdc.partition.methods.optimal_univariate import optimal_cut
from tests.partition.brute_force import cuts, least_loss, least_loss_of_cuts, partitions


def test_brute_force_tries_everything() -> None:
    assert len(list(partitions((0, 1, 2, 3), 1))) == 15
    pairs = {frozenset(groups) for groups in partitions((0, 1, 2, 3), 2)}
    assert pairs == {
        frozenset({(0, 1), (2, 3)}),
        frozenset({(0, 2), (1, 3)}),
        frozenset({(0, 3), (1, 2)}),
        frozenset({(0, 1, 2, 3)}),
    }
    assert list(cuts((5, 6, 7, 8), 2)) == [((5, 6), (7, 8)), ((5, 6, 7, 8),)]
    assert least_loss(np.array([[0.0], [9.0], [1.0], [9.0]]), 2) == 0.5
    assert least_loss_of_cuts(np.array([[0.0], [9.0], [1.0], [9.0]]), 2) == 72.5


@settings(max_examples=60)
@given(n=st.integers(1, 12), d=st.integers(1, 3), k=st.integers(1, 5), seed=st.integers(0, 10**6))
def test_no_cut_is_better(n: int, d: int, k: int, seed: int) -> None:
    path = np.random.default_rng(seed).integers(-9, 10, size=(max(n, k), d)).astype(float)
    labels = optimal_cut(path, k)
    sizes = np.bincount(labels)
    assert (np.diff(labels) >= 0).all()
    assert sizes.min() >= k
    assert sizes.max() < 2 * k
    assert sse(Cloud(path), labels) == pytest.approx(least_loss_of_cuts(path, k), abs=1e-9)


def drawn_path(n: int) -> Points:
    return np.random.default_rng(3).normal(size=(n, 2)).cumsum(axis=0)


def test_working_in_blocks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    path = drawn_path(200)
    expected = optimal_cut(path, 4).tolist()
    monkeypatch.setattr(module, "_CELLS", 56)  # seven starts at a time
    assert optimal_cut(path, 4).tolist() == expected


def test_neither_an_offset_nor_an_outlier_costs_digits() -> None:
    path = np.round(drawn_path(300) * 8) / 4096  # the finest steps that there are beside 2 ** 40
    expected = optimal_cut(path, 3).tolist()
    assert optimal_cut(path + 2.0**40, 3).tolist() == expected
    with_outliers = np.vstack((np.full((3, 2), -1e12), path))
    assert (optimal_cut(with_outliers, 3)[3:] - 1).tolist() == expected
