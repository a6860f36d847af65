"""A sweep: the same file masked again and again, and what every masking cost and risked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from constraint_sdc.model.masking import MaskOptions

WITH_RULES = "with rules"
WITHOUT_RULES = "without rules"


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One scenario, method and k. `pil`, `dbrl`, `id`, `dr` and `score` are per cent, None where not defined.

    `scenario` tells whether rules were kept. `loss` is 100 * SSE / SST over all masked numbers. `broken` counts the
    violations (a record and a rule) that were none before masking, None without rules. `smallest` is the least number
    of records that share a block's values, None where nothing was masked; `seconds` is what masking and measuring took.
    `refused` says why a file cannot be masked like this; then nothing was measured.
    """

    scenario: str
    method: str
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
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class SweepTask:
    """One point to be computed."""

    scenario: str
    method: str
    k: int


@dataclass(frozen=True, slots=True)
class SweepOptions:
    """Which points: every k with every method, with the rules and, when compared, without them.

    `masking` holds what is the same for all points. `jobs` is how many processes work at the same time, None for as
    many as there are cores; the results do not depend on it.
    """

    ks: tuple[int, ...]
    methods: tuple[str, ...] = ("auto",)
    compare_unconstrained: bool = False
    jobs: int | None = None
    masking: MaskOptions = field(default_factory=MaskOptions)

    def tasks(self, has_rules: bool) -> tuple[SweepTask, ...]:
        """Return all points in the order in which they are reported."""
        scenarios = [WITH_RULES] if has_rules else [WITHOUT_RULES]
        scenarios += [WITHOUT_RULES] if has_rules and self.compare_unconstrained else []
        return tuple(SweepTask(s, method, k) for s in scenarios for method in self.methods for k in self.ks)


@dataclass(frozen=True, slots=True)
class Sweep:
    """All points of a sweep; `reused` were computed by an earlier run that was interrupted or asked for less.

    `digest` is the SHA-256 of the data: points of another file say nothing about this one.
    """

    data: Path
    digest: str
    rules: Path | None
    points: tuple[SweepPoint, ...]
    reused: int
    seconds: float
    notes: tuple[str, ...] = ()

    def best(self, scenario: str, method: str) -> SweepPoint | None:
        """Return the point of lowest SCORE, the smallest k among equals."""
        scored = [p for p in self.points if (p.scenario, p.method) == (scenario, method) and p.score is not None]
        return min(scored, key=lambda p: (p.score or 0.0, p.k), default=None)
