"""The totals of a masked table, and whether every rule that reads one still holds, record by record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from constraint_sdc.data.series import Series
from constraint_sdc.data.table import Column
from constraint_sdc.exact.totals import TotalValues, compute_totals
from constraint_sdc.maskers.inputs import MaskInputs, information_loss
from constraint_sdc.maskers.masked import Masked
from constraint_sdc.plan.design import Design
from constraint_sdc.plan.plan import TotalsPlan
from constraint_sdc.plan.read_series import make_series
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale, VariableWish


def add_totals(design: Design, masked: Masked, inputs: MaskInputs) -> tuple[Masked, dict[str, Reason]]:
    """Return the masked table with its totals, and the totals that must be masked with their parts, each with why."""
    if not design.totals:
        return masked, {}
    columns, count = {**inputs.table.columns, **masked.columns()}, inputs.table.records
    found = compute_totals(design.totals, columns, count, inputs.domains, is_xpath1=inputs.is_xpath1)
    whole = replace(masked, totals={name: total.column for name, total in found.items()})
    return whole, {**_broken(design, {**columns, **whole.totals}, inputs), **_lacking(found)}


def _lacking(found: Mapping[str, TotalValues]) -> dict[str, Reason]:
    """Return the totals without a number in some record although none of their values is missing in the original."""
    lacking = {name: total.lacking for name, total in found.items() if total.lacking}
    return {name: because("total-without-number", records=records) for name, records in lacking.items()}


def _broken(design: Design, columns: Mapping[str, Column], inputs: MaskInputs) -> dict[str, Reason]:
    """Return the totals of rules that some record breaks now and satisfied before."""
    holds = inputs.understood.evaluator(design.checked.keys())(columns, inputs.table.records)
    undone: dict[str, Reason] = {}
    for rule, names in design.checked.items():
        broken = int(np.count_nonzero(inputs.held[rule] & ~holds.get(rule, np.False_)))
        if broken:
            for name in names:
                undone.setdefault(name, because("total-breaks", rule=rule, records=broken))
    return undone


# What totals cost.


def loss_of(names: Sequence[str], design: Design, masked: Masked, codes: Mapping[str, tuple[str, ...]]) -> float:
    """Return the information loss of some variables; `codes` are the missing codes of the file, by variable."""
    series = {one.name: one for one in masked_series(design)}
    columns = masked.columns()
    chosen = [series[name] for name in names if series[name].scale is Scale.NUMERIC]
    read = [
        make_series(columns[one.name], one.scale, _as_written(one), codes.get(one.name, ())).values for one in chosen
    ]
    return information_loss(chosen, np.array(read).T) if chosen else 0.0


def _as_written(series: Series) -> VariableWish:
    return VariableWish(decimals=series.grid.notation or "free")


def masked_series(design: Design) -> tuple[Series, ...]:
    """Return all variables whose values change: those of the blocks, and the totals."""
    return (*(one for block in design.blocks for one in block.series), *(total.series for total in design.totals))


def priced_totals(
    planned: TotalsPlan, design: Design, masked: Masked, codes: Mapping[str, tuple[str, ...]]
) -> TotalsPlan:
    """Return the plan of the totals with what each of them and the whole file lose."""
    computed = tuple(replace(total, loss=loss_of((total.name,), design, masked, codes)) for total in planned.computed)
    names = [one.name for one in masked_series(design)]
    return replace(planned, computed=computed, loss=loss_of(names, design, masked, codes))
