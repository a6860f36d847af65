"""The interval of each original value, from rules and class means in turn, until no interval changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Labels
from constraint_sdc.data.pair import Compared, MaskedTogether, Pair
from constraint_sdc.measures.attacks.rule_inference.narrowing import AppliedRule, Scene
from constraint_sdc.measures.attacks.rule_inference.value_bounds import (
    EPSILON,
    Bounds,
    Box,
    ValueLattice,
    lattice_of_grid,
)
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

# Bounds of a group's member from the group's mean and the bounds of the other members.
#
# If s records have the mean c, then x is s * c less the sum of the others. Without bounds on the others, no bounds
# follow, unless there are no others.


@dataclass(frozen=True)
class ClassMeans:
    """A variable that is released as the mean of its class: the records that share a released row.

    `released` is each record's released value. The true mean of every class lies within `slack` of it; the slack is
    measured, so it includes the effects of rounding and repair. The bounds hold for `usable` records only.
    """

    name: str
    label: Labels
    released: Floats
    usable: Flags
    slack: float

    def narrow(self, bounds: Bounds) -> Bounds:
        """Return bounds of every record's value from those of the others in its class."""
        return -self._highest(-self.released, -bounds[1]), self._highest(self.released, bounds[0])

    @np.errstate(all="ignore")
    def _highest(self, released: Floats, low: Floats) -> Floats:
        """Return the class's sum less the lowest sum of the others, with a margin for rounding."""
        is_known = np.isfinite(low)
        known = np.where(is_known, low, 0.0)
        size = _class_sum(self.label, np.ones(len(low)))
        others_unknown = _class_sum(self.label, (~is_known).astype(np.float64)) - ~is_known
        most = size * (released + self.slack)
        scale = size * (np.abs(released) + self.slack) + _class_sum(self.label, np.abs(known))
        found = most - (_class_sum(self.label, known) - known) + (size + 4) * EPSILON * scale
        return np.where(self.usable & (others_unknown == 0) & np.isfinite(found), found, np.inf)


def class_means(name: str, label: Labels, original: Floats, released: Floats) -> ClassMeans | None:
    """Return the class means of a variable; None if no class is completely filled, or sums overflow."""
    is_blank = ~(np.isfinite(original) & np.isfinite(released))
    usable = _class_sum(label, is_blank.astype(np.float64)) == 0
    if not usable.any():
        return None
    slack = _slack(label, np.where(usable, original, 0.0), np.where(usable, released, 0.0))
    return ClassMeans(name, label, released, usable, slack) if np.isfinite(slack) else None


@np.errstate(all="ignore")
def _slack(label: Labels, original: Floats, released: Floats) -> float:
    """Return the largest distance of a class mean from its released value, plus the rounding of its computation."""
    size = _class_sum(label, np.ones(len(label)))
    mean = _class_sum(label, original / size)
    rounded = (size + 4) * EPSILON * _class_sum(label, np.abs(original) / size)
    apart = np.where(size == 1, np.abs(original - released), np.abs(mean - released) + rounded)
    return float(apart.max())


def _class_sum(label: Labels, values: Floats) -> Floats:
    """Return for each record the sum over its class."""
    return np.bincount(label, values).astype(np.float64)[label]


def shared_rows(codes: Sequence[Codes]) -> Labels:
    """Return a label for each record, the same for records that agree in all codes."""
    label = np.zeros(len(codes[0]), np.int64)
    for column in codes:
        _, own = np.unique(column, return_inverse=True)
        _, label = np.unique(label * (own.max(initial=0) + 1) + own, return_inverse=True)
    return label.astype(np.int64)


ROUNDS = 10
_GAIN = 1e-9
"""A bound moves only if it gains at least this share of the interval, or of itself; less is rounding."""


@dataclass(frozen=True)
class Intervals:
    """The derived intervals: n records x one column per name, -inf and inf where there is no bound.

    `narrowed_by` are the ids of the rules that narrowed the variable, in the order of the rules. `is_final` tells
    whether the last round changed nothing.
    """

    names: tuple[str, ...]
    lo: Floats
    hi: Floats
    narrowed_by: Mapping[str, tuple[str, ...]]
    is_final: bool

    def of(self, name: str) -> Bounds:
        """Return one variable's bounds."""
        at = self.names.index(name)
        return self.lo[:, at], self.hi[:, at]


