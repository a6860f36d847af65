"""What a centre stands for in the units of the file: the mean of the records' values, by the weights of an update."""

from __future__ import annotations

import numpy as np

from constraint_sdc.mask.fuzzy.alternation import pull_at, weighted_means
from constraint_sdc.mask.fuzzy.nearness import CELLS, chunks, require_fuzziness, require_places, squared_distances
from constraint_sdc.mask.fuzzy.regions import Regions
from constraint_sdc.model.groups import Labels, Points


def centre_values(
    points: Points, centres: Points, m1: float, values: Points, *, regions: Regions | None = None, cells: int = CELLS
) -> Points:
    """Return the values of every centre (c x e): means of the records' values (n x e) with weights u^m1.

    They lie in the convex hull of the records' values, and within each column's range to the last digit; so they
    satisfy every linear rule that all records satisfy, up to rounding. A centre at which no record pulls has the values
    of the record nearest to it. With `regions`, a centre's records are those of its own region.
    """
    require_fuzziness(m1)
    require_places(points, centres)
    found = np.empty((len(centres), values.shape[1]))
    for records, numbers in (regions or Regions.one(len(points), len(centres))).each():
        own, places = points[records], centres[numbers]
        pull = pull_at(own, places, m1, values[records], cells)
        means = weighted_means(pull, values[records])
        idle = np.flatnonzero(pull.weights == 0.0)
        means[idle] = values[records[_nearest_records(own, places[idle], cells)]]
        found[numbers] = means
    return found


def _nearest_records(points: Points, places: Points, cells: int) -> Labels:
    """Return the record nearest to each place, the first among equals."""
    found = [
        np.argmin(squared_distances(places[rows], points), axis=1) for rows in chunks(len(places), len(points), cells)
    ]
    return np.concatenate([np.zeros(0, np.int64), *found]).astype(np.int64)
