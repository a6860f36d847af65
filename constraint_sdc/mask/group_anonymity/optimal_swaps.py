"""The swaps of least total cost as a linear programme, whose vertices are whole, for it is a flow in a network."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, vstack

from constraint_sdc.mask.group_anonymity.influence import Influence
from constraint_sdc.mask.group_anonymity.quotas import Allowed, Chosen, Quotas
from constraint_sdc.mask.group_anonymity.signals import Counts, Floats, Rows


def choose_optimal(quotas: Quotas, influence: Influence, allowed: Allowed) -> Chosen:
    """Return the most swaps that quotas and allowed pairs admit, and among those the cheapest.

    All pairs are asked about and weighed. Which of several optima comes out is the solver's choice, the same every time.
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
    limits, most = _limits(quotas, rows, others)
    number = round(float(_solved(-np.ones(len(rows)), limits, most).sum()))
    costs = influence.cost(rows, others)
    scaled = costs / max(float(costs.max()), np.finfo(np.float64).tiny)  # the solver's tolerances are absolute
    # Minus the number, as one more limit: taking fewer pairs would be cheaper.
    limits = vstack([limits, csr_matrix(-np.ones((1, len(rows))))], format="csr")
    taken = _solved(scaled, limits, np.append(most, -number)) > 0.5
    return rows[taken], others[taken]


def _limits(quotas: Quotas, rows: Rows, others: Rows) -> tuple[csr_matrix, Floats]:
    """Return how often each record (once) and each value (its quota) may be used."""
    given, taken = quotas.value[rows], quotas.value[others]
    blocks = [_membership(keys) for keys in (rows, others, given, taken)]
    once = np.ones(blocks[0].shape[0] + blocks[1].shape[0])
    most = np.concatenate([once, quotas.surplus[np.unique(given)], quotas.deficit[np.unique(taken)]])
    return vstack(blocks, format="csr"), most


def _membership(keys: Counts) -> csr_matrix:
    """Return a matrix with a line for each different key, and a one in the column of each pair that has it."""
    different, line = np.unique(keys, return_inverse=True)
    return csr_matrix((np.ones(len(keys)), (line, np.arange(len(keys)))), shape=(len(different), len(keys)))


def _solved(costs: Floats, limits: csr_matrix, most: Floats) -> Floats:
    """Return whether each pair is used (0 or 1), by the simplex method, which ends in a vertex."""
    result = linprog(costs, limits, most, bounds=(0, 1), method="highs-ds")
    if result.x is None:
        raise RuntimeError(f"the choice of swaps has a solution, but the solver found none: {result.message}")
    return np.round(np.asarray(result.x, np.float64))
