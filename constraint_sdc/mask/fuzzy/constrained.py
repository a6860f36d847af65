"""Fuzzy c-means with centres under linear rows: V. Torra, On the definition of linear constrained fuzzy c-means, 2009.

For given memberships, the objective as a function of a centre v is its total weight times |v - mean|^2, and a constant:
the best admissible centre is the admissible place nearest to the weighted mean. So the objective falls as it does
without rows.
"""

from __future__ import annotations

from constraint_sdc.mask.fuzzy.c_means import ITERATIONS, TOLERANCE, Clustering, fuzzy_c_means
from constraint_sdc.mask.fuzzy.linear_rows import LinearRows
from constraint_sdc.model.groups import Points


def constrained_c_means(
    points: Points,
    c: int,
    m: float,
    rows: LinearRows,
    seed: int,
    *,
    start: Points | None = None,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
) -> Clustering:
    """Return c centres that satisfy the rows, which are given for points (`LinearRows.in_points`), to 1e-9 relative.

    Where all records satisfy the rows, so do their weighted means, and the centres are those of `fuzzy_c_means`. Where
    some do not, centres may leave the records' hull. Rows that contradict each other raise ValueError.
    """
    return fuzzy_c_means(
        points, c, m, seed, start=start, iterations=iterations, tolerance=tolerance, place=rows.nearest
    )
