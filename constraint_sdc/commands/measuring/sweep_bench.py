"""One point of a sweep: mask the file in memory, and measure what that cost and risked.

The file is read, its rules are understood and its original side is measured once; a further point costs only what
depends on k.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from constraint_sdc.commands.masking.carrying_out import carry_out, require_decided
from constraint_sdc.commands.masking.preparation import Original, Prepared, open_original, prepare
from constraint_sdc.commands.masking.settings import LEAST_K, rules_settings, settle, settled_seed
from constraint_sdc.commands.measuring.pairing import pair_tables
from constraint_sdc.data.table import Column, Table
from constraint_sdc.errors import ConstraintSdcError, PlanRefusedError, UsageError
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.measures.registry import Figures, SweepFigures
from constraint_sdc.measures.sweep_points import WITH_RULES, WITHOUT_RULES, MaskedBy, SweepPoint, SweepTask
from constraint_sdc.settings.reason import Reason, because


def open_for_sweep(data: Path, rules: Path | None, masking: MaskOptions) -> AbstractContextManager[Original]:
    """Give the file and its rules, which are the same for every point."""
    table = masking.table.over(masking.recipe.table)
    return open_original(data, rules, masking.record or masking.recipe.record, rules_settings(masking), table=table)


def masking_by(masking: MaskOptions, by: MaskedBy) -> MaskOptions:
    """Return the options for one masker, partition and way to mask totals."""
    totals = masking.totals if by.totals is None else by.totals
    return replace(masking, masker=by.masker, partition=by.partition, totals=totals)


class SweepBench:
    """A file ready to be masked many times, with and without its rules."""

    def __init__(self, original: Original, masking: MaskOptions, known_at_most: int | None = None) -> None:
        self._originals = {WITH_RULES: original}
        self._has_rules = original.has_rules
        self._masking = masking
        self._prepared: dict[tuple[str, MaskedBy], Prepared] = {}
        self._figures = SweepFigures(known_at_most, settled_seed(masking))

    def point(self, task: SweepTask) -> SweepPoint:
        """Return what the masking of a task costs and risks; k = 1 is the original itself."""
        started = perf_counter()
        prepared = self._prepare(task.scenario, task.masked_by)
        try:
            figures, columns, smallest = self._measure(prepared, task.k)
        except (PlanRefusedError, UsageError) as refusal:
            return _refused(task, refusal, perf_counter() - started)
        return SweepPoint(
            scenario=task.scenario,
            masker=task.masker,
            partition=task.partition,
            totals=task.totals,
            k=task.k,
            pil=figures.pil,
            dbrl=figures.dbrl,
            id=figures.id,
            dr=figures.dr,
            score=figures.score,
            loss=figures.loss,
            broken=self._newly_broken(columns, task.masked_by),
            smallest=smallest,
            seconds=perf_counter() - started,
            dbrl_averaged=figures.dbrl_averaged,
            dr_averaged=figures.dr_averaged,
            score_averaged=figures.score_averaged,
        )

    def require_decided(self, by: MaskedBy) -> None:
        """Refuse a file in which nobody decided on something; whatever else the plan refuses, its points tell."""
        require_decided(self._prepare(WITH_RULES if self._has_rules else WITHOUT_RULES, by))

    def unjudged(self, by: MaskedBy) -> tuple[str, ...]:
        """Return the rules that only Saxon can judge, on a written file: they are not counted in `broken`."""
        if not self._has_rules:
            return ()
        inputs = self._prepare(WITH_RULES, by).plan_inputs
        return tuple(rule.id for rule in inputs.rules if rule.id not in inputs.evaluable)

    def _prepare(self, scenario: str, by: MaskedBy) -> Prepared:
        key = scenario, by
        if key not in self._prepared:
            if scenario not in self._originals:
                self._originals[scenario] = self._originals[WITH_RULES].without_rules()
            settings = settle(replace(masking_by(self._masking, by), k=LEAST_K))
            if self._has_rules and scenario != WITH_RULES:
                # A comparison that nobody publishes; without rules less is certain of the variables.
                settings = replace(settings, undecided="guess")
            self._prepared[key] = prepare(self._originals[scenario], settings)
        return self._prepared[key]

    def _measure(self, prepared: Prepared, k: int) -> tuple[Figures, Mapping[str, Column], int | None]:
        table, recipe = prepared.plan_inputs.table, prepared.plan_inputs.recipe
        if k < prepared.plan_inputs.masker.least_k:
            # What would be masked is measured although nothing is: the plan for the smallest k knows what that is.
            plan, _ = carry_out(prepared)
            pair = pair_tables(table, table, recipe, plan).pair
            return self._figures.of(pair), table.columns, None
        inputs = replace(prepared.plan_inputs, k=k)
        plan, masked = carry_out(replace(prepared, plan_inputs=inputs, mask_inputs=replace(prepared.mask_inputs, k=k)))
        columns = {**table.columns, **masked.columns()}
        pair = pair_tables(table, Table(columns, table.records), recipe, plan).pair
        smallest = min((block.smallest() for block in masked.blocks), default=None)
        return self._figures.of(pair), columns, smallest

    def _newly_broken(self, columns: Mapping[str, Column], by: MaskedBy) -> int | None:
        """Count the violations that were none before masking; without the rules, those they would have found."""
        if not self._has_rules:
            return None
        inputs = self._prepare(WITH_RULES, by).mask_inputs
        held = inputs.held
        after = inputs.understood.holds(columns, inputs.table.records)
        return sum(int(np.count_nonzero(held[rule] & ~holds)) for rule, holds in after.items())


def _refused(task: SweepTask, refusal: ConstraintSdcError, seconds: float) -> SweepPoint:
    return SweepPoint(
        scenario=task.scenario,
        masker=task.masker,
        partition=task.partition,
        totals=task.totals,
        k=task.k,
        pil=None,
        dbrl=None,
        id=None,
        dr=None,
        score=None,
        loss=None,
        broken=None,
        smallest=None,
        seconds=seconds,
        refused=_why(refusal),
    )


def _why(refusal: ConstraintSdcError) -> Reason:
    if isinstance(refusal, PlanRefusedError):
        return because("plan-refused", quotes={"what": refusal.what})
    return because("options-refused", quotes={"what": refusal.what})
