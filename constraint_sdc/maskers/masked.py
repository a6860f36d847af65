"""The result of masking: the new values, which records share them, and the exact step of each group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from constraint_sdc.arrays import Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.table import Column
from constraint_sdc.engines.running import scratch
from constraint_sdc.evaluate.distinct_texts import takes_rows
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.plan.plan import BlockPlan, ExactStep, Kept, Plan, Price, RulePlan
from constraint_sdc.plan.promised import PromiseCount
from constraint_sdc.settings.reason import Reason
from constraint_sdc.settings.recipe import Division, Recipe
from constraint_sdc.settings.table_reading import TableReading
from constraint_sdc.settings.words import Judging, OnBroken, Scale, Standardise, Totals, Undecided
from constraint_sdc.shown import Shown, Tabled


@dataclass(frozen=True, repr=False)
class MaskedBlock:
    """One block after masking: `stratum[g]` is the stratum of group g.

    `columns` hold rows of values, and `step` how each row was made exact. Row g is what every record of group g gets;
    where records of a group differ, `own` has the row of each record.
    """

    plan: BlockPlan
    groups: Groups
    stratum: tuple[int, ...]
    step: tuple[ExactStep, ...]
    columns: Mapping[str, Column]
    price: Price
    own: Rows | None = None

    @property
    def row(self) -> Rows:
        """Return the row of values that each record gets."""
        return self.groups.label if self.own is None else self.own

    @cached_property
    def over_records(self) -> Mapping[str, Column]:
        """The block's variables over all records of the file; those of a large file are on disk."""
        return {name: _over_records(column, self.row) for name, column in self.columns.items()}

    def smallest(self) -> int:
        """Return the smallest number of records that share all values of the block."""
        if self.own is None:
            return int(self.groups.sizes.min())
        rows = list(zip(*(column.texts() for column in self.columns.values()), strict=True))
        return min(Counter(rows[row] for row in self.own.tolist()).values())


def _over_records(column: Column, row: Rows) -> Column:
    kept = scratch().kept
    found = Column(column.name, column.buffer, *(kept(part[row]) for part in (column.start, column.stop, column.state)))
    takes_rows(found, column, row)
    return found


