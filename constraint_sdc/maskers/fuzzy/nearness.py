"""The nearness of records to centres as fuzzy c-means uses it, for a chunk of records at a time.

J. C. Bezdek, Pattern recognition with fuzzy objective function algorithms, Plenum, 1981. With d_j the squared distance
of a record from centre j, its memberships u_j are proportional to d_j^(-1/(m-1)). All is kept relative to the least d
and to u = 1/c, so that every m from 1 (crisp) to infinity works: sum_j u_j^m d_j is c^(1-m) times the power mean of
the d_j with exponent -1/(m-1): the least for m = 1, the harmonic mean for m = 2, the geometric one for infinity.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from constraint_sdc.arrays import Floats, Labels, Points, Rows
from constraint_sdc.partition.methods.tree import tree_order

CELLS = 1 << 17
"""Records times centres in memory at once, a megabyte: memory does not grow with the file, and fits into caches."""

_AS_GOOD_AS_INFINITE = 1e15
"""From this m on, d^(-1/(m-1)) rounds to 1 for all doubles d."""

_CANCELS_ABOVE = 8.0
"""From this m on, the mean of powers is so close to 1 that its distance from 1 is summed instead."""

_LARGEST_LOG = 600.0
"""Weights are cut off at e^600: n of them can still be added, and smaller weights are lost beside them in any case."""


def require_fuzziness(m: float) -> None:
    """Raise ValueError unless m is a number of at least 1 (infinity included)."""
    if not m >= 1.0:
        raise ValueError(f"the fuzziness m of fuzzy c-means must be a number of at least 1, not {m}")


def require_places(points: Points, centres: Points) -> None:
    """Raise ValueError unless points (n x d) and centres (c x d) are finite, and there is a centre."""
    if points.ndim != 2 or centres.ndim != 2 or points.shape[1] != centres.shape[1] or len(centres) == 0:
        raise ValueError(f"points {points.shape} and centres {centres.shape} must be n x d and c x d, c at least 1")
    if not (np.isfinite(points).all() and np.isfinite(centres).all()):
        raise ValueError("points and centres must be finite numbers; leave records with missing values out")


def chunks(records: int, centres: int, cells: int = CELLS) -> Iterator[slice]:
    """Yield chunks of consecutive records, each with about `cells` pairs with the centres."""
    step = max(1, cells // max(1, centres))
    for start in range(0, records, step):
        yield slice(start, min(start + step, records))


def squared_distances(points: Points, centres: Points) -> Floats:
    """Return squared distances (n x c) by differences; variables are added in their order, for every chunk."""
    total = np.zeros((len(points), len(centres)))
    difference = np.empty_like(total)
    for column, coordinates in zip(points.T, centres.T, strict=True):
        np.subtract(column[:, None], coordinates[None, :], out=difference)
        np.multiply(difference, difference, out=difference)
        total += difference
    return total


@dataclass(frozen=True)
class Nearness:
    """A chunk of records beside all centres (b x c), under one m.

    `powers` are d_j^(-1/(m-1)) relative to the largest of each record, `least` is the squared distance to the nearest
    centre, and `tilt` the log of the power mean of the d_j relative to that. A record at a centre has power 1 there and
    0 elsewhere, which is the limit; several centres at its place share it. With m = 1 the nearest centre has all, the
    first among equals.
    """

    m: float
    distances: Floats
    least: Floats
    powers: Floats
    tilt: Floats

    def memberships(self) -> Floats:
        """Return u (b x c), not negative; each row adds up to 1."""
        shares: Floats = self.powers / self.powers.sum(axis=1, keepdims=True)
        return shares

    def weights(self) -> Floats:
        """Return (c u)^m (b x c), the pull of records on centres; u^m itself underflows for large m."""
        if self.m == 1.0:
            return self.powers
        stretch = self.m / (self.m - 1.0) if self.m < _AS_GOOD_AS_INFINITE else 1.0
        pull = np.divide(self.least[:, None], self.distances, out=np.ones_like(self.powers), where=self.distances > 0.0)
        pull *= self.powers
        pull *= np.exp(np.minimum(stretch * self.tilt, _LARGEST_LOG))[:, None]
        return pull

    def objectives(self) -> Floats:
        """Return c^(m-1) sum_j u_j^m d_j for every record: the power mean of its squared distances."""
        means: Floats = self.least * np.exp(np.minimum(self.tilt, _LARGEST_LOG))
        return means


def nearness(points: Points, centres: Points, m: float) -> Nearness:
    """Return a chunk of records beside all centres."""
    distances = squared_distances(points, centres)
    least = distances.min(axis=1)
    if m == 1.0:
        powers = np.zeros_like(distances)
        powers[np.arange(len(points)), distances.argmin(axis=1)] = 1.0
        return Nearness(m, distances, least, powers, np.zeros(len(points)))
    at_centre = least == 0.0
    with np.errstate(divide="ignore"):
        logs = np.log(distances)
    logs -= np.log(np.where(at_centre, 1.0, least))[:, None]
    logs[at_centre] = np.where(distances[at_centre] == 0.0, 0.0, np.inf)
    return Nearness(m, distances, least, *_powers_and_tilt(logs, m))


def _powers_and_tilt(logs: Floats, m: float) -> tuple[Floats, Floats]:
    """Return powers and their tilt from the logs of d_j relative to the least; the logs are overwritten."""
    if m >= _AS_GOOD_AS_INFINITE:
        return np.isfinite(logs).astype(np.float64), logs.mean(axis=1)
    logs /= 1.0 - m
    if m < _CANCELS_ABOVE:
        powers = np.exp(logs, out=logs)
        return powers, (1.0 - m) * np.log(powers.mean(axis=1))
    below = np.expm1(logs, out=logs)
    tilt = (1.0 - m) * np.log1p(below.mean(axis=1))
    below += 1.0
    return below, tilt


# Regions of a large file: fuzzy c-means runs in each region, because its time grows with records times centres.

WHOLE_UP_TO = 12_000_000
"""Records times centres up to which a file stays whole: 6,000 records with a centre for every three of them."""

REGION = 1_500_000
"""Records times centres of a region: about 2,100 records with a centre for every three of them."""


@dataclass(frozen=True)
class Regions:
    """The region of every record and of every centre, numbered from 0 without a gap; centres come region by region."""

    of_record: Labels
    of_centre: Labels

    @classmethod
    def one(cls, records: int, centres: int) -> Regions:
        """Return the whole file as one region."""
        return cls(np.zeros(records, np.int64), np.zeros(centres, np.int64))

    @cached_property
    def count(self) -> int:
        """Return the number of regions."""
        return int(self.of_centre[-1]) + 1

    def __len__(self) -> int:
        return self.count

    def each(self) -> Iterator[tuple[Rows, Rows]]:
        """Yield the records and the centres of every region, both in their order."""
        records = np.split(np.argsort(self.of_record, kind="stable"), np.cumsum(np.bincount(self.of_record))[:-1])
        centres = np.split(np.arange(len(self.of_centre)), np.cumsum(np.bincount(self.of_centre))[:-1])
        yield from zip(records, centres, strict=True)


def cut_regions(points: Points, c: int, whole: int = WHOLE_UP_TO, region: int = REGION) -> Regions:
    """Return regions cut as a tree (n log n), each with its share of the c centres; one region up to `whole` pairs.

    Regions have the same number of records, except one that also has the remainder. A region with s of the n records
    has s c / n centres, rounded so that they add up to c, and at least one.
    """
    n = len(points)
    size = max(math.isqrt(region * n // c), -(-n // c))
    if n * c <= whole or n < 2 * size:
        return Regions.one(n, c)
    of_record = np.empty(n, np.int64)
    of_record[tree_order(points, size)] = np.minimum(np.arange(n) // size, n // size - 1)
    ends = np.cumsum(np.bincount(of_record)) * c // n
    return Regions(of_record, np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0)))
