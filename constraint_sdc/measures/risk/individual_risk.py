"""Individual risk: R. Benedetti and L. Franconi, Solutions for controlled data dissemination, 1998, as in mu-Argus.

It is the chance that a link to a record of a sample is right.

Of f records of the sample that share the known values, the population has F, which the sampling weights estimate. Given
f, F is taken to be negative binomial with p = f / sum of weights, and the risk of each of these records is E(1 / F).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Floats, Weights
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.risk.achieved_k import classes
from constraint_sdc.settings.reason import Reason, because

_SERIES_UP_TO = 0.9
"""Up to this argument the series of the hypergeometric function is summed; above it a recurrence is stable."""
_LARGE_CLASS = 50
"""In classes of at least this size the series needs few terms, whatever its argument."""
_LEAST_TERM = 1e-17
_BANDS = ((0.0, 0.01), (0.01, 0.05), (0.05, 0.09), (0.09, 0.2), (0.2, 0.5), (0.5, 1.0))
"""Risks in the table, from (exclusive) and to."""


def expected_inverse(sample: Counts, population: Floats) -> Floats:
    """Return E(1 / F) for classes of `sample` records and an estimated `population`, which is at least as large.

    With a = (1 - p) / p it is the integral of u^(f - 1) / (1 + a u) over 0 to 1, that is
    2F1(1, 1; f + 1; a / (1 + a)) / (f (1 + a)). The series has positive terms only. For large a the recurrence
    I(f + 1) = (1 / f - I(f)) / a shrinks errors in every step.

    >>> expected_inverse(np.array([1, 4]), np.array([1.0, 4.0])).tolist()
    [1.0, 0.25]
    """
    f, p = sample.astype(np.float64), np.minimum(sample / population, 1.0)
    risk = np.empty(len(f))
    is_small = (1.0 - p <= _SERIES_UP_TO) | (sample >= _LARGE_CLASS)
    risk[is_small] = _by_series(f[is_small], 1.0 - p[is_small]) * p[is_small] / f[is_small]
    risk[~is_small] = _by_recurrence(sample[~is_small], (1.0 - p[~is_small]) / p[~is_small])
    return risk


def _by_series(f: Floats, z: Floats) -> Floats:
    """Return 2F1(1, 1; f + 1; z): the ratio of terms n + 1 and n is (n + 1) z / (f + 1 + n)."""
    total, term, n = np.ones_like(f), np.ones_like(f), 0
    while (term > _LEAST_TERM * total).any():
        term = term * (n + 1) * z / (f + 1 + n)
        total += term
        n += 1
    return total


def _by_recurrence(f: Counts, a: Floats) -> Floats:
    integral = np.log1p(a) / a
    for step in range(1, int(f.max(initial=1))):
        integral = np.where(f > step, (1.0 / step - integral) / a, integral)
    return integral


@dataclass(frozen=True)
class WeightedRisk:
    """The risk of every record, 0 to 1."""

    risk: Floats

    @property
    def expected(self) -> float:
        """Return the expected number of right links: the global risk."""
        return float(self.risk.sum())

    @property
    def percent(self) -> float:
        """Return it as a share of the records."""
        return 100.0 * self.expected / len(self.risk)

    @property
    def highest(self) -> float:
        """Return the highest risk in per cent."""
        return 100.0 * float(self.risk.max())

    def above(self, least: float, most: float) -> int:
        """Return how many records have a risk above `least` and up to `most`."""
        return int(((self.risk > least) & (self.risk <= most)).sum())


def weighted_risk(codes: Sequence[Codes], weights: Weights) -> WeightedRisk:
    """Return the risk of every record by the classes of some variables; there is a variable and a record."""
    label = classes(codes)
    sample = np.bincount(label).astype(np.int64)
    population = np.maximum(np.bincount(label, weights), sample)
    return WeightedRisk(np.minimum(expected_inverse(sample, population), 1.0)[label])


class IndividualRisk:
    """The chance that a link to a record is right, if the file is a sample whose weights estimate the population."""

    name: ClassVar[str] = "individual-risk"
    title: ClassVar[str] = "Individual and global risk"
    traits: ClassVar[MeasureTraits] = MeasureTraits("risk", needs_weights=True, misses=because("misses-known-sample"))

    def measure(self, pair: Pair) -> Measured:
        """Return the global risk after and before masking, and how the risks of the records are spread."""
        why = _why_not(pair)
        if why is not None or pair.weights is None:
            figures = _figures(None, None)
            said = because("not-measured", why=why or because("no-sampling-weights"))
            return Measured(self.name, self.title, figures, said, notes=(why or because("no-sampling-weights"),))
        after = weighted_risk([pair[name].masked_code for name in pair.known], pair.weights)
        before = weighted_risk([pair[name].original_code for name in pair.known], pair.weights)
        says = (
            f"{after.percent:.2f}% of the links to records of the sample are right to expect, {after.expected:,.1f} of "
            f"{len(pair):,}; before masking {before.percent:.2f}%. The highest risk of a record is "
            f"{after.highest:.2f}%."
        )
        return Measured(
            self.name, self.title, _figures(after, before), says, (_table(before, after),), tuple(_notes(pair.weights))
        )


REGISTERED = {"individual-risk": IndividualRisk()}


def _why_not(pair: Pair) -> Reason | None:
    if not len(pair) or not pair.known:
        return because("nothing-to-count")
    if pair.weights is None:
        return because("no-sampling-weights")
    return None if bool((pair.weights > 0).all()) else because("weights-not-positive")


def _figures(after: WeightedRisk | None, before: WeightedRisk | None) -> tuple[Figure, ...]:
    return (
        Figure("global", "right links to expect, of all records", after.percent if after else None),
        Figure("expected", "right links to expect, as a number", after.expected if after else None, Unit.PLAIN),
        Figure("highest", "highest risk of a record", after.highest if after else None),
        Figure("global-before", "right links to expect before masking", before.percent if before else None),
        Figure("highest-before", "highest risk of a record before masking", before.highest if before else None),
    )


def _table(before: WeightedRisk, after: WeightedRisk) -> ResultTable:
    rows = tuple(
        (f"above {least:.0%} to {most:.0%}", before.above(least, most), after.above(least, most))
        for least, most in _BANDS
    )
    head, units = ("risk", "records before", "records after"), (None, Unit.COUNT, Unit.COUNT)
    return ResultTable("risks", "Records by their risk", head, units, rows)


def _notes(weights: Weights) -> Iterator[Reason]:
    yield because("population-estimated", people=round(float(weights.sum())))
    if (weights < 1).any():
        yield because("weights-below-one", records=int((weights < 1).sum()))
