"""Tree: K. LeFevre, D. J. DeWitt and R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006; other cuts.

The records are cut in two repeatedly, until no part can be cut into two groups. Unlike Mondrian, a cut is across the
direction in which a part spreads most (R. F. Sproull, Algorithmica 6, 579-589, 1991), not across one variable, and at
the place that lowers the loss most, not at the median.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Floats, Labels, Points, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.partitioner import (
    COMPILED_ABOVE,
    PartitionTraits,
    below_2k,
    refuse_weights,
    require_possible,
)

_SAMPLE = 1_024
"""Sampled records that determine the direction and the place of a cut; more of them hardly improve it."""

_STEPS = 3
"""Steps of the power method towards the direction of the largest spread; a fourth lowers the loss by 0.3% at most."""

_BRANCHES = 16
"""Approximate number of parts before threads take over; fixed, so that it does not depend on the cores."""


class Tree:
    """A partition in nearly linear time, for files on which MDAV takes minutes.

    All groups have k records except one, which also takes the leftover records (k to 2k - 1). Groups are numbered along
    the tree: those close in number tend to be close in space. Time grows with n log n.
    """

    name = "tree"
    traits = PartitionTraits(largest=below_2k)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; `seed` is unused, because the method is deterministic.

        >>> Tree().partition(Cloud(np.array([[0.0], [9.0], [1.0], [8.0]])), 2, seed=1).tolist()
        [0, 1, 0, 1]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        labels = np.empty(len(cloud), np.int64)
        labels[tree_order(cloud.points, k)] = np.minimum(np.arange(len(cloud)) // k, len(cloud) // k - 1)
        return labels


REGISTERED = {"tree": Tree()}


def tree_order(points: Points, leaf: int) -> Rows:
    """Return the records leaf by leaf: `leaf` records each, and in the last leaf also the leftover records.

    Cuts fall at multiples of `leaf`, so that the order defines the leaves. Records close in the order are close in
    space: arrays in this order keep neighbours together in memory.
    """
    if len(points) < 2 * leaf or points.shape[1] == 0:
        return np.arange(len(points), dtype=np.int64)
    return _order_by_numpy(points, leaf) if len(points) <= COMPILED_ABOVE else _order_by_kernels(points, leaf)


def safe_scale(points: Points) -> float:
    """Return the power of two that scales all numbers to -1..1: no digit changes, and squares stay finite."""
    exponent = int(np.frexp(np.abs(points).max(initial=0.0))[1])
    return float(np.ldexp(1.0, -max(exponent, -1_000)))


def _patience(records: int, leaf: int) -> int:
    """Return up to which depth cuts may be off centre; deeper parts are halved, so that time stays n log n."""
    return 4 * (records // leaf).bit_length()


def _order_by_numpy(points: Points, leaf: int) -> Rows:
    points = points * safe_scale(points)
    order = np.arange(len(points), dtype=np.int64)
    waiting = [(0, len(points), _patience(len(points), leaf))]
    while waiting:
        start, stop, patience = waiting.pop()
        if stop - start < 2 * leaf:
            continue
        rows = order[start:stop]
        stride = (stop - start - 1) // _SAMPLE + 1
        places = _places(points[rows], stride)
        left, is_upper = _cut(places, stride, leaf, patience)
        first = smallest(-places if is_upper else places, left)
        order[start:stop] = np.concatenate((rows[first], rows[~first]))
        rest = max(patience - 1, 0)
        waiting += [(start, start + left, rest), (start + left, stop, rest)]
    return order


def _places(points: Points, stride: int) -> Floats:
    """Return the projections of records on the direction in which a sample of them spreads most.

    The power method starts from the column of the largest variance. Sums are running sums, whose order is fixed.
    """
    centre = np.cumsum(points[::stride], axis=0)[-1] / len(points[::stride])
    apart = points - centre
    sample = apart[::stride]
    direction = np.zeros(points.shape[1])
    direction[np.argmax(np.cumsum(sample * sample, axis=0)[-1])] = 1.0
    for _ in range(_STEPS):
        pull = np.cumsum(sample * np.cumsum(sample * direction, axis=1)[:, -1:], axis=0)[-1]
        longest = np.abs(pull).max()
        if longest == 0.0:
            break
        direction = pull / longest
    places: Floats = np.cumsum(apart * direction, axis=1)[:, -1]
    return places


def _cut(places: Floats, stride: int, leaf: int, patience: int) -> tuple[int, bool]:
    """Return how many records go to the first side, and whether these are the upper ones; leftovers go to the second.

    The cut is where the loss of a sample along the direction falls most, which separates outliers.
    """
    leaves, over = divmod(len(places), leaf)
    half = leaves // 2 * leaf
    sample = np.sort(places[::stride])
    if patience == 0 or len(places) == 2 * leaf or sample[0] == sample[-1]:
        return half, False
    first = np.arange(leaf, leaves * leaf, leaf * stride)
    lower = np.concatenate((first, len(places) - first)) if over else first
    here = np.maximum(lower * len(sample) // len(places), 1)
    running = np.cumsum(sample)
    before, after = running[here - 1], running[-1] - running[here - 1]
    gain = before * before / here + after * after / (len(sample) - here)
    best = int(np.argmax(gain))
    return (int(first[best % len(first)]), best >= len(first)) if gain[best] > 0.0 else (half, False)


def smallest(places: Floats, count: int) -> npt.NDArray[np.bool_]:
    """Return which records have the smallest places, as flags; ties go to the first records."""
    limit = np.partition(places, count - 1)[count - 1]
    first: npt.NDArray[np.bool_] = places < limit
    equals = np.flatnonzero(places == limit)
    first[equals[: count - np.count_nonzero(first)]] = True
    return first


def _order_by_kernels(points: Points, leaf: int) -> Rows:
    """Return the same order, compiled; one thread makes the first cuts, then each core takes a branch."""
    from constraint_sdc.partition.compiled import announce, in_threads
    from constraint_sdc.partition.methods.kernels import cut, divide, place

    announce("tree", [place, cut, divide])
    n, columns = points.shape
    table = np.empty((n, columns + 1))
    np.multiply(points, safe_scale(points), out=table[:, :-1])
    table[:, -1] = np.arange(n)
    spare, keys, room = np.empty_like(table), np.empty(n), np.empty(n)

    def grow(parts: Rows, enough: int) -> Rows:
        """Cut parts (start, stop, patience) down to at most `enough` records; return those that can be cut further."""
        unfinished = [parts[:0]]
        while len(parts):
            middles = np.empty(len(parts), np.int64)
            place(table, keys, parts, _SAMPLE, _STEPS)
            cut(keys, room, parts, middles, leaf, _SAMPLE)
            divide(table, spare, keys, room, parts, middles)
            parts = np.repeat(parts, 2, axis=0)
            parts[0::2, 1] = parts[1::2, 0] = middles
            parts[:, 2] = np.maximum(parts[:, 2] - 1, 0)
            sizes = parts[:, 1] - parts[:, 0]
            unfinished.append(parts[(sizes <= enough) & (sizes >= 2 * leaf)])
            parts = parts[sizes > enough]
        return np.concatenate(unfinished)

    root = np.array([[0, n, _patience(n, leaf)]])
    branches = grow(root, max(n // _BRANCHES, COMPILED_ABOVE, 2 * leaf))
    in_threads(lambda first, last: grow(branches[first:last], 2 * leaf - 1), len(branches), 1)
    return table[:, -1].astype(np.int64)
