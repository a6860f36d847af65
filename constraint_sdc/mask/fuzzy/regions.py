"""Regions of a large file: fuzzy c-means runs in each of them, because its time grows with records times centres."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from constraint_sdc.model.groups import Labels, Points, Rows
from constraint_sdc.partition.tree import tree_order

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

    Regions have equally many records, except one that has those left over besides. A region with s of the n records has
    s c / n centres, rounded so that they add up to c, and at least one.
    """
    n = len(points)
    size = max(math.isqrt(region * n // c), -(-n // c))
    if n * c <= whole or n < 2 * size:
        return Regions.one(n, c)
    of_record = np.empty(n, np.int64)
    of_record[tree_order(points, size)] = np.minimum(np.arange(n) // size, n // size - 1)
    ends = np.cumsum(np.bincount(of_record)) * c // n
    return Regions(of_record, np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0)))
