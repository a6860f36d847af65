"""The categories of a nominal variable, recovered from its indicator columns in a cloud."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.model.cloud import Axis, Cloud

Codes = npt.NDArray[np.int64]


def category_codes(cloud: Cloud, axis: Axis) -> Codes:
    """Return 0, 1, ... for the categories that occur, in their own order; a missing value is a category, the last.

    >>> from constraint_sdc.model.policy import Scale
    >>> indicators = np.array([[0.0, 0.0, 0.7], [0.7, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> category_codes(Cloud(indicators), Axis("region", Scale.NOMINAL, 0, 3)).tolist()
    [1, 0, 2]
    """
    columns = cloud.points[:, axis.start : axis.stop]
    if not columns.size:
        return np.zeros(len(cloud), np.int64)
    code = np.where(columns.any(axis=1), columns.argmax(axis=1), columns.shape[1])
    return np.unique(code, return_inverse=True)[1].astype(np.int64)


def category_weight(cloud: Cloud, axis: Axis) -> float:
    """Return the squared distance between two categories, the weight of the variable; 0 if all values are missing."""
    largest = cloud.points[:, axis.start : axis.stop].max(initial=0.0)
    return float(2.0 * largest * largest)
