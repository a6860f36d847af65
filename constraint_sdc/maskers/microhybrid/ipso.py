"""IPSO: J. Burridge, Information preserving statistical obfuscation, Statistics and Computing 13, 321-327, 2003.

Used in the clusters of a partition it is microhybrid: J. Domingo-Ferrer, Microaggregation-based numerical hybrid data,
UNECE/Eurostat work session on statistical data confidentiality, 2009. Closer draws are the hybrid of K. Muralidhar and
R. Sarathy, Generating sufficiency-based non-synthetic perturbed data, Transactions on Data Privacy 1, 17-33, 2008.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from constraint_sdc.arrays import Points
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import EXACT_MANTISSA, Grid, Series
from constraint_sdc.plan.plan import Promise
from constraint_sdc.settings.reason import because

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
    known = known_basis(given / near_one(given))
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


def known_basis(given: Points) -> Points:
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


# How nearly means and covariances are kept: relative to the deviations of the variables, on the written values.

EXACT = 1e-9
"""The largest relative difference at which moments are called exact: the rounding error of doubles."""

_LEVELS = (EXACT, 1e-3, np.inf)
"""Exact, near, and the rest: each is reported with its largest difference."""


@dataclass(frozen=True, slots=True)
class Differences:
    """The largest relative differences over all groups: of means (p), and of covariances (p x (p + q)).

    Differences of means are relative to the larger of the mean and the standard deviation, of covariances to the
    product of the deviations; those of a group are relative to the group's own.
    """

    means: Points
    covariances: Points


def moment_differences(
    original: Points, masked: Points, given: Points, groups: Groups, blur: Points | None = None
) -> Differences:
    """Compare the moments of `original` and `masked` (n x p), and their covariances with `given` (n x q), by group.

    `blur` (p) is the largest difference between a text and the double that is read from it; it counts as a difference.
    """
    unit = near_one(np.concatenate([original, masked]))
    original, masked, given = original / unit, masked / unit, given / near_one(given)
    before, after = _moments(original, given, groups), _moments(masked, given, groups)
    deviation = np.sqrt(np.einsum("gii->gi", before[1]))
    p = original.shape[1]
    size = np.maximum(np.abs(before[0]), deviation)[:, :p]
    unseen = np.zeros(p + given.shape[1])
    unseen[:p] = 0.0 if blur is None else blur / unit
    means = _relative(np.abs(after[0] - before[0])[:, :p] + unseen[:p], size)
    products = deviation[:, :p, None] * deviation[:, None, :]
    blurred = 2.0 * (unseen[:p, None] * deviation[:, None, :] + deviation[:, :p, None] * unseen)
    blurred += unseen[:p, None] * unseen
    covariances = _relative(np.abs(after[1] - before[1])[:, :p, :] + blurred, products)
    return Differences(means.max(axis=0), covariances.max(axis=0))


def blur_of(series: Sequence[Series]) -> Points:
    """Return how far the text of a value may be from the double read from it: 0 for doubles and whole numbers.

    Decimals differ by a rounding error, and so do whole numbers from 2**53 on.
    """
    found = np.zeros(len(series))
    for j, one in enumerate(series):
        largest = float(np.nanmax(np.abs(one.values), initial=0.0))
        if one.grid.decimals is not None and (one.grid.decimals > 0 or largest >= EXACT_MANTISSA):
            found[j] = np.spacing(largest)
    return found


def promises(series: Sequence[Series], masked: Points, given: Sequence[Series], groups: Groups) -> tuple[Promise, ...]:
    """Return which moments of the series are kept exactly and which nearly, over all records and in every cluster."""
    original, beside = (
        np.column_stack([one.values for one in some]) if some else np.zeros((len(masked), 0))
        for some in (series, given)
    )
    names, givens = [one.name for one in series], [one.name for one in given]
    whole = Groups(np.zeros(len(original), np.int64))
    found: list[Promise] = []
    for in_clusters, one in ((False, whole), (True, groups)):
        differences = moment_differences(original, masked, beside, one, blur_of(series))
        found += _of_means(differences.means, names, in_clusters)
        found += _of_covariances(differences.covariances, names, givens, in_clusters)
    return tuple(found)


def _of_means(means: Points, names: Sequence[str], in_clusters: bool) -> Iterator[Promise]:
    """Yield the variables whose means are exact, then those near, then the others."""
    left = list(range(len(names)))
    for level in _LEVELS:
        chosen = [j for j in left if means[j] <= level]
        left = [j for j in left if j not in chosen]
        if chosen:
            what = because("means-kept", variables=tuple(names[j] for j in chosen), in_clusters=in_clusters)
            yield Promise(what, float(means[chosen].max()), level == EXACT)


def _of_covariances(
    covariances: Points, names: Sequence[str], givens: Sequence[str], in_clusters: bool
) -> Iterator[Promise]:
    """Yield the variables whose covariances with each other are all exact; those near with them; then the others."""
    beside = list(range(len(names), covariances.shape[1]))
    settled: list[int] = []
    for level in _LEVELS:
        chosen = [j for j in _agreeing(covariances, level) if j not in settled]
        settled += chosen
        if chosen:
            inner = covariances[np.ix_(chosen, [*settled, *beside])]
            what = because(
                "covariances-kept",
                variables=tuple(names[j] for j in chosen),
                with_those=len(settled) > len(chosen),
                given=tuple(givens),
                in_clusters=in_clusters,
            )
            yield Promise(what, float(inner.max()), level == EXACT)


def _agreeing(covariances: Points, level: float) -> list[int]:
    """Return variables with no larger difference of covariances, also with the given ones; the worst are dropped."""
    count = len(covariances)
    left = list(range(count))
    is_off = covariances > level
    while left:
        off = [int(is_off[np.ix_([j], [*left, *range(count, covariances.shape[1])])].sum()) for j in left]
        if not any(off):
            return left
        left.pop(int(np.argmax(off)))
    return left


def _relative(difference: Points, size: Points) -> Points:
    """Return relative differences; a difference from 0 counts as 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        relative: Points = np.where(size > 0, difference / size, np.where(difference > 0, 1.0, 0.0))
    return relative


def _moments(values: Points, given: Points, groups: Groups) -> tuple[Points, Points]:
    """Return means (g x (p + q)) and covariances (g x (p + q) x (p + q)) of every group."""
    both = np.column_stack([values, given])[groups.order]
    sizes = groups.sizes[:, None].astype(np.float64)
    shift = both[groups.starts]  # differences from a member, so that a large offset loses no digits
    offset = both - np.repeat(shift, groups.sizes, axis=0)
    means = np.add.reduceat(offset, groups.starts) / sizes
    centred = offset - np.repeat(means, groups.sizes, axis=0)
    products = np.add.reduceat(centred[:, :, None] * centred[:, None, :], groups.starts)
    return means + shift, products / sizes[:, :, None]
