"""Links of the same records in many subsets of their columns: large files are divided once for most of the subsets."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Points, Rows
from constraint_sdc.measures.nearest import SAME, Distinct, Links, distances, distinct, is_for_tree, links
from constraint_sdc.partition.partitioner import COMPILED_ABOVE

_ENOUGH = 5
"""Columns from which on leaves that were cut by all columns are small enough; fewer have a tree of their own."""

_FEW_QUERIES = 16
"""References for each query from which on all subsets share one tree: to build a tree costs more than to search it."""


class ColumnLinks:
    """Links of queries to references in any of their columns; `own[i]` is the reference that is right for query i."""

    def __init__(self, queries: Points, references: Points, own: Rows) -> None:
        self._queries = queries
        self._references = references
        self._own = own
        self._whole = _divided(queries, references)

    def links(self, columns: Rows) -> Links:
        """Return the links in some columns."""
        queries, references = self._queries[:, columns], self._references[:, columns]
        if self._whole is None or len(columns) < _ENOUGH:
            return links(queries, references, self._own)
        from constraint_sdc.measures.wide_tree import WideTree

        known, tree = self._whole
        assert isinstance(tree, WideTree)
        distance = distances(queries, references[self._own])
        turn = np.argsort(tree.leaf_of[known.which[self._own]], kind="stable")
        least, ties = tree.of_columns(columns).nearest(queries, turn, distance, SAME)
        return Links(ties, distance <= least * SAME)


def _divided(queries: Points, references: Points) -> tuple[Distinct, object] | None:
    """Return the tree of all columns; None where a search of its own is better for every subset."""
    if len(references) <= max(COMPILED_ABOVE, _FEW_QUERIES * len(queries)) or not is_for_tree(references):
        return None
    from constraint_sdc.measures.wide_tree import WideTree

    known = distinct(references)
    return known, WideTree.of(known.points, known.count)
