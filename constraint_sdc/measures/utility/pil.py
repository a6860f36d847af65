"""PIL: probabilistic information loss (J. M. Mateo-Sanz, J. Domingo-Ferrer and F. Sebé, DMKD 11(2), 2005).

The change of a statistic by masking is compared with its sampling error: the loss is the probability that a sample of
the same size deviates less from the original value than the masked file does. It lies between 0 and 100, whatever the
unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, TypeAlias

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.utility.correlations import Together, each_together, second_moments
from constraint_sdc.measures.utility.yardstick import Yardstick, mean_of, not_measured, variables_of, yardstick
from constraint_sdc.settings.reason import because

# The five kinds of statistics that PIL compares, and the sampling error of each.
#
# All are computed on values in the original's standard deviations from its mean: PIL does not depend on units, and
# nothing overflows. The asymptotic deviations follow from the original's central moments (divided by n) by the delta
# method. Each is the root of a mean of squares, which no rounding makes negative:
#
#     variance      mean of (u^2 - s^2)^2 / n                   = (mu4 - mu2^2) / n
#     covariance    mean of (u v - m)^2 / n                     = (mu22 - mu11^2) / n
#     correlation   mean of (u v - r (u^2 + v^2) / 2)^2 / n     with u, v divided by their standard deviations
#     quantile      q (1 - q) / (n f^2)                         f: Gaussian kernel density, Scott's bandwidth

QUANTILES = np.arange(5, 100, 5) / 100.0
_FAR = 332  # 2**332 standard deviations are about 1e100: squares of larger values would overflow


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
    """Return values in the unit; if some are too large, all are scaled down in proportion and stay large.

    The original's mean is negligible relative to such values, so it is not subtracted.
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
    """Return the deviations; 0 for a constant, infinite where the density underflows to 0."""
    n = len(column)
    if not column.any():  # in standard deviations from its mean, only a constant is all 0
        return np.zeros(len(QUANTILES))
    width = n**-0.2 * column.std(ddof=1)
    density = np.array([np.exp(-0.5 * ((column - q) / width) ** 2).mean() for q in quantiles.tolist()])
    density /= width * np.sqrt(2.0 * np.pi)
    with np.errstate(divide="ignore", over="ignore"):
        deviations: Floats = np.sqrt(QUANTILES * (1.0 - QUANTILES) / n) / density
    return deviations


Losses: TypeAlias = tuple[float | None, ...]

_EQUAL = 1e-9  # standard deviations of the variable: a change by rounding alone is no loss
_CERTAIN = 1e-12  # a statistic without sampling error: every true change of it is a full loss


@dataclass(frozen=True, slots=True)
class Pil:
    """Losses in percent, None where not defined; `total` is the mean of the five parts that are.

    `mean`, `variance` and `quantile` (averaged over the quantiles) have an entry per variable, `covariance` and
    `correlation` per pair (1, 2), (1, 3), ..., (2, 3), ...
    """

    mean: Losses
    variance: Losses
    covariance: Losses
    correlation: Losses
    quantile: Losses

    @property
    def parts(self) -> Losses:
        """Return the losses of means, variances, covariances, correlations and quantiles."""
        return tuple(map(mean_of, (self.mean, self.variance, self.covariance, self.correlation, self.quantile)))

    @property
    def total(self) -> float | None:
        """Return the mean of the parts."""
        return mean_of(self.parts)


@dataclass(frozen=True)
class PilBase:
    """The statistics of the original, computed once for many masked files."""

    original: Points
    base: Base

    @staticmethod
    def of(original: Points) -> PilBase:
        """Return the base of an n x d file; NaN is a blank."""
        original = np.where(np.isfinite(original), original, np.nan)
        return PilBase(original, base_of(original))

    def pil(self, masked: Points) -> Pil:
        """Return the loss of a masked file, over the cells that have a number in both files."""
        is_lost = np.isfinite(self.original) & ~np.isfinite(masked)
        if is_lost.any():
            return PilBase.of(np.where(is_lost, np.nan, self.original)).pil(masked)
        after = self.base.statistics_of(np.where(np.isfinite(self.original), masked, np.nan))
        return _compare(self.base.statistics, after, self.base.deviations)


