"""Optimal univariate: P. Hansen and S. Mukherjee, IEEE Trans. on Knowledge and Data Engineering 15(4), 1043-1044, 2003.

In one dimension some partition of least loss has groups of consecutive values, k to 2k - 1 each: the best cut of the
sorted values is the optimal partition.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Floats, Labels, Points, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.methods.individual_ranking import only_variable
from constraint_sdc.partition.partitioner import (
    PartitionTraits,
    Takes,
    below_2k,
    refuse_scales,
    refuse_weights,
    require_possible,
)
from constraint_sdc.settings.words import Scale

# The best way to cut a sequence of records into groups of k or more, by dynamic programming.
#
# P. Hansen and S. Mukherjee, IEEE Transactions on Knowledge and Data Engineering 15(4), 1043-1044, 2003: the best cut
# of the first j records ends with a group of k to 2k - 1 records, and the records before that group are cut optimally
# too. (Cutting a group of 2k or more in two never raises the loss.)
#
# Losses are computed from running means (Welford), relative to a group's first record, never from differences of
# cumulated squares: neither a large offset nor an outlier elsewhere costs digits.


_CELLS = 1_000_000  # losses held at once


def optimal_cut(path: Points, k: int) -> Labels:
    """Return the group of every position of the path (n x d), numbered along it; ties prefer the longer last group.

    Time grows with n * k * d, memory with n + k * d.

    >>> optimal_cut(np.array([[0.0], [1.0], [2.0], [7.0], [8.0]]), 2).tolist()
    [0, 0, 0, 1, 1]
    """
    return labels_of(best_starts(path, k))


def best_starts(path: Points, k: int) -> Rows:
    """Return, for every j, where the last group of the best cut of the first j records starts."""
    n = len(path)
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    start_of = np.zeros(n + 1, np.int64)
    block = max(1, _CELLS // (k * max(1, path.shape[1])))
    for first in range(0, n - k + 1, block):
        losses = _losses(path, k, first, min(first + block, n - k + 1))
        for start, row in enumerate(losses, first):
            total = best[start] + row[: n - k + 1 - start]
            ends = slice(start + k, start + k + len(total))
            is_better = total < best[ends]
            best[ends][is_better] = total[is_better]
            start_of[ends][is_better] = start
    return start_of


def labels_of(start_of: Rows) -> Labels:
    """Return the group of every position, given the start of the last group of the first j records for every j."""
    begins = np.zeros(len(start_of) - 1, np.int64)
    end = len(begins)
    while end:
        end = int(start_of[end])
        begins[end] = 1
    return np.cumsum(begins) - 1


def _losses(path: Points, k: int, first: int, stop: int) -> Floats:
    """Return the losses of the groups that start at `first` to `stop` (exclusive); column i has those of k + i records.

    Groups that would reach beyond the path have no loss; their entries are never read.
    """
    losses = np.empty((stop - first, k))
    origin = path[first:stop]
    mean, loss = np.zeros_like(origin), np.zeros(stop - first)
    last = len(path) - 1
    for size in range(1, 2 * k):
        added = path[np.minimum(np.arange(first, stop) + size - 1, last)]
        change = added - origin - mean
        mean += change / size
        loss += (size - 1) / size * _squares(change)
        if size >= k:
            losses[:, size - k] = loss
    return losses


def _squares(vectors: Points) -> Floats:
    total = np.zeros(len(vectors))
    for column in vectors.T:
        total += column * column
    return total


_COMPILED_FROM = 50_000  # records; with fewer, NumPy is faster than compiling


class OptimalUnivariate:
    """No partition into groups of at least k has a lower loss (within rounding); time grows with n * log n + n * k."""

    name = "optimal-univariate"
    traits = PartitionTraits(Takes.ONE_VARIABLE, largest=below_2k)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record, numbered from the lowest values up; the method is deterministic.

        >>> OptimalUnivariate().partition(Cloud(np.array([[9.0], [1.0], [2.0], [8.0], [0.0]])), 2, seed=1).tolist()
        [1, 0, 0, 1, 0]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        refuse_scales(cloud, self.name, frozenset({Scale.NOMINAL}), hint="categories have no order; use another method")
        refusal = f"{self.name} divides the values of one variable"
        values = only_variable(cloud, refusal, hint="use mdav or another method for several variables")
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        order = np.argsort(values, kind="stable")
        labels = np.empty(len(cloud), np.int64)
        labels[order] = labels_of(_best_starts(values[order], k))
        return labels


REGISTERED = {"optimal-univariate": OptimalUnivariate()}


def _best_starts(values: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.int64]:
    if len(values) < _COMPILED_FROM:
        return best_starts(values[:, None], k)
    from constraint_sdc.partition.compiled import announce
    from constraint_sdc.partition.methods import kernels as kernel

    announce("optimal cut of one variable", [kernel.best_starts])
    return kernel.best_starts(values, k)
