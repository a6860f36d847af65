"""Interval disclosure: by the definition, interval by interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.risk.interval_disclosure import IntervalDisclosureRisk, RankBase, interval_disclosure
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, pair_of


def slow_by_rank(original: list[float], masked: list[float]) -> float:
    """Sort the masked values; the interval reaches p/2 percent of the places down and up, ends of the file included."""
    n, ordered, shares = len(original), sorted(masked), []
    for p in range(1, 11):
        reach, inside = math.floor(p * n / 200), 0
        for x, y in zip(original, masked, strict=True):
            places = [i for i, each in enumerate(ordered) if each == y]
            middle = math.ceil((places[0] + places[-1]) / 2)
            inside += ordered[max(middle - reach, 0)] <= x <= ordered[min(middle + reach, n - 1)]
        shares.append(100 * inside / n)
    return sum(shares) / 10


def slow_by_deviation(original: list[float], masked: list[float]) -> float:
    deviation = math.sqrt(sum((x - sum(original) / len(original)) ** 2 for x in original) / len(original))
    shares = [
        100
        * sum(abs(x - y) <= p / 100 * deviation * (1 + 1e-9) for x, y in zip(original, masked, strict=True))
        / len(original)
        for p in range(1, 11)
    ]
    return sum(shares) / 10


@settings(deadline=None, max_examples=40)
@given(n=st.integers(1, 150), rounding=st.integers(0, 2), noise=st.floats(0.0, 0.3), seed=st.integers(0, 10**6))
def test_the_shares_are_those_of_the_definition(n: int, rounding: int, noise: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    original = np.round(random.lognormal(size=n), rounding)
    masked = np.round(original + noise * random.normal(size=n), rounding)
    found = interval_disclosure(original[:, None], masked[:, None])
    assert found.rank == pytest.approx(slow_by_rank(original.tolist(), masked.tolist()))
    if np.ptp(original) > 0:
        assert found.deviation == pytest.approx(slow_by_deviation(original.tolist(), masked.tolist()))


def test_the_original_is_disclosed_entirely() -> None:
    original = np.random.default_rng(0).normal(size=(50, 3))
    found = interval_disclosure(original, original)
    assert (found.rank, found.deviation) == (100.0, 100.0)


def test_a_shuffled_file_is_disclosed_as_often_as_the_interval_is_wide() -> None:
    random = np.random.default_rng(1)
    original = random.normal(size=(2_000, 5))
    found = interval_disclosure(original, random.permuted(original, axis=0))
    assert found.rank == pytest.approx(5.5, abs=0.5)


def test_variables_count_alike_and_have_a_row_each() -> None:
    original = np.random.default_rng(2).normal(size=(40, 2))
    masked = original.copy()
    masked[:, 1] = 1e6
    found = IntervalDisclosureRisk().measure(pair_of(original, masked))
    assert found.value("rank") == 50.0
    assert found.tables[0].rows == (("V1", 40, 100.0, 100.0), ("V2", 40, 0.0, 0.0))
    assert [row[0] for row in found.tables[1].rows] == list(range(1, 11))
    assert np.mean([row[1] for row in found.tables[1].rows]) == 50.0


def test_wider_intervals_disclose_no_less() -> None:
    random = np.random.default_rng(3)
    original = random.normal(size=(300, 1))
    (found,) = interval_disclosure(original, original + 0.1 * random.normal(size=original.shape)).variables
    assert found is not None
    assert (np.diff(found.by_rank) >= 0).all()
    assert (np.diff(found.by_deviation) >= 0).all()


def test_blank_cells_are_not_counted_and_it_is_said() -> None:
    original = np.array([[1.0, math.nan], [2.0, 5.0], [math.nan, math.nan]])
    masked = np.array([[1.0, 4.0], [math.nan, math.nan], [3.0, math.nan]])
    found = IntervalDisclosureRisk().measure(pair_of(original, masked))
    assert found.value("rank") == 100.0
    assert found.tables[0].rows == (("V1", 1, 100.0, 100.0), ("V2", 0, None, None))
    assert tuple(sentences(found.notes)) == (
        "5 cells are blank in one of the files or in both, and are not counted.",
        "No value in both files, left out: V2.",
    )


def test_a_base_serves_many_masked_files() -> None:
    original = np.random.default_rng(4).normal(size=(60, 2))
    base = RankBase.of(original)
    for shift in (0.0, 0.1, 1.0):
        assert base.disclosure(original + shift).rank == interval_disclosure(original, original + shift).rank


def test_categories_and_variables_left_as_they_are_have_no_interval() -> None:
    variables = (
        compared("Town", [0.0, 1.0], [0.0, 1.0], scale=Scale.NOMINAL),
        compared("Age", [1.0, 2.0], [1.0, 2.0], is_masked=False),
    )
    found = IntervalDisclosureRisk().measure(Pair(variables, ("Town", "Age")))
    assert found.value("rank") is None
    assert sentences(found.notes)
