"""Restoring moments: after repairs, a linear map gives a cluster its means and covariances back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import Grid, Series
from constraint_sdc.data.table import column_of
from constraint_sdc.maskers.microhybrid.ipso import moment_differences, promises, restored
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.settings.words import Scale

WHOLE = Groups(np.zeros(12, np.int64))
NONE_GIVEN = np.zeros((12, 0))


def damaged(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    original = rng.normal(50, 10, (12, 3))
    original[:, 2] = original[:, 0] + original[:, 1]
    masked = rng.permutation(original) + rng.normal(0, 3, (12, 1))
    masked[:, 2] = masked[:, 0] + masked[:, 1]
    return original, masked


def series(values: np.ndarray, decimals: int | None = None) -> list[Series]:
    """Return columns A, B, ... as a file would have them."""
    nothing = np.zeros(len(values), np.int64)
    return [
        Series(name, column_of(name, map(repr, column.tolist())), Scale.NUMERIC, Grid(decimals), column, nothing)
        for name, column in zip("ABC", values.T, strict=False)
    ]


@given(seed=st.integers(0, 10**6))
def test_both_moments_come_back_and_the_total_still_adds_up(seed: int) -> None:
    original, masked = damaged(seed)
    (_, whole), (_, means) = restored(original, masked)
    differences = moment_differences(original, whole, NONE_GIVEN, WHOLE)
    assert differences.means.max() < 1e-9
    assert differences.covariances.max() < 1e-7
    for values in (whole, means):
        np.testing.assert_allclose(values[:, 0] + values[:, 1], values[:, 2], rtol=1e-9)
        np.testing.assert_allclose(values.mean(axis=0), original.mean(axis=0), rtol=1e-12)


def test_differences_are_said_for_those_who_have_them() -> None:
    """B is off by a tenth of its deviation in one record; A and C are as they were."""
    rng = np.random.default_rng(1)
    original = rng.normal(0, 1, (12, 3))
    masked = original.copy()
    masked[0, 1] += 0.1 * original[:, 1].std()
    said = promises(series(original), masked, (), WHOLE)
    exact = [sentence(promise.what) for promise in said if promise.is_exact]
    near = [sentence(promise.what) for promise in said if not promise.is_exact]
    assert exact[:2] == ["means of A, C", "covariances of A, C"]
    assert near[:2] == ["means of B", "covariances of B with those"]
    assert all(promise.difference > 1e-3 for promise in said if not promise.is_exact)


@pytest.mark.parametrize(
    ("offset", "decimals", "is_exact"),
    [(0.0, 0, True), (2.0**52, 0, True), (2.0**60, 0, False), (1e9, None, True), (1e9, 2, False), (0.0, 2, True)],
)
def test_what_doubles_cannot_tell_apart_is_not_called_exact(
    offset: float, decimals: int | None, is_exact: bool
) -> None:
    """Nothing changed at all; but of large numbers, or decimals far from nought, doubles do not have all digits."""
    values = offset + np.arange(12.0)[:, None]
    said = promises(series(values, decimals), values.copy(), (), WHOLE)
    assert {promise.is_exact for promise in said if promise.what.code == "covariances-kept"} == {is_exact}
