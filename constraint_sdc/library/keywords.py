"""The keywords of the verbs, for type checkers: one name for each option, and a path wherever a file is meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Literal, TypeAlias, TypedDict

from constraint_sdc.schematron.schema import Severity
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.table_reading import EmptyCell, TableReading
from constraint_sdc.settings.words import Judging, OnBroken, Standardise, Totals, Undecided

File: TypeAlias = str | PathLike[str]
"""A file by its path."""

OnRecords: TypeAlias = Callable[[int], None]
"""Hears the number of records read so far."""


RecipeGiven: TypeAlias = Recipe | File | Mapping[str, object]
"""A recipe, the path of its file, or its entries."""


class JudgeKeywords(TypedDict, total=False):
    """The fields of CheckOptions, except the original."""

    phase: str | None
    domain: File | None
    fail_on: Severity
    engine: Literal["auto", "saxon"]
    record: str | None
    key: str | None
    max_examples: int | None
    show_values: bool
    allow: Iterable[File]
    time_limit: float | None
    allow_idle: Iterable[str]
    masked_from: File | None
    missing_codes: Mapping[str, tuple[str, ...]]


class CheckKeywords(JudgeKeywords, total=False):
    """The fields of CheckOptions."""

    original: File | None


class LintKeywords(TypedDict, total=False):
    """The fields of LintOptions."""

    phase: str | None
    record: str | None
    fail_on: Severity
    severity: Severity
    ignore: Iterable[str]
    allow: Iterable[File]


class DiscoverKeywords(TypedDict, total=False):
    """The fields of DiscoverOptions."""

    holdout: float
    seed: int
    record: str | None
    exceptions: float


class DivisionKeywords(TypedDict, total=False):
    """How records are divided: what PartitionOptions and MaskOptions have in common."""

    effort: str | None
    standardise: Standardise | Literal["z-score", "robust", "none"] | None
    weights: str | None
    seed: int | None
    record: str | None
    recipe: RecipeGiven


class PartitionKeywords(DivisionKeywords, total=False):
    """The fields of PartitionOptions."""

    k: int | None
    variables: Iterable[str] | None
    partition: str | None


class MaskingKeywords(DivisionKeywords, total=False):
    """What is the same for every masking of a sweep."""

    partition: str | None
    on_broken: OnBroken | None
    undecided: Undecided | None
    phase: str | None
    original: File | None
    recipe_file: File | None
    recipe_sha256: str | None
    allow: Iterable[File]
    allow_idle: Iterable[str]
    time_limit: float | None
    table: TableReading


class MaskKeywords(MaskingKeywords, total=False):
    """The fields of MaskOptions."""

    k: int | None
    masker: str | None
    totals: Totals | None
    judge: Judging | None


class SweepKeywords(MaskingKeywords, total=False):
    """The fields of SweepOptions, with those of its `masking` beside them."""

    ks: Iterable[int]
    maskers: Iterable[str]
    partitions: Iterable[str]
    totals: Iterable[Totals]
    compare_unconstrained: bool
    known_at_most: int | None
    jobs: int | None


class MeasureKeywords(TypedDict, total=False):
    """The fields of AssessOptions, except the rules."""

    certificate: File | None
    known: Iterable[str] | None
    known_at_most: int | None
    attacks: Iterable[str] | None
    intruder: File | None
    release: File | None
    truth_key: str | None
    truth_rows: Iterable[int] | None
    seed: int
    record: str | None
    phase: str | None
    allow: Iterable[File]
    allow_idle: Iterable[str]
    time_limit: float | None
    recipe: RecipeGiven
    parameters: Mapping[str, Mapping[str, object]]


class AssessKeywords(MeasureKeywords, total=False):
    """The fields of AssessOptions."""

    rules: File | None


class AttackKeywords(AssessKeywords, total=False):
    """The fields of AssessOptions, and what single-ranking can be told besides."""

    setting: Literal["full", "sample", "corresponding"] | None
    metric: Literal["half-distance", "neighbours", "nearest", "within"] | None
    share: float | None
    off: int | None
    deviation: float | None
    against: File | None


class ConvertKeywords(TypedDict, total=False):
    """The fields of ConvertOptions."""

    record: str | None
    delimiter: str | None
    encoding: str | None
    empty: EmptyCell
    spreadsheet_safe: bool
    empty_is_missing: bool
    overwrite: bool
