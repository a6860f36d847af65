"""How nearly means and covariances are kept: relative to the deviations of the variables, on the written values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Points
from constraint_sdc.data.grid import EXACT_MANTISSA
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import Series
from constraint_sdc.maskers.microhybrid.ipso import near_one
from constraint_sdc.plan.plan import Promise
from constraint_sdc.settings.reason import because

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
