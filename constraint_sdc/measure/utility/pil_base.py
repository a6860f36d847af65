"""The five kinds of statistics that PIL compares, and how far each would stray by sampling alone.

All are computed on values in the original's standard deviations from its mean: PIL does not depend on units, and
nothing overflows. The asymptotic deviations follow from the original's central moments (divided by n) by the delta
method. Each is the root of a mean of squares, which no rounding makes negative:

    variance      mean of (u^2 - s^2)^2 / n                   = (mu4 - mu2^2) / n
    covariance    mean of (u v - m)^2 / n                     = (mu22 - mu11^2) / n
    correlation   mean of (u v - r (u^2 + v^2) / 2)^2 / n     with u, v divided by their standard deviations
    quantile      q (1 - q) / (n f^2)                         f: Gaussian kernel density, Scott's bandwidth
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.measure.utility.second_moments import Together, each_together, second_moments
from constraint_sdc.measure.utility.yardstick import Yardstick, yardstick
from constraint_sdc.model.groups import Points
from constraint_sdc.model.pair import Floats

QUANTILES = np.arange(5, 100, 5) / 100.0
_FAR = 332  # 2**332 standard deviations are about 1e100: beyond, squares would overflow


@dataclass(frozen=True)
class Statistics:
    """An entry per variable (quantiles: a row per variable) or per pair of variables; NaN where not defined."""

    mean: Floats
    variance: Floats
    covariance: Floats
    correlation: Floats
    quantile: Points


@dataclass(frozen=True)
class Base:
    """The original's statistics, their asymptotic standard deviations, and the units in which both are."""

    units: tuple[Yardstick, ...]
    statistics: Statistics
    deviations: Statistics

    def statistics_of(self, masked: Points) -> Statistics:
        """Return the statistics of an n x d file in the original's units; NaN is a blank."""
        return _statistics(_standardised(masked, self.units))


def base_of(original: Points) -> Base:
    """Return the original's side of the comparison, n x d; NaN is a blank."""
    units = tuple(yardstick(original[:, j]) for j in range(original.shape[1]))
    values = _standardised(original, units)
    before = _statistics(values)
    return Base(units, before, _deviations(values, before))


def _standardised(values: Points, units: tuple[Yardstick, ...]) -> Points:
    columns = [_within_reach(unit, values[:, j]) for j, unit in enumerate(units)]
    return np.column_stack(columns) if columns else np.zeros((len(values), 0))


def _within_reach(unit: Yardstick, values: Floats) -> Floats:
    """Return values in the unit; where some are too far away, all are brought nearer in proportion, and are still far.

    Beside such values the original's mean and deviation are nothing, so they are not even subtracted.
    """
    measured = unit.of(values)
    if np.abs(measured).max(initial=0.0, where=~np.isnan(measured)) <= 2.0**_FAR:
        return measured
    exponent = np.frexp(np.abs(values).max(initial=0.0, where=~np.isnan(values)))[1]
    nearer: Floats = np.ldexp(values, _FAR - exponent)
    return nearer


def _statistics(values: Points) -> Statistics:
    pairs = second_moments(values)
    columns = [column[np.isfinite(column)] for column in values.T]
    return Statistics(
        np.array([column.mean() if len(column) else np.nan for column in columns]),
        np.array([column.var(ddof=1) if len(column) > 1 else np.nan for column in columns]),
        pairs.covariance,
        pairs.correlation,
        _by_quantile([np.quantile(c, QUANTILES) if len(c) else np.full(len(QUANTILES), np.nan) for c in columns]),
    )


def _deviations(values: Points, before: Statistics) -> Statistics:
    columns = [column[np.isfinite(column)] for column in values.T]
    pairs = [_pair_deviations(together) for together in each_together(values)]
    return Statistics(
        np.array([column.std() / np.sqrt(len(column)) if len(column) else np.nan for column in columns]),
        np.array([_variance_deviation(column) for column in columns]),
        np.concatenate([np.zeros(0), *(covariance for covariance, _ in pairs)]),
        np.concatenate([np.zeros(0), *(correlation for _, correlation in pairs)]),
        _by_quantile(list(map(_quantile_deviations, columns, before.quantile))),
    )


def _by_quantile(rows: list[Floats]) -> Points:
    return np.array(rows) if rows else np.zeros((0, len(QUANTILES)))


def _variance_deviation(column: Floats) -> float:
    if not len(column):
        return float("nan")
    squares = (column - column.mean()) ** 2
    return float(squares.std() / np.sqrt(len(column)))


def _pair_deviations(together: Together) -> tuple[Floats, Floats]:
    root = np.sqrt(np.maximum(together.count, 1.0))
    product = together.u * together.v
    covariance = np.sqrt(together.mean((product - together.mean(product)) ** 2)) / root
    u = together.u / np.where(together.spread_u > 0, together.spread_u, 1.0)
    v = together.v / np.where(together.spread_v > 0, together.spread_v, 1.0)
    correlation = together.mean(u * v)
    influence = u * v - correlation * (u**2 + v**2) / 2.0
    return covariance, np.sqrt(together.mean(influence**2)) / root


def _quantile_deviations(column: Floats, quantiles: Floats) -> Floats:
    """Return the deviations; 0 for a constant, infinite where the density is so low that it cannot be written."""
    n = len(column)
    if not column.any():  # in standard deviations from its mean, only a constant is all 0
        return np.zeros(len(QUANTILES))
    width = n**-0.2 * column.std(ddof=1)
    density = np.array([np.exp(-0.5 * ((column - q) / width) ** 2).mean() for q in quantiles.tolist()])
    density /= width * np.sqrt(2.0 * np.pi)
    with np.errstate(divide="ignore", over="ignore"):
        deviations: Floats = np.sqrt(QUANTILES * (1.0 - QUANTILES) / n) / density
    return deviations
