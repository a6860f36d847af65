"""Probabilistic record linkage: I. P. Fellegi and A. B. Sunter, A theory for record linkage, JASA 64, 1183-1210, 1969.

The weight of agreement in a variable is estimated from the two files alone by the EM algorithm (M. A. Jaro, JASA 84,
414-420, 1989): the intruder needs no unit, no distance and no example of a right link.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Counts, Flags, Floats, Rows, SmallPositions
from constraint_sdc.data.pair import Compared, Pair
from constraint_sdc.measures.assessment import Cell, Figure, Measured, MeasureInputs, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.ranks import ranks_among
from constraint_sdc.measures.risk.distance_linkage import not_linked
from constraint_sdc.measures.risk.subset_linkage import sampled_rows
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

_MOST_VARIABLES = 20
"""The most variables used: the number of patterns is that of their subsets, a million."""

_PARTS = 10_000
"""Ranks are measured in this many parts of the file's length."""

_BLANK = -10 * _PARTS
"""The rank of a blank: far from every other rank."""

_INSIDE = 1e-6
"""The least distance of probabilities from 0 and 1: an event that does not occur in a file is not impossible."""

_CHANGE = 1e-9
"""The estimation has converged when no probability changes by more."""

_STEPS = 2_000
_LARGEST = 600.0
"""The largest logarithm of odds, so that exponentials do not overflow."""

_PAIRS = 1 << 20
"""Pairs compared at a time."""


@dataclass(frozen=True)
class Comparable:
    """Both files as whole numbers, n x d: a pair agrees in a variable if the two differ by no more than its `reach`."""

    original: SmallPositions
    masked: SmallPositions
    reach: SmallPositions


@dataclass(frozen=True)
class Chances:
    """The probability of agreement in each variable, for a right pair (`m`) and for any other pair (`u`)."""

    m: Floats
    u: Floats
    steps: int
    has_settled: bool

    @property
    def agreeing(self) -> Floats:
        """Return the weight that agreement in each variable adds to a pair, in bits."""
        return np.log2(self.m / self.u)

    @property
    def differing(self) -> Floats:
        """Return the weight that disagreement adds, in bits."""
        return np.log2((1.0 - self.m) / (1.0 - self.u))


@dataclass(frozen=True)
class WeightedLinkage:
    """The expected number of right links among the `records` linked, ties shared, and the probabilities used.

    `truth` is the share of all records that agree with their own original in each variable, which the intruder does not
    know and estimates by `chances.m`.
    """

    records: int
    expected: float
    unique: int
    unique_right: int
    chances: Chances
    truth: Floats

    @property
    def percent(self) -> float:
        """Return the expected share of right links."""
        return 100.0 * self.expected / self.records

    @property
    def sure(self) -> float | None:
        """Return the percentage of right links among those without ties; None if there are none."""
        return 100.0 * self.unique_right / self.unique if self.unique else None


def comparable(variables: list[Compared], window: float) -> Comparable:
    """Make values comparable: numbers agree within `window` percent of the ranks in the original, others if equal.

    Equal numbers have their middle rank, and a masked number has the rank that it would have in the original.
    """
    columns = [_ranked(v) if v.scale is Scale.NUMERIC else (v.original_code, v.masked_code) for v in variables]
    reach = [round(window / 100 * _PARTS) if v.scale is Scale.NUMERIC else 0 for v in variables]
    original, masked = (np.column_stack([pair[side] for pair in columns]).astype(np.int32) for side in (0, 1))
    return Comparable(original, masked, np.array(reach, np.int32))


def _ranked(variable: Compared) -> tuple[Floats, Floats]:
    ordered = np.sort(variable.original[~np.isnan(variable.original)])

    def rank(values: Floats) -> Floats:
        below, up_to = ranks_among(ordered, values)
        middle = np.round((below + up_to) * (_PARTS / 2 / max(len(ordered), 1)))
        return np.where(np.isnan(values), float(_BLANK), middle)

    return rank(variable.original), rank(variable.masked)


