"""How nearly means and covariances are kept: in relation to the deviations of the variables, on what is written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.model.groups import Groups, Points
from constraint_sdc.model.plan import Promise

EXACT = 1e-9
"""A relative difference up to which moments are called exact: what doubles leave of real arithmetic."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Largest relative differences of means and covariances, over all records and over the worst group."""

    means: float
    covariances: float
    group_means: float
    group_covariances: float


def kept_moments(original: Points, masked: Points, given: Points, groups: Groups) -> Kept:
    """Compare the moments of `original` and `masked` (n x p), and their covariances with `given` (n x q).

    Differences of means are relative to the larger of the mean and the standard deviation, of covariances to the
    product of the deviations; of a group to its own. A variable without spread has none that could be lost.
    """
    whole = Groups(np.zeros(len(original), np.int64))
    overall, within = (_differences(original, masked, given, one) for one in (whole, groups))
    return Kept(*overall, *within)


def promises(kept: Kept, names: tuple[str, ...], given: tuple[str, ...]) -> tuple[Promise, ...]:
    """Say of each moment whether it is kept exactly, and else how nearly."""
    which = ", ".join(names)
    beside = f" and with {', '.join(given)}" if given else ""
    return tuple(
        Promise(what, difference, difference <= EXACT)
        for what, difference in (
            (f"means of {which}", kept.means),
            (f"covariances of {which}{beside}", kept.covariances),
            ("means in every cluster", kept.group_means),
            ("covariances in every cluster", kept.group_covariances),
        )
    )


def _differences(original: Points, masked: Points, given: Points, groups: Groups) -> tuple[float, float]:
    before, after = _moments(original, given, groups), _moments(masked, given, groups)
    deviation = np.sqrt(np.einsum("gii->gi", before[1]))
    p = original.shape[1]
    size = np.maximum(np.abs(before[0]), deviation)[:, :p]
    means = _largest(np.abs(after[0] - before[0])[:, :p], size)
    products = deviation[:, :p, None] * deviation[:, None, :]
    return means, _largest(np.abs(after[1] - before[1])[:, :p, :], products)


def _largest(difference: Points, size: Points) -> float:
    """Return the largest relative difference; one where there was nothing before counts as whole."""
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(size > 0, difference / size, np.where(difference > 0, 1.0, 0.0))
    return float(relative.max(initial=0.0))


def _moments(values: Points, given: Points, groups: Groups) -> tuple[Points, Points]:
    """Return means (g x (p + q)) and covariances (g x (p + q) x (p + q)) of every group."""
    both = np.column_stack([values, given])[groups.order]
    sizes = groups.sizes[:, None].astype(np.float64)
    shift = both[groups.starts]  # differences from a member: a large offset costs no digits
    offset = both - np.repeat(shift, groups.sizes, axis=0)
    means = np.add.reduceat(offset, groups.starts) / sizes
    centred = offset - np.repeat(means, groups.sizes, axis=0)
    products = np.add.reduceat(centred[:, :, None] * centred[:, None, :], groups.starts)
    return means + shift, products / sizes[:, :, None]
