"""Groups that hold every demand: those that fail are merged with the nearest, and what became large is split again.

Demands are monotone, so merging ends in groups that hold them if all records together do. A merged group is split by a
cut across an axis or the line from its centre to its farthest record, where both sides have k records and hold every
demand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from constraint_sdc.arrays import Floats, Labels, Points, Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.partition.demands.demand import GroupDemand, Laid, all_held

_CUTS = 64  # cuts that are tried of one group; of a larger group evenly spaced ones
_AXES = 8  # axes along which cuts are tried, besides the line to the farthest record
_CELLS = 2_000_000  # rows that are laid out at a time
_LOOKED_AT = 8  # near groups, one of which a failing group is merged with if the nearest is merged with another
_FARTHER = 2.0  # how much farther than the nearest these may be


def first_failing(demands: Sequence[GroupDemand], rows: Rows) -> GroupDemand | None:
    """Return the first demand that these records do not hold together; None if they hold all.

    Then, and only then, they can be divided into groups that hold all demands.
    """
    whole = Laid.of([rows])
    return next((demand for demand in demands if not demand.held_by(whole)[0]), None)


def hold_demands(points: Points, rows: Rows, label: Labels, k: int, demands: Sequence[GroupDemand]) -> Labels:
    """Return groups of at least k that hold every demand: those of `label` that do, and the others merged.

    Record `rows[i]` of the file is at `points[i]` and in the group `label[i]`; demands know the records of the file.
    ValueError if the rows do not hold every demand together.
    """
    groups = Groups(label)
    held = all_held(demands, Laid(rows[groups.order], groups.starts))
    if held.all():
        return label
    if first_failing(demands, rows) is not None:
        raise ValueError("the records do not hold the demands even as one group")
    parts = dict(enumerate(groups.each()))
    enlarged = _merge(points, rows, parts, set(np.flatnonzero(~held).tolist()), demands)
    final = [
        part
        for number, members in parts.items()
        for part in (_split(points, rows, members, k, demands) if number in enlarged else [members])
    ]
    found = np.zeros(len(rows), np.int64)
    for number, members in enumerate(sorted(final, key=lambda members: int(members.min()))):
        found[members] = number
    return found


def _merge(
    points: Points, rows: Rows, parts: dict[int, Rows], failing: set[int], demands: Sequence[GroupDemand]
) -> frozenset[int]:
    """Merge groups until none fails; return the numbers of those that became larger.

    In each round every failing group is merged with a near one, and no group with two.
    """
    centres = np.array([points[members].mean(axis=0) for members in parts.values()])
    enlarged: set[int] = set()
    while failing:
        changed: list[int] = []
        for one, other in _near_pairs(centres, np.array(sorted(parts)), np.array(sorted(failing))):
            parts[one] = np.concatenate((parts[one], parts.pop(other)))
            centres[one] = points[parts[one]].mean(axis=0)
            changed.append(one)
            failing -= {one, other}
            enlarged.discard(other)
        enlarged.update(changed)
        held = all_held(demands, Laid.of(rows[parts[number]] for number in changed))
        failing.update(number for number, holds in zip(changed, held.tolist(), strict=True) if not holds)
    return frozenset(enlarged)


def _near_pairs(centres: Points, alive: Rows, failing: Rows) -> Iterator[tuple[int, int]]:
    """Yield a failing group and one near to it, nearest pairs first; at least one pair, and each group once."""
    from scipy.spatial import cKDTree  # imported where it is used, because it loads slowly

    looked_at = min(_LOOKED_AT + 1, len(alive))
    tree = cKDTree(centres[alive], balanced_tree=False)
    gaps, places = tree.query(centres[failing], k=range(1, looked_at + 1))
    near = alive[places]
    gaps = np.where(near == failing[:, None], np.inf, gaps)
    least = gaps.min(axis=1)
    taken: set[int] = set()
    for i in np.lexsort((failing, least)).tolist():
        one = int(failing[i])
        for j in np.argsort(gaps[i], kind="stable").tolist():
            other = int(near[i, j])
            if one in taken or gaps[i, j] > _FARTHER * least[i]:
                break
            if other not in taken:
                taken |= {one, other}
                yield one, other
                break


def _split(points: Points, rows: Rows, members: Rows, k: int, demands: Sequence[GroupDemand]) -> list[Rows]:
    """Return parts of at least k that hold every demand: the best cut of the group, and of its parts."""
    waiting, found = [members], list[Rows]()
    while waiting:
        part = waiting.pop()
        halves = _cut(points, rows, part, k, demands)
        if halves is None:
            found.append(part)
        else:
            waiting += halves
    return found


def _cut(points: Points, rows: Rows, members: Rows, k: int, demands: Sequence[GroupDemand]) -> tuple[Rows, Rows] | None:
    """Return the two sides of the cut with the least loss where both hold every demand; None if there is none."""
    if len(members) < 2 * k:
        return None
    away = points[members] - points[members].mean(axis=0)
    orders = [np.lexsort((members, line)) for line in _lines(away)]
    cuts = np.unique(np.linspace(k, len(members) - k, _CUTS).astype(np.int64))
    one = np.array([np.cumsum(away[order], axis=0)[cuts - 1] for order in orders])
    gain = (one**2).sum(axis=2) * (1 / cuts + 1 / (len(members) - cuts))  # the sides' sums are opposite
    best = np.argsort(-gain.ravel(), kind="stable")[: np.count_nonzero(gain > 0)]
    at_a_time = max(1, _CELLS // len(members))
    for first in range(0, len(best), at_a_time):
        tried = [(members[orders[i // len(cuts)]], int(cuts[i % len(cuts)])) for i in best[first : first + at_a_time]]
        sides = Laid.of(rows[side] for order, cut in tried for side in (order[:cut], order[cut:]))
        both = all_held(demands, sides).reshape(-1, 2).all(axis=1)
        if both.any():
            order, cut = tried[int(both.argmax())]
            return order[:cut], order[cut:]
    return None


def _lines(away: Points) -> list[Floats]:
    """Return where records lie on lines across which a group is cut: to its farthest record, and its widest axes."""
    farthest = away[(away**2).sum(axis=1).argmax()]
    widest = np.argsort(-(away**2).sum(axis=0), kind="stable")[:_AXES]
    return [away @ farthest, *away[:, widest].T]
