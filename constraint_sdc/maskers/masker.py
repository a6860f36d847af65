"""What a masker is: parameters and traits (`settings/masker.py`), a plan, and new values for every block.

A masker is a frozen dataclass whose fields are its parameters. It stores; `mask` works. What needs a heavy library is
imported inside its methods, so that a run imports only what its own masker needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraint_sdc.settings.masker import MaskerTraits

if TYPE_CHECKING:
    from constraint_sdc.data.table import Table
    from constraint_sdc.maskers.inputs import MaskInputs
    from constraint_sdc.maskers.masked import Masked, MaskedBlock
    from constraint_sdc.plan.design import BlockDesign, Design, PlanInputs
    from constraint_sdc.plan.plan import Plan
    from constraint_sdc.settings.recipe import Recipe


class Masker(MaskerTraits):
    """A masker at work. With the same design, inputs and seed it makes the same values."""

    def resolve(self, table: Table, recipe: Recipe) -> object:
        """Return the parameters in terms of a file, which `mask` finds in its inputs; UsageError if they do not fit."""
        return None

    def plan(self, inputs: PlanInputs) -> Design:
        """Return the plan and its working drawing, or refuse with the way out."""
        from constraint_sdc.plan.make_plan import make_plan

        return make_plan(inputs)

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        """Return values for a block's records that satisfy every rule which held, or raise CannotShareError.

        Nothing but the block's variables changes.
        """
        raise NotImplementedError(f"{self.name} masks no single block")

    def mask_all(self, design: Design, inputs: MaskInputs) -> Masked:
        """Return all blocks after masking, block by block."""
        from constraint_sdc.maskers.masked import Masked

        return Masked(tuple(self.mask(block, inputs) for block in design.blocks))

    def recount(self, plan: Plan, table: Table, recipe: Recipe) -> tuple[str, list[str]]:
        """Count in a masked file what the plan certifies besides k; return what was counted and what differs.

        Asked only of a masker that `recounts`.
        """
        return "", []
