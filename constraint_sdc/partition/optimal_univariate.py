"""Optimal univariate: P. Hansen and S. Mukherjee, IEEE Trans. on Knowledge and Data Engineering 15(4), 1043-1044, 2003.

In one dimension some partition of least loss has groups of consecutive values, k to 2k - 1 each: the best cut of the
sorted values is the best partition there is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.groups import Labels
from constraint_sdc.model.policy import Scale
from constraint_sdc.partition.conditions import refuse_weights, require_possible
from constraint_sdc.partition.one_variable import only_variable
from constraint_sdc.partition.optimal_cut import best_starts, labels_of
from constraint_sdc.partition.scales import refuse_scales

_COMPILED_FROM = 50_000  # records; below, NumPy is done sooner than a compiler


class OptimalUnivariate:
    """No partition into groups of at least k has a lower loss (within rounding); time grows with n * log n + n * k."""

    name = "optimal-univariate"

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record, numbered from the lowest values up; nothing is drawn.

        >>> OptimalUnivariate().partition(Cloud(np.array([[9.0], [1.0], [2.0], [8.0], [0.0]])), 2, seed=1).tolist()
        [1, 0, 0, 1, 0]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        refuse_scales(cloud, self.name, frozenset({Scale.NOMINAL}), hint="categories have no order; use another method")
        refusal = f"{self.name} divides the values of one variable"
        values = only_variable(cloud, refusal, hint="use mdav or another method for several variables")
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        order = np.argsort(values, kind="stable")
        labels = np.empty(len(cloud), np.int64)
        labels[order] = labels_of(_best_starts(values[order], k))
        return labels


def _best_starts(values: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.int64]:
    if len(values) < _COMPILED_FROM:
        return best_starts(values[:, None], k)
    from constraint_sdc.partition import optimal_univariate_kernel as kernel
    from constraint_sdc.partition.compiled import announce

    announce("optimal cut of one variable", [kernel.best_starts])
    return kernel.best_starts(values, k)
