"""Controlled rounding: values on a grid whose sum in every cluster stays what it is, as near as the grid allows."""

from __future__ import annotations

import numpy as np

from constraint_sdc.model.grid import EXACT_MANTISSA, Grid
from constraint_sdc.model.groups import Groups, Points


def round_keeping_sums(values: Points, grid: Grid, groups: Groups) -> Points:
    """Return values (n) rounded up or down to the grid, so that the sum of each group is rounded as a whole.

    The largest remainders are rounded up (Hamilton's method), ties by record. A sum that is on the grid is kept.
    Numbers beyond 2**53 steps have no remainders: a group with one of them stays as it is.

    >>> round_keeping_sums(np.array([0.4, 0.4, 0.2, 5.6]), Grid(0), Groups(np.array([0, 0, 0, 1]))).tolist()
    [1.0, 0.0, 0.0, 6.0]
    """
    if grid.decimals is None or not len(values):
        return values
    with np.errstate(over="ignore"):
        steps = values * grid.scale
    is_far = np.maximum.reduceat(np.abs(steps)[groups.order], groups.starts)[groups.label] >= EXACT_MANTISSA
    if is_far.any():
        rounded = values.copy()
        near = Groups(np.unique(groups.label[~is_far], return_inverse=True)[1].astype(np.int64))
        rounded[~is_far] = round_keeping_sums(values[~is_far], grid, near)
        return rounded
    low = np.floor(steps)
    remainder = steps - low
    up = np.rint(np.add.reduceat(remainder[groups.order], groups.starts))
    order = np.lexsort((np.arange(len(values)), -remainder, groups.label))
    place = np.arange(len(values)) - np.repeat(groups.starts, groups.sizes)
    low[order] += place < np.repeat(up, groups.sizes)
    return np.asarray(low / grid.scale, np.float64)
