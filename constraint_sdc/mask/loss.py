"""Information loss of a block: 100 * SSE / SST over its standardised numbers, and what plain microaggregation loses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraint_sdc.aggregate.operators import OPERATORS
from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.groups import Groups, Points
from constraint_sdc.model.policy import OperatorName, Scale
from constraint_sdc.model.series import Series
from constraint_sdc.partition.partitioner import Partitioner


def information_loss(series: Sequence[Series], masked: Points) -> float:
    """Return the loss of `masked` (n x d, as the series); cells without a number before and after do not count."""
    error = total = 0.0
    for j, one in enumerate(series):
        if one.scale is not Scale.NUMERIC:
            continue
        both = ~one.is_blank & np.isfinite(masked[:, j])
        values = one.values[both] / one.deviation
        if len(values):
            error += float(((values - masked[both, j] / one.deviation) ** 2).sum())
            total += float(((values - values.mean()) ** 2).sum())
    return 100.0 * error / total if total else 0.0


def plain_loss(series: Sequence[Series], points: Points, partitioner: Partitioner, k: int, seed: int) -> float:
    """Return the loss of the same partitioner without strata, rules or grids, and the arithmetic mean."""
    groups = Groups(partitioner.partition(Cloud(points), k, seed))
    values = np.array(
        [np.where(s.is_blank, np.nanmean(s.values) if (~s.is_blank).any() else 0.0, s.values) for s in series]
    ).T
    means = OPERATORS[OperatorName.ARITHMETIC_MEAN].representatives(values, groups)
    return information_loss(series, means[groups.label])
