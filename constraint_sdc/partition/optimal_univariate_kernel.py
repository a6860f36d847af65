"""The dynamic programme of `optimal_cut` for one variable and many records, compiled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.partition.compiled import compiled


@compiled
def best_starts(values: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.int64]:
    """Return what `optimal_cut.best_starts` returns for the path `values`, to the last bit: same steps, same order."""
    n = len(values)
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    start_of = np.zeros(n + 1, np.int64)
    for start in range(n - k + 1):
        if best[start] == np.inf:
            continue
        mean = 0.0
        loss = 0.0
        for size in range(1, min(2 * k - 1, n - start) + 1):
            change = values[start + size - 1] - values[start] - mean
            mean += change / size
            loss += (size - 1) / size * (change * change)
            if size >= k and best[start] + loss < best[start + size]:
                best[start + size] = best[start] + loss
                start_of[start + size] = start
    return start_of
