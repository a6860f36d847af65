"""The hybrid generator of K. Muralidhar and R. Sarathy, Generating sufficiency-based non-synthetic perturbed data.

Transactions on Data Privacy 1, 17-33, 2008; compared with microhybrid by J. Domingo-Ferrer, Microaggregation-based
numerical hybrid data, 2009, section 4.1: x' = gamma + alpha x + beta y + e with a diagonal alpha. With equal numbers in
the diagonal it is `ipso` with that closeness; this file has the other case.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.maskers.microhybrid.ipso import known_basis, near_one

_NEGLIGIBLE = 1e-9  # of the largest: rounding, not a direction in which noise would need a negative variance


def sarathy(confidential: Points, given: Points, rng: np.random.Generator, alpha: Floats) -> Points | None:
    """Return values (n x p) with the means and covariances of `confidential`, and with those of `given` (n x q).

    Residuals E of a regression on `given` become E alpha + N. The noise N is orthogonal to the constant, to `given` and
    to E, and has the sums of products E'E - alpha E'E alpha; so the new residuals have those of E. None if that matrix
    is not positive semidefinite, or if n leaves the noise no room.
    """
    unit = near_one(confidential)
    confidential = confidential / unit
    mean = confidential.mean(axis=0)
    scale = np.abs(confidential - mean).max(axis=0)
    scale[scale == 0] = 1.0
    known = known_basis(given / near_one(given))
    spread = (confidential - mean) / scale
    fitted = known @ (known.T @ spread)
    residuals = spread - fitted
    products = residuals.T @ residuals
    size, direction = np.linalg.eigh(products - alpha[:, None] * products * alpha)
    largest = max(float(np.trace(products)), np.finfo(np.float64).tiny)
    if size.min(initial=0.0) < -_NEGLIGIBLE * largest:
        return None
    is_noise = size > _NEGLIGIBLE * largest
    noise = _noise(known, residuals, int(is_noise.sum()), rng)
    if noise is None:
        return None
    direction, size = direction[:, is_noise], np.sqrt(size[is_noise])
    # The sign of eigenvectors is arbitrary; fixing it gives the same draw with every linear algebra library.
    direction = direction * np.sign(direction[np.abs(direction).argmax(axis=0), np.arange(len(size))])
    synthetic = (fitted + residuals * alpha + (noise * size) @ direction.T) * scale + mean
    return np.asarray(synthetic * unit, np.float64)


def _noise(known: Points, residuals: Points, columns: int, rng: np.random.Generator) -> Points | None:
    """Draw orthonormal columns orthogonal to the known ones and to the residuals; None if there is no room."""
    left, size, _ = np.linalg.svd(residuals, full_matrices=False)
    own = left[:, size > _NEGLIGIBLE * size.max(initial=0.0)]
    away = np.column_stack([known, own])
    if len(residuals) - away.shape[1] < columns:
        return None
    noise = rng.standard_normal((len(residuals), columns))
    for _ in range(2):  # one pass leaves rounding errors
        noise -= away @ (away.T @ noise)
    return np.asarray(np.linalg.qr(noise)[0], np.float64)
