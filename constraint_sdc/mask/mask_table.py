"""Mask a table: block by block, as the design says."""

from __future__ import annotations

from constraint_sdc.mask.mask_block import MaskInputs, mask_block
from constraint_sdc.model.design import Design
from constraint_sdc.model.masked import Masked


def mask_table(design: Design, inputs: MaskInputs) -> Masked:
    """Return all blocks after masking."""
    return Masked(tuple(mask_block(block, inputs) for block in design.blocks))
