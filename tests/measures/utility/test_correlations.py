from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.measures.utility.correlations import Correlations, correlation_changes, second_moments
from constraint_sdc.reports.sentences import sentences, worded
from tests.measures.pairs import pair_of


@given(st.integers(0, 10_000), st.floats(0.0, 0.5), st.sampled_from([0.0, 1e7]))
@settings(max_examples=40)
def test_each_pair_is_computed_over_its_own_records(seed: int, blanks: float, offset: float) -> None:
    random = np.random.default_rng(seed)
    x = random.normal(size=(20, 4)) @ random.normal(size=(4, 4)) + offset
    y = x + random.normal(size=x.shape)
    x[random.random(x.shape) < blanks] = np.nan
    y[random.random(x.shape) < blanks / 2] = np.nan
    known = np.isfinite(x) & np.isfinite(y)
    found = correlation_changes(x, y)
    for at, two in enumerate(map(list, combinations(range(4), 2))):
        rows = known[:, two].all(axis=1)
        if rows.sum() < 2:
            assert found.before[at] is None
            continue
        assert found.before[at] == pytest.approx(np.corrcoef(x[rows][:, two].T)[0, 1], abs=1e-6)
        assert found.after[at] == pytest.approx(np.corrcoef(y[rows][:, two].T)[0, 1], abs=1e-6)


def test_covariances_divide_by_one_record_less() -> None:
    x = np.random.default_rng(0).normal(size=(9, 3))
    upper = np.triu_indices(3, 1)
    assert second_moments(x).covariance == pytest.approx(np.cov(x.T)[upper])


def test_the_largest_difference_is_named() -> None:
    x = np.random.default_rng(4).normal(size=(60, 1)) * [1.0, 1.0, 1.0] + np.random.default_rng(5).normal(size=(60, 3))
    y = x.copy()
    y[:, 2] = -y[:, 2]
    found = Correlations().measure(pair_of(x, y, ["Age", "Income", "Tax"]))
    rows = {row[:2]: row[4] for row in found.tables[0].rows}
    assert rows["Age", "Income"] == 0.0
    strongest = max(("Age", "Tax"), ("Income", "Tax"), key=lambda two: abs(rows[two]))
    assert found.value("largest-difference") == abs(rows[strongest])
    assert found.value("mean-difference") == pytest.approx(np.mean([abs(d) for d in rows.values()]))
    assert f"between {strongest[0]} and {strongest[1]}" in worded(found.says)


def test_a_variable_that_does_not_vary_is_left_out_and_said() -> None:
    x = np.column_stack((np.arange(5.0), np.arange(5.0) ** 2, np.full(5, 0.1)))
    found = Correlations().measure(pair_of(x, x))
    assert found.value("mean-difference") == 0.0
    assert tuple(sentences(found.notes)) == (
        "Left out: 2 pairs with a variable that does not vary in one of the files.",
    )


def test_a_variable_constant_among_the_records_that_have_both_has_no_correlation() -> None:
    x = np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 4.0], [0.7, np.nan]])
    assert correlation_changes(x, x).before == (None,)


@given(st.floats(-5.0, 5.0), st.integers(2, 40))
@settings(max_examples=40)
def test_a_constant_has_no_correlation_however_its_mean_is_rounded(constant: float, n: int) -> None:
    x = np.column_stack((np.full(n, constant), np.arange(n)))
    assert np.isnan(second_moments(x).correlation).all()
