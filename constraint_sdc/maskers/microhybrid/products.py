"""Products in logarithms: a product rule among positive numbers is a linear rule among their logarithms.

Synthetic factors with the right means and covariances have a product with other ones: on heavy tails its variance is a
multiple of the original's. Synthetic logarithms satisfy the rule, and every number stays positive. Their exponentials
have other means and variances than the numbers, so they are calibrated: D. Marquardt, An algorithm for least-squares
estimation of nonlinear parameters, SIAM Journal on Applied Mathematics 11, 431-441, 1963.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.constraints.constraint import Atom, LinearAtom, PolynomialAtom, ProductAtom, atom_variables
from constraint_sdc.data.groups import Union
from constraint_sdc.data.portable import exponentials, logarithms

_MOST_STEPS = 40
_NEAR = 1e-16  # of the squared distance from the wished moments: less is the rounding of doubles
_STUCK = 1e9  # so much damping leaves no step
_FLAT = 1e-3  # of the squared distance: a step that gains less is the last one
_NEGLIGIBLE = 1e-9  # of the largest spread: directions below are those of the product rules
_HIGHEST = 300.0  # a larger logarithm has a square beyond the doubles


def products(atoms: Collection[Atom], synthesised: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Return the sets of variables that products tie together: all of them synthesised, none of them in a sum.

    `atoms` are the conditions that records satisfy together. A sum is linear in the numbers, not in their logarithms.
    """
    ties = [atom_variables(atom) for atom in atoms if isinstance(atom, ProductAtom) and atom.op == "="]
    summed = {name for atom in atoms if _is_sum(atom) for name in atom_variables(atom)}
    joined = Union(name for tie in ties for name in tie)
    for tie in ties:
        joined.join(tie)
    return tuple(part for part in joined.parts() if set(part) <= set(synthesised) and not summed & set(part))


def _is_sum(atom: Atom) -> bool:
    return isinstance(atom, LinearAtom | PolynomialAtom) and atom.op == "=" and len(atom_variables(atom)) > 1


def positive(parts: Sequence[list[int]], *values: Points) -> list[list[int]]:
    """Return the parts in whose columns every number is positive."""
    return [part for part in parts if all((some[:, part] > 0).all() for some in values)]


def in_logarithms(values: Points, parts: Sequence[list[int]]) -> Points:
    """Return the values with logarithms in the columns of the parts."""
    changed = values.copy()
    for part in parts:
        changed[:, part] = logarithms(values[:, part])
    return changed


def from_logarithms(synthetic: Points, parts: Sequence[list[int]], original: Points) -> Points:
    """Return the values of `in_logarithms` as numbers, with the means and variances of the original where possible."""
    changed = synthetic.copy()
    for part in parts:
        changed[:, part] = exponentials(calibrated(synthetic[:, part], original[:, part]))
    return changed


def calibrated(drawn: Points, original: Points) -> Points:
    """Return logarithms (n x c) whose exponentials have the means and variances of `original`, as nearly as possible.

    Every record is moved by the same affine map in the directions in which `drawn` has spread, so that a linear rule
    among the logarithms still holds. Two factors and their product have six moments, and such a map has six numbers.

    >>> drawn = np.array([[0.0], [1.0], [2.0]])
    >>> found = np.exp(calibrated(drawn, np.array([[1.0], [2.0], [9.0]])))
    >>> found.mean().round(6).tolist(), found.var().round(6).tolist()
    (4.0, 12.666667)
    """
    left, size, right = np.linalg.svd(drawn - drawn.mean(axis=0), full_matrices=False)
    rank = int((size > _NEGLIGIBLE * size.max(initial=0.0)).sum())
    if rank == 0:
        return drawn
    # The sign of singular vectors is arbitrary; the map does not depend on it.
    maps = _AffineMaps(drawn.mean(axis=0), left[:, :rank] * size[:rank], right[:rank], original)
    return maps.placed(maps.nearest())


@dataclass(frozen=True)
class _AffineMaps:
    """The moments of exponentials as functions of an affine map: `spread` (n x r) along `directions` (r x c).

    A map is an array (1 + r) x r: a shift, and what becomes of each direction.
    """

    centre: Floats
    spread: Points
    directions: Points
    original: Points

    def placed(self, mapped: Points) -> Points:
        """Return the logarithms of every record under a map."""
        return np.asarray(self.centre + (self.spread @ mapped[1:] + mapped[0]) @ self.directions, np.float64)

    def nearest(self) -> Points:
        """Return the map with the nearest moments, by least squares in their logarithms; the first one changes nothing.

        Each step is better than the one before, so that the result is never worse than no calibration.
        """
        rank = self.spread.shape[1]
        found, damping = np.vstack([np.zeros(rank), np.eye(rank)]), 1e-2
        gaps, slopes = self._compared(found)
        for _ in range(_MOST_STEPS):
            if gaps @ gaps < _NEAR or damping > _STUCK:
                break
            products = slopes.T @ slopes
            products[np.diag_indices_from(products)] *= 1.0 + damping
            step = np.linalg.lstsq(products, -slopes.T @ gaps, rcond=None)[0].reshape(found.shape)
            tried, tried_slopes = self._compared(found + step)
            gained = gaps @ gaps - tried @ tried
            if gained <= 0:
                damping *= 4
                continue
            is_flat = gained < _FLAT * (gaps @ gaps)
            found, gaps, slopes, damping = found + step, tried, tried_slopes, damping / 5
            if is_flat:
                break
        return found

    def _compared(self, mapped: Points) -> tuple[Floats, Points]:
        """Return the logarithms of mean and deviation over the original's (2c), and their slopes (2c x map).

        A variable with one value has no deviation to keep.
        """
        mean, deviation = self.original.mean(axis=0), self.original.std(axis=0)
        # Relative to the means, no square is beyond the doubles that is not far from the wish.
        numbers = exponentials(np.minimum(self.placed(mapped) - logarithms(mean), _HIGHEST))
        sides = np.column_stack([np.ones(len(numbers)), self.spread])
        first, second = (sides.T @ numbers**power / len(numbers) for power in (1, 2))
        middle, varies = first[0], deviation > 0
        variance = np.maximum(second[0] - middle**2, np.finfo(np.float64).tiny)
        wished = np.where(varies, deviation / mean, 1.0)
        gaps = np.concatenate([np.log(middle), np.where(varies, 0.5 * np.log(variance) - np.log(wished), 0.0)])
        by_mean = first / middle
        by_deviation = np.where(varies, (second - middle * first) / variance, 0.0)
        slopes = np.concatenate([by_mean, by_deviation], axis=1)[:, None, :] * np.tile(self.directions, 2)[None]
        return gaps, np.asarray(slopes.reshape(-1, len(gaps)).T, np.float64)
