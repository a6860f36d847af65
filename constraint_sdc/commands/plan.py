"""Plan: what masking would do, why every rule survives, and the price, found by a rehearsal in memory."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.commands.masking.carrying_out import carry_out, with_together_price
from constraint_sdc.commands.masking.preparation import Progress, open_original, prepare
from constraint_sdc.commands.masking.settings import settle
from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.plan.plan import Plan
from constraint_sdc.settings.mask_settings import MaskSettings


def plan_file(
    data: Path, rules: Path | None, options: MaskOptions | MaskSettings[Masker], progress: Progress = lambda _: None
) -> Plan:
    """Return the plan for a file, or refuse with ways out that work; `progress` hears the number of records read."""
    settings = settle(options)
    with open_original(data, rules, settings.record, settings.rules, progress, settings.table) as original:
        prepared = prepare(original, settings)
        try:
            plan = with_together_price(carry_out(prepared)[0], prepared)
        except PlanRefusedError as refusal:
            from constraint_sdc.commands.masking.ways_out import advised

            raise advised(refusal, original, settings) from None
    return plan