def infer_intervals(
    start: Box, rules: Sequence[AppliedRule], means: Sequence[ClassMeans] = (), rounds: int = ROUNDS
) -> Intervals:
    """Return the intervals that follow from the starting box, the rules and the class means.

    If every original record satisfies the rules (see `usable_rules`) and lies in the starting box, it lies in the
    result.
    """
    search = _IntervalSearch(start)
    is_final = False
    for _ in range(rounds):
        before = search.box
        for rule in rules:
            search.apply(rule)
        for mean in means:
            search.average(mean)
        is_final = search.box is before
        if is_final:
            break
    return _intervals(search, [rule.id for rule in rules], is_final)


def _intervals(search: _IntervalSearch, order: list[str], is_final: bool) -> Intervals:
    columns = search.box.columns
    shape = (search.box.records, len(columns))
    lo, hi = np.empty(shape, order="F"), np.empty(shape, order="F")
    for at, (low, high) in enumerate(columns.values()):
        lo[:, at], hi[:, at] = low, high
    narrowed_by = {name: tuple(rule for rule in order if rule in ids) for name, ids in search.narrowed_by.items()}
    return Intervals(tuple(columns), lo, hi, narrowed_by, is_final)


class _IntervalSearch:
    """The current box, and the rules that narrowed it. A rule is not tried again until its columns change."""

    def __init__(self, start: Box) -> None:
        self.box = start
        self.narrowed_by: dict[str, set[str]] = {name: set() for name in start.columns}
        self._seen: dict[int, tuple[Bounds, ...]] = {}

    def apply(self, rule: AppliedRule) -> None:
        """Narrow the variables of a rule, on the records to which it applies."""
        if not self._is_new(rule, rule.variables):
            return
        columns = {name: _rows_of(self.box.columns[name], rule.rows) for name in rule.variables}
        found = rule.narrower.narrow(Box(columns, int(rule.rows.sum()), self.box.lattices))
        for name in rule.variables:
            if found.box.columns[name] is not columns[name]:
                new = _onto_rows(self.box.columns[name], found.box.columns[name], rule.rows, found.possible)
                if self._take(name, new):
                    self.narrowed_by[name].add(rule.id)

    def average(self, mean: ClassMeans) -> None:
        """Narrow a variable by its class means."""
        if self._is_new(mean, (mean.name,)):
            found = self.box.within(mean.name, mean.narrow(self.box.columns[mean.name]))
            self._take(mean.name, found.box.columns[mean.name])

    def _is_new(self, what: object, names: tuple[str, ...]) -> bool:
        now = tuple(self.box.columns[name] for name in names)
        seen = self._seen.get(id(what))
        self._seen[id(what)] = now
        return seen is None or any(new is not old for new, old in zip(now, seen, strict=True))

    def _take(self, name: str, new: Bounds) -> bool:
        """Take over bounds that are narrower; tell whether there are any."""
        old = self.box.columns[name]
        gains = _gains(old, new)
        if not any(gain.any() for gain in gains):
            return False
        taken = np.where(gains[0], new[0], old[0]), np.where(gains[1], new[1], old[1])
        self.box = replace(self.box, columns={**self.box.columns, name: taken})
        return True


def _rows_of(bounds: Bounds, rows: Flags) -> Bounds:
    return bounds[0][rows], bounds[1][rows]


def _onto_rows(old: Bounds, new: Bounds, rows: Flags, possible: Flags) -> Bounds:
    """Return the new bounds on the rows where the rule is possible, the old ones elsewhere."""
    low, high = old[0].copy(), old[1].copy()
    at = np.flatnonzero(rows)[possible]
    low[at], high[at] = new[0][possible], new[1][possible]
    return low, high


@np.errstate(all="ignore")
def _gains(old: Bounds, new: Bounds) -> tuple[Flags, Flags]:
    width = old[1] - old[0]
    return (
        new[0] - old[0] > _GAIN * np.minimum(width, np.abs(new[0])),
        old[1] - new[1] > _GAIN * np.minimum(width, np.abs(new[1])),
    )


# What an intruder knows before using the rules: values released unchanged, decimals, class means.

