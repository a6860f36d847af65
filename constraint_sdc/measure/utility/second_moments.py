"""Covariances and Pearson correlations of all pairs of variables, each over the records that have both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from constraint_sdc.model.groups import Points
from constraint_sdc.model.pair import Floats

_ROUNDING = 1e-12  # in relation to the largest number: a spread below is none


@dataclass(frozen=True)
class Together:
    """One variable beside all that come after it, a column each: centred values, 0 where one of the two is blank.

    `count` is the number of records that have both. `spread_u` and `spread_v` are standard deviations (they divide by
    n), 0 where the values differ by no more than rounding.
    """

    u: Points
    v: Points
    both: Points
    count: Floats
    spread_u: Floats
    spread_v: Floats

    def mean(self, values: Points) -> Floats:
        """Return the mean of every column over the records that have both variables; 0 where none has."""
        sums: Floats = (values * self.both).sum(axis=0)
        return sums / np.maximum(self.count, 1.0)


@dataclass(frozen=True)
class SecondMoments:
    """Of d variables the d (d - 1) / 2 pairs (1, 2), (1, 3), ..., (2, 3), ...; NaN where not defined.

    A covariance (n - 1) needs two records, a correlation two variables that vary among the records that have both.
    """

    covariance: Floats
    correlation: Floats


def each_together(values: Points) -> Iterator[Together]:
    """Yield every variable of an n x d file, but the last, beside those after it; NaN is a blank.

    One variable at a time, so that no n x d x d array is needed.
    """
    present = np.isfinite(values)
    filled = np.where(present, values, 0.0)
    for j in range(values.shape[1] - 1):
        yield _together(filled[:, j : j + 1], filled[:, j + 1 :], present[:, j : j + 1] & present[:, j + 1 :])


def second_moments(values: Points) -> SecondMoments:
    """Return the covariance and the correlation of every pair of variables of an n x d file; NaN is a blank."""
    found = [_moments(together) for together in each_together(values)]
    covariance = np.concatenate([np.zeros(0), *(covariance for covariance, _ in found)])
    correlation = np.concatenate([np.zeros(0), *(correlation for _, correlation in found)])
    return SecondMoments(covariance, correlation)


def _together(u: Points, v: Points, is_both: np.ndarray) -> Together:
    both = is_both.astype(np.float64)
    count = both.sum(axis=0)
    u, u_spread = _centred(u * both, both, count)
    v, v_spread = _centred(v * both, both, count)
    return Together(u, v, both, count, u_spread, v_spread)


def _centred(values: Points, both: Points, count: Floats) -> tuple[Points, Floats]:
    n = np.maximum(count, 1.0)
    centred = (values - values.sum(axis=0) / n) * both
    spread = np.sqrt((centred**2).sum(axis=0) / n)
    largest = np.abs(values).max(axis=0, initial=0.0)
    return centred, np.where(spread > _ROUNDING * largest, spread, 0.0)


def _moments(together: Together) -> tuple[Floats, Floats]:
    product = together.mean(together.u * together.v)
    count = together.count
    covariance = np.where(count > 1, product * count / np.maximum(count - 1.0, 1.0), np.nan)
    spreads = together.spread_u * together.spread_v
    correlation = np.clip(product / np.where(spreads > 0, spreads, 1.0), -1.0, 1.0)
    return covariance, np.where(spreads > 0, correlation, np.nan)
