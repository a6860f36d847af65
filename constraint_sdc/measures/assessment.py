"""The results of measures: figures and tables in a form that every report can show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, runtime_checkable
from typing import Literal as OneOf

from constraint_sdc.arrays import Floats
from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.data.intruder import IntruderFile
from constraint_sdc.data.pair import Pair
from constraint_sdc.maskers.masked import RuleOutcome
from constraint_sdc.measures.codebook import CodebookEntry
from constraint_sdc.plan.plan import Plan
from constraint_sdc.settings.accept import AcceptBound
from constraint_sdc.settings.reason import Reason
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.shown import Tabled

if TYPE_CHECKING:
    from constraint_sdc.measures.utility.regressions import Regression
    from constraint_sdc.measures.verdict import FileVerdict

Cell: TypeAlias = str | int | float | None


class Unit(Enum):
    """The unit of a number, which decides how it is shown."""

    PERCENT = "percent"  # 0 to 100 (a loss can exceed it)
    COUNT = "count"  # a whole number of records, cells, groups
    PLAIN = "plain"  # any number


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its name. `name` is for machines (kebab-case, unique in its measure), `label` for people.

    `value` is None where it is not defined (no variable varies, no pair of records); a note says why.
    """

    name: str
    label: str
    value: float | None
    unit: Unit = Unit.PERCENT


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Further numbers of a measure, a row each; text cells are names, floats are shown rounded.

    `name` is for machines, unique in its measure. `units` has the unit of each column in `head`; None for a column of
    names. With `is_of_records` the rows describe single records: reports leave them out unless the user asks for
    values.
    """

    name: str
    title: str
    head: tuple[str, ...]
    units: tuple[Unit | None, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_of_records: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Measured(Tabled):
    """The result of one measure or attack. `measure` is its name, which is also the name of its file and its page.

    The first figure is the headline. `says` is one sentence that explains the headline for this file, or the reason why
    there is none. `notes` list what was assumed, left out or drawn at random.
    """

    measure: str
    title: str
    figures: tuple[Figure, ...]
    says: str | Reason
    tables: tuple[ResultTable, ...] = ()
    notes: tuple[Reason, ...] = ()

    def value(self, figure: str) -> float | None:
        """Return one figure's number by its name."""
        return next(f.value for f in self.figures if f.name == figure)


@dataclass(frozen=True, slots=True)
class SubdomainMeasured:
    """The utility measures on some of the records: those of a category, or those that satisfy a condition.

    `wish` is the text in the recipe; `name` is the same for a condition, and includes the value for a category.
    """

    wish: str
    name: str
    records: int
    measured: tuple[Measured, ...]


@dataclass(frozen=True, slots=True)
class NotRun:
    """A measure or attack without a result, and why."""

    measure: str
    title: str
    why: Reason | str


