"""Record linkage in Mahalanobis distance: V. Torra, J. M. Abowd and J. Domingo-Ferrer, PSD 2006, LNCS 4302, 233-242.

Correlated variables do not count twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Points
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Measured, MeasureTraits
from constraint_sdc.measures.points import Places, places_of
from constraint_sdc.measures.risk.distance_linkage import distance_linkage, linked, not_linked
from constraint_sdc.settings.reason import Reason, because

_NEGLIGIBLE = 1e-10
"""Directions whose eigenvalue of the correlation matrix, relative to the largest, is smaller have no spread."""


@dataclass(frozen=True)
class Whitened:
    """Places in which plain distance is Mahalanobis distance; `dropped` directions had no spread in the original."""

    original: Points
    masked: Points
    dropped: int


def whitened(original: Points, masked: Points) -> Whitened:
    """Rotate and scale both files so that the original has the identity as covariance in the remaining directions.

    An exact rule (total = part + part) makes the covariance singular: the direction in which the rule would be broken
    has no spread. The generalised inverse is 0 there, so such directions are left out.
    """
    centre = original.mean(axis=0)
    deviation = original.std(axis=0)
    varying = np.flatnonzero(np.ptp(original, axis=0) > 0.0)
    spread = (original[:, varying] - centre[varying]) / deviation[varying]
    share, directions = np.linalg.eigh(spread.T @ spread / max(len(original), 1))
    kept = share > _NEGLIGIBLE * share.max(initial=0.0)
    turn = directions[:, kept] / np.sqrt(share[kept])
    after = (masked[:, varying] - centre[varying]) / deviation[varying]
    return Whitened(spread @ turn, after @ turn, original.shape[1] - int(kept.sum()))


class MahalanobisLinkage:
    """How many masked records an intruder links to the right person by Mahalanobis distance."""

    name: ClassVar[str] = "mahalanobis-linkage"
    title: ClassVar[str] = "Record linkage by Mahalanobis distance"
    traits: ClassVar[MeasureTraits] = MeasureTraits("risk")

    def measure(self, pair: Pair) -> Measured:
        """Link in both directions, in all variables that the intruder knows."""
        if not pair.known:
            return not_linked(self.name, self.title, because("nothing-known"))
        if len(pair) == 0:
            return not_linked(self.name, self.title, because("no-record-to-link"))
        places = places_of([pair[name] for name in pair.known], len(pair))
        turned = whitened(places.original, places.masked)
        if turned.original.shape[1] == 0:
            return not_linked(self.name, self.title, because("nothing-known-varies"))
        there = distance_linkage(turned.original, turned.masked)
        back = distance_linkage(turned.masked, turned.original)
        return linked(self.name, self.title, pair, there, back, _notes(places, turned), "Mahalanobis distance")


REGISTERED = {"mahalanobis-linkage": MahalanobisLinkage()}


def _notes(places: Places, turned: Whitened) -> tuple[Reason, ...]:
    if turned.dropped == 0:
        return places.notes
    return (*places.notes, because("directions-left-out", dropped=turned.dropped, of=places.original.shape[1]))