def pil(original: Points, masked: Points) -> Pil:
    """Return the loss of one masked file, both n x d."""
    return PilBase.of(original).pil(masked)


def _compare(before: Statistics, after: Statistics, deviations: Statistics) -> Pil:
    rows = zip(before.quantile, after.quantile, deviations.quantile, strict=True)
    return Pil(
        _losses(before.mean, after.mean, deviations.mean),
        _losses(before.variance, after.variance, deviations.variance),
        _losses(before.covariance, after.covariance, deviations.covariance),
        _losses(before.correlation, after.correlation, deviations.correlation),
        tuple(mean_of(_losses(*row)) for row in rows),
    )


def _losses(before: Floats, after: Floats, deviations: Floats) -> Losses:
    return tuple(map(_loss, before.tolist(), after.tolist(), deviations.tolist()))


def _loss(before: float, after: float, deviation: float) -> float | None:
    """Return 100 * 2 P(0 <= Z <= |after - before| / deviation); 100 for a statistic that masking made undefined."""
    if math.isnan(before):
        return None
    if math.isnan(after):
        return 100.0
    away = abs(after - before)
    if away <= _EQUAL:
        return 0.0
    return 100.0 * math.erf(away / deviation / math.sqrt(2.0)) if deviation > _CERTAIN else 100.0


class ProbabilisticLoss:
    """PIL of the masked numeric variables, its five parts, and every variable's and pair's share in it."""

    name: ClassVar[str] = "pil"
    title: ClassVar[str] = "Probabilistic information loss (PIL)"
    traits: ClassVar[MeasureTraits] = MeasureTraits("utility", unmasked=0.0)

    def measure(self, pair: Pair) -> Measured:
        """Return the loss in percent."""
        names = pair.numeric
        found = pil(*pair.numbers(names))
        labels = ("means", "variances", "covariances", "correlations", "quantiles")
        figures = (
            Figure("pil", "probabilistic information loss", found.total),
            *(Figure(label, label, part) for label, part in zip(labels, found.parts, strict=True)),
        )
        if found.total is None:
            why = because("no-numbers-in-both") if names else because("no-masked-numeric")
            return not_measured(self.name, self.title, figures, why)
        undefined = [figure.label for figure in figures if figure.value is None]
        return Measured(
            self.name,
            self.title,
            figures,
            f"The statistics of {variables_of(pair)} have a probabilistic loss of "
            f"{found.total:.2f}%, where 0% is no change and 100% a larger change than sampling causes.",
            (_variables(names, found), _pairs(names, found)) if len(names) > 1 else (_variables(names, found),),
            (because("left-out-of-total", parts=tuple(undefined)),) if undefined else (),
        )


REGISTERED = {"pil": ProbabilisticLoss()}


def _variables(names: tuple[str, ...], found: Pil) -> ResultTable:
    rows = tuple(zip(names, found.mean, found.variance, found.quantile, strict=True))
    head = ("variable", "mean", "variance", "quantiles")
    return ResultTable("by-variable", "Probabilistic loss by variable", head, (None, *[Unit.PERCENT] * 3), rows)


def _pairs(names: tuple[str, ...], found: Pil) -> ResultTable:
    rows = zip(combinations(names, 2), found.covariance, found.correlation, strict=True)
    head = ("variable", "other variable", "covariance", "correlation")
    units = (None, None, Unit.PERCENT, Unit.PERCENT)
    return ResultTable(
        "by-pair", "Probabilistic loss by pair of variables", head, units, tuple((*two, c, r) for two, c, r in rows)
    )
