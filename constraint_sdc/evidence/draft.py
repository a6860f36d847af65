"""A draft of a recipe: every variable of a file, what it looks like, and what a person has to decide."""

from __future__ import annotations

from dataclasses import dataclass

from constraint_sdc.evidence.looks import Looks
from constraint_sdc.evidence.values_seen import ValuesSeen
from constraint_sdc.settings.table_reading import TableReading
from constraint_sdc.shown import Tabled


@dataclass(frozen=True, slots=True)
class DraftVariable:
    """One variable: what it looks like, and the missing codes that the file's own metadata declare.

    `seen` are values of records, None if they are hidden.
    """

    name: str
    looks: Looks
    label: str | None = None
    declared: tuple[str, ...] = ()
    seen: ValuesSeen | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the missing codes, declared and proposed."""
        return (*self.declared, *self.looks.missing_codes)


@dataclass(frozen=True, slots=True)
class DraftSurrounding:
    """Something around the variables: its path, and how often it occurs.

    `is_removed` if removing it needs no decision, `is_demanded` if no file of this format can be without it.
    """

    path: str
    kind: str
    count: int
    is_removed: bool
    is_demanded: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class RecipeDraft(Tabled):
    """The draft of a recipe for the file `data`, with what stands around its variables.

    `text` is the recipe as YAML; what is undecided is refused there. `table` is how a user said that a table is to be
    read, None for XML; `standard` is the standard that it follows. `is_elements` tells a message of
    SDMX-ML that is read as its XML elements.
    """

    data: str
    record: str
    records: int
    variables: tuple[DraftVariable, ...]
    surroundings: tuple[DraftSurrounding, ...] = ()
    text: str = ""
    table: TableReading | None = None
    standard: str | None = None
    is_elements: bool = False

    @property
    def undecided(self) -> tuple[str, ...]:
        """Return the variables, and the paths of what stands around them, that a person has to decide on."""
        variables = (variable.name for variable in self.variables if not variable.looks.is_certain)
        return (*variables, *(one.path for one in self.surroundings if not one.is_removed))
