"""IPSO: J. Burridge, Information preserving statistical obfuscation, Statistics and Computing 13, 321-327, 2003.

Used in the clusters of a partition it is microhybrid: J. Domingo-Ferrer, Microaggregation-based numerical hybrid data,
UNECE/Eurostat work session on statistical data confidentiality, 2009. Closer draws are the hybrid of K. Muralidhar and
R. Sarathy, Generating sufficiency-based non-synthetic perturbed data, Transactions on Data Privacy 1, 17-33, 2008.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import numpy as np

from constraint_sdc.arrays import Points
from constraint_sdc.data.grid import EXACT_MANTISSA, Grid
from constraint_sdc.data.groups import Groups

_SMALL = 8.0  # roundings of the largest singular value: smaller singular values come from a linear rule, not a spread


def ipso(confidential: Points, given: Points, rng: np.random.Generator, closeness: float = 0.0) -> Points:
    """Return synthetic values (n x p) with the means and covariances of `confidential`, and with those of `given`.

    Residuals E = U S V' of a regression on `given` (n x q) are replaced by W S V', where W has orthonormal columns and,
    like U, is orthogonal to the constant and to `given`. Hence W S V' has E's sums of products, E'E = V S² V', and no
    correlation with `given`: both moments are kept for every W. A linear equality among the columns is a direction in
    which V has no component, so the synthetic values satisfy it too. W is drawn orthogonal to U where n allows it;
    `closeness` c mixes U in, as c U + sqrt(1 - c²) W: 0 is independent of the original, 1 the original itself.
    """
    unit = near_one(confidential)
    confidential = confidential / unit
    mean = confidential.mean(axis=0)
    scale = np.abs(confidential - mean).max(axis=0)
    scale[scale == 0] = 1.0
    known = _basis(given / near_one(given))
    spread = (confidential - mean) / scale
    fitted = known @ (known.T @ spread)
    left, size, right = np.linalg.svd(spread - fitted, full_matrices=False)
    rank = int((size > _SMALL * max(spread.shape) * np.finfo(np.float64).eps * max(size.max(initial=0.0), 1.0)).sum())
    if rank == 0:
        return confidential * unit
    # The sign of singular vectors is arbitrary; fixing it gives the same draw with every linear algebra library.
    sign = np.sign(right[np.arange(len(right)), np.abs(right).argmax(axis=1)])
    left, right = left * sign, right * sign[:, None]
    own = left[:, :rank]
    drawn = _draw(len(spread), own, known, rng)
    mixed = _orthonormal(closeness * own + np.sqrt(1.0 - closeness**2) * drawn)
    synthetic = (fitted + mixed @ (size[:rank, None] * right[:rank])) * scale + mean
    largest = np.finfo(np.float64).max / np.maximum(unit, 1.0)  # larger numbers are not doubles
    return np.asarray(np.clip(synthetic, -largest, largest) * unit, np.float64)


def near_one(values: Points) -> Points:
    """Return a power of two for each column, large enough that no sum or square of its values overflows.

    Division by it is exact.
    """
    largest = np.abs(values).max(axis=0, initial=0.0)
    exponent = np.where(largest > 0, np.frexp(largest)[1], 1)
    return np.asarray(np.ldexp(1.0, np.maximum(exponent - 1, -1000)), np.float64)


def _basis(given: Points) -> Points:
    """Return orthonormal columns that span the constant and the given variables."""
    spread = given - given.mean(axis=0)
    scale = np.abs(spread).max(axis=0, initial=0.0)
    columns = np.column_stack([np.ones(len(given)), spread / np.where(scale > 0, scale, 1.0)])
    left, size, _ = np.linalg.svd(columns, full_matrices=False)
    basis: Points = left[:, size > _SMALL * len(given) * np.finfo(np.float64).eps * size[0]]
    return basis


def _draw(count: int, own: Points, known: Points, rng: np.random.Generator) -> Points:
    """Draw orthonormal columns that are orthogonal to the known ones, and to the records' own where n allows it."""
    rank = own.shape[1]
    has_room = count - known.shape[1] - rank >= rank
    away_from = np.column_stack([known, own]) if has_room else known
    noise = rng.standard_normal((count, rank))
    for _ in range(2):  # one pass leaves rounding errors
        noise -= away_from @ (away_from.T @ noise)
    return np.asarray(np.linalg.qr(noise)[0], np.float64)


def _orthonormal(columns: Points) -> Points:
    """Return the nearest orthonormal columns (the polar factor) in the same space."""
    left, _, right = np.linalg.svd(columns, full_matrices=False)
    nearest: Points = left @ right
    return nearest


# Controlled rounding: values on a grid that keep the sum of every cluster, as nearly as the grid allows.


def round_keeping_sums(values: Points, grid: Grid, groups: Groups) -> Points:
    """Return values (n) rounded up or down to the grid, so that the sum of each group is rounded as a whole.

    The largest remainders are rounded up (Hamilton's method), ties by record. A sum that is on the grid is kept.
    Numbers beyond 2**53 steps have no remainders: a group with one of them is not changed.

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


# Moments restored: after single records of a cluster are repaired, the other records compensate for the change.

_NEGLIGIBLE = 1e-10  # of the largest spread: directions below are those of linear rules


class Restored(Enum):
    """Which moments of a repaired cluster equal the original's again."""

    MOMENTS = "means and covariances"
    MEANS = "means"
    NOTHING = "nothing"


def restored(original: Points, masked: Points) -> Iterator[tuple[Restored, Points]]:
    """Yield the values of a cluster (n x p) with the original's means and covariances, then with its means only.

    The first maps the spread of `masked` onto that of `original` by a linear map, in the directions in which `masked`
    has spread. Such a map keeps every linear equality that both satisfy, because it is a direction without spread.
    """
    unit = near_one(np.concatenate([original, masked]))
    original, masked = original / unit, masked / unit
    mean = original.mean(axis=0)
    scale = np.abs(original - mean).max(axis=0)
    scale[scale == 0] = 1.0
    wanted = (original - mean) / scale
    found = (masked - masked.mean(axis=0)) / scale
    yield Restored.MOMENTS, (found @ _root(found, invert=True) @ _root(wanted, invert=False) * scale + mean) * unit
    yield Restored.MEANS, (masked - masked.mean(axis=0) + mean) * unit


def _root(spread: Points, *, invert: bool) -> Points:
    """Return the square root of the sums of products, or its generalised inverse."""
    size, direction = np.linalg.eigh(spread.T @ spread)
    is_spread = size > _NEGLIGIBLE * max(float(size.max(initial=0.0)), np.finfo(np.float64).tiny)
    power = np.zeros_like(size)
    power[is_spread] = size[is_spread] ** (-0.5 if invert else 0.5)
    root: Points = (direction * power) @ direction.T
    return root
