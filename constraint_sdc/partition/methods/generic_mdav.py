"""MDAV with any distance and any centre: J. Domingo-Ferrer and V. Torra, DMKD 11(2), 195-212, 2005 (MDAV-generic).

Codes repeat, so the search runs over distinct records, each with a queue of its copies in file order. The groups are
the same as those of a search over all records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from constraint_sdc.arrays import Codes, Floats, Labels, Picked, Rows

# One variable of the records to be grouped: its distances from a value, and its centre.
# A variable adds its part to a distance. Only distinct records are kept; `count` is the number of copies of each.


class DistanceVariable(Protocol):
    """A variable over the records; a place is one of its values or their centre."""

    @property
    def codes(self) -> Codes:
        """Return equal codes for equal values: 0, 1, ... in their order."""
        ...

    def of(self, picked: Picked) -> DistanceVariable:
        """Return the variable over some of the records."""
        ...

    def at(self, record: int) -> float:
        """Return the place of a record."""
        ...

    def centre(self, count: Codes) -> float:
        """Return the centre of the records, each weighted by its number of copies."""
        ...

    def parts(self, place: float) -> Floats:
        """Return what the variable adds to the distance of every record from a place."""
        ...


@dataclass(frozen=True)
class NumericDistance:
    """A number: squared difference, arithmetic mean."""

    values: Floats

    @property
    def codes(self) -> Codes:
        """Return the ranks of the values."""
        return np.unique(self.values, return_inverse=True)[1].astype(np.int64)

    def of(self, picked: Picked) -> NumericDistance:
        """Return the variable over some of the records."""
        return NumericDistance(self.values[picked])

    def at(self, record: int) -> float:
        """Return the value of a record."""
        return float(self.values[record])

    def centre(self, count: Codes) -> float:
        """Return the mean."""
        return float((self.values * count).sum() / count.sum())

    def parts(self, place: float) -> Floats:
        """Return squared differences."""
        difference = self.values - place
        return np.multiply(difference, difference, out=difference)


@dataclass(frozen=True)
class Rank:
    """An ordinal variable: difference (squared or not) of standardised codes, lower median.

    `steps` are the distinct values in their order; `codes` are the positions of the records' values in `steps`.
    """

    codes: Codes
    steps: Floats
    is_squared: bool

    @staticmethod
    def from_values(values: Floats, *, is_squared: bool) -> Rank:
        """Return the variable of these standardised codes."""
        steps, codes = np.unique(values, return_inverse=True)
        return Rank(codes.astype(np.int64), steps, is_squared)

    def of(self, picked: Picked) -> Rank:
        """Return the variable over some of the records."""
        return Rank(self.codes[picked], self.steps, self.is_squared)

    def at(self, record: int) -> float:
        """Return the value of a record."""
        return float(self.steps[self.codes[record]])

    def centre(self, count: Codes) -> float:
        """Return the ceil(n / 2)-th smallest of n values: one that occurs."""
        up_to = np.cumsum(np.bincount(self.codes, weights=count, minlength=len(self.steps)))
        return float(self.steps[np.searchsorted(up_to, up_to[-1] / 2)])

    def parts(self, place: float) -> Floats:
        """Return differences, squared if `is_squared`; each distinct value is computed once."""
        step = np.abs(self.steps - place)
        return (step * step if self.is_squared else step)[self.codes]


@dataclass(frozen=True)
class Category:
    """A nominal variable: distance 0 for a match and `mismatch` otherwise; the centre is the mode (ties: the first)."""

    codes: Codes
    mismatch: float

    def of(self, picked: Picked) -> Category:
        """Return the variable over some of the records."""
        return Category(self.codes[picked], self.mismatch)

    def at(self, record: int) -> float:
        """Return the code of a record."""
        return float(self.codes[record])

    def centre(self, count: Codes) -> float:
        """Return the mode."""
        return float(np.argmax(np.bincount(self.codes, weights=count)))

    def parts(self, place: float) -> Floats:
        """Return 0 for a match and `mismatch` otherwise."""
        return np.not_equal(self.codes, int(place)) * self.mismatch


_SPLIT = 2.0**21 + 1.0


def form_groups(variables: Sequence[DistanceVariable], k: int) -> Labels:
    """Return the group of every record: k to 2k - 1 records each, numbered in the order in which they form.

    Ties go to the first record in the file. Distances are equal if they agree in 32 binary digits (nine decimal
    digits): one step up and one step down have the same distance, and the rounding of standardised codes must not
    decide between them. Copies of a record are nearer to it than all other records.
    """
    rest = _Rest(variables)
    labels = np.empty(len(variables[0].codes), np.int64)
    for number, rows in enumerate(_groups(rest, k)):
        labels[rows] = number
    return labels


def _groups(rest: _Rest, k: int) -> Iterator[Rows]:
    while len(rest) >= 3 * k:
        r = rest.farthest(rest.from_centre())
        from_r = rest.from_record(r)
        yield rest.take_nearest(from_r, r, k)
        s = rest.farthest(from_r)
        yield rest.take_nearest(rest.from_record(s), s, k)
        rest.forget_used()
    if len(rest) >= 2 * k:
        r = rest.farthest(rest.from_centre())
        yield rest.take_nearest(rest.from_record(r), r, k)
    yield rest.all()


class _Rest:
    """The distinct records that have no group yet.

    Distinct record i occurs `count[i]` more times: `queue[head[i]]` and those that follow it, in file order.
    """

    def __init__(self, variables: Sequence[DistanceVariable]) -> None:
        distinct = _distinct(variables)
        self.queue = np.argsort(distinct, kind="stable").astype(np.int64)
        self.count = np.bincount(distinct).astype(np.int64)
        self.head = np.cumsum(self.count) - self.count
        self.variables = [variable.of(self.queue[self.head]) for variable in variables]
        self.size = len(distinct)

    def __len__(self) -> int:
        return self.size

    def from_centre(self) -> Floats:
        """Return the distances from the centre of the remaining records."""
        return self._from([variable.centre(self.count) for variable in self.variables])

    def from_record(self, record: int) -> Floats:
        """Return the distances from a distinct record."""
        return self._from([variable.at(record) for variable in self.variables])

    def _from(self, places: Sequence[float]) -> Floats:
        total = np.zeros(len(self.count))
        for variable, place in zip(self.variables, places, strict=True):
            total += variable.parts(place)
        return _nine_digits(total)

    def farthest(self, distances: Floats) -> int:
        """Return the distinct record farthest away; ties go to the one whose next copy is first in the file."""
        distances = np.where(self.count > 0, distances, -1.0)
        farthest = np.flatnonzero(distances == distances.max())
        return int(farthest[np.argmin(self.queue[self.head[farthest]])])

    def take_nearest(self, distances: Floats, centre: int, k: int) -> Rows:
        """Remove and return the k records nearest to a distinct record, starting with its own copies."""
        distances = np.where(self.count > 0, distances, np.inf)
        distances[centre] = -1.0
        whole, tied = self._within_reach(distances, k)
        taken = [self._take(int(i), int(self.count[i])) for i in whole]
        taken += self._take_first(tied, k - sum(map(len, taken)))
        self.size -= k
        return np.concatenate(taken)

    def _within_reach(self, distances: Floats, k: int) -> tuple[Codes, Codes]:
        """Return the distinct records nearer than the k-th nearest record, and those at the same distance as it."""
        last = min(k, len(distances)) - 1
        limit = np.partition(distances, last)[last]
        nearer = np.flatnonzero(distances < limit)  # fewer than k
        nearer = nearer[np.argsort(distances[nearer], kind="stable")]
        up_to = np.cumsum(self.count[nearer])
        if len(nearer) and up_to[-1] >= k:
            limit = distances[nearer[np.searchsorted(up_to, k)]]
        return nearer[distances[nearer] < limit], np.flatnonzero(distances == limit)

    def _take_first(self, tied: Codes, wanted: int) -> list[Rows]:
        """Remove and return the first records in the file among the copies of several distinct records."""
        if len(tied) > wanted:
            tied = tied[np.argpartition(self.queue[self.head[tied]], wanted - 1)[:wanted]]
        lengths = np.minimum(self.count[tied], wanted)
        owner = np.repeat(tied, lengths)
        records = np.concatenate([self.queue[self.head[i] :][:m] for i, m in zip(tied, lengths, strict=True)])
        owners, many = np.unique(owner[np.argsort(records)[:wanted]], return_counts=True)
        return [self._take(int(i), int(m)) for i, m in zip(owners, many, strict=True)]

    def _take(self, i: int, many: int) -> Rows:
        start = self.head[i]
        self.head[i] += many
        self.count[i] -= many
        return self.queue[start : start + many]

    def forget_used(self) -> None:
        """Drop distinct records without remaining copies; arrays of distances become shorter."""
        left = self.count > 0
        if not left.all():
            self.count, self.head = self.count[left], self.head[left]
            self.variables = [variable.of(left) for variable in self.variables]

    def all(self) -> Rows:
        """Remove and return all remaining records."""
        self.size = 0
        return np.concatenate([self._take(i, int(m)) for i, m in enumerate(self.count)])


def _distinct(variables: Sequence[DistanceVariable]) -> Codes:
    """Number the distinct records."""
    number = np.zeros(len(variables[0].codes), np.int64)
    for variable in variables:
        codes = variable.codes
        number = np.unique(number * (codes.max(initial=0) + 1) + codes, return_inverse=True)[1]
    return number


def _nine_digits(values: Floats) -> Floats:
    """Round to 32 binary digits by adding and subtracting a multiple (Veltkamp's splitting)."""
    pushed = values * _SPLIT
    return pushed - (pushed - values)
