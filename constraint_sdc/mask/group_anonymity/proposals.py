"""Pairs that are worth a look: each vital record and its nearest others."""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree

from constraint_sdc.mask.group_anonymity.influence import Influence
from constraint_sdc.mask.group_anonymity.quotas import Quotas
from constraint_sdc.mask.group_anonymity.signals import Floats, Rows

_PROPOSALS = 2_000_000  # pairs weighed at a time
_COMPARED = 4_000_000  # pairs weighed for the dearest ones


def proposals(points: Floats, quotas: Quotas, neighbours: int) -> tuple[Rows, Rows]:
    """Return pairs of each vital row and its nearest others: in every value if that is not too many, else overall.

    Every value has to receive its share, so that the nearest records of the whole file would not do.
    """
    vital, others = quotas.vital, quotas.others
    pools = _by_value(quotas, others)
    if not len(vital) or not pools:
        return vital[:0], others[:0]
    affordable = _PROPOSALS // (len(vital) * len(pools))
    if not affordable:
        return nearest_pairs(points, vital, others, max(_PROPOSALS // len(vital), 1))
    found = [nearest_pairs(points, vital, pool, min(neighbours, affordable)) for pool in pools]
    return np.concatenate([rows for rows, _ in found]), np.concatenate([partners for _, partners in found])


def nearest_pairs(points: Floats, rows: Rows, pool: Rows, neighbours: int) -> tuple[Rows, Rows]:
    """Return each row beside its nearest records of a pool, as many as it has or as are asked for."""
    k = min(neighbours, len(pool))
    _, found = KDTree(points[pool]).query(points[rows], k=range(1, k + 1))
    return np.repeat(rows, k), pool[found.ravel()]


def proposals_for_dearest(
    influence: Influence, quotas: Quotas, rows: Rows, others: Rows, neighbours: int
) -> tuple[Rows, Rows]:
    """Return the cheapest pairs in every value, on either side, for the records of the dearest of the present pairs.

    These are compared with all records, for points say little about which of the distant ones are the least distant.
    """
    number = _COMPARED // max(len(quotas.vital), len(quotas.others))
    dearest = np.argsort(-influence.cost(rows, others), kind="stable")[:number]
    found = [(rows[:0], others[:0])]
    for pool in _by_value(quotas, quotas.others):
        found.append(_cheapest_pairs(influence, rows[dearest], pool, neighbours))
    for pool in _by_value(quotas, quotas.vital):
        found.append(_cheapest_pairs(influence, others[dearest], pool, neighbours)[::-1])
    return np.concatenate([vital for vital, _ in found]), np.concatenate([partners for _, partners in found])


def _by_value(quotas: Quotas, side: Rows) -> list[Rows]:
    values = quotas.value[side]
    return [side[values == value] for value in np.unique(values)]


def _cheapest_pairs(influence: Influence, rows: Rows, pool: Rows, neighbours: int) -> tuple[Rows, Rows]:
    k = min(neighbours, len(pool))
    found = np.argpartition(influence.matrix(rows, pool), k - 1, axis=1)[:, :k]
    return np.repeat(rows, k), pool[found.ravel()]
