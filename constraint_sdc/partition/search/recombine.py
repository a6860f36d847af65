"""The best partition made of groups of several partitions: a set partitioning programme, solved by HiGHS.

Groups on which all runs agree are fixed. The others form islands that share no record, and the cheapest choice of
groups is found on each island separately.
"""

from __future__ import annotations

from collections.abc import Sequence

import highspy
import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from constraint_sdc.arrays import AnyIntegers, Floats, Labels, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.groups import Groups
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.search.grouping import Grouping

# Nodes instead of a time limit, because they are the same on every machine. The first node of an island of thousands of
# groups takes many seconds and finds nearly all that there is to gain; more nodes multiply the time.
_MOST_NODES = 100
_LARGE_ISLAND = 3_000  # groups
_COLUMNWISE = 1


def recombine(cloud: Cloud, runs: Sequence[Labels], k: int) -> Labels:
    """Return a partition whose groups all occur in one of the runs, never worse than the best of them."""
    best = min(runs, key=lambda labels: sse(cloud, labels))
    pool = _pool(runs)
    grouping = Grouping(cloud, best, k)
    cost = np.array([grouping.loss_of(rows) for rows in pool])
    incumbent = {tuple(rows.tolist()) for rows in Groups(best).each()}
    is_chosen = np.array([tuple(rows.tolist()) in incumbent for rows in pool])
    labels = best.copy()
    count = 0
    for island in _islands(pool, len(cloud)):
        chosen = _cheapest([pool[i] for i in island], cost[island], is_chosen[island])
        for i in island[chosen]:
            labels[pool[i]] = count
            count += 1
    return labels if sse(cloud, labels) < sse(cloud, best) else best


def _pool(runs: Sequence[Labels]) -> list[Rows]:
    seen: dict[tuple[int, ...], Rows] = {}
    for labels in runs:
        for rows in Groups(labels).each():
            seen.setdefault(tuple(rows.tolist()), rows)
    return list(seen.values())


def _islands(pool: list[Rows], n: int) -> list[AnyIntegers]:
    """Return the groups in parts that share no record."""
    number = np.repeat(np.arange(len(pool)), [len(rows) for rows in pool])
    touches = csr_matrix((np.ones(len(number)), (number, np.concatenate(pool))), shape=(len(pool), n))
    # Groups are one side of a graph, records the other; a component holds both.
    _, part = connected_components((touches @ touches.T).tocsr(), directed=False)
    order = np.argsort(part, kind="stable")
    return [rows.astype(np.int64) for rows in np.split(order, np.flatnonzero(np.diff(part[order])) + 1)]


def _cheapest(pool: list[Rows], cost: Floats, incumbent: AnyIntegers) -> AnyIntegers:
    """Return which groups to choose on one island: the incumbent's, unless others are cheaper."""
    if len(pool) == incumbent.sum() or cost.max() <= 0:
        return np.flatnonzero(incumbent)
    records, index = np.unique(np.concatenate(pool), return_inverse=True)
    solver = highspy.Highs()  # type: ignore[no-untyped-call]  # its types leave out the constructor's
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_max_nodes", _MOST_NODES if len(pool) <= _LARGE_ISLAND else 1)
    solver.setOptionValue("mip_rel_gap", 1e-6)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(pool), len(records)
    model.col_cost_ = cost / cost.max()  # HiGHS has absolute tolerances and treats 1e20 as infinity
    model.col_lower_, model.col_upper_ = np.zeros(len(pool)), np.ones(len(pool))
    model.row_lower_ = model.row_upper_ = np.ones(len(records))
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.concatenate(([0], np.cumsum([len(rows) for rows in pool])))
    model.a_matrix_.index_ = index
    model.a_matrix_.value_ = np.ones(len(index))
    model.integrality_ = [highspy.HighsVarType.kInteger] * len(pool)
    solver.passModel(model)
    start = highspy.HighsSolution()
    start.col_value = incumbent.astype(np.float64).tolist()
    solver.setSolution(start)
    solver.run()
    chosen = np.flatnonzero(np.array(solver.getSolution().col_value) > 0.5)
    covered = np.zeros(len(records), np.int64)
    for i in chosen:
        covered[np.searchsorted(records, pool[i])] += 1
    is_better = (covered == 1).all() and cost[chosen].sum() < cost[incumbent.astype(bool)].sum()
    return chosen if is_better else np.flatnonzero(incumbent)
