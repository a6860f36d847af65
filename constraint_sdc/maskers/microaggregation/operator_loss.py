"""Groups of product blocks in the geometry of their operator: exchanges that lower the loss by geometric means.

A partition method minimises squared distances to arithmetic means. The representative of a product block is the
geometric mean, which lies elsewhere, the farther the more the members differ. Exchanges of records between near groups,
weighed by what the block really loses, correct the groups for it.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Floats, Labels, Points, Rows, Weights
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.portable import exponentials, logarithms
from constraint_sdc.maskers.inputs import MaskInputs
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.partition.search.neighbours import nearest
from constraint_sdc.plan.design import BlockDesign

_MOST_RECORDS = 20_000
_NEIGHBOURS = 8
_MOST_WEIGHED = 1_500_000  # exchanges; a larger file gets fewer rounds
_WORTHWHILE = 1e-3  # of the loss: less is not worth groups that differ from those of the partition method
_ROUNDING = 1e-12  # of the loss


def lower_loss_of_operator(design: BlockDesign, inputs: MaskInputs, groups: Groups) -> Groups:
    """Return the groups of a block, improved within strata if all its variables take geometric means.

    A method that the user chose for itself, without a search, keeps its groups.
    """
    assert inputs.partitioner is not None
    takes_products = all(variable.traits.averages_logarithms for variable in design.plan.variables)
    has_other_axes = tuple(axis.name for axis in design.cloud.axes) != design.plan.names
    if not inputs.partitioner.traits.searches or not takes_products or has_other_axes:
        return groups
    if len(design.cloud) > _MOST_RECORDS:
        return groups
    label = groups.label.copy()
    for part in design.strata:
        values = _sizes(design, part.rows)
        if values is not None:
            weights = None if design.cloud.weights is None else design.cloud.weights[part.rows]
            first = label[part.rows].min()
            own = lower_geometric_loss(values, weights, label[part.rows] - first, inputs.k, inputs.seed)
            label[part.rows] = own + first
    return Groups(label)


def _sizes(design: BlockDesign, rows: Rows) -> Points | None:
    """Return the varying numbers of some records without signs, in the units of distances; None if signs differ.

    Only a stratum that was merged from several has different signs, or blanks beside numbers.
    """
    columns = []
    for series, points in zip(design.series, design.cloud.points.T, strict=True):
        values, signs = series.values[rows], np.sign(series.values[rows])
        if series.is_blank[rows].all() or (values == values[0]).all():
            continue
        if series.is_blank[rows].any() or (signs != signs[0]).any():
            return None
        unit = np.std(points) / np.std(series.values[~series.is_blank])
        columns.append(np.abs(values) * unit)
    return np.column_stack(columns) if columns else None


def geometric_loss(values: Points, weights: Weights | None, labels: Labels) -> float:
    """Return the squared distances of all records to the geometric means of their groups.

    >>> geometric_loss(np.array([[1.0], [4.0]]), None, np.array([0, 0]))
    5.0
    """
    means = GeometricMean().representatives(values, Groups(labels), weights)
    apart = ((values - means[labels]) ** 2).sum(axis=1)
    return float((apart if weights is None else weights * apart).sum())


def lower_geometric_loss(values: Points, weights: Weights | None, labels: Labels, k: int, seed: int) -> Labels:
    """Return groups of k or more records that lose less by their geometric means; `labels` if little can be gained.

    `values` are positive, in units of which one is as important as another.
    """
    if len(values) < 2 * k or k == 1 or not (before := geometric_loss(values, weights, labels)):
        return labels
    search = _ProductSearch(values, weights, labels, k, seed)
    search.run(_ROUNDING * before)
    return search.label if geometric_loss(values, weights, search.label) < (1 - _WORTHWHILE) * before else labels


class _ProductSearch:
    """Groups, as sums over their members of all that the loss is computed from.

    The sums of a record are its values, their logarithms, the sum of their squares and 1, each times its weight. The
    last record is nobody: its sums are zero, and an exchange with it moves a record.
    """

    def __init__(self, values: Points, weights: Weights | None, labels: Labels, k: int, seed: int) -> None:
        count = min(_NEIGHBOURS, len(values) - 1)
        self.lists = nearest(values, count, seed).astype(np.int64)
        self.k = k
        self.label = labels.astype(np.int64)
        own = np.column_stack([values, logarithms(values), (values**2).sum(axis=1), np.ones(len(values))])
        own = own if weights is None else own * weights[:, None]
        self.sums = np.vstack([own, np.zeros(own.shape[1])])

    def run(self, least: float) -> None:
        """Carry out exchanges until no neighbour's group offers one that gains more than `least`."""
        idle, turn = 0, 0
        while turn * self.lists.size < _MOST_WEIGHED:
            size = np.bincount(self.label)
            width = int(size.max()) + 1  # every member in turn, and nobody
            if idle >= width:
                return
            idle = 0 if self._exchange(turn % width, size, least) else idle + 1
            turn += 1

    def _exchange(self, place: int, size: Rows, least: float) -> bool:
        """Weigh exchanges with the members at this place of the groups of all neighbours; carry out the best."""
        grouped = Groups(self.label)
        sums = np.add.reduceat(self.sums[:-1][grouped.order], grouped.starts, axis=0)
        held = self._loss(sums)
        nobody = len(self.label)
        inside = place < size
        member = np.full(len(size), nobody)
        member[inside] = grouped.order[grouped.starts[inside] + place]
        one, other = self.label[:, None], self.label[self.lists]
        z = member[other]
        may = (one != other) & ((z != nobody) | ((size[one] > self.k) & (size[other] < 2 * self.k - 1)))
        x, column = np.nonzero(may)
        if not len(x):
            return False
        one, other, z = self.label[x], other[x, column], z[x, column]
        change = self.sums[z] - self.sums[x]
        gain = held[one] + held[other] - self._loss(sums[one] + change) - self._loss(sums[other] - change)
        better = np.flatnonzero(gain > least)
        better = better[np.argsort(-gain[better], kind="stable")]
        taken: set[int] = set()
        for i in better.tolist():
            a, b = int(one[i]), int(other[i])
            if a in taken or b in taken:
                continue
            taken |= {a, b}
            self.label[x[i]] = b
            if z[i] != nobody:
                self.label[z[i]] = a
        return bool(taken)

    def _loss(self, sums: Points) -> Floats:
        """Return what groups with these sums lose."""
        count = (sums.shape[1] - 2) // 2
        mass = sums[:, -1:]
        means = exponentials(sums[:, count : 2 * count] / mass)
        loss: Floats = sums[:, -2] - (means * (2 * sums[:, :count] - mass * means)).sum(axis=1)
        return loss
