"""A sweep: the same file masked with many parameters, and the loss and risk of each masking."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.maskers.registry import DEFAULT, MASKERS
from constraint_sdc.partition.registry import METHODS
from constraint_sdc.settings.reason import Reason
from constraint_sdc.settings.words import Totals
from constraint_sdc.shown import Tabled

WITH_RULES = "with rules"
WITHOUT_RULES = "without rules"


@dataclass(frozen=True, slots=True)
class MaskedBy:
    """A masker, and the partition that divides its records; None for a masker that divides them itself.

    `totals` is how totals are masked, None if that is not compared.
    """

    masker: str
    partition: str | None
    totals: Totals | None = None

    @property
    def name(self) -> str:
        """Return the name in tables and pictures: microaggregation is told by its partition."""
        name = self.partition if self.masker == DEFAULT and self.partition is not None else self.masker
        return name if self.totals is None else f"{name}, totals {self.totals}"


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One scenario, masker, partition and k. `pil`, `dbrl`, `id`, `dr` and `score` are per cent, None if not defined.

    `scenario` tells whether rules were kept. `partition` is None for a masker that divides records itself. `loss` is
    100 * SSE / SST over all masked numbers. `broken` counts the violations (a record and a rule) that did not exist
    before masking, None without rules. `smallest` is the least number of records that share a block's values, None if
    nothing was masked. `dbrl_averaged`, `dr_averaged` and `score_averaged` are those of a linkage that is averaged over
    what an intruder knows, None if it was not asked for. `totals` is how totals are masked, None if that is not
    compared. `seconds` is the time of masking and measuring. `refused` is the reason why the file cannot be masked like
    this; then nothing was measured.
    """

    scenario: str
    masker: str
    partition: str | None
    k: int
    pil: float | None
    dbrl: float | None
    id: float | None
    dr: float | None
    score: float | None
    loss: float | None
    broken: int | None
    smallest: int | None
    seconds: float
    dbrl_averaged: float | None = None
    dr_averaged: float | None = None
    score_averaged: float | None = None
    totals: Totals | None = None
    refused: Reason | None = None

    @property
    def masked_by(self) -> MaskedBy:
        """Return the masker, the partition, and how totals are masked."""
        return MaskedBy(self.masker, self.partition, self.totals)

    @property
    def task(self) -> SweepTask:
        """Return what was to be computed."""
        return SweepTask(self.scenario, self.masker, self.partition, self.k, self.totals)


@dataclass(frozen=True, slots=True)
class SweepTask:
    """One point to be computed."""

    scenario: str
    masker: str
    partition: str | None
    k: int
    totals: Totals | None = None

    @property
    def masked_by(self) -> MaskedBy:
        """Return the masker, the partition, and how totals are masked."""
        return MaskedBy(self.masker, self.partition, self.totals)


@dataclass(frozen=True, slots=True)
class SweepOptions:
    """The points of a sweep: every k with every masker and partition, with the rules and, for comparison, without them.

    Each of `partitions` means microaggregation by it; each of `maskers` divides records as `masking` says. Without
    both, `masking` and its recipe decide. Each of these is tried with each of `totals`; without any, `masking` and its
    recipe decide. With `known_at_most` there is a second SCORE, whose linkage is averaged over
    intruders who know 1 to so many variables. `masking` holds the options that all points share. `jobs` is the number
    of parallel processes, None for one per core; the results do not depend on it.
    """

    ks: tuple[int, ...]
    maskers: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    compare_unconstrained: bool = False
    known_at_most: int | None = None
    jobs: int | None = None
    totals: tuple[Totals, ...] = ()
    masking: MaskOptions = field(default_factory=MaskOptions)

    @property
    def tried(self) -> tuple[MaskedBy, ...]:
        """Return what is tried, each once: microaggregation by each partition, then the maskers; each with totals."""
        masking, recipe = self.masking, self.masking.recipe
        maskers = self.maskers
        if not self.partitions and not maskers:
            maskers = (masking.masker or (DEFAULT if recipe.masker is None else recipe.masker.name),)
        partition = masking.partition or recipe.partition or METHODS[0]
        named = [MaskedBy(DEFAULT, name) for name in self.partitions]
        named += [MaskedBy(name, None if MASKERS[name].divides_itself else partition) for name in maskers]
        ways: tuple[Totals | None, ...] = self.totals or (None,)
        return tuple(dict.fromkeys(replace(by, totals=totals) for by in named for totals in ways))

    def tasks(self, has_rules: bool) -> tuple[SweepTask, ...]:
        """Return all points in the order in which they are reported."""
        scenarios = [WITH_RULES] if has_rules else [WITHOUT_RULES]
        scenarios += [WITHOUT_RULES] if has_rules and self.compare_unconstrained else []
        found = [
            SweepTask(s, by.masker, by.partition, k, by.totals) for s in scenarios for by in self.tried for k in self.ks
        ]
        # Without rules there are no totals: the points would be the same.
        return tuple(dict.fromkeys(replace(t, totals=None) if t.scenario == WITHOUT_RULES else t for t in found))


@dataclass(frozen=True, slots=True, repr=False)
class Sweep(Tabled):
    """All points of a sweep; `reused` were computed by an earlier run that was interrupted or had fewer points.

    `digest` is the SHA-256 of the data, so that points of another file are not reused. `known_at_most` is the bound of
    the averaged linkage, None if it was not asked for.
    """

    data: Path
    digest: str
    rules: Path | None
    points: tuple[SweepPoint, ...]
    reused: int
    seconds: float
    notes: tuple[Reason, ...] = ()
    known_at_most: int | None = None

    def best(self, scenario: str, by: MaskedBy, *, averaged: bool = False) -> SweepPoint | None:
        """Return the point of lowest SCORE, or of lowest averaged one; ties go to the smallest k."""
        points = [p for p in self.points if (p.scenario, p.masked_by) == (scenario, by)]
        scored = [
            (s, p.k, i) for i, p in enumerate(points) if (s := p.score_averaged if averaged else p.score) is not None
        ]
        return points[min(scored)[2]] if scored else None


AVERAGED = ("dbrl_averaged", "dr_averaged", "score_averaged")
"""The fields of a point that are there only if the averaged linkage was asked for."""
