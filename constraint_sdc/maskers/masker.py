"""What a masker is: parameters and traits (`settings/masker.py`), a plan, and new values for every block.

A masker is a frozen dataclass whose fields are its parameters. `mask` does the work. Heavy libraries are imported in
its methods, so that a run imports only what its own masker needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from constraint_sdc.settings.masker import MaskerTraits

if TYPE_CHECKING:
    from constraint_sdc.data.table import Table
    from constraint_sdc.maskers.inputs import MaskInputs
    from constraint_sdc.maskers.masked import Masked, MaskedBlock
    from constraint_sdc.plan.design import BlockDesign, Design, PlanInputs
    from constraint_sdc.plan.plan import Plan
    from constraint_sdc.settings.recipe import Recipe


class Recount(NamedTuple):
    """What a masker counted in a masked file, in words, and what differs from the plan; or why it cannot be counted."""

    said: str = ""
    differs: tuple[str, ...] = ()
    is_counted: bool = True


class Masker(MaskerTraits):
    """A masker with its work. The same design, inputs and seed give the same values."""

    def resolve(self, table: Table, recipe: Recipe) -> object:
        """Return the parameters resolved against a file, for `mask`; UsageError if they do not fit the file."""
        return None

    def plan(self, inputs: PlanInputs) -> Design:
        """Return the plan and its design, or refuse with a way out."""
        from constraint_sdc.plan.make_plan import make_plan

        return make_plan(inputs)

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        """Return values for a block's records that satisfy every rule which held, or raise CannotShareError.

        Only the block's variables change.
        """
        raise NotImplementedError(f"{self.name} does not mask single blocks; call `mask`")

    def mask_all(self, design: Design, inputs: MaskInputs) -> Masked:
        """Return all blocks after masking, block by block.

        A block in whose groups the values of other variables count is masked after them.
        """
        from constraint_sdc.maskers.masked import Masked

        return Masked(self.mask_rest(design, inputs, {}))

    def mask_rest(
        self, design: Design, inputs: MaskInputs, given: Mapping[int, MaskedBlock]
    ) -> tuple[MaskedBlock, ...]:
        """Return all blocks after masking; those that are `given` by their numbers are masked already."""
        from constraint_sdc.maskers.masked import Masked

        done = dict(given)
        rest = (block for block in design.blocks if block.plan.number not in done)
        for block in sorted(rest, key=lambda block: bool(block.promises.sensitive)):
            known = Masked(tuple(done.values())).columns() if block.promises.sensitive else {}
            written = {name: column for name, column in known.items() if name in block.promises.sensitive}
            done[block.plan.number] = self.mask(block, replace(inputs, written=written) if written else inputs)
        return tuple(done[block.plan.number] for block in design.blocks)

    def recount(self, plan: Plan, table: Table, recipe: Recipe) -> Recount:
        """Count in a masked file what the plan certifies besides k; return what was counted and what differs.

        Called only for a masker that `recounts`.
        """
        return Recount()
