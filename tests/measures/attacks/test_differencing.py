"""Differencing: candidates by sets, derived values by ranks of matrices, intervals by linear programmes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from constraint_sdc.measures.attacks.differencing import Differencing, common, relative_width
from constraint_sdc.measures.attacks.group_totals import derived_values
from tests.measures.pairs import group_means, pair_of


def incidence(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the system of totals: a row for every group of both releases."""
    return np.vstack([label == group for label in (first, second) for group in np.unique(label)]).astype(float)


def nested(random: np.random.Generator, records: int) -> tuple[np.ndarray, np.ndarray]:
    """Return groups of two releases that often contain each other but for single records."""
    first = np.sort(random.integers(0, max(records // 3, 1), records))
    second = first.copy()
    moved = random.random(records) < 0.15
    second[moved] = random.integers(0, first.max() + 1, int(moved.sum()))
    return np.unique(first, return_inverse=True)[1], np.unique(second, return_inverse=True)[1]


@pytest.mark.parametrize("seed", range(60))
def test_values_are_derived_where_and_only_where_the_totals_determine_them(seed: int) -> None:
    random = np.random.default_rng(seed)
    first, second = nested(random, int(random.integers(3, 25)))
    values = random.lognormal(2, 1, len(first))
    one, other = (group_means(values[:, None], label)[:, 0] for label in (first, second))
    found = derived_values(first, second, one, other)
    system = incidence(first, second)
    rank = np.linalg.matrix_rank(system)
    for i in range(len(values)):
        unit = np.eye(len(values))[i]
        is_determined = np.linalg.matrix_rank(np.vstack((system, unit))) == rank
        assert np.isfinite(found[i]) == is_determined
    is_known = np.isfinite(found)
    assert found[is_known] == pytest.approx(values[is_known])


def test_some_of_these_files_have_values_to_derive() -> None:
    derived = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        first, second = nested(random, int(random.integers(3, 25)))
        derived += int(np.isfinite(derived_values(first, second, np.ones(len(first)), np.ones(len(first)))).sum())
    assert derived > 100


@pytest.mark.parametrize("seed", range(5))
def test_intervals_hold_all_that_the_totals_allow(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.lognormal(2, 1, 12)
    first, second = np.arange(12) // 3, random.permutation(12) // 4
    one, other = (group_means(values[:, None], label)[:, 0] for label in (first, second))
    system = incidence(first, second)
    told = []
    for i in range(12):
        unit = np.eye(12)[i]
        ends = [sign * linprog(sign * unit, A_eq=system, b_eq=system @ values).fun for sign in (1, -1)]
        told.append((ends[1] - ends[0]) / (3 * one[i]))
    found = relative_width(first, second, one, other)
    assert found is not None
    assert np.mean(told) - 1e-9 <= found <= 1.0


def test_candidates_are_what_two_groups_have_in_common() -> None:
    random = np.random.default_rng(3)
    first, second = random.integers(0, 5, 40), random.integers(0, 5, 40)
    _, _, both = common(*(np.unique(label, return_inverse=True)[1] for label in (first, second)))
    for i in range(40):
        mine = set(np.flatnonzero(first == first[i])) & set(np.flatnonzero(second == second[i]))
        assert both[i] == len(mine)


def test_a_record_more_in_a_group_is_derived() -> None:
    """The groups of the second release are those of the first, but one record changed its group."""
    values = np.array([[10.0], [20], [30], [40], [50], [60], [70]])
    first, second = np.array([0, 0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1, 1])
    pair = replace(
        pair_of(values, group_means(values, first), k=3), other=pair_of(values, group_means(values, second), k=3)
    )
    found = Differencing().measure(pair)
    assert found.value("narrowed") == pytest.approx(100 / 7)
    assert found.value("alone") == pytest.approx(100 / 7)
    assert found.value("derived") == pytest.approx(100 / 7)
    assert found.tables[0].rows[0][:4] == ("V1", 1, 1, 1)


def test_the_same_release_twice_adds_nothing() -> None:
    values = np.random.default_rng(1).lognormal(size=(30, 2))
    release = pair_of(values, group_means(values, np.arange(30) // 5), k=5)
    found = Differencing().measure(replace(release, other=release))
    assert (found.value("narrowed"), found.value("derived")) == (0.0, 0.0)
    assert found.value("linked") == pytest.approx(20.0)


def test_without_another_release_it_is_not_run() -> None:
    found = Differencing().measure(pair_of(np.ones((3, 1)), np.ones((3, 1))))
    assert str(found.says) == "not-run(why=no-other-release)"
