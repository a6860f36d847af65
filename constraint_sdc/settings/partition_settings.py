"""How a file's records are divided by `partition`: command line or library call, recipe and defaults, settled once."""

from __future__ import annotations

from dataclasses import dataclass, field

from constraint_sdc.settings.recipe import Division, Recipe


@dataclass(frozen=True, slots=True)
class PartitionSettings:
    """Everything that decides the groups. `variables` are those to divide by, None for all that `mask` masks.

    `record` is the record element of an XML file, None if it is to be found.
    """

    k: int
    division: Division
    seed: int = 0
    variables: tuple[str, ...] | None = None
    record: str | None = None
    recipe: Recipe = field(default_factory=Recipe)
