"""Tree: K. LeFevre, D. J. DeWitt and R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006; cuts as below.

Records are split in two again and again, here along the way on which they spread most (as in R. F. Sproull, Refinements to
nearest-neighbor searching in k-dimensional trees, Algorithmica 6, 1991), until no part can be split into two groups.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.groups import Labels, Points, Rows
from constraint_sdc.partition.conditions import refuse_weights, require_possible

_Numbers = npt.NDArray[np.float64]

_COMPILED_ABOVE = 5_000
"""Records; up to here NumPy answers before a compiler would."""

_SAMPLE = 1_024
"""Records that choose the way and the place of a cut; more of them choose hardly better."""

_STEPS = 3
"""Steps of the power method towards the principal direction; the fourth would gain a few thousandths of the loss."""

_PARTS = 16
"""Branches that threads may grow side by side; a fixed number, since cores differ."""


class Tree:
    """A partition in nearly linear time: a first draft for files on which MDAV would take minutes.

    Every group has k records but one, which takes what is left over (k to 2k - 1). Groups are numbered along the tree, so
    that neighbours in number tend to be neighbours in space. Time grows with n log n.
    """

    name = "tree"

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; `seed` is of no account, because nothing is drawn.

        >>> Tree().partition(Cloud(np.array([[0.0], [9.0], [1.0], [8.0], [0.5]])), 2, seed=1).tolist()
        [0, 1, 0, 1, 1]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        labels = np.empty(len(cloud), np.int64)
        labels[tree_order(cloud.points, k)] = np.minimum(np.arange(len(cloud)) // k, len(cloud) // k - 1)
        return labels


def tree_order(points: Points, leaf: int, steps: int = _STEPS) -> Rows:
    """Return the records leaf by leaf: a leaf is `leaf` records in a row, the last one has those left over besides.

    Cuts fall at multiples of `leaf`, so the order says it all. Records that are close in the order are close in space, which
    is also how to keep neighbours together in memory. Without steps, cuts are along the column of the largest variance.
    """
    if len(points) < 2 * leaf or points.shape[1] == 0:
        return np.arange(len(points), dtype=np.int64)
    if len(points) <= _COMPILED_ABOVE:
        return _order_by_numpy(points, leaf, steps)
    return _order_by_kernel(points, leaf, steps)


def safe_scale(points: Points) -> float:
    """Return the power of two that brings all numbers into -1..1: it changes no digit, and squares stay finite."""
    return float(0.5 ** int(np.frexp(np.abs(points).max(initial=0.0))[1]))


def _patience(records: int, leaf: int) -> int:
    """Return how many cuts deep a branch may be cut off centre; deeper ones halve, so that time stays n log n."""
    return 4 * (records // leaf).bit_length()


def _order_by_numpy(points: Points, leaf: int, steps: int) -> Rows:
    points = points * safe_scale(points)
    order = np.arange(len(points), dtype=np.int64)
    waiting = [(0, len(points), _patience(len(points), leaf))]
    while waiting:
        start, stop, patience = waiting.pop()
        if stop - start < 2 * leaf:
            continue
        rows = order[start:stop]
        stride = (stop - start - 1) // _SAMPLE + 1
        places = _places(points[rows], stride, steps)
        left = _cut(places, stride, leaf, patience)
        first = _smallest(places, left)
        order[start:stop] = np.concatenate((rows[first], rows[~first]))
        waiting.append((start, start + left, max(patience - 1, 0)))
        waiting.append((start + left, stop, max(patience - 1, 0)))
    return order


def _places(points: Points, stride: int, steps: int) -> _Numbers:
    """Return where records lie along the way on which a sample of them spreads most.

    The power method starts at the column of the largest variance. Sums are running sums, which have one order only.
    """
    centre = np.cumsum(points[::stride], axis=0)[-1] / len(points[::stride])
    apart = points - centre
    sample = apart[::stride]
    way = np.zeros(points.shape[1])
    way[np.argmax(np.cumsum(sample * sample, axis=0)[-1])] = 1.0
    for _ in range(steps):
        pull = np.cumsum(sample * np.cumsum(sample * way, axis=1)[:, -1:], axis=0)[-1]
        longest = np.abs(pull).max()
        if longest == 0.0:
            break
        way = pull / longest
    places: _Numbers = np.cumsum(apart * way, axis=1)[:, -1]
    return places


def _cut(places: _Numbers, stride: int, leaf: int, patience: int) -> int:
    """Return how many records go to the first side.

    The cut is the one that lowers the loss most along the way, judged by a sample: far-off records are cut off, not halved.
    """
    leaves = len(places) // leaf
    half = leaves // 2 * leaf
    sample = np.sort(places[::stride])
    if patience == 0 or leaves == 2 or sample[0] == sample[-1]:
        return half
    cuts = np.arange(1, leaves, stride) * leaf
    here = cuts * len(sample) // len(places)
    cuts, here = cuts[here > 0], here[here > 0]
    running = np.cumsum(sample)
    before, after = running[here - 1], running[-1] - running[here - 1]
    gain = before * before / here + after * after / (len(sample) - here)
    return int(cuts[np.argmax(gain)]) if gain.max(initial=0.0) > 0.0 else half


def _smallest(places: _Numbers, count: int) -> npt.NDArray[np.bool_]:
    """Return which records have the smallest places, the first ones among equals."""
    limit = np.partition(places, count - 1)[count - 1]
    first = places < limit
    equals = np.flatnonzero(places == limit)
    first[equals[: count - np.count_nonzero(first)]] = True
    return first


def _order_by_kernel(points: Points, leaf: int, steps: int) -> Rows:
    """Return the same order by kernels: one thread for the first cuts, then all cores for the branches."""
    from constraint_sdc.partition.compiled import announce, in_threads
    from constraint_sdc.partition.tree_kernels import cut, divide, place

    announce("tree", [place, cut, divide])
    n, columns = points.shape
    table = np.empty((n, columns + 1))
    np.multiply(points, safe_scale(points), out=table[:, :-1])
    table[:, -1] = np.arange(n)
    spare, keys, room = np.empty_like(table), np.empty(n), np.empty(n)

    def grow(parts: Rows, enough: int) -> Rows:
        """Cut parts (start, stop, patience) until none has more records than enough; return those that can be cut yet."""
        done = [parts[:0]]
        while len(parts):
            middles = np.empty(len(parts), np.int64)
            place(table, keys, parts, _SAMPLE, steps)
            cut(keys, room, parts, middles, leaf, _SAMPLE)
            divide(table, spare, keys, room, parts, middles)
            parts = np.repeat(parts, 2, axis=0)
            parts[0::2, 1] = parts[1::2, 0] = middles
            parts[:, 2] = np.maximum(parts[:, 2] - 1, 0)
            sizes = parts[:, 1] - parts[:, 0]
            done.append(parts[(sizes <= enough) & (sizes >= 2 * leaf)])
            parts = parts[sizes > enough]
        return np.concatenate(done)

    root = np.array([[0, n, _patience(n, leaf)]])
    branches = grow(root, max(n // _PARTS, _COMPILED_ABOVE, 2 * leaf))
    in_threads(lambda first, last: grow(branches[first:last], 2 * leaf - 1), len(branches), 1)
    return table[:, -1].astype(np.int64)
