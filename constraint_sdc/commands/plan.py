"""Plan: what masking would do, why every rule survives, and the price, found by a rehearsal in memory."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.commands.masking.carrying_out import carry_out
from constraint_sdc.commands.masking.preparation import Progress, prepare_file
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.plan.plan import Plan
from constraint_sdc.settings.mask_settings import MaskSettings


def plan_file(
    data: Path, rules: Path | None, options: MaskOptions | MaskSettings[Masker], progress: Progress = lambda _: None
) -> Plan:
    """Return the plan for a file; `progress` hears the number of records read."""
    plan, _ = carry_out(prepare_file(data, rules, options, progress))
    return plan
