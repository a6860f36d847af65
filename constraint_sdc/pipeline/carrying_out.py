"""Carry out a plan in memory; where records cannot share values, let unmasked variables of their rules join.

The price of the rules is measured against the same masking without them. A file too large to be masked twice is
priced on a sample of its records, and the plan says so.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from constraint_sdc.errors import CannotShareError
from constraint_sdc.mask.mask_table import mask_table
from constraint_sdc.model.design import Design
from constraint_sdc.model.groups import Rows
from constraint_sdc.model.masked import Masked
from constraint_sdc.model.plan import Plan, Price
from constraint_sdc.model.policy import Role
from constraint_sdc.model.table import Table
from constraint_sdc.pipeline.preparation import Prepared
from constraint_sdc.plan.make_plan import PlanInputs, make_plan

PRICED_WHOLE = 20_000
_SAMPLE = 5_000


def carry_out(prepared: Prepared) -> tuple[Plan, Masked]:
    """Return the plan with its prices and the masked values; nothing is written."""
    is_large = prepared.plan_inputs.table.records > PRICED_WHOLE
    design, masked = _masked(prepared, is_priced=not is_large)
    prices = tuple(block.price for block in masked.blocks)
    if is_large:
        sampled = rehearsed_prices(prepared, design)
        prices = tuple(
            replace(price, loss=one.loss, plain_loss=one.plain_loss, sampled=one.sampled)
            for price, one in zip(prices, sampled, strict=True)
        )
    blocks = tuple(replace(block, price=price) for block, price in zip(masked.blocks, prices, strict=True))
    return _priced(design.plan, prices), Masked(blocks)


def rehearse(prepared: Prepared) -> Plan:
    """Return the plan with its prices, from a sample of a large file."""
    if prepared.plan_inputs.table.records <= PRICED_WHOLE:
        return carry_out(prepared)[0]
    design = make_plan(prepared.plan_inputs)
    return _priced(design.plan, rehearsed_prices(prepared, design))


def _masked(prepared: Prepared, *, is_priced: bool) -> tuple[Design, Masked]:
    """Design and mask.

    A block first leaves unmasked variables as they are and stratifies on what rules ask of them. When too few records
    agree on that, the variables join the block, unless the recipe pins them: then the plan refuses.
    """
    inputs = prepared.plan_inputs
    while True:
        design = make_plan(inputs)
        try:
            return design, mask_table(design, replace(prepared.mask_inputs, is_priced=is_priced))
        except CannotShareError as refusal:
            joining = frozenset(refusal.others) & _may_join(inputs, design.plan)
            if not joining:
                raise
            inputs = replace(inputs, joined=inputs.joined | joining)


def _may_join(inputs: PlanInputs, plan: Plan) -> frozenset[str]:
    """Return the variables that are unmasked only because nobody asked for them."""
    wishes = inputs.recipe.variables
    loose = [kept.name for kept in plan.kept if kept.role is not Role.IDENTIFIER]
    return frozenset(name for name in loose if name not in wishes or wishes[name].role is None)


def _priced(plan: Plan, prices: tuple[Price, ...]) -> Plan:
    blocks = zip(plan.blocks, prices, strict=True)
    return replace(plan, blocks=tuple(replace(block, price=price) for block, price in blocks))


def rehearsed_prices(prepared: Prepared, design: Design) -> tuple[Price, ...]:
    """Return the prices of the same blocks on a sample of the records."""
    inputs, table = prepared.plan_inputs, prepared.plan_inputs.table
    count = max(_SAMPLE, inputs.k)
    rows = np.sort(np.random.default_rng(inputs.seed).choice(table.records, count, replace=False)).astype(np.int64)
    sample = replace(
        prepared,
        plan_inputs=replace(
            inputs,
            table=_part(table, rows),
            recipe=replace(inputs.recipe, groups=tuple(block.names for block in design.plan.blocks)),
            broken={rule: np.flatnonzero(np.isin(rows, broken)) for rule, broken in inputs.broken.items()},
        ),
        mask_inputs=replace(
            prepared.mask_inputs,
            table=_part(table, rows),
            held={rule: held[rows] for rule, held in prepared.mask_inputs.held.items()},
        ),
    )
    _, masked = _masked(sample, is_priced=True)
    by_names = {block.plan.names: block.price for block in masked.blocks}
    return tuple(replace(by_names[block.names], sampled=count) for block in design.plan.blocks)


def _part(table: Table, rows: Rows) -> Table:
    return Table({name: column.take(rows) for name, column in table.columns.items()}, len(rows))
