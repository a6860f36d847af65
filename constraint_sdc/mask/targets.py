"""What the operators say of every group: numbers to aim at, records to copy from."""

from __future__ import annotations

import numpy as np

from constraint_sdc.aggregate.lower_median import LowerMedian
from constraint_sdc.aggregate.medoid import Medoid
from constraint_sdc.aggregate.mode import Mode
from constraint_sdc.aggregate.operators import OPERATORS
from constraint_sdc.exact.block_judge import Mask
from constraint_sdc.exact.candidates import NOT_COPIED
from constraint_sdc.model.cloud import Weights
from constraint_sdc.model.design import BlockDesign
from constraint_sdc.model.groups import Groups, Points, Rows
from constraint_sdc.model.policy import OperatorName
from constraint_sdc.model.series import Series


def group_targets(design: BlockDesign, groups: Groups) -> tuple[Points, Rows, Rows]:
    """Return the operators' values, the records to copy cells from, and the groups of differing blanks."""
    shape = (len(groups), len(design.series))
    targets, copied = np.full(shape, np.nan), np.full(shape, NOT_COPIED, np.int64)
    first = groups.order[groups.starts]
    is_mixed = np.zeros(len(groups), np.bool_)
    weights = design.cloud.weights
    anchor = Medoid().choose(design.cloud.points, groups, weights)
    for j, (series, plan) in enumerate(zip(design.series, design.plan.variables, strict=True)):
        low, high = (f.reduceat(series.blank[groups.order], groups.starts) for f in (np.minimum, np.maximum))
        is_mixed |= low != high
        blank = high != 0
        values = np.where(series.is_blank, 1.0, series.values)
        match plan.operator:
            case OperatorName.LOWER_MEDIAN:
                copied[:, j] = LowerMedian().choose(values, groups, weights)
            case OperatorName.MODE:
                copied[:, j] = Mode().choose(values, groups, weights)
            case OperatorName.MEDOID:
                copied[:, j] = anchor
            case OperatorName.ARITHMETIC_MEAN | OperatorName.GEOMETRIC_MEAN:
                targets[:, j], same = _average(plan.operator, series, values, groups, weights)
                copied[same, j] = first[same]
        targets[blank, j] = np.nan
        copied[blank, j] = first[blank]
    return targets, copied, np.flatnonzero(is_mixed)


def _average(
    operator: OperatorName, series: Series, values: Points, groups: Groups, weights: Weights | None
) -> tuple[Points, Mask]:
    """Return averages, never outside the group's own range; and where all values are one that is on the grid."""
    ordered = values[groups.order]
    low, high = np.minimum.reduceat(ordered, groups.starts), np.maximum.reduceat(ordered, groups.starts)
    if operator is OperatorName.GEOMETRIC_MEAN:
        # Strata keep signs apart; a merged one may not, and has no geometric mean: the arithmetic stands in.
        sign = np.sign(values)[groups.order][groups.starts]
        absolute = np.where(values == 0, 1.0, np.abs(values))[:, None]
        size = OPERATORS[operator].representatives(absolute, groups, weights)[:, 0]
        plain = OPERATORS[OperatorName.ARITHMETIC_MEAN].representatives(values[:, None], groups, weights)[:, 0]
        average = np.where(np.sign(low) == np.sign(high), size * sign, plain)
    else:
        average = OPERATORS[operator].representatives(values[:, None], groups, weights)[:, 0]
    average = np.clip(average, low, high)
    on_grid = np.rint(low * series.grid.scale) == low * series.grid.scale if series.grid.decimals is not None else True
    return average, (low == high) & on_grid
