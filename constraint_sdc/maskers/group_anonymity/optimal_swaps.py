"""The swaps of least total cost as a linear programme; it is a network flow, so its vertices are integer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from constraint_sdc.arrays import Counts, Flags, Floats, Rows
from constraint_sdc.maskers.group_anonymity.influence import Allowed, Chosen, Influence, Quotas

_LARGEST_COST = 1e3  # the solver's tolerances are absolute and do not matter for costs up to this
_NO_COST = 1e-300  # smaller costs do not matter, and division by them overflows


@dataclass(frozen=True)
class Solution:
    """Which of the given pairs are taken, and the dual prices of each row, each other row, and the number of pairs.

    A pair that was not given lowers the total only if it costs less than `worth`.
    """

    taken: Flags
    of_row: dict[str, tuple[Counts, Floats]]
    of_pair: float

    def worth(self, quotas: Quotas, rows: Rows, others: Rows) -> Floats:
        """Return the cost below which each of the pairs is an improvement."""
        keys = {"row": rows, "other": others, "source": quotas.value[rows], "target": quotas.value[others]}
        total = np.full(len(rows), self.of_pair)
        for name, (known, prices) in self.of_row.items():
            place = np.minimum(np.searchsorted(known, keys[name]), len(known) - 1)
            total += np.where(known[place] == keys[name], prices[place], 0.0)
        return total


def choose_optimal(quotas: Quotas, influence: Influence, allowed: Allowed) -> Chosen:
    """Return the largest number of swaps that quotas and allowed pairs admit, at the least total cost.

    All pairs are checked and weighed. If there are several optima, the solver always returns the same one.
    """
    rows, others = (side.ravel() for side in np.meshgrid(quotas.vital, quotas.others, indexing="ij"))
    if len(rows):
        is_allowed = allowed(rows, others)
        rows, others = rows[is_allowed], others[is_allowed]
    rows, others = best_of(quotas, influence, rows, others)
    return Chosen(rows, others, is_all=True)


def best_of(quotas: Quotas, influence: Influence, rows: Rows, others: Rows) -> tuple[Rows, Rows]:
    """Return the most disjoint pairs within the quotas that can be chosen among those given, at least total cost."""
    if not len(rows):
        return rows, others
    most = solve(quotas, rows, others, -np.ones(len(rows)), number=0)
    taken = solve(quotas, rows, others, influence.cost(rows, others), number=int(most.taken.sum())).taken
    return rows[taken], others[taken]


def solve(quotas: Quotas, rows: Rows, others: Rows, costs: Floats, number: int) -> Solution:
    """Return the cheapest `number` or more disjoint pairs within the quotas, which must be possible."""
    from scipy.optimize import linprog  # imported where it is used, because it loads slowly
    from scipy.sparse import csr_matrix, vstack

    keys = {"row": rows, "other": others, "source": quotas.value[rows], "target": quotas.value[others]}
    known = {name: np.unique(key, return_inverse=True) for name, key in keys.items()}
    limits = [_membership(lines, len(different)) for different, lines in known.values()]
    quota = (quotas.surplus[known["source"][0]], quotas.deficit[known["target"][0]])
    once = np.ones(limits[0].shape[0] + limits[1].shape[0])
    at_least = csr_matrix(-np.ones((1, len(rows))))
    largest = float(np.abs(costs).max())
    scale = _LARGEST_COST / largest if largest > _NO_COST else 1.0
    matrix, most = vstack([*limits, at_least], format="csr"), np.concatenate([once, *quota, [-number]])
    # The simplex method ends in a vertex, where every pair is taken or not.
    result = linprog(costs * scale, matrix, most, bounds=(0, None), method="highs-ds")
    if result.x is None:
        raise RuntimeError(f"the choice of swaps has a solution, but the solver found none: {result.message}")
    prices = np.asarray(result.ineqlin.marginals, np.float64) / scale
    parts = np.split(prices[:-1], np.cumsum([limit.shape[0] for limit in limits])[:-1])
    worth = {name: (known[name][0], part) for name, part in zip(keys, parts, strict=True)}
    return Solution(np.asarray(result.x) > 0.5, worth, -float(prices[-1]))


def _membership(lines: Rows, height: int) -> Any:
    """Return a matrix with a one in each pair's column, on its line."""
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(len(lines)), (lines, np.arange(len(lines)))), shape=(height, len(lines)))


# Candidate pairs: each vital record and its nearest others.

_PROPOSALS = 2_000_000  # pairs weighed at a time
_COMPARED = 4_000_000  # pairs weighed for the most expensive ones


def proposals(points: Floats, quotas: Quotas, neighbours: int) -> tuple[Rows, Rows]:
    """Return pairs of each vital row and its nearest others: in every value if that is not too many, else overall.

    Every value has to receive its share, so the nearest records of the whole file are not enough.
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
    """Return each row with its nearest records of a pool, at most as many as requested."""
    from scipy.spatial import KDTree

    k = min(neighbours, len(pool))
    _, found = KDTree(points[pool]).query(points[rows], k=range(1, k + 1))
    return np.repeat(rows, k), pool[found.ravel()]


def proposals_for_dearest(
    influence: Influence, quotas: Quotas, rows: Rows, others: Rows, neighbours: int
) -> tuple[Rows, Rows]:
    """Return the cheapest pairs in every value, on either side, for the records of the most expensive present pairs.

    These are compared with all records, because points do not show which of the distant records are the nearest.
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
    # A stable sort: which of several pairs of the same cost a partial sort takes depends on the processor.
    found = np.argsort(influence.matrix(rows, pool), axis=1, kind="stable")[:, :k]
    return np.repeat(rows, k), pool[found.ravel()]


# Improving disjoint pairs by column generation: L. R. Ford and D. R. Fulkerson, Management Science 5, 97-101, 1958.
#
# The flow is solved for a few pairs of each record. Its prices show which of all proposed pairs still lower the total;
# these are added, and so on until there is little to gain. Many pairs are improved in blocks of close records.

_NEIGHBOURS = 8  # proposed in every value
_FIRST = 4  # of them in the flow from the start
_BLOCK = 10_000  # pairs whose flow is solved at once
_JOINING = 20_000  # pairs added in one round, at most
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
        # The records that are free now: earlier blocks have taken and released some.
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
    """Return the cheapest pairs that some rounds of column generation find, starting from the present ones."""
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
    """Return the distinct pairs, one per row, in the order of their records."""
    rows, others = (np.concatenate(side) for side in zip(*found, strict=True))
    width = int(others.max()) + 1
    return np.column_stack(np.divmod(np.unique(rows * width + others), width))


def _is_present(pairs: Rows, rows: Rows, others: Rows) -> Flags:
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
