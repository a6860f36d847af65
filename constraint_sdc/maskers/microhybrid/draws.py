"""Draws of synthetic values for clusters, each reproducible from seed, cluster and number of the draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Counts, Points, Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.exact.candidates import NOT_COPIED, Candidates
from constraint_sdc.maskers.microhybrid.ipso import ipso, round_keeping_sums
from constraint_sdc.maskers.microhybrid.masker import Alpha, Told
from constraint_sdc.maskers.microhybrid.products import from_logarithms, in_logarithms, positive, products
from constraint_sdc.maskers.microhybrid.sarathy import sarathy
from constraint_sdc.maskers.own_values import OwnValues
from constraint_sdc.operators.medoid import Medoid
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.plan.plan import ExactStep, VariablePlan
from constraint_sdc.settings.words import Scale, Treatment

# Shuffling of the values of a cluster among its records: K. Muralidhar and R. Sarathy, Data shuffling, 2006.
#
# Management Science 52(5), 658-670: the ranks come from synthetic values, the values from the cluster.


def shuffled_by_rank(values: Points, synthetic: Points, groups: Groups) -> Rows:
    """Return the record whose value each record gets: in every group the one with the rank of its synthetic value.

    >>> groups = Groups(np.array([0, 0, 0]))
    >>> shuffled_by_rank(np.array([10.0, 30.0, 20.0]), np.array([9.0, 1.0, 5.0]), groups).tolist()
    [1, 0, 2]
    """
    rows = np.arange(len(values))
    by_value = np.lexsort((rows, values, groups.label))
    by_synthetic = np.lexsort((rows, synthetic, groups.label))
    source = np.empty(len(values), np.int64)
    source[by_synthetic] = by_value
    return source


def shuffled_at_random(groups: Groups, rng: np.random.Generator) -> Rows:
    """Return the record whose values each record gets, drawn at random within every group."""
    source = np.empty(len(groups.label), np.int64)
    source[groups.order] = np.lexsort((rng.random(len(source)), groups.label))
    return source


@dataclass(frozen=True)
class ClusterDraws:
    """The clusters of a block, the stratum of each, and the seed. Columns of values are the block's variables."""

    design: BlockDesign
    clusters: Groups
    stratum: tuple[int, ...]
    seed: int
    alpha: Told | None = None

    @cached_property
    def ladder(self) -> tuple[float, ...]:
        """Return the closeness of each draw of a cluster to the original, the lowest first; alpha is the least."""
        least = self._alpha(self.synthesised).largest
        return tuple(max(closeness, least) for closeness in CLOSENESS)

    def _alpha(self, places: list[int]) -> Alpha:
        """Return what stays of these variables; a variable that is shuffled takes the largest of the others."""
        own = Alpha.of(self.alpha, tuple(self.design.series[j].name for j in places))
        if not isinstance(self.alpha, tuple):
            return own
        largest = max((own.numbers[i] for i, j in enumerate(places) if j in self.synthesised), default=0.0)
        return Alpha(tuple(a if j in self.synthesised else largest for a, j in zip(own.numbers, places, strict=True)))

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

    def draw(self, which: Rows, number: int) -> tuple[Rows, Points, Rows]:
        """Return the records of some clusters, new values for them (r x d), and the records to copy cells from.

        Rounding keeps the sums of a cluster. A shuffled variable gets the ranks of values that are synthesised together
        with the others, so that it stays correlated with them; a variable without an order is shuffled at random.
        Variables that must come from one record come from the medoid of the cluster.
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
                logs = self.logarithmic(cluster, values[own])
                seen = in_logarithms(values[own], logs)
                seen[:, live] = self._generated(seen[:, live], self.given[rows[own]], rng, live, number)
                synthetic[own] = from_logarithms(seen, logs, values[own])
        source = self._sources(rows, values, synthetic, parts, number)
        for j in self.synthesised:
            present = np.isfinite(synthetic[:, j])
            there = Groups(np.unique(parts.label[present], return_inverse=True)[1].astype(np.int64))
            synthetic[present, j] = round_keeping_sums(synthetic[present, j], self.design.series[j].grid, there)
            # A value that did not change is copied, so that its text does not change either.
            same = present & (synthetic[:, j] == values[:, j])
            source[same, j] = rows[same]
        return rows, synthetic, source

    def _generated(
        self, values: Points, given: Points, rng: np.random.Generator, live: list[int], number: int
    ) -> Points:
        """Return values of a cluster: free draws as alpha says, later ones nearer to the original in all variables."""
        alpha = self._alpha(live)
        if number >= FREE_DRAWS or alpha.is_even:
            return ipso(values, given, rng, self.ladder[number] if number >= FREE_DRAWS else alpha.largest)
        found = sarathy(values, given, rng, np.array(alpha.numbers))
        if found is None:
            names = ", ".join(self.design.series[j].name for j in live)
            raise PlanRefusedError(
                f"the alphas of {names} leave the noise of a cluster no covariance, or too few records",
                hint="use one alpha for all, alphas that are nearer to each other, or a larger k",
            )
        return found

    def logarithmic(self, cluster: int, *values: Points) -> list[list[int]]:
        """Return the variables of a cluster with these values that are synthesised in logarithms, by product."""
        return positive(self._products[self.stratum[cluster]], *values)

    def in_logarithms(self) -> tuple[str, ...]:
        """Return the variables that are synthesised in logarithms in some cluster."""
        drawn = (c for c in range(len(self.clusters)) if c not in self.mixed)
        found = {j for c in drawn for part in self.logarithmic(c, self.values[self.clusters.rows(c)]) for j in part}
        return tuple(self.design.series[j].name for j in sorted(found))

    @cached_property
    def _products(self) -> list[list[list[int]]]:
        """Return, for each stratum, the variables that products tie together."""
        place = {series.name: j for j, series in enumerate(self.design.series)}
        names = [self.design.series[j].name for j in self.synthesised]
        return [
            [[place[name] for name in part] for part in products([atom for _, atom in one.conjunction], names)]
            for one in self.design.strata
        ]

    def _live(self, values: Points) -> list[int]:
        """Return the variables with numbers in every record of a cluster, those that are shuffled by rank included."""
        return [
            j
            for j, variable in enumerate(self.design.plan.variables)
            if (j in self.synthesised or _has_order(variable)) and np.isfinite(values[:, j]).all()
        ]

    def _sources(self, rows: Rows, values: Points, synthetic: Points, parts: Groups, number: int) -> Rows:
        source = np.full(values.shape, NOT_COPIED, np.int64)
        rng = np.random.default_rng((self.seed, len(self.clusters), number))
        for j, variable in enumerate(self.design.plan.variables):
            if variable.treatment is Treatment.AGGREGATED:
                source[:, j] = self._medoid[self.clusters.label[rows]]
            elif j not in self.synthesised:
                by_rank = _has_order(variable) and np.isfinite(values[:, j]).all()
                ranked = shuffled_by_rank(values[:, j], synthetic[:, j], parts) if by_rank else None
                source[:, j] = rows[shuffled_at_random(parts, rng) if ranked is None else ranked]
        return source

    @cached_property
    def _medoid(self) -> Rows:
        """Return the record nearest to the mean of each cluster."""
        return Medoid().choose(self.design.cloud.points, self.clusters)


_ENDS = (np.minimum, np.maximum)


def _has_order(variable: VariablePlan) -> bool:
    """Tell whether a variable may be shuffled separately, in the order of its values."""
    return variable.scale is not Scale.NOMINAL and variable.traits.is_order_statistic


# Draws of every cluster until one breaks no rule and leaves no record unchanged.

CLOSENESS = (0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.8, 0.8)
"""The closeness of each draw of a cluster to the original: the lowest first."""

FREE_DRAWS = CLOSENESS.count(0.0)


@dataclass
class Trials:
    """The best draw of every cluster: the fewest records with a broken rule, then the fewest unchanged records.

    `best` has a candidate for every record, `targets` (n x d) are the values behind it, and `step` has those records
    that satisfy their rules. `closeness` is that of each cluster's draw, None where single records must be repaired;
    clusters with differing blanks have none, because no record has all of their values.
    """

    own: OwnValues
    draws: ClusterDraws
    best: Candidates = field(init=False)
    targets: Points = field(init=False)
    step: dict[int, ExactStep] = field(default_factory=dict)
    closeness: dict[int, float | None] = field(default_factory=dict)
    _broken: Counts = field(init=False)
    _same: Counts = field(init=False)

    def run(self) -> None:
        """Draw every cluster; move closer to the original only where a rule is broken otherwise."""
        clusters, series = self.own.clusters, self.own.design.series
        self.best = Candidates.blank(series, np.arange(len(clusters.label)))
        self.targets = np.full((len(clusters.label), len(series)), np.nan)
        self._broken, self._same = (np.full(len(clusters), len(clusters.label) + 1) for _ in range(2))
        mixed = np.array(sorted(self.draws.mixed), np.int64)
        drawn = np.setdiff1d(np.arange(len(clusters)), mixed)
        for number, closeness in enumerate(self.draws.ladder):
            which = drawn[(self._broken[drawn] > 0) | ((self._same[drawn] > 0) & (number < FREE_DRAWS))]
            if len(which):
                self._try(which, number, closeness)
        self.closeness.update(dict.fromkeys(drawn[self._broken[drawn] > 0].tolist()))
        self._share(mixed)

    def _try(self, which: Rows, number: int, closeness: float) -> None:
        """Draw some clusters, and keep the draws that are better than the present ones."""
        clusters = self.own.clusters
        rows, values, source = self.draws.draw(which, number)
        proposed = self.own.proposed(rows, values, source)
        passing = self.own.passing(proposed)
        broken = np.bincount(clusters.label[rows], ~passing, len(clusters)).astype(np.int64)
        same = np.bincount(clusters.label[rows], self.is_same(rows, proposed), len(clusters)).astype(np.int64)
        is_better = (broken < self._broken) | ((broken == self._broken) & (same < self._same))
        better = which[is_better[which]]
        self._broken[better], self._same[better] = broken[better], same[better]
        kept = np.flatnonzero(np.isin(clusters.label[rows], better))
        self.best.put(rows[kept], proposed.take(kept))
        self.targets[rows[kept]] = values[kept]
        for row in rows[kept].tolist():
            self.step.pop(row, None)
        self.step.update(self.own.first_step(rows[kept[passing[kept]]]))
        self.closeness.update(dict.fromkeys(better[broken[better] == 0].tolist(), closeness))

    def is_same(self, rows: Rows, proposed: Candidates) -> npt.NDArray[np.bool_]:
        """Tell which records get their own numbers again, in clusters where these differ."""
        live = self.draws.synthesised
        original, label = self.draws.values[rows][:, live], self.own.clusters.label[rows]
        same = ((proposed.values[:, live] == original) | np.isnan(original)).all(axis=1)
        return np.asarray(same & self._differs[label], np.bool_)

    @property
    def _differs(self) -> npt.NDArray[np.bool_]:
        """Tell which clusters have records with different numbers."""
        clusters = self.own.clusters
        ordered = self.draws.values[clusters.order][:, self.draws.synthesised]
        low, high = (f.reduceat(ordered, clusters.starts) for f in (np.fmin, np.fmax))
        return np.asarray((low < high).any(axis=1), np.bool_)

    def _share(self, mixed: Rows) -> None:
        """Replace all records of each of these clusters by its representative."""
        if not len(mixed):
            return
        label = self.own.clusters.label
        rows = np.flatnonzero(np.isin(label, mixed))
        self.best.put(rows, self.own.representatives(mixed).candidates.take(label[rows]))
        self.step.update(dict.fromkeys(rows.tolist(), ExactStep.SHARED))
