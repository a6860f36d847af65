"""Refuse a masking in which more records than allowed have the values of an actual record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from constraint_sdc.commands.masking.preparation import Prepared
from constraint_sdc.errors import Conflict, PlanRefusedError
from constraint_sdc.maskers.masked import Masked
from constraint_sdc.plan.design import Design
from constraint_sdc.plan.plan import BlockPlan
from constraint_sdc.promises.compared_cells import BlockVariable
from constraint_sdc.promises.verbatim import VerbatimCount, count_verbatim
from constraint_sdc.reports.refusal import torn_sentence, verbatim_sentence
from constraint_sdc.settings.words import Scale


def refuse_verbatim(design: Design, masked: Masked, prepared: Prepared) -> None:
    """Refuse if more records than promised have, in a block or in all together, the values of an actual record."""
    inputs = prepared.plan_inputs
    at_most = inputs.promised.protect.verbatim
    if not isinstance(at_most, int) or not masked.blocks:
        return
    after = replace(inputs.table, columns={**inputs.table.columns, **masked.columns()})
    blocks = [block_variables(block.plan, inputs.recipe.missing) for block in masked.blocks]
    counts, whole = count_verbatim(inputs.table, after, blocks, inputs.k, prepared.mask_inputs.chance)
    records = int(np.any([count.is_verbatim for count in (*counts, whole)], axis=0).sum())
    if records <= at_most:
        return
    if not any(count.verbatim for count in counts):
        raise _torn_apart(whole, records, at_most)
    worst, count = max(zip(design.blocks, counts, strict=True), key=lambda pair: int(pair[1].is_verbatim.sum()))
    conflict = Conflict(tuple(rule.id for rule in worst.rules), worst.plan.names, verbatim=records)
    copies = all(variable.traits.copies_a_record for variable in worst.plan.variables)
    what = verbatim_sentence(conflict, count.verbatim, at_most, copies=copies)
    raise PlanRefusedError(what, hint="`plan` and `mask` try ways out", conflict=conflict)


def _torn_apart(whole: VerbatimCount, records: int, at_most: int) -> PlanRefusedError:
    """Return the refusal of records that no block copies, and all blocks together do."""
    conflict = Conflict((), whole.names, verbatim=records, is_torn=True)
    return PlanRefusedError(torn_sentence(conflict, at_most), hint="`plan` and `mask` try ways out", conflict=conflict)


def block_variables(block: BlockPlan, missing: Mapping[str, tuple[str, ...]]) -> list[BlockVariable]:
    """Return the variables of a block as the count needs them."""
    return [
        BlockVariable(variable.name, variable.scale is Scale.NUMERIC, missing.get(variable.name, ()))
        for variable in block.variables
    ]