_CLOSE = 0.01
"""If the masking method is unknown, values within this share of a deviation of the class means count as means."""


@dataclass(frozen=True)
class Intruder:
    """`targets` are the masked numeric variables. A cell is `filled` if it holds a number in both files.

    The intruder does not know `original`: it is used to test the rules and to measure the width of intervals.
    """

    scene: Scene
    start: Box
    means: tuple[ClassMeans, ...]
    targets: tuple[str, ...]
    original: Mapping[str, Floats]
    filled: Mapping[str, Flags]
    notes: tuple[Reason, ...]


def intruder_of(pair: Pair, domains: Mapping[str, Floats]) -> Intruder:
    """Return what an intruder knows of a masked file; `domains` are values of other documents, by variable."""
    filled = {v.name: np.isfinite(v.original) & np.isfinite(v.masked) for v in pair.variables}
    credible = [v for v in pair.variables if v.is_masked or bool(v.unchanged.all())]
    numbers = {v.name: v for v in credible if v.scale is Scale.NUMERIC}
    lattices = {name: found for name, v in numbers.items() if (found := _lattice(v, filled[name])) is not None}
    columns = {name: _at_start(v, filled[name]) for name, v in numbers.items()}
    scene = Scene(
        frozenset(v.name for v in credible),
        frozenset(numbers),
        lattices,
        {name: np.unique(values[np.isfinite(values)]) for name, values in domains.items()},
    )
    means = tuple(_means(pair, filled))
    targets = tuple(name for name in pair.numeric if filled[name].any())
    original = {name: v.original for name, v in numbers.items()}
    notes = tuple(_notes(pair, means))
    return Intruder(scene, Box(columns, len(pair), lattices), means, targets, original, filled, notes)


def _at_start(variable: Compared, filled: Flags) -> Bounds:
    """Return the starting bounds: a value released unchanged is known, a masked value is unbounded."""
    is_known = filled & (not variable.is_masked)
    return np.where(is_known, variable.masked, -np.inf), np.where(is_known, variable.masked, np.inf)


def _lattice(variable: Compared, filled: Flags) -> ValueLattice | None:
    """Return the numbers of the variable's grid, if all original values lie on it."""
    found = lattice_of_grid(variable.grid)
    return found if found is not None and bool(found.holds(variable.original[filled]).all()) else None


def _means(pair: Pair, filled: Mapping[str, Flags]) -> Iterator[ClassMeans]:
    for block in pair.blocks:
        names = [v.name for v in pair.variables if v.name in block.names]
        if names and not block.is_weighted and len(pair):
            label = shared_rows([pair[name].masked_code for name in names])
            for name in names:
                found = (
                    class_means(name, label, pair[name].original, pair[name].masked) if name in pair.numeric else None
                )
                if found is not None and _is_mean(found, block, pair[name].original[filled[name]]):
                    yield found


def _is_mean(found: ClassMeans, block: MaskedTogether, original: Floats) -> bool:
    if block.operators:
        return block.operators.get(found.name) == ArithmeticMean.name
    return found.slack <= _CLOSE * deviation(original)


@np.errstate(over="ignore")
def deviation(values: Floats) -> float:
    """Return the standard deviation (n - 1), 0 for fewer than two values; no square overflows."""
    largest = float(np.abs(values).max(initial=0.0))
    if len(values) < 2 or largest == 0:
        return 0.0
    found = float(np.std(values / largest, ddof=1)) * largest
    return found if np.isfinite(found) and np.ptp(values / largest) > 0 else 0.0


def _notes(pair: Pair, means: tuple[ClassMeans, ...]) -> Iterator[Reason]:
    changed = [v.name for v in pair.variables if not v.is_masked and not v.unchanged.all()]
    if changed:
        yield because("changed-unmasked", variables=tuple(changed))
    texts = [v.name for v in pair.variables if v.is_masked and v.scale is not Scale.NUMERIC]
    if texts:
        yield because("only-numbers", variables=tuple(texts))
    used = {mean.name for mean in means}
    unused = [name for name in pair.numeric if name not in used]
    if unused:
        yield because("not-group-means", variables=tuple(unused))
    assumed = [n for block in pair.blocks if not block.operators for n in block.names if n in used]
    if assumed:
        yield because("assumed-group-means", variables=tuple(assumed))