@dataclass(frozen=True, slots=True)
class AssessOptions:
    """What to assess, and how; None means the recipe's value, or else the default.

    `known` are the variables that an intruder knows. `attacks` are those to try, None for all that apply by default.
    `known_at_most` is how many of them an intruder has at a time: then a second SCORE averages over their subsets.
    `seed` draws subsets and samples. `phase`, `allow`, `allow_idle` and `time_limit` are as for `check`.
    `intruder` is the intruder's own file; who its records are is told by `truth_key`, a variable of both files, or by
    `truth_rows`, the number of each in the original, 0 for none.
    `release` is another release of the same original, to be laid over the masked file.
    `parameters` are, by the name of a measure or attack, values of the parameters that it declares.
    """

    rules: Path | None = None
    certificate: Path | None = None
    known: tuple[str, ...] | None = None
    known_at_most: int | None = None
    attacks: tuple[str, ...] | None = None
    intruder: Path | None = None
    truth_key: str | None = None
    truth_rows: tuple[int, ...] | None = None
    release: Path | None = None
    seed: int = 0
    record: str | None = None
    phase: str | None = None
    allow: tuple[Path, ...] = ()
    allow_idle: tuple[str, ...] = ()
    time_limit: float | None = None
    recipe: Recipe = field(default_factory=Recipe)
    parameters: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Assessment(Tabled):
    """All results that a review board needs for a masked file.

    `outcomes` compare the rules before and after, None without rules. `plan` is the plan in the certificate, None if
    there is no certificate; `mismatches` are the statements of the certificate that contradict the file. `score` is
    PIL, DR and SCORE of the literature. `pair` is used for pictures, which show distributions, never single records.
    `accept` are the recipe's bounds, `not_run` what was not measured or tried, and why, `harmless` are identifiers that
    the recipe keeps with a reason.
    """

    original: Path
    masked: Path
    records: int
    known: tuple[str, ...]
    rules: Path | None
    outcomes: tuple[RuleOutcome, ...] | None
    certificate: Mapping[str, Any] | None
    plan: Plan | None
    mismatches: tuple[str, ...]
    score: Measured
    utility: tuple[Measured, ...]
    subdomains: tuple[SubdomainMeasured, ...]
    risk: tuple[Measured, ...]
    attacks: tuple[Measured, ...]
    notes: tuple[Reason, ...]
    pair: Pair
    accept: tuple[AcceptBound, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    codebook: tuple[CodebookEntry, ...] = ()
    harmless: frozenset[str] = frozenset()

    @cached_property
    def verdict(self) -> FileVerdict:
        """Return whether the file is accepted, and by which criteria."""
        from constraint_sdc.measures.verdict import verdict_of  # it is about assessments

        return verdict_of(self)

    @property
    def newly_broken(self) -> int:
        """Return how many rules are broken that held before masking."""
        return sum(outcome.newly_broken > 0 for outcome in self.outcomes or ())

    @property
    def exit_code(self) -> int:
        """Return 1 if a rule is newly broken, the certificate disagrees, or a bound of the recipe is not met."""
        return 1 if self.newly_broken or self.mismatches or self.verdict.breaks_recipe else 0


# The protocol of measures: the constructor stores the parameters, and one method measures.


@dataclass(frozen=True, slots=True)
class MeasureTraits:
    """The properties of a measure that commands and the exam use.

    `family` is the part of the assessment it belongs to. `unmasked` is the value of its first figure when the masked
    file is the original, None where nothing is claimed. With `draws` it samples by the seed, so that its figures may
    depend on the order of the records. With `needs_rules` it runs only with rules that every original record satisfies.
    With `needs_intruder` it runs only with the file of an intruder, with `needs_weights` only with sampling weights,
    and with `needs_release` only with another release of the same file. An attack that is not `by_default` runs in an
    assessment only if it is named. `misses` says what its headline does not cover.
    """

    family: OneOf["utility", "risk", "attack"]
    unmasked: float | None = None
    draws: bool = False
    needs_rules: bool = False
    needs_intruder: bool = False
    needs_weights: bool = False
    needs_release: bool = False
    by_default: bool = True
    misses: Reason | None = None


@dataclass(frozen=True, slots=True)
class MeasureInputs:
    """The inputs of measures besides the pair.

    `seed` draws samples. `rules` are those that every original record satisfies, `domains` the values of variables that
    value-domain rules restrict, `regressions` those that the recipe names. `intruder` is the intruder's own file.
    """

    seed: int = 0
    rules: Sequence[EditRule] = ()
    domains: Mapping[str, Floats] = field(default_factory=dict)
    regressions: tuple[Regression, ...] = ()
    intruder: IntruderFile | None = None


class Measure(Protocol):
    """A measure or an attack. `name` is also the name of its documentation page."""

    name: ClassVar[str]
    title: ClassVar[str]
    traits: ClassVar[MeasureTraits]

    def measure(self, pair: Pair) -> Measured:
        """Return the result for the pair; the same pair and parameters give the same result."""
        ...


@runtime_checkable
class MeasureWithInputs(Protocol):
    """A measure that needs more than the pair."""

    def prepared(self, inputs: MeasureInputs) -> Measure | None:
        """Return the measure for a run, None where there is nothing to measure."""
        ...
