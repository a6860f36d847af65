"""Moments restored: after single records of a cluster were repaired, the others make up for them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from constraint_sdc.mask.hybrid.ipso import near_one
from constraint_sdc.model.groups import Points

_SMALL = 1e-10  # of the largest spread: directions below are those of linear rules


def restored(original: Points, masked: Points) -> Iterator[tuple[str, Points]]:
    """Yield the values of a cluster (n x p) with the original's means and covariances, then with its means only.

    The first maps the spread of `masked` onto that of `original` by a linear map, wherever `masked` has spread at all;
    a linear equality that both satisfy is satisfied by every such map, since it is a direction without spread.
    """
    unit = near_one(np.concatenate([original, masked]))
    original, masked = original / unit, masked / unit
    mean = original.mean(axis=0)
    scale = np.abs(original - mean).max(axis=0)
    scale[scale == 0] = 1.0
    wanted = (original - mean) / scale
    found = (masked - masked.mean(axis=0)) / scale
    yield "restored", (found @ _root(found, invert=True) @ _root(wanted, invert=False) * scale + mean) * unit
    yield "restored in their means", (masked - masked.mean(axis=0) + mean) * unit


def _root(spread: Points, *, invert: bool) -> Points:
    """Return the square root of the sums of products, or its generalised inverse."""
    size, direction = np.linalg.eigh(spread.T @ spread)
    is_spread = size > _SMALL * max(float(size.max(initial=0.0)), np.finfo(np.float64).tiny)
    power = np.zeros_like(size)
    power[is_spread] = size[is_spread] ** (-0.5 if invert else 0.5)
    root: Points = (direction * power) @ direction.T
    return root
