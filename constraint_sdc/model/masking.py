"""What a user asks of `plan` and `mask`, and what they get back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from constraint_sdc.model.finding import CheckResult
from constraint_sdc.model.masked import Masked
from constraint_sdc.model.plan import Plan
from constraint_sdc.model.policy import OnBroken, Standardise
from constraint_sdc.model.recipe import Recipe


@dataclass(frozen=True, slots=True)
class MaskOptions:
    """How to mask; what is None falls back to the recipe, then to the default. `recipe_file` is where it was read."""

    k: int | None = None
    method: str | None = None
    partition: str | None = None
    effort: str | None = None
    standardise: Standardise | None = None
    weights: str | None = None
    seed: int | None = None
    on_broken: OnBroken | None = None
    phase: str | None = None
    original: Path | None = None
    record: str | None = None
    recipe: Recipe = field(default_factory=Recipe)
    recipe_file: Path | None = None
    allow: tuple[Path, ...] = ()
    time_limit: float | None = None


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """One rule before and after masking: records that broke it, those still broken, repaired and newly broken.

    `newly_broken` of a record-local rule is 0 in every published file.
    """

    rule: str
    severity: str
    checked: int
    broken_before: int
    still_broken: int
    repaired: int
    newly_broken: int


@dataclass(frozen=True, slots=True)
class MaskResult:
    """A published masking: the plan with its prices, the judge's verdicts on both files, and where the files are.

    `outcomes` has one entry per rule. `smallest` is the least number of records that share a block's values, per block,
    counted on the written file. `digests` are SHA-256 of the inputs (as in the plan) and of "output".
    """

    plan: Plan
    masked: Masked
    before: CheckResult | None
    after: CheckResult | None
    outcomes: tuple[RuleOutcome, ...]
    smallest: tuple[int, ...]
    digests: Mapping[str, str]
    data: Path
    rules: Path | None
    output: Path
    certificate: Path