@dataclass(frozen=True, slots=True, repr=False)
class Swaps:
    """The pairs of one goal, in the order of the vital records (from 0): both values before the swap, and its cost."""

    goal: int
    vital: Rows
    others: Rows
    vital_values: tuple[str, ...]
    other_values: tuple[str, ...]
    costs: tuple[float, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Masked:
    """All blocks after masking, and the totals that are computed from them for every record.

    `swaps` are the pairs of every goal of group anonymity, which no report discloses. `recoded` are categories of the
    key on a coarser level.
    """

    blocks: tuple[MaskedBlock, ...]
    swaps: tuple[Swaps, ...] = ()
    totals: Mapping[str, Column] = field(default_factory=dict)
    recoded: Mapping[str, Column] = field(default_factory=dict)

    def columns(self) -> dict[str, Column]:
        """Return every masked variable over all records of the file."""
        shared = {name: column for block in self.blocks for name, column in block.over_records.items()}
        return {**shared, **self.totals, **self.recoded}


# Options and result of `partition`.


@dataclass(frozen=True, slots=True)
class PartitionOptions:
    """How to divide a file; what is None falls back to the recipe, then to the default.

    Without `variables` the records are divided by all variables that `mask` masks.
    """

    k: int | None = None
    variables: tuple[str, ...] | None = None
    partition: str | None = None
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


@dataclass(frozen=True, slots=True, repr=False)
class Partitioned(Tabled):
    """The groups of a file's records and their price.

    `chosen` is the method that `auto` chose, and `why`; both are None for any other method. `left_out` are variables
    that are not selected and do not take part. `loss` is 100 * SSE / SST over the standardised variables, `mdav_loss`
    the same for plain MDAV, None if the file is too large to try. `seconds` is the time that the method took.
    """

    data: Path
    k: int
    seed: int
    division: Division
    variables: tuple[DividedBy, ...]
    left_out: tuple[Kept, ...]
    chosen: str | None
    why: Reason | None
    groups: Groups
    loss: float
    mdav_loss: float | None
    seconds: float

    @property
    def records(self) -> int:
        """Return the number of records."""
        return len(self.groups.label)


# Options and results of `plan` and `mask`.


@dataclass(frozen=True, slots=True)
class MaskOptions:
    """How to mask; what is None falls back to the recipe, then to the default.

    `masker` and `partition` are names: how the file is masked, and how the masker divides its records. `recipe_file` is
    the file of the recipe, and `recipe_sha256` the digest of its bytes. `totals` is how variables that equalities
    determine are masked: "together", "computed" or "auto". `allow_idle` are ids of rules that may check nothing, or
    "all"; those of the recipe are allowed too. `undecided` is what becomes of a file in which nobody decided on some
    variable: "refuse", or "guess" and promise nothing for it. `judge` is what the judge of the masked file is shown:
    "every-record", or "every-case" of the values that rules read. `table` is how a table is read that does not say it
    itself.
    """

    k: int | None = None
    masker: str | None = None
    partition: str | None = None
    effort: str | None = None
    standardise: Standardise | None = None
    weights: str | None = None
    seed: int | None = None
    on_broken: OnBroken | None = None
    totals: Totals | None = None
    undecided: Undecided | None = None
    judge: Judging | None = None
    phase: str | None = None
    original: Path | None = None
    record: str | None = None
    recipe: Recipe = field(default_factory=Recipe)
    recipe_file: Path | None = None
    recipe_sha256: str | None = None
    allow: tuple[Path, ...] = ()
    allow_idle: tuple[str, ...] = ()
    time_limit: float | None = None
    table: TableReading = field(default_factory=TableReading)


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """One rule before and after masking: records that broke it, those still broken, repaired and newly broken.

    `checked` counts the nodes judged in the masked file. `newly_broken` of a record-local rule is 0 in every published
    file. `missing` are the records of the masked file on which the rule holds although a value that its test reads is
    missing; None if it is not known. `no_longer_applies` and `newly_applies` count records that left the rule's context
    or came into it, because the context reads masked values.
    """

    rule: str
    severity: str
    checked: int
    broken_before: int
    still_broken: int
    repaired: int
    newly_broken: int
    missing: int | None = None
    no_longer_applies: int = 0
    newly_applies: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """How the verdict on a masked file was reached.

    `judge` is what Saxon was to be shown of `records` records: all of them in the whole file, or at least one for every
    different combination of the values that a rule reads. `cases` records were shown for that, 0 if none; `whole_file`
    are the rules that were judged on the whole file, `aggregated` those that were added up over all records, both in
    the order of the schema.
    """

    judge: Judging
    records: int
    cases: int
    whole_file: tuple[str, ...]
    aggregated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class MaskResult(Tabled):
    """A published masking: the plan with its prices, the judge's verdicts on both files, and where the files are.

    `outcomes` has one entry per rule. `smallest` is, per block, the smallest number of records that share its values,
    counted in the written file; `people` are the promises about people, counted there too. `digests` are SHA-256 of the
    inputs (as in the plan) and of "output". `signature` is the file of the certificate's signature, None if it is not
    signed. `judgement` is how the verdict `after` was reached, None without rules. `table` is how the data was read if
    it is a table that does not say so itself, else empty.
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
    signature: Path | None = None
    people: tuple[PromiseCount, ...] = ()
    judgement: Judgement | None = None
    table: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class CertificateCheck(Tabled):
    """What was confirmed of a certificate and what does not agree, one sentence each.

    `stated` names the fields that were not checked, because nothing given can confirm them; `notes` say what would.
    """

    confirmed: tuple[str, ...]
    mismatches: tuple[str, ...]
    stated: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 if everything agrees, 1 if something does not."""
        return 1 if self.mismatches else 0


@dataclass(frozen=True, slots=True, repr=False)
class Reproduction(Shown):
    """A masking that was repeated: the certified SHA-256, the one found now (None if the plan refuses now).

    `first_difference` says where the two files part, or why there is no second one; None if they are the same.
    `fields` are the fields of the certificate that come out otherwise, `versions` what is other than certified.
    `permitted` are the rules that the certificate allows to check nothing, on its word alone.
    """

    certificate: Path
    stated_sha256: str
    sha256: str | None
    first_difference: str | None
    fields: tuple[str, ...]
    versions: tuple[str, ...]
    permitted: tuple[str, ...] = ()

    @property
    def is_other_machine(self) -> bool:
        """Tell whether facts of the machine are not the certified ones."""
        return any(line.startswith("versions: platform.") for line in self.versions)

    @property
    def is_same(self) -> bool:
        """Tell whether the same bytes came out."""
        return self.sha256 == self.stated_sha256

    @property
    def exit_code(self) -> int:
        """0 for the same bytes, 1 for others."""
        return 0 if self.is_same else 1


# What `explain` returns for one rule, and needs for one record.


@dataclass(frozen=True, slots=True, repr=False)
class RuleExplanation(Shown):
    """One rule of a plan; `plan` has the block that decides it, if one does."""

    plan: Plan
    rule: RulePlan


@dataclass(frozen=True, slots=True, repr=False)
class RecordExplanation(Shown):
    """One record (numbered from 1) of a masking. `original` are its own values, None where a variable is absent."""

    record: int
    plan: Plan
    masked: Masked
    original: Mapping[str, str | None]
