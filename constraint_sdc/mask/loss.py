"""Information loss of a block: 100 * SSE / SST over its standardised numbers; categories that changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from constraint_sdc.aggregate.operators import OPERATORS
from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.groups import Groups, Points
from constraint_sdc.model.policy import OperatorName, Scale
from constraint_sdc.model.series import Series
from constraint_sdc.partition.mdav import Mdav


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


def changed_categories(series: Sequence[Series], masked: Points) -> Iterator[str]:
    """Say in how many records each category changed, which is the loss where nothing can be squared."""
    said = []
    for j, one in enumerate(series):
        if one.scale is not Scale.NUMERIC:
            same = (one.values == masked[:, j]) | (one.is_blank & np.isnan(masked[:, j]))
            said.append(f"{one.name} {100.0 * (1.0 - float(same.mean())):.1f}%")
    if said:
        yield f"share of records with another category than before: {', '.join(said)}"


def plain_loss(series: Sequence[Series], cloud: Cloud, k: int) -> float:
    """Return the loss of plain MDAV: no strata, rules, grids or weights of records, and the arithmetic mean."""
    groups = Groups(Mdav(compiled=False).partition(Cloud(cloud.points), k, seed=0))
    values = np.array(
        [np.where(s.is_blank, np.nanmean(s.values) if (~s.is_blank).any() else 0.0, s.values) for s in series]
    ).T
    means = OPERATORS[OperatorName.ARITHMETIC_MEAN].representatives(values, groups)
    return information_loss(series, means[groups.label])
