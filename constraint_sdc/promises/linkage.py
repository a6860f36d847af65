"""Linkage: the share of records that an intruder links rightly who knows the original values of some variables.

Distance-based record linkage, as `assess` measures it, and in both directions; the larger share counts. A record whose
right partner is one of m equally near ones counts as 1 / m.
"""

from __future__ import annotations

from constraint_sdc.data.pair import Pair
from constraint_sdc.plan.promised import PromiseCount
from constraint_sdc.settings.protect import LinkagePromise


def count_linkage(pair: Pair, promise: LinkagePromise) -> PromiseCount:
    """Link the written records to the original by the variables that the intruder knows."""
    from constraint_sdc.measures.points import places_of  # few maskings promise this: the others do not load measures
    from constraint_sdc.measures.risk.distance_linkage import distance_linkage

    known = promise.known or ()
    places = places_of([one for one in pair.variables if one.name in known], len(pair))
    found = (
        distance_linkage(places.original, places.masked).percent,
        distance_linkage(places.masked, places.original).percent,
    )
    percent = max(0.0 if one is None else one for one in found)
    return PromiseCount(
        "linkage", known, {"at_most": promise.at_most}, {"percent": percent}, percent <= promise.at_most
    )
