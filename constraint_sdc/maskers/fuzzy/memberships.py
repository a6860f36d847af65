"""Memberships of records in clusters, and draws by them: V. Torra, A fuzzy microaggregation algorithm, CCIA 2015.

A record is replaced by a centre that is drawn at random, not by the nearest one: the method and its parameters do not
reveal to an intruder which one it is.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Floats, Labels, Points
from constraint_sdc.maskers.fuzzy.c_means import pull_at, weighted_means
from constraint_sdc.maskers.fuzzy.nearness import (
    CELLS,
    Regions,
    chunks,
    nearness,
    require_fuzziness,
    require_places,
    squared_distances,
)


def memberships(points: Points, centres: Points, m2: float, cells: int = CELLS) -> Iterator[tuple[slice, Floats]]:
    """Yield consecutive records with their memberships in all clusters (b x c): rows add up to 1.

    A record at a centre belongs to the centres at its place, in equal shares. With m2 = 1 a record belongs to the
    nearest centre alone, the first among equals; with infinity to all equally. The size of the chunks changes no digit.

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
    """Return for every record a centre, drawn by its memberships with m2; the same seed gives the same draw.

    With `regions`, a record draws only among the centres of its own region. This is for large files, where all records
    times all centres take hours.
    """
    uniform = np.random.default_rng(seed).random(len(points))  # one number per record, independent of the chunks
    labels = np.empty(len(points), np.int64)
    for records, numbers in (regions or Regions.one(len(points), len(centres))).each():
        for rows, shares in memberships(points[records], centres[numbers], m2, cells):
            labels[records[rows]] = numbers[drawn(shares, uniform[records[rows]])]
    return labels


def drawn(shares: Floats, uniform: Floats) -> Labels:
    """Return a column for every row (b x c) by inverse transform of a number in [0, 1); never one with share 0."""
    running = np.cumsum(shares, axis=1)
    whole = running[:, -1:]
    last = np.argmax(running == whole, axis=1)  # rounding may raise a number to the whole
    found = np.count_nonzero(running <= uniform[:, None] * whole, axis=1)
    columns: Labels = np.minimum(found, last).astype(np.int64)
    return columns


# The values of a centre in the units of the file: the mean of the records' values, by the weights of an update.


def centre_values(
    points: Points, centres: Points, m1: float, values: Points, *, regions: Regions | None = None, cells: int = CELLS
) -> Points:
    """Return the values of every centre (c x e): means of the records' values (n x e) with weights u^m1.

    They lie in the convex hull of the records' values, and exactly within each column's range, so they satisfy every
    linear rule that all records satisfy, up to rounding. A centre that no record pulls on has the values of the record
    nearest to it. With `regions`, a centre's records are those of its own region.
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


# Groups of at least k after a draw: centres that too few records drew are dissolved, and those records draw again.
#
# The published algorithm (V. Torra, 2015) does not guarantee k records for each centre; this step does.

_STREAM = 1  # of the seed; the first draw uses the seed alone


@dataclass(frozen=True)
class Ensured:
    """Labels with at least k records each; how many records drew again, and how many centres were dissolved."""

    labels: Labels
    moved: int
    dissolved: int


def ensure_k(labels: Labels, points: Points, centres: Points, m2: float, k: int, seed: int) -> Ensured:
    """Return labels under which every centre in use has at least k records.

    The smallest group below k is dissolved (the first centre among equals), and its records, in file order, draw among
    the centres that are left, by their memberships in these. Centres that no record drew are not drawn again. It ends,
    because every step leaves one centre fewer, and a last one has all n records; n below k raises ValueError.
    """
    if len(points) < k:
        raise ValueError(f"{len(points)} records cannot form a group of {k}")
    require_fuzziness(m2)
    require_places(points, centres)
    random = np.random.default_rng([seed, _STREAM])
    found = labels.copy()
    ends = np.cumsum(np.bincount(labels, minlength=len(centres)))
    members = [rows.tolist() for rows in np.split(np.argsort(labels, kind="stable"), ends[:-1])]
    left = np.array([len(rows) > 0 for rows in members])
    waiting = [(len(rows), number) for number, rows in enumerate(members) if 0 < len(rows) < k]
    heapq.heapify(waiting)
    is_moved = np.zeros(len(points), np.bool_)
    dissolved = 0
    while waiting:
        size, number = heapq.heappop(waiting)
        if size != len(members[number]) or not left[number]:
            continue  # it has grown since
        left[number] = False
        dissolved += 1
        rest = np.flatnonzero(left)
        rows = np.sort(np.array(members[number], np.int64))
        chosen = rest[drawn(nearness(points[rows], centres[rest], m2).memberships(), random.random(len(rows)))]
        found[rows], is_moved[rows], members[number] = chosen, True, []
        for row, other in zip(rows.tolist(), chosen.tolist(), strict=True):
            members[other].append(row)
        for other in set(chosen.tolist()):
            if len(members[other]) < k:
                heapq.heappush(waiting, (len(members[other]), other))
    return Ensured(found, int(np.count_nonzero(is_moved)), dissolved)
