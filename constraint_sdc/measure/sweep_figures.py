"""The figures of a sweep: PIL, DBRL, ID and the loss of many masked versions of one file.

Whatever depends on the original alone is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass

from constraint_sdc.measure.points import places_of
from constraint_sdc.measure.risk.distance_linkage import distance_linkage
from constraint_sdc.measure.risk.interval_disclosure import RankBase
from constraint_sdc.measure.score import score
from constraint_sdc.measure.utility.pil import PilBase
from constraint_sdc.measure.utility.sse import sse
from constraint_sdc.model.groups import Points
from constraint_sdc.model.pair import Pair


@dataclass(frozen=True, slots=True)
class Figures:
    """What one masked version costs and risks, in per cent; None where not defined."""

    pil: float | None
    dbrl: float | None
    id: float | None
    dr: float | None
    score: float | None
    loss: float | None


class SweepFigures:
    """Measures pairs that share their original; another set of masked variables has a base of its own."""

    def __init__(self) -> None:
        self._bases: dict[tuple[str, ...], tuple[PilBase, RankBase]] = {}

    def of(self, pair: Pair) -> Figures:
        """Return the same figures as the measures of these names would."""
        original, masked = pair.numbers(pair.numeric)
        pil_base, rank_base = self._base(pair.numeric, original)
        found = score(pil_base.pil(masked).total, _linked(pair), rank_base.disclosure(masked).rank)
        return Figures(found.pil, found.dbrl, found.id, found.dr, found.score, sse(original, masked).loss)

    def _base(self, names: tuple[str, ...], original: Points) -> tuple[PilBase, RankBase]:
        if names not in self._bases:
            self._bases[names] = PilBase.of(original), RankBase.of(original)
        return self._bases[names]


def _linked(pair: Pair) -> float | None:
    if not pair.known:
        return None
    places = places_of([pair[name] for name in pair.known], len(pair))
    return distance_linkage(places.original, places.masked).percent
