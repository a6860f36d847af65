"""The protocol of partition methods, and the checks that they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.engines.engine import cores as cores
from constraint_sdc.errors import UsageError
from constraint_sdc.settings.words import Scale


class Takes(Enum):
    """The kind of cloud that a method is made for."""

    NUMBERS = "numbers"
    ONE_VARIABLE = "one variable"
    ORDINAL = "ordinal variables"
    NOMINAL = "nominal variables"
    MIXED = "variables of all scales"


def below_2k(k: int) -> int:
    """Return the largest group of a method that divides every group of 2k or more."""
    return 2 * k - 1


DRAWN = "records are drawn by their place in the file"
TIED = "categories are full of ties, and the first record of equals decides"


@dataclass(frozen=True, slots=True)
class PartitionTraits:
    """The properties of a method that planner, attacks and exam use instead of its name.

    `largest` is the size, by k, that no group exceeds; None means no limit. A method whose groups depend on the order
    of the file, even where there are no ties, says why in `file_order_matters`. With `sorts_by_one_number` records are
    put in order by a projection, so that neighbours in the order may be far apart. A method that `searches` improves
    its groups by exchanges; the masker may go on with the loss of its operators.
    """

    takes: Takes = Takes.NUMBERS
    largest: Callable[[int], int] | None = None
    file_order_matters: str = ""
    sorts_by_one_number: bool = False
    searches: bool = False

    @property
    def takes_one_variable(self) -> bool:
        """Tell whether the method divides records by one variable alone, into groups of consecutive values."""
        return self.takes is Takes.ONE_VARIABLE


class Partitioner(Protocol):
    """A method that divides records into groups of at least k.

    Every record is in exactly one group, labels are 0, 1, ... without a gap, and the same points, k and seed give the
    same labels. Fewer than k points, and points that are not finite numbers, raise ValueError; callers refuse such data
    earlier, with a message for the user. A method raises UsageError for clouds that it does not support (weights,
    scales).
    """

    @property
    def name(self) -> str:
        """Return the name on the command line and in recipes."""
        ...

    @property
    def traits(self) -> PartitionTraits:
        """Return the traits of the method."""
        ...

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record of the cloud."""
        ...


# The checks that every method runs first.

_LARGEST = 1e150
_LIGHTEST = 1e-12


def require_possible(cloud: Cloud, k: int) -> None:
    """Raise ValueError for points that no method can divide; callers refuse such data earlier with a UsageError."""
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if cloud.points.shape[1] == 0:
        raise ValueError("points need at least one column")
    if len(cloud) < k:
        raise ValueError(f"{len(cloud)} records cannot form a group of {k}")
    if not np.isfinite(cloud.points).all():
        raise ValueError("points must be finite numbers")
    if np.abs(cloud.points).max(initial=0.0) > _LARGEST:
        raise ValueError(f"points beyond {_LARGEST:g} overflow double precision; standardise them")
    if cloud.weights is not None and not (np.isfinite(cloud.weights) & (cloud.weights > 0)).all():
        raise ValueError("weights must be positive numbers")
    if cloud.weights is not None and cloud.weights.min() < _LIGHTEST * cloud.weights.max():
        raise ValueError(f"weights must not differ by more than a factor of {1 / _LIGHTEST:g}")


def refuse_weights(cloud: Cloud, method: str) -> None:
    """Refuse record weights for a method whose definition does not include them."""
    if cloud.weights is not None:
        raise UsageError(
            f"{method} takes no weights of records",
            hint="use a method that takes weights, such as auto, or leave the weights out",
        )


def without_equal_weights(cloud: Cloud) -> Cloud:
    """Return the cloud, without its weights if they are all equal."""
    is_equal = cloud.weights is not None and bool((cloud.weights == cloud.weights[:1]).all())
    return Cloud(cloud.points, cloud.axes) if is_equal else cloud


# Refusal of variables of a scale that a method does not support.


def refuse_scales(cloud: Cloud, method: str, scales: frozenset[Scale], *, hint: str) -> None:
    """Refuse a cloud with a variable of one of these scales, by its name; a cloud without axes is all numeric."""
    if not cloud.scales & scales:
        return
    unfit = [f"{axis.name} is {axis.scale.value}" for axis in cloud.axes if axis.scale in scales]
    shown = ", ".join(unfit[:3]) + (", ..." if len(unfit) > 3 else "")
    refused = " or ".join(scale.value for scale in Scale if scale in scales)
    raise UsageError(f"{method} takes no {refused} variables: {shown or 'all are numeric'}", hint=hint)


# The cores of the machine, and the number of records above which compiled kernels pay.

COMPILED_ABOVE = 5_000
"""Number of records up to which NumPy is faster than compiling."""
