"""Mask a table: block by block, as the design says, by the masker that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from constraint_sdc.maskers.fuzzy.mask_fuzzy import mask_fuzzy
from constraint_sdc.maskers.group_anonymity.mask_groups import mask_groups
from constraint_sdc.maskers.inputs import MaskInputs
from constraint_sdc.maskers.masked import Masked, MaskedBlock
from constraint_sdc.maskers.microaggregation import mask_block
from constraint_sdc.maskers.microhybrid.mask_hybrid import mask_hybrid
from constraint_sdc.maskers.ranking import mask_ranked
from constraint_sdc.partition.registry import takes_one_variable
from constraint_sdc.plan.design import BlockDesign, Design
from constraint_sdc.plan.plan import Treatment
from constraint_sdc.settings.masker import FuzzyCMeans, GroupAnonymity, Microaggregation, Microhybrid

Masker: TypeAlias = Callable[[BlockDesign, MaskInputs], MaskedBlock]
"""What every masker does: values for a block's records that satisfy every rule which held, or CannotShareError.

It changes nothing but the block's variables, and with the same design, inputs and seed it makes the same values.
"""


def mask_table(design: Design, inputs: MaskInputs) -> Masked:
    """Return all blocks after masking."""
    if isinstance(inputs.masker, GroupAnonymity):
        return mask_groups(design, inputs)
    return Masked(tuple(masker_of(block, inputs)(block, inputs) for block in design.blocks))


def masker_of(block: BlockDesign, inputs: MaskInputs) -> Masker:
    """Return what masks a block."""
    match inputs.masker:
        case Microaggregation():
            assert inputs.partitioner is not None
            is_alone = takes_one_variable(inputs.partitioner.name) and len(block.series) > 1
            return mask_ranked if is_alone else mask_block
        case Microhybrid():
            is_own = any(variable.treatment is not Treatment.AGGREGATED for variable in block.plan.variables)
            return mask_hybrid if is_own else mask_block
        case FuzzyCMeans():
            return mask_fuzzy
        case GroupAnonymity():
            raise AssertionError("group anonymity masks all blocks together")
    assert_never(inputs.masker)
