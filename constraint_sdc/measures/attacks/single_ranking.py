"""Winkler's attack on files whose variables were masked one at a time, in three settings.

W. E. Winkler, Single-ranking micro-aggregation and re-identification, U.S. Bureau of the Census, Statistics #2002-08:
each variable alone hides a record among k, but all variables together identify it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from constraint_sdc.arrays import Points, Rows
from constraint_sdc.data.pair import Pair
from constraint_sdc.errors import UsageError
from constraint_sdc.measures.assessment import Figure, Measured, MeasureInputs, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.attacks.single_ranking_links import (
    METRICS,
    WITHIN,
    AgreementLinks,
    Metric,
    corresponding_file,
    link_by_agreement,
    link_by_best_fields,
)
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

Setting: TypeAlias = Literal["full", "sample", "corresponding"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)

_METRICS: dict[Setting, tuple[Metric, ...]] = {
    "full": ("half-distance", "neighbours"),
    "sample": ("half-distance", "neighbours", "nearest"),
    "corresponding": ("nearest", "within"),
}
"""The metrics tried in each setting, unless one metric is chosen."""

_K = 3
"""The group size that an intruder assumes if it is unknown; `nearest` takes three times as many records."""


@dataclass(frozen=True)
class AttackRun:
    """The links found in one setting by one metric."""

    setting: Setting
    metric: Metric
    links: AgreementLinks

    @property
    def share(self) -> float:
        """Return the percentage of released records that are linked correctly, ties shared."""
        return 100.0 * self.links.re_identified / self.links.tried

    @property
    def right(self) -> float | None:
        """Return the percentage of right links among the unique ones, the certainty of a link; None without any."""
        return 100.0 * self.links.correct / self.links.unique if self.links.unique else None


@dataclass(frozen=True, eq=False)
class SingleRanking:
    """Link masked records to originals, variable by variable; None tries all settings, or all their metrics.

    `full`: all masked records are released, and the intruder has the original file; nothing is drawn. `sample`: a
    `share` of them, drawn by `seed`. `corresponding`: the same sample, but the intruder's file has errors: it is `file`
    (n x known numeric variables, row i is record i), or is made from the original with errors of `deviation` in `off`
    variables of each record; then all fields except `off` decide, and `nearest` takes `near` candidates per field.
    """

    name: ClassVar[str] = "single-ranking"
    title: ClassVar[str] = "Winkler's single-ranking attack"
    traits: ClassVar[MeasureTraits] = MeasureTraits("attack", draws=True)

    setting: Setting | None = None
    metric: Metric | None = None
    share: float = 0.01
    seed: int = 0
    near: int = 360
    off: int = 3
    deviation: float = 0.3
    file: Points | None = None

    def __post_init__(self) -> None:
        _require(self.setting in (None, *SETTINGS), f"unknown setting {self.setting!r}", f"use {', '.join(SETTINGS)}")
        _require(self.metric in (None, *METRICS), f"unknown metric {self.metric!r}", f"use {', '.join(METRICS)}")
        _require(0 < self.share <= 1, f"the share of a sample cannot be {self.share}", "use more than 0, at most 1")
        _require(self.near >= 1, f"the number of nearest records cannot be {self.near}", "use 1 or more")
        _require(self.off >= 0, f"the number of variables with large errors cannot be {self.off}", "use 0 or more")
        _require(
            0 <= self.deviation < 1, f"a deviation of {self.deviation} would change signs", "use 0 or more, below 1"
        )
        _require(bool(self._runs()), f"the metric {self.metric} does not apply to {self.setting}", _HINT)
        _require(self.file is None or self.setting in (None, "corresponding"), "only corresponding takes a file", _HINT)

    def prepared(self, inputs: MeasureInputs) -> SingleRanking:
        """Return the attack on all records, in which nothing is drawn but ties."""
        return SingleRanking(setting="full", seed=inputs.seed)

    def measure(self, pair: Pair) -> Measured:
        """Return how many records are re-identified, how many links are unique, and how many of these are right."""
        names = [name for name in pair.known if pair[name].scale is Scale.NUMERIC]
        if not names or not len(pair):
            return _undefined(because("no-number-known") if len(pair) else because("no-records"))
        original, masked = pair.numbers(names)
        runs = self.carry_out(original, masked, pair.k or _K)
        return _measured(runs, (*self._notes(runs), *_variables_note(pair, names)))

    def carry_out(self, original: Points, masked: Points, k: int) -> tuple[AttackRun, ...]:
        """Return the links of every setting and metric; arrays are n x d with a record in the same row of both."""
        everyone = np.arange(len(original), dtype=np.int64)
        drawn = self._draw(len(original))
        file = self._file(original) if any(setting == "corresponding" for setting, _ in self._runs()) else original
        runs = []
        for setting, metric in self._runs():
            if setting == "corresponding":
                best = original.shape[1] - self.off
                links = link_by_best_fields(file, masked, drawn, metric, self.near, best)
            else:
                released = everyone if setting == "full" else drawn
                links = link_by_agreement(original, masked, released, metric, 3 * k)
            runs.append(AttackRun(setting, metric, links))
        return tuple(runs)

    def _runs(self) -> list[tuple[Setting, Metric]]:
        """Return the settings and metrics to try; a chosen metric is tried in every setting that has it."""
        settings = SETTINGS if self.setting is None else (self.setting,)
        if self.metric is None:
            return [(setting, metric) for setting in settings for metric in _METRICS[setting]]
        possible = [s for s in settings if self.metric in _METRICS[s] or (s, self.metric) == ("full", "nearest")]
        return [(setting, self.metric) for setting in possible]

    def _draw(self, records: int) -> Rows:
        """Return the released sample, at least one record."""
        size = max(1, round(self.share * records))
        return np.sort(np.random.default_rng(self.seed).choice(records, size, replace=False)).astype(np.int64)

    def _file(self, original: Points) -> Points:
        """Return the intruder's file in the corresponding setting."""
        if self.file is None:
            return corresponding_file(original, self.off, self.deviation, self.seed)
        rows, columns = original.shape
        wanted = f"give {rows} records x {columns} variables, in the order of the original"
        _require(self.file.shape == original.shape, "the intruder's file and the original differ in shape", wanted)
        return np.asarray(self.file, np.float64)

    def _notes(self, runs: tuple[AttackRun, ...]) -> list[Reason]:
        notes = [because("ties-shared")]
        drawn = next((run.links.tried for run in runs if run.setting != "full"), None)
        if drawn is not None:
            notes.append(because("sample-drawn", records=drawn, seed=self.seed))
        if any(run.setting == "corresponding" for run in runs):
            made = because("corresponding-made", seed=self.seed, off=self.off, deviation=self.deviation)
            notes.append(made if self.file is None else because("corresponding-given"))
            notes.append(because("candidates-taken", near=self.near, within=WITHIN))
        return notes


