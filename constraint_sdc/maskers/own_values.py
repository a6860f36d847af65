"""Blocks in which every record has values of its own: written, derived, judged record by record, and made exact.

A masker proposes values; a record that breaks a rule goes through the exact steps as a group of one. Its own values
never represent it, because that would disclose it: the last step gives it the representative of its cluster, or another
record's values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from constraint_sdc.arrays import Flags, Points, Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.errors import CannotShareError
from constraint_sdc.exact.candidates import NOT_COPIED, Candidates, Deriver
from constraint_sdc.exact.ladder import Ladder, Representatives
from constraint_sdc.exact.settlement import BlockJudge
from constraint_sdc.judge.records import RecordJudge
from constraint_sdc.maskers.inputs import MaskInputs, group_targets
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.plan.plan import ExactStep


@dataclass(frozen=True)
class OwnValues:
    """The records of a block, their `clusters`, and the stratum of every cluster."""

    design: BlockDesign
    inputs: MaskInputs
    clusters: Groups
    stratum: tuple[int, ...]

    @cached_property
    def records(self) -> Groups:
        """Return every record as a group of its own."""
        return Groups(np.arange(len(self.clusters.label)))

    @cached_property
    def stratum_of_record(self) -> Rows:
        """Return the stratum of every record."""
        return np.array(self.stratum, np.int64)[self.clusters.label]

    @cached_property
    def saxon(self) -> RecordJudge | None:
        """Return what asks Saxon, of records and of clusters."""
        return self.inputs.record_judge_for(self.design)

    @cached_property
    def judge(self) -> BlockJudge:
        """Return the judge of single records."""
        return self.inputs.judge_of(self.design, self.records, self.saxon)

    @cached_property
    def deriver(self) -> Deriver:
        """Return what computes the dependents of single records."""
        inputs = self.inputs
        return Deriver(self.records, inputs.table, self.design.others, inputs.domains, inputs.is_xpath1)

    def proposed(self, rows: Rows, values: Points, source: Rows) -> Candidates:
        """Return the texts for these records: numbers `values`, or copies where `source` names a record.

        A missing value stays missing, whatever is proposed.
        """
        candidates = Candidates.blank(self.design.series, rows)
        every = np.arange(len(rows))
        for j, series in enumerate(self.design.series):
            is_blank = series.is_blank[rows]
            copied = np.where(is_blank, rows, source[:, j])
            is_copied = copied != NOT_COPIED
            candidates.copy_cells(j, every[is_copied], copied[is_copied])
            candidates.set_numbers(j, every[~is_copied], values[~is_copied, j])
        self._derive(candidates)
        return candidates

    def _derive(self, candidates: Candidates) -> None:
        stratum = self.stratum_of_record[candidates.group]
        for number in np.unique(stratum).tolist():
            derivations = self.design.strata[number].derivations
            if derivations:
                rows = np.flatnonzero(stratum == number)
                part = candidates.take(rows)
                self.deriver.derive(part, derivations)
                candidates.put(rows, part)

    def passing(self, candidates: Candidates) -> Flags:
        """Tell which records satisfy every rule."""
        return self.judge.passing(candidates)

    def representatives(self, which: Rows) -> Representatives:
        """Return the representatives that microaggregation gives some clusters, one row per cluster of the block.

        CannotShareError if the records of a cluster cannot share values.
        """
        targets, copied, mixed = group_targets(self.design, self.clusters)
        design, inputs = self.design, self.inputs
        judge = inputs.judge_of(design, self.clusters, self.saxon)
        deriver = Deriver(self.clusters, inputs.table, design.others, inputs.domains, inputs.is_xpath1)
        points = design.cloud.points
        ladder = Ladder(design, self.clusters, self.stratum, targets, copied, mixed, points, judge, deriver)
        others = np.setdiff1d(np.arange(len(self.clusters)), which)
        return ladder.continue_from(ladder.rounded(), dict.fromkeys(others.tolist(), ExactStep.ROUNDED), which)

    def first_step(self, rows: Rows) -> dict[int, ExactStep]:
        """Return the step of a record whose first proposal satisfies every rule."""
        strata = self.design.strata
        own = self.stratum_of_record[rows].tolist()
        return {
            row: ExactStep.DERIVED if strata[number].derivations else ExactStep.ROUNDED
            for row, number in zip(rows.tolist(), own, strict=True)
        }

    def finish(self, best: Candidates, targets: Points, step: dict[int, ExactStep]) -> Representatives:
        """Take the records without a step through the exact steps; all others have their values in `best`."""
        failing = np.setdiff1d(np.arange(len(best)), np.array(list(step), np.int64))
        aimed = np.where(best.source == NOT_COPIED, targets, np.nan)
        mixed = np.zeros(0, np.int64)
        ladder = Ladder(
            self.design,
            self.records,
            tuple(self.stratum_of_record.tolist()),
            aimed,
            best.source,
            mixed,
            self.design.cloud.points,
            self.judge,
            self.deriver,
            company=self._company,
            substitutes=self._substitutes(failing) if len(failing) else None,
        )
        return ladder.continue_from(best, step, failing)

    def _company(self, record: int) -> Rows:
        """Return the other records of its cluster with the same blanks, nearest first."""
        rows = self.clusters.rows(int(self.clusters.label[record]))
        alike = np.all([series.blank[rows] == series.blank[record] for series in self.design.series], axis=0)
        others = rows[alike & (rows != record)]
        points = self.design.cloud.points
        gaps = ((points[others] - points[record]) ** 2).sum(axis=1)
        nearest: Rows = others[np.argsort(gaps, kind="stable")]
        return nearest

    def _substitutes(self, failing: Rows) -> Candidates:
        """Return, for the failing records, the representative of their cluster; the others have none.

        If records of a cluster cannot share values, operators and derivations compute one for each record.
        """
        label = self.clusters.label
        substitutes = Candidates.blank(self.design.series, np.arange(len(label)))
        try:
            shared = self.representatives(np.unique(label[failing])).candidates.take(label[failing])
        except CannotShareError:
            targets, copied, _ = group_targets(self.design, self.clusters)
            shared = self.proposed(failing, targets[label[failing]], copied[label[failing]])
        substitutes.put(failing, shared)
        return substitutes
