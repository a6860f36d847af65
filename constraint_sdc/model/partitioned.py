"""What a user asks of `partition`, and what they get back."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from constraint_sdc.model.division import Division
from constraint_sdc.model.groups import Groups
from constraint_sdc.model.plan import Kept
from constraint_sdc.model.policy import Scale, Standardise
from constraint_sdc.model.recipe import Recipe


@dataclass(frozen=True, slots=True)
class PartitionOptions:
    """How to divide a file; what is None falls back to the recipe, then to the default.

    Without `variables` the records are divided by all those that masking would mask.
    """

    k: int | None = None
    variables: tuple[str, ...] | None = None
    method: str | None = None
    effort: str | None = None
    standardise: Standardise | None = None
    weights: str | None = None
    seed: int | None = None
    record: str | None = None
    recipe: Recipe = field(default_factory=Recipe)


@dataclass(frozen=True, slots=True)
class DividedBy:
    """A variable that takes part: what its values are, and how much a squared difference counts."""

    name: str
    scale: Scale
    weight: float


@dataclass(frozen=True, slots=True)
class Partitioned:
    """The groups of a file's records and their price.

    `chosen` is the method that `auto` chose, and `why`; both are None for any other method. `left_out` are variables
    that nobody named and that do not take part. `loss` is 100 * SSE / SST over the standardised variables, `mdav_loss`
    the same for plain MDAV, None where the file is too large to try. `seconds` is the time that the method took.
    """

    data: Path
    k: int
    seed: int
    division: Division
    variables: tuple[DividedBy, ...]
    left_out: tuple[Kept, ...]
    chosen: str | None
    why: str | None
    groups: Groups
    loss: float
    mdav_loss: float | None
    seconds: float

    @property
    def records(self) -> int:
        """Return the number of records."""
        return len(self.groups.label)
