"""Draws of every cluster until one breaks no rule and shows no record as it was."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.mask.hybrid.draws import Draws
from constraint_sdc.mask.own_values import OwnValues
from constraint_sdc.model.groups import Points, Rows
from constraint_sdc.model.plan import Step

CLOSENESS = (0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.8, 0.8)
"""How near to the original each draw of a cluster is: as far as possible at first."""

Counts = npt.NDArray[np.int64]


@dataclass
class Trials:
    """The best draw of every cluster: the fewest records with a broken rule, then the fewest that came out as before.

    `best` has a candidate for every record, `targets` (n x d) are the values behind it, and `step` has those records
    that satisfy their rules. `closeness` is that of each cluster's draw, None where single records must be repaired;
    clusters with differing blanks have none, since nobody has all of their values.
    """

    own: OwnValues
    draws: Draws
    best: Candidates = field(init=False)
    targets: Points = field(init=False)
    step: dict[int, Step] = field(default_factory=dict)
    closeness: dict[int, float | None] = field(default_factory=dict)
    _broken: Counts = field(init=False)
    _same: Counts = field(init=False)

    def run(self) -> None:
        """Draw, nearer to the original only where a rule is broken otherwise."""
        clusters, series = self.own.clusters, self.own.design.series
        self.best = Candidates.blank(series, np.arange(len(clusters.label)))
        self.targets = np.full((len(clusters.label), len(series)), np.nan)
        self._broken, self._same = (np.full(len(clusters), len(clusters.label) + 1) for _ in range(2))
        mixed = np.array(sorted(self.draws.mixed), np.int64)
        drawn = np.setdiff1d(np.arange(len(clusters)), mixed)
        for number, closeness in enumerate(CLOSENESS):
            which = drawn[(self._broken[drawn] > 0) | ((self._same[drawn] > 0) & (closeness == 0))]
            if len(which):
                self._try(which, number, closeness)
        self.closeness.update(dict.fromkeys(drawn[self._broken[drawn] > 0].tolist()))
        self._share(mixed)

    def _try(self, which: Rows, number: int, closeness: float) -> None:
        """Draw some clusters, and keep the draws that are better than what they have."""
        clusters = self.own.clusters
        rows, values, source = self.draws.draw(which, number, closeness)
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
        """Tell which records would have their own numbers again, in clusters where these differ."""
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
        """Put the representative of each of these clusters in place of all its records."""
        if not len(mixed):
            return
        label = self.own.clusters.label
        rows = np.flatnonzero(np.isin(label, mixed))
        self.best.put(rows, self.own.representatives(mixed).candidates.take(label[rows]))
        self.step.update(dict.fromkeys(rows.tolist(), Step.SHARED))
