"""The swaps of least total cost as a linear programme, whose vertices are whole, for it is a flow in a network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, vstack

from constraint_sdc.mask.group_anonymity.influence import Influence
from constraint_sdc.mask.group_anonymity.quotas import Allowed, Chosen, Quotas
from constraint_sdc.mask.group_anonymity.signals import Counts, Floats, Mask, Rows

_LARGEST_COST = 1e3  # the solver's tolerances are absolute: costs up to here lose nothing that matters
_NO_COST = 1e-300  # nothing below it matters, and dividing by it would overflow


@dataclass(frozen=True)
class Solution:
    """Which of the given pairs are taken, and what it is worth to have each row, each other, and each pair at all.

    A pair that was not given would lower the total only if it cost less than `worth` says.
    """

    taken: Mask
    of_row: dict[str, tuple[Counts, Floats]]
    of_pair: float

    def worth(self, quotas: Quotas, rows: Rows, others: Rows) -> Floats:
        """Return the cost below which each of the pairs would be an improvement."""
        keys = {"row": rows, "other": others, "source": quotas.value[rows], "target": quotas.value[others]}
        total = np.full(len(rows), self.of_pair)
        for name, (known, prices) in self.of_row.items():
            place = np.minimum(np.searchsorted(known, keys[name]), len(known) - 1)
            total += np.where(known[place] == keys[name], prices[place], 0.0)
        return total


def choose_optimal(quotas: Quotas, influence: Influence, allowed: Allowed) -> Chosen:
    """Return the most swaps that quotas and allowed pairs admit, and among those the cheapest.

    All pairs are asked about and weighed. Which of several optima comes out is the solver's choice, always the same.
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


def _membership(lines: Rows, height: int) -> csr_matrix:
    """Return a matrix with a one in each pair's column, on its line."""
    return csr_matrix((np.ones(len(lines)), (lines, np.arange(len(lines)))), shape=(height, len(lines)))
