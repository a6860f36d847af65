"""Microaggregation, the default: groups of at least k records, and one representative for each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from constraint_sdc.maskers.masker import Masker
from constraint_sdc.settings.reason import Reason
from constraint_sdc.settings.words import Treatment

if TYPE_CHECKING:
    from constraint_sdc.maskers.inputs import MaskInputs
    from constraint_sdc.maskers.masked import Masked, MaskedBlock
    from constraint_sdc.plan.design import BlockDesign, Design


@dataclass(frozen=True)
class Microaggregation(Masker):
    """Records in groups of at least k, and every group shares one representative.

    A partition that divides by one variable ranks each variable of a block separately: then k records share a value of
    one variable, and every record has values of its own.
    """

    name = "microaggregation"
    guarantee = "At least k records share the values of a block, unless the partition divides by one variable."
    has_geometric_mean = True

    def treats_records(self, names: Collection[str], partition: str) -> bool:
        """Tell whether several variables are divided separately."""
        from constraint_sdc.partition.registry import takes_one_variable

        return takes_one_variable(partition) and len(names) > 1

    def own_treatment(self, *, is_average: bool) -> Treatment:
        """Return the treatment by averages over neighbours in the order of the variable."""
        return Treatment.RANKED

    def microaggregates(self, treatments: Collection[Treatment]) -> bool:
        """Return true: every block is microaggregated."""
        return True

    def warnings(self, k: int, partition: str) -> tuple[Reason, ...]:
        """Return the risks of the partition, which decides what is published."""
        from constraint_sdc.plan.treatment import partition_warnings

        return partition_warnings(partition, k)

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        """Return one representative for each group, or ranked values where variables are divided separately."""
        assert inputs.partitioner is not None
        if self.treats_records(design.plan.names, inputs.partitioner.name):
            from constraint_sdc.maskers.microaggregation.mask_block import mask_ranked

            return mask_ranked(design, inputs)
        from constraint_sdc.maskers.microaggregation.mask_block import mask_block

        return mask_block(design, inputs)

    def mask_all(self, design: Design, inputs: MaskInputs) -> Masked:
        """Return all blocks after masking; those that need no other one are pieces of work of their own."""
        from constraint_sdc.maskers.masked import Masked
        from constraint_sdc.maskers.microaggregation.settle_block import mask_together

        assert inputs.partitioner is not None
        partition = inputs.partitioner.name
        alone = [
            block
            for block in design.blocks
            if not block.promises.sensitive and not self.treats_records(block.plan.names, partition)
        ]
        done = dict(zip((block.plan.number for block in alone), mask_together(alone, inputs), strict=True))
        return Masked(self.mask_rest(design, inputs, done))


REGISTERED = {"microaggregation": Microaggregation}
