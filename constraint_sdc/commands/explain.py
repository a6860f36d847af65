"""Explain: repeat a masking in memory and show what became of one record."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.commands.masking.carrying_out import carry_out
from constraint_sdc.commands.masking.preparation import prepared_file
from constraint_sdc.errors import UsageError
from constraint_sdc.maskers.masked import MaskOptions, RecordExplanation
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.settings.mask_settings import MaskSettings


def explain_record(
    data: Path, rules: Path | None, options: MaskOptions | MaskSettings[Masker], record: int
) -> RecordExplanation:
    """Return the masking of a file and one record's own values; `record` counts from 1."""
    with prepared_file(data, rules, options) as prepared:
        table = prepared.plan_inputs.table
        if not 1 <= record <= table.records:
            raise UsageError(f"there is no record {record}", file=str(data), hint=f"records are 1 to {table.records}")
        plan, masked = carry_out(prepared)
    original = {name: column.text(record - 1) for name, column in table.columns.items()}
    return RecordExplanation(record, plan, masked, original)
