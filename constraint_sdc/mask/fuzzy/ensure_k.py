"""Groups of at least k after a draw: centres that too few records drew are dissolved, and those records draw anew.

The published algorithm (V. Torra, 2015) does not promise k records for each centre; this step does.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from constraint_sdc.mask.fuzzy.memberships import drawn
from constraint_sdc.mask.fuzzy.nearness import nearness, require_fuzziness, require_places
from constraint_sdc.model.groups import Labels, Points

_STREAM = 1  # of the seed; the first draw has the plain one


@dataclass(frozen=True)
class Ensured:
    """Labels of which each has at least k records; how many records drew anew, and how many centres were given up."""

    labels: Labels
    moved: int
    dissolved: int


def ensure_k(labels: Labels, points: Points, centres: Points, m2: float, k: int, seed: int) -> Ensured:
    """Return labels under which every centre in use has at least k records.

    The smallest group below k is dissolved (the first centre among equals), and its records, in file order, draw among
    the centres that are left, by their memberships in these. Centres that nobody drew are out of the draw. It ends,
    because every step leaves one centre less, and a last one has all n records; fewer than k raise ValueError.
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
