"""The recipe: what the user knows about a file and requests for its masking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf

from constraint_sdc.settings.accept import AcceptBound
from constraint_sdc.settings.masker import MaskerTraits
from constraint_sdc.settings.protect import Protect
from constraint_sdc.settings.table_reading import TableReading
from constraint_sdc.settings.words import OnBroken, Standardise, SurroundingWish, Totals, Undecided, VariableWish


@dataclass(frozen=True, slots=True)
class AssessWish:
    """What to assess besides the masked file as a whole.

    `known` are the variables that an intruder knows. `subdomains` are variables or conditions, `regressions` of the
    form "y ~ x1 + x2". `weights` is the variable with sampling weights, if it is another than the recipe's.
    """

    known: tuple[str, ...] | None = None
    subdomains: tuple[str, ...] = ()
    regressions: tuple[str, ...] = ()
    weights: str | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """The content of a recipe file; None means "not given": the command line or a default decides.

    `missing` maps a variable to the texts that stand for a missing value. `groups` are variables to be masked together,
    or "all"; variables tied by rules are masked together whatever the groups say. `group_size` is how many of the
    remaining variables share a block. `weights` is the variable that says how much each record counts. `masker`
    is how the file is masked, with its parameters, and `partition` how the masker divides the records. `totals` is how
    variables that equalities determine are masked. `allow_idle` are ids of rules that may check nothing, or "all".
    `protect` is what is promised about people. `accept` are bounds on what `assess` measures.
    `surroundings` maps paths of what stands around the variables to what
    becomes of it; `undecided` says what becomes of a file in which something is not decided. `table` is how a table is
    read that does not say it itself.
    """

    record: str | None = None
    key: str | None = None
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    k: int | None = None
    masker: MaskerTraits | None = None
    partition: str | None = None
    effort: str | None = None
    standardise: Standardise | None = None
    weights: str | None = None
    seed: int | None = None
    on_broken: OnBroken | None = None
    totals: Totals | None = None
    allow_idle: tuple[str, ...] = ()
    group_size: int | None = None
    groups: tuple[tuple[str, ...], ...] | OneOf["all"] = ()
    variables: Mapping[str, VariableWish] = field(default_factory=dict)
    assess: AssessWish = field(default_factory=AssessWish)
    accept: tuple[AcceptBound, ...] = ()
    protect: Protect = field(default_factory=Protect)
    surroundings: Mapping[str, SurroundingWish] = field(default_factory=dict)
    undecided: Undecided | None = None
    table: TableReading = field(default_factory=TableReading)


# How records are divided into groups.


@dataclass(frozen=True, slots=True)
class Division:
    """A partition method by name, what distances mean to it, and which variable weighs the records, if one does.

    `effort` is None for a method that does not search.
    """

    partition: str
    effort: str | None = None
    standardise: Standardise = Standardise.Z_SCORE
    weights: str | None = None
