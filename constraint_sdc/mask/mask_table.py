"""Mask a table: block by block, as the design says."""

from __future__ import annotations

from collections.abc import Callable

from constraint_sdc.mask.mask_block import MaskInputs, mask_block
from constraint_sdc.model.design import Design
from constraint_sdc.model.masked import Masked


def mask_table(design: Design, inputs: MaskInputs, progress: Callable[[int], None] = lambda _: None) -> Masked:
    """Return all blocks after masking; `progress` hears how many are done."""
    blocks = []
    for block in design.blocks:
        blocks.append(mask_block(block, inputs))
        progress(len(blocks))
    return Masked(tuple(blocks))
