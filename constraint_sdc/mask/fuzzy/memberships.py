"""Memberships of records in clusters, and draws by them: V. Torra, A fuzzy microaggregation algorithm, CCIA 2015.

A record is replaced by a centre that is drawn, not by the nearest one: knowing the method and its parameters does not
tell an intruder which one it was.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from constraint_sdc.mask.fuzzy.nearness import CELLS, Numbers, chunks, nearness, require_fuzziness, require_places
from constraint_sdc.mask.fuzzy.regions import Regions
from constraint_sdc.model.groups import Labels, Points


def memberships(points: Points, centres: Points, m2: float, cells: int = CELLS) -> Iterator[tuple[slice, Numbers]]:
    """Yield consecutive records with their memberships in all clusters (b x c): rows add up to 1.

    A record at a centre belongs to the centres at its place, in equal shares. With m2 = 1 a record belongs to the
    nearest centre alone, the first among equals; with infinity to all alike. How many come at once changes no digit.

    >>> places = np.array([[0.0], [1.0], [4.0]])
    >>> [u.tolist() for _, u in memberships(places, np.array([[0.0], [2.0]]), m2=2.0)]
    [[[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]]]
    """
    require_fuzziness(m2)
    require_places(points, centres)
    for rows in chunks(len(points), len(centres), cells):
        yield rows, nearness(points[rows], centres, m2).memberships()


def draw(
    points: Points, centres: Points, m2: float, seed: int, *, regions: Regions | None = None, cells: int = CELLS
) -> Labels:
    """Return for every record a centre, drawn by its memberships with m2; the same seed draws the same.

    Within `regions`, a record draws among the centres of its own region only: for files where records times centres
    would take hours.
    """
    uniform = np.random.default_rng(seed).random(len(points))  # one number per record, whatever the chunks
    labels = np.empty(len(points), np.int64)
    for records, numbers in (regions or Regions.one(len(points), len(centres))).each():
        for rows, shares in memberships(points[records], centres[numbers], m2, cells):
            labels[records[rows]] = numbers[drawn(shares, uniform[records[rows]])]
    return labels


def drawn(shares: Numbers, uniform: Numbers) -> Labels:
    """Return a column for every row (b x c) by inverse transform of a number in [0, 1); none whose share is nothing."""
    running = np.cumsum(shares, axis=1)
    whole = running[:, -1:]
    last = np.argmax(running == whole, axis=1)  # rounding may bring a number up to the whole
    found = np.count_nonzero(running <= uniform[:, None] * whole, axis=1)
    columns: Labels = np.minimum(found, last).astype(np.int64)
    return columns
