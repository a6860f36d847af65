"""What masking did: the new values, which records share them, and which exact step each group took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from constraint_sdc.model.groups import Groups, Rows
from constraint_sdc.model.plan import BlockPlan, Price, Step
from constraint_sdc.model.table import Column


@dataclass(frozen=True, slots=True)
class MaskedBlock:
    """One block after masking: `stratum[g]` tells how group g was formed.

    `columns` hold rows of values, and `step` how each row was made exact. Row g is what every record of group g gets;
    where records of a group differ, `own` tells the row of each record.
    """

    plan: BlockPlan
    groups: Groups
    stratum: tuple[int, ...]
    step: tuple[Step, ...]
    columns: Mapping[str, Column]
    price: Price
    own: Rows | None = None

    @property
    def row(self) -> Rows:
        """Return the row of values that each record gets."""
        return self.groups.label if self.own is None else self.own

    def smallest(self) -> int:
        """Return the least number of records that share all values of the block."""
        if self.own is None:
            return int(self.groups.sizes.min())
        rows = list(zip(*(column.texts() for column in self.columns.values()), strict=True))
        return min(Counter(rows[row] for row in self.own.tolist()).values())


@dataclass(frozen=True, slots=True)
class Swaps:
    """The pairs of one goal, in the order of the vital records (from 0): both values before the swap, and its cost."""

    goal: int
    vital: Rows
    others: Rows
    vital_values: tuple[str, ...]
    other_values: tuple[str, ...]
    costs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Masked:
    """All blocks after masking; `swaps` are the pairs of every goal of group anonymity, which no report discloses."""

    blocks: tuple[MaskedBlock, ...]
    swaps: tuple[Swaps, ...] = ()

    def columns(self) -> dict[str, Column]:
        """Return every masked variable over all records of the file."""
        return {name: column.take(block.row) for block in self.blocks for name, column in block.columns.items()}
