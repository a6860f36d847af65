"""Normalising a changed signal: Chertov and Tavrov, Data group anonymity in microfiles, formula (5).

The formula is printed with the original signal inside the parentheses. Its mean would then be
(mu - mu*) sigma / sigma* + mu, which is mu only by chance. What must hold decides: of all a + b x with b > 0, exactly
one has mean mu and deviation sigma: (changed - mu*) sigma / sigma* + mu, which is (5) with the changed signal there.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.mask.group_anonymity.signals import Floats, require_signal

_NOISE = 1e-12  # of the largest number: differences below it are rounding errors, not a shape


def normalise(changed: Floats, original: Floats) -> Floats:
    """Return the changed signal, stretched and shifted to mean and standard deviation (n - 1) of the original.

    >>> normalise(np.array([0.0, 10.0]), np.array([3.0, 1.0])).round(9).tolist()
    [1.0, 3.0]
    """
    require_signal(changed)
    require_signal(original)
    if len(changed) != len(original):
        raise ValueError(f"the changed signal has {len(changed)} values, the original {len(original)}")
    if _is_flat(original):
        raise ValueError(
            "the original signal is the same everywhere: with its deviation of 0, every change would vanish"
        )
    if _is_flat(changed):
        raise ValueError("the changed signal is the same everywhere: no stretching gives it the original's deviation")
    spread = changed - changed.mean()
    spread -= spread.mean()  # a large mean leaves a rounding error that stretching would enlarge
    result: Floats = spread * (original.std(ddof=1) / spread.std(ddof=1)) + original.mean()
    return result


def _is_flat(signal: Floats) -> bool:
    return bool(np.ptp(signal) <= _NOISE * np.abs(signal).max())
