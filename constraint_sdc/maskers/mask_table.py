"""Mask a table by the requested masker, according to the design."""

from __future__ import annotations

from constraint_sdc.errors import NotPublishedError
from constraint_sdc.maskers.inputs import MaskInputs
from constraint_sdc.maskers.masked import Masked, MaskedBlock
from constraint_sdc.plan.design import BlockDesign, Design


def mask_table(design: Design, inputs: MaskInputs) -> Masked:
    """Return all blocks after masking; NotPublishedError if the masker changed anything that was not planned."""
    masked = inputs.masker.mask_all(design, inputs)
    details = tuple(_strange(masked, design, inputs.table.records))
    if details:
        what = f"the masker {inputs.masker.name} did not carry out its plan"
        raise NotPublishedError(what, details=details)
    return masked


def _strange(masked: Masked, design: Design, records: int) -> list[str]:
    """Return which blocks are not those of the design: a masker may only decide values."""
    if len(masked.blocks) != len(design.blocks):
        return [f"{len(design.blocks)} blocks were planned, but {len(masked.blocks)} were returned"]
    pairs = zip(masked.blocks, design.blocks, strict=True)
    return [
        f"block {planned.plan.number}: {what}" for block, planned in pairs for what in _faults(block, planned, records)
    ]


def _faults(block: MaskedBlock, planned: BlockDesign, records: int) -> list[str]:
    faults = []
    if block.plan != planned.plan:
        faults.append("its plan was changed")
    if set(block.columns) != set(planned.plan.names):
        faults.append("its variables are not those of the plan")
    if len(block.row) != records:
        faults.append(f"it has values for {len(block.row):,} of {records:,} records")
    return faults
