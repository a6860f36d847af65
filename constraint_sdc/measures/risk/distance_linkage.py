"""Distance-based record linkage: D. Pagliuca and G. Seri, Some results of individual ranking method, SDC project, 1999.

The intruder knows the original values of some variables and links every masked record to the nearest original.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Points, Rows
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, Unit
from constraint_sdc.measures.nearest import Links, links
from constraint_sdc.measures.points import places_of
from constraint_sdc.settings.reason import Reason, because


@dataclass(frozen=True)
class Linkage:
    """How many records were linked correctly.

    `expected` counts a record whose right partner shares the nearest distance with m - 1 others as 1 / m. `unique` is
    the number of records with a single nearest partner, and `unique_right` the number of these with the right one: the
    success of an intruder who uses only links without ties.
    """

    records: int
    expected: float
    unique: int
    unique_right: int

    @property
    def percent(self) -> float | None:
        """Return the expected share of right links; None without a record."""
        return 100.0 * self.expected / self.records if self.records else None

    @property
    def sure(self) -> float | None:
        """Return the percentage of right links among those without ties; None if there are none."""
        return 100.0 * self.unique_right / self.unique if self.unique else None


def distance_linkage(original: Points, masked: Points, rows: Rows | None = None) -> Linkage:
    """Link masked records (all, or those in `rows`) to the nearest originals; row i of both is the same record.

    The points must be in units that make distances comparable: see `measures/points.py`. Exchange the two files for the
    other direction. Ties are shared: distances within a relative 1e-9 are equal.

    >>> distance_linkage(np.array([[0.0], [2.0], [9.0]]), np.array([[1.0], [1.0], [8.0]])).expected
    2.0
    """
    own = np.arange(len(original)) if rows is None else rows
    if len(own) == 0:
        return Linkage(0, 0.0, 0, 0)
    return linkage_of(links(masked if rows is None else masked[rows], original, own))


def linkage_of(found: Links) -> Linkage:
    """Return how many of the links are right."""
    unique = found.ties == 1
    right = np.count_nonzero(unique & found.is_right)
    return Linkage(len(found.ties), float(found.credit.sum()), int(np.count_nonzero(unique)), int(right))


class DistanceLinkage:
    """How many masked records an intruder links to the right person by standardised distance."""

    name: ClassVar[str] = "distance-linkage"
    title: ClassVar[str] = "Distance-based record linkage (DBRL)"
    traits: ClassVar[MeasureTraits] = MeasureTraits("risk", misses=because("misses-other-knowledge"))

    def measure(self, pair: Pair) -> Measured:
        """Link in both directions, in all variables that the intruder knows."""
        if not pair.known:
            return not_linked(self.name, self.title, because("nothing-known"))
        places = places_of([pair[name] for name in pair.known], len(pair))
        there = distance_linkage(places.original, places.masked)
        back = distance_linkage(places.masked, places.original)
        return linked(self.name, self.title, pair, there, back, places.notes)


REGISTERED = {"distance-linkage": DistanceLinkage()}


def linked(
    name: str, title: str, pair: Pair, there: Linkage, back: Linkage, notes: tuple[Reason, ...], by: str = "distance"
) -> Measured:
    """Return the result of a linkage in both directions."""
    if there.percent is None:
        return not_linked(name, title, because("no-record-to-link"))
    figures = (
        Figure("linked", "masked records linked to the right original", there.percent),
        Figure("expected", "right links to expect, of all records", there.expected, Unit.PLAIN),
        Figure("unique", "masked records with a single nearest original", there.unique, Unit.COUNT),
        Figure("unique-right", "of these, the right one", there.unique_right, Unit.COUNT),
        Figure("sure", "share of right links among these", there.sure),
        Figure("reverse", "originals linked to the right masked record", back.percent),
        Figure("chance", "right links by a random guess", 100.0 / there.records),
    )
    if there.sure is None:
        notes = (*notes, because("no-single-nearest"))
    return Measured(name, title, figures, _says(pair, there, by), notes=notes)


def _says(pair: Pair, there: Linkage, by: str) -> str:
    known = pair.known[0] if len(pair.known) == 1 else f"{len(pair.known)} variables"
    return (
        f"An intruder who knows {known} and links every masked record to the original nearest by {by} is right for "
        f"{there.percent:.2f}% of {there.records:,} records; a random guess is right for {100.0 / there.records:.2f}%."
    )


def not_linked(
    name: str, title: str, why: Reason, label: str = "masked records linked to the right original"
) -> Measured:
    """Return a result without figures, and the reason."""
    figure = Figure("linked", label, None)
    return Measured(name, title, (figure,), because("not-measured", why=why), notes=(why,))
