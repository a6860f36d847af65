"""What a representative costs: its squared standardised distance from what the operators say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from constraint_sdc.model.groups import Groups, Points, Rows
from constraint_sdc.model.series import Series

Floats = npt.NDArray[np.float64]


class Costs:
    """Costs against `targets` (g x d): the operators' values, NaN where there is none to average.

    `limit[g]` is what the group's nearest member would cost, and a step of the grid on top: a representative beyond it
    is no better than an actual record.
    """

    def __init__(self, series: Sequence[Series], groups: Groups, targets: Points) -> None:
        self._targets = targets
        self._deviations = np.array([one.deviation for one in series])
        values = np.array([one.values for one in series]).T
        members = self.of(values[groups.order], groups.label[groups.order])
        steps = [float(one.grid.step or 0) / one.deviation for one in series]
        self.limit: Floats = np.minimum.reduceat(members, groups.starts) + sum(step**2 for step in steps) + 1e-9

    def of(self, values: Points, groups: Rows) -> Floats:
        """Return the cost of values (c x d), each row for its group; cells without a number cost nothing."""
        gaps = values / self._deviations - self._targets[groups] / self._deviations
        cost: Floats = np.nansum(gaps**2, axis=1)
        return cost
