"""What masking did: the new values, which records share them, and which exact step each group took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from constraint_sdc.model.groups import Groups
from constraint_sdc.model.plan import BlockPlan, Price, Step
from constraint_sdc.model.table import Column


@dataclass(frozen=True, slots=True)
class MaskedBlock:
    """One block after masking. `stratum[g]` and `step[g]` tell how group g was formed and made exact.

    `columns` hold one entry per group: value g of a column is what every record of group g gets.
    """

    plan: BlockPlan
    groups: Groups
    stratum: tuple[int, ...]
    step: tuple[Step, ...]
    columns: Mapping[str, Column]
    price: Price


@dataclass(frozen=True, slots=True)
class Masked:
    """All blocks after masking."""

    blocks: tuple[MaskedBlock, ...]

    def columns(self) -> dict[str, Column]:
        """Return every masked variable over all records of the file."""
        return {
            name: column.take(block.groups.label) for block in self.blocks for name, column in block.columns.items()
        }
