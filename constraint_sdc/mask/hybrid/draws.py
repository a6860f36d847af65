"""Draws of synthetic values for clusters, each reproducible by itself: by seed, cluster and number of the draw."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from constraint_sdc.aggregate.medoid import Medoid
from constraint_sdc.exact.candidates import NOT_COPIED
from constraint_sdc.mask.hybrid.ipso import ipso
from constraint_sdc.mask.hybrid.rounding import round_keeping_sums
from constraint_sdc.mask.hybrid.shuffle import shuffled_at_random, shuffled_by_rank
from constraint_sdc.model.design import BlockDesign
from constraint_sdc.model.groups import Groups, Points, Rows
from constraint_sdc.model.plan import Treatment
from constraint_sdc.model.policy import OperatorName, Scale


@dataclass(frozen=True)
class Draws:
    """The clusters of a block and the seed. Columns of values are the block's variables in their order."""

    design: BlockDesign
    clusters: Groups
    seed: int

    @cached_property
    def synthesised(self) -> list[int]:
        """Return the places of the variables that are synthesised."""
        return [j for j, v in enumerate(self.design.plan.variables) if v.treatment is Treatment.SYNTHESISED]

    @cached_property
    def values(self) -> Points:
        """Return the original numbers and codes, n x d, NaN where a record has none."""
        return np.array([series.values for series in self.design.series]).T

    @cached_property
    def given(self) -> Points:
        """Return the given variables, n x q."""
        columns = [series.values for series in self.design.given]
        return np.column_stack(columns) if columns else np.zeros((len(self.clusters.label), 0))

    @cached_property
    def mixed(self) -> frozenset[int]:
        """Return the clusters in which some records have a value of a variable and others have none."""
        found: set[int] = set()
        for series in self.design.series:
            low, high = (f.reduceat(series.blank[self.clusters.order], self.clusters.starts) for f in _ENDS)
            found |= set(np.flatnonzero(low != high).tolist())
        return frozenset(found)

    def draw(self, which: Rows, number: int, closeness: float) -> tuple[Rows, Points, Rows]:
        """Return the records of some clusters, new values for them (r x d), and the records to copy cells from.

        Sums of a cluster are kept by rounding. What is shuffled gets the ranks of values that are synthesised with the
        others, so that it keeps company with them; what has no order goes by lot. What must come from one record comes
        from the medoid of the cluster.
        """
        rows = np.concatenate([self.clusters.rows(cluster) for cluster in which.tolist()])
        values = self.values[rows]
        parts = Groups(np.repeat(np.arange(len(which)), self.clusters.sizes[which]))
        synthetic = values.copy()
        for place, cluster in enumerate(which.tolist()):
            own = parts.rows(place)
            rng = np.random.default_rng((self.seed, cluster, number))
            live = self._live(values[own])
            if live:
                drawn = ipso(values[own][:, live], self.given[rows[own]], rng, closeness)
                synthetic[own[:, None], live] = drawn
        source = self._sources(rows, values, synthetic, parts, number)
        for j in self.synthesised:
            present = np.isfinite(synthetic[:, j])
            there = Groups(np.unique(parts.label[present], return_inverse=True)[1].astype(np.int64))
            synthetic[present, j] = round_keeping_sums(synthetic[present, j], self.design.series[j].grid, there)
            # A value that did not change is copied: its text stays as the file has it.
            same = present & (synthetic[:, j] == values[:, j])
            source[same, j] = rows[same]
        return rows, synthetic, source

    def _live(self, values: Points) -> list[int]:
        """Return the variables with numbers in every record of a cluster, those that are shuffled by rank included."""
        return [
            j
            for j, variable in enumerate(self.design.plan.variables)
            if (j in self.synthesised or _has_order(variable.scale, variable.operator))
            and np.isfinite(values[:, j]).all()
        ]

    def _sources(self, rows: Rows, values: Points, synthetic: Points, parts: Groups, number: int) -> Rows:
        source = np.full(values.shape, NOT_COPIED, np.int64)
        rng = np.random.default_rng((self.seed, len(self.clusters), number))
        for j, variable in enumerate(self.design.plan.variables):
            if variable.treatment is Treatment.AGGREGATED:
                source[:, j] = self._medoid[self.clusters.label[rows]]
            elif j not in self.synthesised:
                by_rank = _has_order(variable.scale, variable.operator) and np.isfinite(values[:, j]).all()
                ranked = shuffled_by_rank(values[:, j], synthetic[:, j], parts) if by_rank else None
                source[:, j] = rows[shuffled_at_random(parts, rng) if ranked is None else ranked]
        return source

    @cached_property
    def _medoid(self) -> Rows:
        """Return the record nearest to the mean of each cluster."""
        return Medoid().choose(self.design.cloud.points, self.clusters)


_ENDS = (np.minimum, np.maximum)


def _has_order(scale: Scale, operator: OperatorName) -> bool:
    """Tell whether a variable may be shuffled by itself, in the order of its values."""
    return scale is not Scale.NOMINAL and operator is OperatorName.LOWER_MEDIAN
