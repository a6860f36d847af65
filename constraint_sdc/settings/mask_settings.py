"""How a file is masked: command line or library call, recipe and defaults as one value, settled once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from constraint_sdc.settings.masker import MaskerTraits
from constraint_sdc.settings.recipe import Division, Recipe
from constraint_sdc.settings.table_reading import TableReading
from constraint_sdc.settings.words import Judging, OnBroken, Totals, Undecided

M = TypeVar("M", bound=MaskerTraits)
"""The type of the masker in the settings."""


@dataclass(frozen=True, slots=True)
class RulesSettings:
    """How rules are loaded and judged: the phase, what `$original` stands for, where they may read, and how long.

    Without `original` it is the file itself, if a rule mentions it. `allow_idle` are ids of rules that may check
    nothing, or "all". `missing_codes` are, by variable, texts that stand for a missing value. `judge` is what the judge
    of the masked file is shown; None leaves it to the size of the file.
    """

    phase: str | None = None
    original: Path | None = None
    allow: tuple[Path, ...] = ()
    time_limit: float | None = None
    allow_idle: tuple[str, ...] = ()
    missing_codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    judge: Judging | None = None


@dataclass(frozen=True, slots=True)
class MaskSettings(Generic[M]):
    """Everything that is decided before a file is read; nothing below asks the recipe or the options again.

    `k` is 1 for a masker that forms no groups. `record` is the record element, None to find it. `recipe` has what
    remains to be said about variables; `recipe_sha256` is the digest of its file, None if there was none. `totals` is
    how variables that equalities determine are masked. `undecided` is what becomes of a file in which nobody decided on
    some variable. `table` is how a table is read, as far as that was said.
    """

    k: int
    masker: M
    division: Division
    seed: int
    on_broken: OnBroken
    record: str | None = None
    rules: RulesSettings = field(default_factory=RulesSettings)
    recipe: Recipe = field(default_factory=Recipe)
    recipe_file: Path | None = None
    recipe_sha256: str | None = None
    totals: Totals = "together"
    undecided: Undecided = "refuse"
    table: TableReading = field(default_factory=TableReading)
