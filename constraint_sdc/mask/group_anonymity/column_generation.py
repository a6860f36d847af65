"""Improving disjoint pairs by column generation: L. R. Ford and D. R. Fulkerson, Management Science 5, 97-101, 1958.

The flow is solved for a few pairs of each record; its prices tell which of all proposed pairs would still lower the
total; these join, and so on until little is left to gain. Many pairs are improved in blocks of close records.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from constraint_sdc.mask.group_anonymity.influence import Influence
from constraint_sdc.mask.group_anonymity.optimal_swaps import solve
from constraint_sdc.mask.group_anonymity.proposals import proposals, proposals_for_dearest
from constraint_sdc.mask.group_anonymity.quotas import Allowed, Quotas
from constraint_sdc.mask.group_anonymity.signals import Floats, Mask, Rows

_NEIGHBOURS = 8  # proposed in every value
_FIRST = 4  # of them known to the flow from the start
_BLOCK = 10_000  # pairs whose flow is solved at once
_JOINING = 20_000  # pairs that join in one round, at most
_ROUNDS = 8
_WORTH = 1e-3  # of the cost; less is not worth another round


def improved(
    quotas: Quotas, influence: Influence, allowed: Allowed, points: Floats, rows: Rows, others: Rows
) -> tuple[Rows, Rows]:
    """Return as many pairs of the same quotas that cost no more; every new pair is an allowed one."""
    rows, others = rows.copy(), others.copy()
    sweeps = 1 if len(rows) <= _BLOCK else 2
    for sweep in range(sweeps):
        for block, part in _parts(quotas, points, rows, others, axis=sweep % points.shape[1]):
            rows[block], others[block] = _improved_part(part, influence, allowed, points, rows[block], others[block])
    return rows, others


def _parts(quotas: Quotas, points: Floats, rows: Rows, others: Rows, axis: int) -> Iterator[tuple[Rows, Quotas]]:
    """Yield blocks of pairs along one coordinate, each with its own quotas, its records and the free ones near them."""
    place = points[:, axis]
    order = np.argsort(place[rows], kind="stable")
    blocks = np.array_split(order, max(-(-len(rows) // _BLOCK), 1))
    borders = np.array([place[rows[block[0]]] for block in blocks[1:]])
    for number, block in enumerate(blocks):
        # Free records as they are now: blocks before this one have taken and released some.
        pools = [
            np.union1d(
                _free(side, used)[np.searchsorted(borders, place[_free(side, used)], side="right") == number], own
            )
            for side, used, own in ((quotas.vital, rows, rows[block]), (quotas.others, others, others[block]))
        ]
        values = len(quotas.surplus)
        surplus, deficit = (np.bincount(quotas.value[own], minlength=values) for own in (rows[block], others[block]))
        vital, partners = (
            pool[quota[quotas.value[pool]] > 0] for pool, quota in zip(pools, (surplus, deficit), strict=True)
        )
        yield block, replace(quotas, vital=vital, others=partners, surplus=surplus, deficit=deficit)


def _free(side: Rows, used: Rows) -> Rows:
    return np.setdiff1d(side, used, assume_unique=True)


def _improved_part(
    part: Quotas, influence: Influence, allowed: Allowed, points: Floats, rows: Rows, others: Rows
) -> tuple[Rows, Rows]:
    """Return the cheapest pairs that some rounds of column generation find, beginning with those that are there."""
    if not len(rows):
        return rows, others
    pairs = _unique_pairs(
        (rows, others),
        proposals(points, part, _NEIGHBOURS),
        proposals_for_dearest(influence, part, rows, others, _NEIGHBOURS),
    )
    costs = influence.cost(pairs[:, 0], pairs[:, 1])
    now = influence.cost(rows, others).sum()
    is_known = _is_present(pairs, rows, others)
    is_asked = is_known.copy()
    joining = _cheapest_of_each(pairs[:, 0], costs, _FIRST)
    for _ in range(_ROUNDS):
        joining = joining[~is_asked[joining]]
        is_asked[joining] = True
        is_known[joining] = allowed(pairs[joining, 0], pairs[joining, 1]) if len(joining) else True
        known = np.flatnonzero(is_known)
        flow = solve(part, pairs[known, 0], pairs[known, 1], costs[known], number=len(rows))
        taken = known[flow.taken]
        cost = costs[taken].sum()
        if cost < now and len(taken) == len(rows):
            rows, others, now = pairs[taken, 0], pairs[taken, 1], cost
        gain = flow.worth(part, pairs[:, 0], pairs[:, 1]) - costs
        gain[is_asked] = 0.0
        joining = np.argsort(-gain, kind="stable")[:_JOINING]
        joining = joining[gain[joining] > 0]
        if _largest_of_each(pairs[joining, 0], gain[joining]).sum() <= _WORTH * now:
            break
    return rows, others


def _unique_pairs(*found: tuple[Rows, Rows]) -> Rows:
    """Return different pairs, one a line, in the order of their records."""
    rows, others = (np.concatenate(side) for side in zip(*found, strict=True))
    width = int(others.max()) + 1
    return np.column_stack(np.divmod(np.unique(rows * width + others), width))


def _is_present(pairs: Rows, rows: Rows, others: Rows) -> Mask:
    width = int(pairs.max()) + 1
    return np.isin(pairs[:, 0] * width + pairs[:, 1], rows * width + others)


def _largest_of_each(keys: Rows, gains: Floats) -> Floats:
    """Return the largest gain of each row; by duality of linear programmes, all rows together can gain no more."""
    order = np.lexsort((-gains, keys))
    return gains[order][np.diff(keys[order], prepend=-1) > 0]


def _cheapest_of_each(keys: Rows, costs: Floats, number: int) -> Rows:
    """Return the places of the cheapest few of each key."""
    order = np.lexsort((costs, keys))
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return order[rank < number]
