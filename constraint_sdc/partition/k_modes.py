"""k-modes with groups of at least k: Z. Huang, Data Mining and Knowledge Discovery 2(3), 283-304, 1998; V. Torra, 2004.

Groups form as in MDAV, around modes instead of means (V. Torra, Privacy in Statistical Databases, LNCS 3050, 162-174);
then records are reassigned, as k-modes does, wherever that lowers the mismatch and leaves k records in every group.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.groups import Labels
from constraint_sdc.model.policy import Scale
from constraint_sdc.partition.category_codes import Codes, category_codes, category_weight
from constraint_sdc.partition.conditions import refuse_weights, require_possible
from constraint_sdc.partition.generic_mdav import form_groups
from constraint_sdc.partition.measured import Category
from constraint_sdc.partition.mode_groups import NEVER, Costs, ModeGroups
from constraint_sdc.partition.scales import refuse_scales

_UNITS = 2.0**20  # of the largest weight: whole numbers add up exactly, so that equals are equal and passes end
_NEIGHBOURS = 30  # groups among which a partner for a swap is sought
_PASSES = 20


class KModes:
    """Nominal variables: the (weighted) number of variables in which records differ, and the mode vector as centre.

    Reassigning never raises the total mismatch and never leaves a group below k. Groups have k to 2k - 1 records. All
    is decided in whole numbers, and ties go to the first: the category with the smallest code, the record first in the
    file, the group that formed first.
    """

    name = "k-modes"

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; `seed` is of no account, because nothing is drawn."""
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        others = frozenset({Scale.NUMERIC, Scale.ORDINAL})
        refuse_scales(cloud, self.name, others, hint="use mixed, or ordinal-median if none is nominal")
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        codes = np.stack([category_codes(cloud, axis) for axis in cloud.axes], axis=1)
        weights = whole_weights(np.array([category_weight(cloud, axis) for axis in cloud.axes]))
        return reassign(codes, weights, form(codes, weights, k), k)


def whole_weights(weights: npt.NDArray[np.float64]) -> Costs:
    """Return weights in millionths of the largest one, about; none that acts is rounded to nothing.

    >>> whole_weights(np.array([2.0, 1.0, 0.0])).tolist()
    [1048576, 524288, 0]
    """
    largest = weights.max(initial=0.0)
    if largest == 0:
        return np.zeros(len(weights), np.int64)
    return np.where(weights > 0, np.maximum(np.rint(weights / largest * _UNITS), 1.0), 0.0).astype(np.int64)


def form(codes: Codes, weights: Costs, k: int) -> Labels:
    """Return groups formed around the modes of what is left (n x d categories)."""
    return form_groups([Category(column, float(weight)) for column, weight in zip(codes.T, weights, strict=True)], k)


def reassign(codes: Codes, weights: Costs, labels: Labels, k: int) -> Labels:
    """Return groups of k to 2k - 1 records with at most the mismatch of these: joins, swaps, and groups taken apart.

    The first pass looks at every record, a later one at the groups that the pass before it has changed.
    """
    groups = ModeGroups(codes, weights, labels)
    changed = set(range(len(groups.size)))
    for _ in range(_PASSES):
        changed = _improve_records(groups, k, changed) | _take_apart(groups, changed)
        if not changed:
            break
    return _divide_large(codes, weights, groups.label, k)


def _improve_records(groups: ModeGroups, k: int, wanted: set[int]) -> set[int]:
    """Let each record of the wanted groups, in file order, make the best change it has; return the groups changed."""
    changed: set[int] = set()
    for record in range(len(groups.label)):
        own = int(groups.label[record])
        gain = groups.gain_of_leaving(record) if own in wanted else 0
        if gain == 0:
            continue
        costs = groups.costs_of_joining(record)
        near = _nearest_groups(costs)
        if not near:
            break  # there is one group only
        join = int(costs[near[0]]) - gain if groups.size[own] > k else 0
        swap, partner = groups.best_swap(record, near)
        if min(join, swap) < 0:
            other = near[0] if join <= swap else int(groups.label[partner])
            groups.move(record, other)
            if swap < join:
                groups.move(partner, own)
            changed |= {own, other}
    return changed


def _nearest_groups(costs: Costs) -> list[int]:
    """Return the groups that would be joined at least cost, in this order; those that formed first among equals."""
    ranked = costs * len(costs) + np.arange(len(costs))
    few = np.partition(ranked, _NEIGHBOURS)[:_NEIGHBOURS] if len(costs) > _NEIGHBOURS else ranked
    return [int(group) for group in np.sort(few) % len(costs) if costs[group] < NEVER]


def _take_apart(groups: ModeGroups, wanted: set[int]) -> set[int]:
    """Let all members of a group join others, one by one, where that costs less than it did; return those joined."""
    changed: set[int] = set()
    for group in sorted(wanted):
        spare = groups.loss(group)
        moved: list[int] = []
        for record in np.sort(groups.members[group]).tolist() if spare else []:
            costs = groups.costs_of_joining(record)
            nearest = int(np.argmin(costs))
            spare -= int(costs[nearest])
            if spare <= 0:
                break
            groups.move(record, nearest)
            moved.append(record)
        if spare > 0:
            changed |= {int(groups.label[record]) for record in moved}
        else:
            for record in reversed(moved):
                groups.move(record, group)
    return changed


def _divide_large(codes: Codes, weights: Costs, labels: Labels, k: int) -> Labels:
    """Form groups anew within every group of 2k or more, which cannot raise the mismatch; number all without a gap."""
    divided = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    for group in np.flatnonzero(np.bincount(divided) >= 2 * k):
        rows = np.flatnonzero(divided == group)
        parts = form(codes[rows], weights, k)
        divided[rows] = np.where(parts > 0, divided.max() + parts, group)
    return divided
