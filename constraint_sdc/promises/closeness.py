"""Closeness: how a variable is distributed among the records that share the key (Li et al. 2007).

The ordered distance is computed by quantiles: the records of a class in the order of their values are moved to the
records of the file in the same order. With s records in the class and n in the file, the j-th of the class goes to the
file's places from (j - 1) n / s to j n / s. Multiplied by s, all numbers are whole.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Floats, Integers
from constraint_sdc.plan.promised import PromiseCount
from constraint_sdc.promises.release import Release
from constraint_sdc.promises.sensitive import sensitive_values
from constraint_sdc.settings.protect import ClosenessPromise

_ROUNDING = 1e-9


def count_closeness(release: Release, promise: ClosenessPromise, key: tuple[str, ...]) -> PromiseCount:
    """Measure the distance of each class of the key from the file; a missing value is one value, below all others."""
    found = sensitive_values(release, promise.of, key)
    distances = (_ordered if found.is_number else _equal)(found.label, found.rank)
    failing = int((distances > promise.t + _ROUNDING).sum())
    told = {"t": float(distances.max(initial=0.0)), "classes": len(distances), "failing": failing}
    distance = "ordered" if found.is_number else "equal"
    return PromiseCount("closeness", (promise.of,), {"t": promise.t, "distance": distance}, told, failing == 0)


def _equal(label: Codes, rank: Codes) -> Floats:
    """Return half the sum of absolute differences of frequencies, by class; what a class has not counts by the file."""
    file = np.bincount(rank) / max(len(rank), 1)
    pairs, counts = np.unique(label * len(file) + rank, return_counts=True)
    owner, value = np.divmod(pairs, len(file))
    own = counts / np.bincount(label)[owner]
    differing, absent = np.bincount(owner, np.abs(own - file[value])), 1.0 - np.bincount(owner, file[value])
    distances: Floats = (differing + absent) / 2
    return distances


def _ordered(label: Codes, rank: Codes) -> Floats:
    """Return the mean way from the records of a class to those of the file, as a part of the whole range, by class."""
    widest = int(rank.max(initial=0))
    if widest == 0:
        return np.zeros(int(label.max(initial=-1)) + 1)
    order = np.lexsort((rank, label))
    sizes = np.bincount(label).astype(np.int64)
    size = sizes[label[order]]
    place = np.arange(len(order)) - (np.cumsum(sizes) - sizes)[label[order]]
    ways = _ways(rank[order], place, size, np.sort(rank))
    total = np.bincount(label[order], ways).astype(np.float64)
    return total / (sizes * len(rank) * widest)


def _ways(value: Codes, place: Codes, size: Counts, file: Codes) -> Integers:
    """Return how far each record of a class is moved to its places in the file, times the size of its class."""
    n = len(file)
    summed = np.append(0, np.cumsum(file))

    def area(at: Integers) -> Integers:
        """Return the sum of the file's first `at` / size values, times the size."""
        whole, part = np.divmod(at, size)
        found: Integers = size * summed[whole] + part * file[np.minimum(whole, n - 1)]
        return found

    first, last = place * n, (place + 1) * n
    middle = np.clip(np.searchsorted(file, value) * size, first, last)  # the file's values are smaller before it
    down = value * (middle - first) - (area(middle) - area(first))
    up = (area(last) - area(middle)) - value * (last - middle)
    ways: Integers = down + up
    return ways