_HINT = "corresponding takes a file, and the metrics nearest and within; full and sample take the others and nearest"


def _require(holds: bool, what: str, hint: str) -> None:
    if not holds:
        raise UsageError(what, hint=hint)


def _variables_note(pair: Pair, names: list[str]) -> list[Reason]:
    left_out = tuple(name for name in pair.known if name not in names)
    return [because("not-compared", variables=left_out)] if left_out else []


def _measured(runs: tuple[AttackRun, ...], notes: tuple[Reason, ...]) -> Measured:
    """Return the result; the run that re-identifies most records is the headline."""
    worst = max(runs, key=lambda run: run.share)
    return Measured(
        SingleRanking.name,
        SingleRanking.title,
        _figures(worst.share, worst.links.unique, worst.right),
        f"An intruder who compares masked values with original ones, variable by variable, re-identifies "
        f"{worst.share:.1f}% of {worst.links.tried:,} masked records (setting {worst.setting}, metric {worst.metric}); "
        f"{worst.links.unique:,} have one best candidate"
        + (f", which is the right one for {worst.right:.1f}% of them." if worst.right is not None else "."),
        (_table(runs),),
        notes,
    )


def _figures(share: float | None, unique: int | None, right: float | None) -> tuple[Figure, ...]:
    return (
        Figure("re-identified", "Re-identified in the setting with the most, ties shared", share),
        Figure("unique-links", "Records with one best candidate", unique, Unit.COUNT),
        Figure("right-among-unique", "Right links among these", right),
    )


def _table(runs: tuple[AttackRun, ...]) -> ResultTable:
    return ResultTable(
        "settings",
        "By setting and metric",
        ("setting", "metric", "records tried", "re-identified", "one best candidate", "right among these"),
        (None, None, Unit.COUNT, Unit.PERCENT, Unit.COUNT, Unit.PERCENT),
        tuple((r.setting, r.metric, r.links.tried, r.share, r.links.unique, r.right) for r in runs),
    )


def _undefined(why: Reason) -> Measured:
    says = because("nobody-re-identified", why=why)
    return Measured(SingleRanking.name, SingleRanking.title, _figures(None, None, None), says, notes=(says,))


REGISTERED = {"single-ranking": SingleRanking()}
