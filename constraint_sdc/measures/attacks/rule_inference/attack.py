"""Rule inference: what published edit rules reveal to an intruder about masked values.

The intruder has the masked file and the rules, and knows which variables are released unchanged and that every original
record satisfies the rules. The attack derives, for each masked value, the interval in which the original must lie.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar
from typing import Literal as OneOf

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.data.pair import Compared, Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureInputs, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.attacks.rule_inference.intervals import (
    Intervals,
    Intruder,
    deviation,
    infer_intervals,
    intruder_of,
)
from constraint_sdc.measures.attacks.rule_inference.narrowing import AppliedRule, UsableRules, usable_rules
from constraint_sdc.measures.attacks.rule_inference.value_bounds import Bounds
from constraint_sdc.plan.calendar_rules import rules_on_calendar
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

# Summary of the intervals: how many masked values are revealed, bounded or nearly known. No single record is shown.

_EXACT = 1e-9
_NEAR = 0.1


@dataclass(frozen=True, slots=True)
class VariableInferred:
    """One variable's intervals. `width` is their median in standard deviations of the original.

    It is None if half of them are unbounded or the variable is constant. The other fields are shares of the cells, 0 to
    1: bounded on both sides, no wider than a tenth of a deviation, known exactly, with a masked value outside the
    interval.
    """

    name: str
    cells: int
    width: float | None
    bounded: float
    near: float
    pinned: float
    impossible: float
    rules: tuple[str, ...]


def summarise(variable: Compared, intervals: Intervals, filled: Flags) -> VariableInferred:
    """Return the summary of one variable's intervals, over the cells that are filled in both files."""
    low, high = (end[filled] for end in intervals.of(variable.name))
    masked, original = variable.masked[filled], variable.original[filled]
    width, unit, exact = _width((low, high)), deviation(original), _exact((low, high), original)
    margin = _EXACT * _size(original)
    return VariableInferred(
        variable.name,
        len(original),
        _median(width, unit),
        float((np.isfinite(low) & np.isfinite(high)).mean()),
        float((exact | (width <= _NEAR * unit)).mean()),
        float(exact.mean()),
        float(((masked < low - margin) | (masked > high + margin)).mean()),
        intervals.narrowed_by[variable.name],
    )


def pinned(variable: Compared, intervals: Intervals, filled: Flags) -> Flags:
    """Tell which filled cells are known exactly: one number is left, up to the last digits of a double."""
    low, high = (end[filled] for end in intervals.of(variable.name))
    return _exact((low, high), variable.original[filled])


def _exact(bounds: Bounds, original: Floats) -> Flags:
    largest = np.maximum(np.abs(bounds[0]), np.abs(bounds[1]))
    digits = 4 * np.spacing(np.where(np.isfinite(largest), largest, 0.0))
    is_one: Flags = _width(bounds) <= np.maximum(_EXACT * _size(original), digits)
    return is_one


def _size(original: Floats) -> float:
    """Return the unit of differences: the deviation, or for a constant its absolute value."""
    return deviation(original) or float(np.abs(original).max(initial=0.0)) or 1.0


@np.errstate(over="ignore")
def _width(bounds: Bounds) -> Floats:
    return np.subtract(bounds[1], bounds[0])


@np.errstate(over="ignore")
def _median(width: Floats, unit: float) -> float | None:
    middle = float(np.median(width))
    return middle / unit if unit > 0 and math.isfinite(middle) and math.isfinite(middle / unit) else None


@dataclass(frozen=True, slots=True)
class Inferred:
    """The values that can be inferred; shares of all cells, 0 to 1, None without any cell.

    Known exactly: only because of the rules, in all, from rules and unmasked values alone, from the masked file without
    rules. `from_rules` and `from_both` tell more by variable: without and with the masked values.
    """

    cells: int
    pinned_by_rules: float | None
    pinned: float | None
    pinned_rules_only: float | None
    pinned_without_rules: float | None
    from_rules: tuple[VariableInferred, ...]
    from_both: tuple[VariableInferred, ...]
    is_final: bool

    def average(self, what: OneOf["bounded", "near", "impossible"]) -> float | None:
        """Return a share of all cells, from rules and masked values."""
        total = sum(variable.cells * float(getattr(variable, what)) for variable in self.from_both)
        return total / self.cells if self.cells else None


def infer(pair: Pair, intruder: Intruder, rules: Sequence[AppliedRule]) -> Inferred:
    """Return what an intruder derives from rules that the original satisfies."""
    from_masked = infer_intervals(intruder.start, (), intruder.means)
    from_rules = infer_intervals(intruder.start, rules)
    from_both = infer_intervals(intruder.start, rules, intruder.means)
    before, alone, after = (_pinned(pair, intruder, found) for found in (from_masked, from_rules, from_both))
    return Inferred(
        len(after),
        _share(after & ~before),
        _share(after),
        _share(alone),
        _share(before),
        _summaries(pair, intruder, from_rules),
        _summaries(pair, intruder, from_both),
        from_rules.is_final and from_both.is_final,
    )


