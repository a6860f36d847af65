"""A corresponding file: what an intruder may have about the same people, with errors.

W. E. Winkler, Single-ranking micro-aggregation and re-identification, U.S. Bureau of the Census, Statistics #2002-08:
in each record a few variables are far off, and the others nearly right.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.model.groups import Points

_NEARLY = (0.01, 0.03)
"""How far the other variables are off, at least and at most."""


def corresponding_file(original: Points, off: int = 3, deviation: float = 0.3, seed: int = 0) -> Points:
    """Return the original (n x d) with errors, relative to each value, up or down by chance.

    In every record `off` variables drawn at random (all, if there are fewer) deviate by `deviation`: as many and as far
    as the report allows, so that the attack is not flattered. The others deviate by 1 to 3%. Blanks and zeros stay.

    >>> corresponding_file(np.array([[100.0, 200.0]]), off=1, seed=1).round(1).tolist()
    [[70.0, 194.2]]
    """
    draw = np.random.default_rng(seed)
    size = draw.uniform(*_NEARLY, original.shape)
    chosen = np.argsort(draw.random(original.shape), axis=1)[:, : max(0, off)]
    np.put_along_axis(size, chosen, deviation, axis=1)
    sign = np.where(draw.random(original.shape) < 0.5, -1.0, 1.0)
    with np.errstate(over="ignore"):
        return np.nan_to_num(original * (1 + sign * size), nan=np.nan)  # what would be infinite is the largest number
