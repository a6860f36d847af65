"""Records as points: the input of a partition method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Points, Rows, Weights
from constraint_sdc.data.series import Series
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.running import scratch
from constraint_sdc.settings.words import Scale, Standardise, VariableWish


@dataclass(frozen=True, slots=True)
class Axis:
    """One variable of a cloud: the columns `start` to `stop` (exclusive) of its points.

    Numbers and ordinal codes have one column. A nominal variable has one indicator column per category, all zero but
    one; records of any two different categories are then equally far apart.
    """

    name: str
    scale: Scale
    start: int
    stop: int


@dataclass(frozen=True)
class Cloud:
    """`points` (n records x d columns) are standardised and scaled by the variables' weights: distances are Euclidean.

    `weights` are the weights of the records in the loss, None for equal weights. Without `axes` every column is a
    numeric variable.
    """

    points: Points
    axes: tuple[Axis, ...] = ()
    weights: Weights | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", np.asarray(self.points, np.float64))

    def __len__(self) -> int:
        return len(self.points)

    def of(self, rows: Rows) -> Cloud:
        """Return the cloud of some records."""
        if len(rows) == len(self) and bool((rows == np.arange(len(rows))).all()):
            return self
        taken = scratch().taken
        return Cloud(taken(self.points, rows), self.axes, None if self.weights is None else taken(self.weights, rows))

    @property
    def scales(self) -> frozenset[Scale]:
        """Return the scales of its variables."""
        return frozenset(axis.scale for axis in self.axes) or frozenset({Scale.NUMERIC})


def cloud_of(
    series: Sequence[Series],
    standardise: Standardise = Standardise.Z_SCORE,
    wishes: Mapping[str, VariableWish] | None = None,
    weights: Weights | None = None,
) -> Cloud:
    """Return the records of some variables as points, each variable scaled by the square root of its weight."""
    axes: list[Axis] = []
    start = 0
    for one in series:
        axes.append(Axis(one.name, one.scale, start, start + one.width))
        start = axes[-1].stop
    points: Points = scratch().own((len(series[0].values) if series else 0, start), np.float64)
    for one, axis in zip(series, axes, strict=True):
        wish = (wishes or {}).get(one.name)
        stretch = 1.0 if wish is None or wish.weight is None else float(np.sqrt(wish.weight))
        columns = one.standardised(standardise)
        for rows in windows(len(points)):
            points[rows, axis.start : axis.stop] = columns[rows] * stretch
    return Cloud(points, tuple(axes), weights)
