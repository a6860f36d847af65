"""Optimal univariate: no partition at all is better, for few records or many, near zero or far away."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Axis, Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition import compiled
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods import kernels, optimal_univariate
from constraint_sdc.partition.methods.individual_ranking import IndividualRanking
from constraint_sdc.partition.methods.optimal_univariate import OptimalUnivariate, best_starts, optimal_cut
from constraint_sdc.settings.words import Scale
from tests.partition.brute_force import least_loss, least_loss_of_cuts
from tests.waiting import PATIENCE


def optimal(values: np.ndarray[tuple[int], np.dtype[np.float64]], k: int) -> Labels:
    return OptimalUnivariate().partition(Cloud(values[:, None]), k, seed=0)


@settings(max_examples=25)
@given(values=st.lists(st.integers(-20, 20), min_size=2, max_size=7), k=st.integers(1, 4))
def test_no_partition_is_better(values: list[int], k: int) -> None:
    points = np.array(values, float)[:, None]
    if len(points) >= k:
        labels = OptimalUnivariate().partition(Cloud(points), k, seed=0)
        assert sse(Cloud(points), labels) == pytest.approx(least_loss(points, k), abs=1e-9)


@settings(max_examples=40)
@given(values=st.lists(st.floats(-1e6, 1e6), min_size=5, max_size=16), k=st.integers(2, 5))
def test_no_cut_of_the_sorted_values_is_better(values: list[float], k: int) -> None:
    points = np.array(values)[:, None]
    found = sse(Cloud(points), OptimalUnivariate().partition(Cloud(points), k, seed=0))
    assert found == pytest.approx(least_loss_of_cuts(np.sort(points, axis=0), k), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("k", [2, 3, 7, 40])
@pytest.mark.parametrize("kind", ["normal", "heavy tails", "ties", "far away"])
def test_compiled_and_not_the_cuts_are_the_same(kind: str, k: int) -> None:
    from constraint_sdc.partition.methods.kernels import best_starts as compiled

    random = np.random.default_rng(k)
    values = {
        "normal": random.normal(size=500),
        "heavy tails": random.standard_cauchy(size=500) ** 3,
        "ties": random.integers(0, 30, 500).astype(float),
        "far away": 1e9 + random.normal(size=500),
    }[kind]
    values.sort()
    assert compiled(values, k).tolist() == best_starts(values[:, None], k).tolist()


def test_many_records_are_cut_as_well_as_few() -> None:
    values = np.random.default_rng(1).lognormal(size=60_000)
    order = np.argsort(values, kind="stable")
    assert optimal(values, 3)[order].tolist() == optimal_cut(values[order][:, None], 3).tolist()


@pytest.mark.parametrize("n", [50, 1_000, 200_000])
@pytest.mark.parametrize("k", [3, 10])
def test_it_is_never_above_k_consecutive_values(n: int, k: int) -> None:
    cloud = Cloud(np.random.default_rng(n).normal(size=(n, 1)))
    best = sse(cloud, OptimalUnivariate().partition(cloud, k, 0))
    assert best <= sse(cloud, IndividualRanking().partition(cloud, k, 0))


@pytest.mark.parametrize("n", [500, 60_000])
def test_a_large_offset_changes_nothing(n: int) -> None:
    values = np.random.default_rng(2).integers(0, 10**6, n) / 1024.0
    assert optimal(values + 2.0**40, 3).tolist() == optimal(values, 3).tolist()


def test_equal_values_cost_nothing_and_groups_are_numbered_from_below() -> None:
    values = np.array([5.0, 1.0, 5.0, 1.0, 3.0, 3.0, 1.0])
    assert optimal(values, 2).tolist() == [2, 0, 2, 0, 1, 1, 0]


def test_constant_columns_beside_it_are_of_no_account() -> None:
    values = np.random.default_rng(3).normal(size=30)
    points = np.column_stack((np.full(30, 4.0), values, np.zeros(30)))
    assert OptimalUnivariate().partition(Cloud(points), 4, 0).tolist() == optimal(values, 4).tolist()


def test_several_variables_are_refused_by_name() -> None:
    axes = tuple(Axis(name, Scale.NUMERIC, i, i + 1) for i, name in enumerate(("AGE", "SEX", "WAGE", "TAX", "RENT")))
    points = np.random.default_rng(4).normal(size=(20, 5))
    points[:, 1] = 0.0
    expected = r"divides the values of one variable, but AGE, WAGE, TAX and 1 more vary \(use mdav or another method"
    with pytest.raises(UsageError, match=expected):
        OptimalUnivariate().partition(Cloud(points, axes), 3, 0)
    with pytest.raises(UsageError, match="but 4 columns vary"):
        OptimalUnivariate().partition(Cloud(points), 3, 0)


@pytest.mark.parametrize(("records", "is_compiled"), [(49_999, False), (50_000, True)])
def test_from_50000_records_on_compiled_code_cuts(
    records: int, is_compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_group = np.zeros(1, np.int64)
    asked: list[bool] = []
    monkeypatch.setattr(optimal_univariate, "best_starts", lambda *_: asked.append(False) or one_group)
    monkeypatch.setattr(kernels, "best_starts", lambda *_: asked.append(True) or one_group)
    monkeypatch.setattr(compiled, "announce", lambda *_: None)
    optimal_univariate._best_starts(np.zeros(records), 3)
    assert asked == [is_compiled]


def test_few_records_never_wait_for_a_compiler() -> None:
    script = """
import sys, numpy as np
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.methods.optimal_univariate import OptimalUnivariate
OptimalUnivariate().partition(Cloud(np.random.default_rng(0).normal(size=(9000, 1))), 3, 0)
sys.exit("numba" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=PATIENCE).returncode == 0