def probabilistic_linkage(files: Comparable, rows: Rows, pairs: int, seed: int) -> WeightedLinkage:
    """Estimate probabilities from about `pairs` pairs, then link the masked records in `rows` by highest weight."""
    n = len(files.original)
    chances = estimated(pattern_counts(files, sampled_rows(n, max(1, pairs // n), seed)), len(files.reach), 1.0 / n)
    expected, unique, unique_right = 0.0, 0, 0
    for ties, is_right in _heaviest(files, rows, chances):
        expected += float((is_right / ties).sum())
        unique += int(np.count_nonzero(ties == 1))
        unique_right += int(np.count_nonzero(is_right & (ties == 1)))
    truth = np.less_equal(np.abs(files.masked - files.original), files.reach).mean(axis=0)
    return WeightedLinkage(len(rows), expected, unique, unique_right, chances, truth)


def _blocks(files: Comparable, rows: Rows) -> Iterator[Rows]:
    size = max(1, _PAIRS // len(files.original))
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


class _Agreements:
    """The originals in the order of every variable: those that agree with a value are found without the others."""

    def __init__(self, files: Comparable) -> None:
        self._files = files
        self._orders = [np.argsort(column, kind="stable") for column in files.original.T]
        self._sorted = [column[order] for column, order in zip(files.original.T, self._orders, strict=True)]

    def patterns(self, rows: Rows) -> Iterator[SmallPositions]:
        """Yield the pattern of each of some masked records with every original: bit j is set if variable j agrees."""
        masked, reach = self._files.masked[rows], self._files.reach
        first = [np.searchsorted(column, masked[:, j] - reach[j], "left") for j, column in enumerate(self._sorted)]
        last = [np.searchsorted(column, masked[:, j] + reach[j], "right") for j, column in enumerate(self._sorted)]
        for row in range(len(rows)):
            pattern = np.zeros(len(self._files.original), np.int32)
            for j, order in enumerate(self._orders):
                pattern[order[first[j][row] : last[j][row]]] |= np.int32(1 << j)
            yield pattern


def pattern_counts(files: Comparable, rows: Rows) -> Counts:
    """Count the pairs of these masked records and all originals by pattern: bit j is set where variable j agrees."""
    total = np.zeros(1 << len(files.reach), np.int64)
    for pattern in _Agreements(files).patterns(rows):
        total += np.bincount(pattern, minlength=len(total))
    return total


def _heaviest(files: Comparable, rows: Rows, chances: Chances) -> Iterator[tuple[Counts, Flags]]:
    """Yield, for some masked records at a time, how many originals are heaviest and whether the right one is.

    All pairs of a pattern have the same weight. The order of its sum is fixed, so ties are exact.
    """
    agreements, weight_of = _Agreements(files), _pattern_weights(chances)
    for some in _blocks(files, rows):
        ties, is_right = np.empty(len(some), np.int64), np.empty(len(some), np.bool_)
        for place, pattern in enumerate(agreements.patterns(some)):
            weight = weight_of[pattern]
            heaviest = weight.max()
            is_tied = weight >= heaviest - 1e-9 * max(abs(heaviest), 1.0)
            ties[place], is_right[place] = np.count_nonzero(is_tied), is_tied[some[place]]
        yield ties, is_right


def _pattern_weights(chances: Chances) -> Floats:
    """Return the weight of every pattern."""
    gain = chances.agreeing - chances.differing
    patterns = np.arange(1 << len(gain))
    weight = np.zeros(len(patterns))
    for j in range(len(gain)):
        weight += np.where((patterns >> j) & 1, gain[j], 0.0)
    return weight


def estimated(counts: Counts, variables: int, share: float) -> Chances:
    """Estimate by EM, given that a `share` of the pairs is right and that variables agree independently within a class.

    The share is known (one right original in n), so the odds are set such that the mean probability of a right pair
    equals it. With fixed odds, EM converges to the split that separates the pairs best, which in correlated data is the
    split into similar and dissimilar persons.
    """
    patterns = np.flatnonzero(counts)
    count = counts[patterns] / counts.sum()
    agree = ((patterns[:, None] >> np.arange(variables)) & 1).astype(np.float64)
    m, u = np.full(variables, 0.9), _inside(count @ agree)
    against = np.log((1.0 - share) / share) if share < 1.0 else -_LARGEST
    for step in range(1, _STEPS + 1):
        right = count * _chance_of_right(agree, m, u, against)
        against = float(np.clip(against + np.log(right.sum() / share), -_LARGEST, _LARGEST))
        new_m, new_u = _inside(_mean(right, agree, m)), _inside(_mean(count - right, agree, u))
        change = max(np.abs(new_m - m).max(), np.abs(new_u - u).max())
        m, u = new_m, new_u
        if change < _CHANGE:
            return Chances(m, u, step, True)
    return Chances(m, u, _STEPS, False)


def _chance_of_right(agree: Floats, m: Floats, u: Floats, against: float) -> Floats:
    """Return the probability that a pair of each pattern is right, by Bayes; `against` is the logarithm of the odds."""
    weight = agree @ np.log(m / u) + (1.0 - agree) @ np.log((1.0 - m) / (1.0 - u))
    chance: Floats = 1.0 / (1.0 + np.exp(np.clip(against - weight, -_LARGEST, _LARGEST)))
    return chance


def _mean(weight: Floats, agree: Floats, otherwise: Floats) -> Floats:
    total = weight.sum()
    return weight @ agree / total if total > 0.0 else otherwise


def _inside(chance: Floats) -> Floats:
    return np.clip(chance, _INSIDE, 1.0 - _INSIDE)


class ProbabilisticLinkage:
    """How many masked records an intruder links by weights of agreement.

    Numbers agree within `window` percent of the ranks. In a file of more than `records`, a sample of that many records
    is linked; probabilities are estimated from about `pairs` pairs.
    """

    name: ClassVar[str] = "probabilistic-linkage"
    title: ClassVar[str] = "Probabilistic record linkage"
    traits: ClassVar[MeasureTraits] = MeasureTraits("risk", draws=True)

    def __init__(self, window: float = 5.0, records: int = 2_000, pairs: int = 20_000_000, seed: int = 0) -> None:
        self.window = window
        self.records = records
        self.pairs = pairs
        self.seed = seed

    def prepared(self, inputs: MeasureInputs) -> ProbabilisticLinkage:
        """Return the measure with the seed of the run."""
        return ProbabilisticLinkage(self.window, self.records, self.pairs, inputs.seed)

    def measure(self, pair: Pair) -> Measured:
        """Estimate, weigh and link, in the variables that the intruder knows."""
        known = pair.known[:_MOST_VARIABLES]
        if not known:
            return not_linked(self.name, self.title, because("nothing-known"))
        if len(pair) == 0:
            return not_linked(self.name, self.title, because("no-record-to-link"))
        files = comparable([pair[name] for name in known], self.window)
        rows = sampled_rows(len(pair), self.records, self.seed)
        found = probabilistic_linkage(files, rows, self.pairs, self.seed)
        figures = (
            Figure("linked", "masked records linked to the right original", found.percent),
            Figure("expected", "right links to expect, of the records linked", found.expected, Unit.PLAIN),
            Figure("unique", "masked records with a single original of highest weight", found.unique, Unit.COUNT),
            Figure("unique-right", "of these, the right one", found.unique_right, Unit.COUNT),
            Figure("sure", "share of right links among these", found.sure),
            Figure("records", "records linked", found.records, Unit.COUNT),
            Figure("iterations", "steps of the estimation", found.chances.steps, Unit.COUNT),
        )
        says = (
            f"An intruder who weighs agreement in {len(known)} variables links {found.percent:.2f}% of the masked "
            f"records to the right person; a random guess is right for {100.0 / len(pair):.2f}%."
        )
        notes = tuple(self._notes(pair, known, found))
        return Measured(self.name, self.title, figures, says, (_table(known, found),), notes)

    def _notes(self, pair: Pair, known: tuple[str, ...], found: WeightedLinkage) -> Iterator[Reason]:
        n = len(pair)
        if any(pair[name].scale is Scale.NUMERIC for name in known):
            yield because("ranks-agree", percent=self.window)
        if len(known) < len(pair.known):
            yield because("first-variables-used", known=len(pair.known), variables=known)
        if found.records < n:
            yield because("linked-records-drawn", linked=found.records, records=n, seed=self.seed)
        if n * n > self.pairs:
            yield because("chances-estimated", records=max(1, self.pairs // n), seed=self.seed)
        if not found.chances.has_settled:
            yield because("estimation-not-converged", steps=found.chances.steps)
        if found.sure is None:
            yield because("no-single-heaviest")


REGISTERED = {"probabilistic-linkage": ProbabilisticLinkage()}


def _table(known: tuple[str, ...], found: WeightedLinkage) -> ResultTable:
    head = ("variable", "m: right pairs agree", "in truth", "u: others agree", "weight if they agree", "weight if not")
    units = (None, Unit.PLAIN, Unit.PLAIN, Unit.PLAIN, Unit.PLAIN, Unit.PLAIN)
    chances = found.chances
    columns = np.column_stack((chances.m, found.truth, chances.u, chances.agreeing, chances.differing))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *numbers) for name, numbers in zip(known, columns.tolist(), strict=True)
    )
    return ResultTable("variables", "Weights of agreement by variable (in bits)", head, units, rows)
