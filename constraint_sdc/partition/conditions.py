"""What every method asks of its points before it begins."""

from __future__ import annotations

import numpy as np

from constraint_sdc.errors import UsageError
from constraint_sdc.model.cloud import Cloud

_LARGEST = 1e150
_LIGHTEST = 1e-12


def require_possible(cloud: Cloud, k: int) -> None:
    """Raise ValueError for points that no method can divide; callers refuse such data earlier, in a user's words."""
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if cloud.points.shape[1] == 0:
        raise ValueError("points need at least one column")
    if len(cloud) < k:
        raise ValueError(f"{len(cloud)} records cannot form a group of {k}")
    if not np.isfinite(cloud.points).all():
        raise ValueError("points must be finite numbers")
    if np.abs(cloud.points).max(initial=0.0) > _LARGEST:
        raise ValueError(f"points beyond {_LARGEST:g} have no distances in double; standardise them")
    if cloud.weights is not None and not (np.isfinite(cloud.weights) & (cloud.weights > 0)).all():
        raise ValueError("weights must be positive numbers")
    if cloud.weights is not None and cloud.weights.min() < _LIGHTEST * cloud.weights.max():
        raise ValueError(f"weights must not differ by more than {1 / _LIGHTEST:g} times")


def refuse_weights(cloud: Cloud, method: str) -> None:
    """Refuse weighted records on behalf of a method whose definition has no place for them."""
    if cloud.weights is not None:
        raise UsageError(
            f"{method} as published takes no weights of records",
            hint="use a method that does, such as auto, or leave the weights out",
        )


def without_equal_weights(cloud: Cloud) -> Cloud:
    """Return the cloud; records that all count alike need no weights."""
    is_equal = cloud.weights is not None and bool((cloud.weights == cloud.weights[:1]).all())
    return Cloud(cloud.points, cloud.axes) if is_equal else cloud
