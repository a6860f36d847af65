"""Shuffling: values of a cluster, each with another record: K. Muralidhar and R. Sarathy, Data shuffling, 2006.

Management Science 52(5), 658-670: the ranks are those of synthetic values, the values those that occur.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.model.groups import Groups, Points, Rows


def shuffled_by_rank(values: Points, synthetic: Points, groups: Groups) -> Rows:
    """Return whose value each record gets: in every group the one whose rank is that of its synthetic value.

    >>> groups = Groups(np.array([0, 0, 0]))
    >>> shuffled_by_rank(np.array([10.0, 30.0, 20.0]), np.array([9.0, 1.0, 5.0]), groups).tolist()
    [1, 0, 2]
    """
    rows = np.arange(len(values))
    by_value = np.lexsort((rows, values, groups.label))
    by_synthetic = np.lexsort((rows, synthetic, groups.label))
    source = np.empty(len(values), np.int64)
    source[by_synthetic] = by_value
    return source


def shuffled_at_random(groups: Groups, rng: np.random.Generator) -> Rows:
    """Return whose values each record gets, by lot within every group."""
    source = np.empty(len(groups.label), np.int64)
    source[groups.order] = np.lexsort((rng.random(len(source)), groups.label))
    return source
