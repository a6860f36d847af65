"""Points of many kinds, plain and hard, for the tests of several methods."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Points


def drawn_points(kind: str, n: int, d: int, seed: int) -> Points:
    random = np.random.default_rng(seed)
    match kind:
        case "normal":
            return random.normal(size=(n, d))
        case "ties":
            return random.integers(-1, 2, size=(n, d)).astype(float)
        case "duplicates":
            return random.normal(size=(3, d))[random.integers(0, 3, n)]
        case "constant columns":
            return np.where(np.arange(d) % 2 == 0, 0.1, random.integers(0, 4, size=(n, d)).astype(float))
        case "all alike":
            return np.full((n, d), 0.3)
        case "heavy tails":
            return np.round(random.standard_cauchy(size=(n, d)), 1)
        case "far away":
            return 1e8 + random.integers(0, 5, size=(n, d)).astype(float)
        case "cauchy":
            return random.standard_cauchy(size=(n, d))
        case "one very far":
            return np.vstack((np.full((1, d), 1e150), random.normal(size=(n - 1, d))))
        case "mostly zero":
            return random.normal(size=(n, d)) * (random.random((n, 1)) < 0.25)
        case "clusters":
            return random.normal(size=(9, d))[random.integers(0, 9, n)] + 0.05 * random.normal(size=(n, d))
        case "immense":
            return random.normal(size=(n, d)) * 1e149
        case "ever farther":
            return np.outer(1.5 ** np.linspace(0, 800, n), np.ones(d))
    raise AssertionError(kind)