class RuleInference:
    """Derive from the published rules and the masked values the interval in which every original value must lie.

    `domains` are the values in other documents that rules refer to.
    """

    name: ClassVar[str] = "rule-inference"
    title: ClassVar[str] = "What the rules give away"
    traits: ClassVar[MeasureTraits] = MeasureTraits("attack", needs_rules=True)

    def __init__(self, rules: Sequence[EditRule] = (), domains: Mapping[str, Floats] | None = None) -> None:
        self.rules = tuple(rules)
        self.domains = dict(domains or {})

    def prepared(self, inputs: MeasureInputs) -> RuleInference | None:
        """Return the attack with the rules of the run, None without any."""
        return RuleInference(inputs.rules, inputs.domains) if inputs.rules else None

    def measure(self, pair: Pair) -> Measured:
        """Return how many masked values the rules give away, and how narrow the intervals of the others are."""
        intruder = intruder_of(pair, self.domains)
        dates = {v.name: v.grid.notation for v in pair.variables if v.scale is Scale.NUMERIC and v.grid.notation}
        rules = rules_on_calendar(self.rules, dates)
        usable = usable_rules(rules, intruder.scene, intruder.original, intruder.filled)
        found = infer(pair, intruder, usable.rules)
        tables = (
            _table("rules", "Intervals from the rules and the values that are not masked", found.from_rules),
            _table("rules-and-masked", "Intervals from the rules and all released values", found.from_both),
        )
        notes = tuple(_notes(self.rules, usable, intruder, found.is_final))
        return Measured(self.name, self.title, _figures(found), _says(found), tables, notes)


REGISTERED = {"rule-inference": RuleInference()}


def _summaries(pair: Pair, intruder: Intruder, found: Intervals) -> tuple[VariableInferred, ...]:
    return tuple(summarise(pair[name], found, intruder.filled[name]) for name in intruder.targets)


def _pinned(pair: Pair, intruder: Intruder, found: Intervals) -> Flags:
    """Tell for all masked cells, one variable after the other, which are known exactly."""
    cells = [pinned(pair[name], found, intruder.filled[name]) for name in intruder.targets]
    return np.concatenate([np.zeros(0, np.bool_), *cells])


def _share(cells: Flags) -> float | None:
    return float(cells.mean()) if len(cells) else None


def _figures(found: Inferred) -> tuple[Figure, ...]:
    shares = (
        ("pinned-by-rules", "masked values known exactly only because of the rules", found.pinned_by_rules),
        ("pinned", "masked values known exactly, from rules and masked file", found.pinned),
        ("pinned-rules-only", "known exactly from rules and unmasked values alone", found.pinned_rules_only),
        ("pinned-without-rules", "known exactly from the masked file without rules", found.pinned_without_rules),
        ("bounded", "masked values bounded on both sides", found.average("bounded")),
        ("near", "masked values known to a tenth of a standard deviation", found.average("near")),
        ("impossible", "masked values that the original cannot have had", found.average("impossible")),
    )
    figures = tuple(Figure(name, label, None if share is None else 100 * share) for name, label, share in shares)
    return (*figures, Figure("cells", "masked values examined", found.cells, Unit.COUNT))


def _says(found: Inferred) -> str:
    added, bounded = found.pinned_by_rules, found.average("bounded")
    if added is None or bounded is None:
        return "No masked variable is numeric, so there is nothing to derive."
    what = f"give away {added:.2%} of the masked values exactly" if added else "give no masked value away exactly"
    return f"The rules {what}, beyond what the masked file shows; {bounded:.2%} are bounded on both sides."


_HEAD = (
    ("variable", None),
    ("median width in standard deviations", Unit.PLAIN),
    ("bounded on both sides", Unit.PERCENT),
    ("known to a tenth of a standard deviation", Unit.PERCENT),
    ("known exactly", Unit.PERCENT),
    ("masked value impossible", Unit.PERCENT),
    ("rules", None),
)


def _table(name: str, title: str, variables: tuple[VariableInferred, ...]) -> ResultTable:
    rows = tuple(
        (
            v.name,
            v.width,
            100 * v.bounded,
            100 * v.near,
            100 * v.pinned,
            100 * v.impossible,
            ", ".join(v.rules) or None,
        )
        for v in variables
    )
    return ResultTable(name, title, tuple(h for h, _ in _HEAD), tuple(unit for _, unit in _HEAD), rows)


def _notes(rules: tuple[EditRule, ...], usable: UsableRules, intruder: Intruder, is_final: bool) -> Iterator[Reason]:
    yield from intruder.notes
    if not intruder.targets:
        yield because("no-masked-numbers")
    if not rules:
        yield because("no-rules")
    if usable.silent:
        yield because("rules-silent", rules=tuple(usable.silent), of=len(rules))
    if usable.broken:
        yield because("rules-broken-before", rules=tuple(usable.broken))
    if not is_final:
        yield because("narrowing-stopped")
