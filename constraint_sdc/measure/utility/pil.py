"""PIL: probabilistic information loss (J. M. Mateo-Sanz, J. Domingo-Ferrer and F. Sebé, DMKD 11(2), 2005).

A statistic of the masked file is compared with what sampling alone would do to it: the loss is the probability that a
sample of the same size strays less from the original value than masking did. It lies between 0 and 100, whatever the
unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, TypeAlias

import numpy as np

from constraint_sdc.measure.utility.pil_base import Base, Statistics, base_of
from constraint_sdc.measure.utility.wording import mean_of, named, not_measured, variables_of
from constraint_sdc.model.assessment import Figure, Measured, ResultTable, Unit
from constraint_sdc.model.groups import Points
from constraint_sdc.model.pair import Floats, Pair

Losses: TypeAlias = tuple[float | None, ...]

_EQUAL = 1e-9  # standard deviations of the variable: what rounding alone does is no loss
_CERTAIN = 1e-12  # a statistic that sampling would not move: every true change of it is a full loss


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
    """The original's side, computed once: many masked files are compared with it."""

    original: Points
    base: Base

    @staticmethod
    def of(original: Points) -> PilBase:
        """Return what is needed of an n x d file; NaN is a blank."""
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
            why = "no masked numeric variable has numbers in both files" if names else "no masked variable is numeric"
            return not_measured(self.name, self.title, figures, why)
        undefined = [figure.label for figure in figures if figure.value is None]
        return Measured(
            self.name,
            self.title,
            figures,
            f"Statistics of {variables_of(pair)} strayed by a probabilistic loss of "
            f"{found.total:.2f}%, where 0% is no change and 100% more than any sample would bring.",
            (_variables(names, found), _pairs(names, found)) if len(names) > 1 else (_variables(names, found),),
            (f"Not defined, and left out of the total: {named(undefined)}.",) if undefined else (),
        )


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
