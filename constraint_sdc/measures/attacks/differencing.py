"""Differencing: two releases of the same file, masked with another k, seed or partition, are laid over each other.

A record is in one group of each release. The two groups have fewer records in common than each has, and the totals of
groups, size times mean, can be subtracted from each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Counts, Floats, Labels
from constraint_sdc.data.pair import Compared, Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.attacks.group_totals import derived_values
from constraint_sdc.measures.nearest import links
from constraint_sdc.measures.points import places_of
from constraint_sdc.measures.risk.achieved_k import classes
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

_RIGHT = 0.01
"""A derived value that misses the truth by at most this part of it counts as disclosed."""
_LEAST_K = 3
"""The group size below which a record counts as narrowed, where no certificate promises one."""


@dataclass(frozen=True)
class Differenced:
    """One variable under both releases.

    `first`, `second` and `both` are for every record the sizes of its groups and of what they have in common. `derived`
    are values that follow from the totals, NaN where none does, and `width` how wide the interval of both releases is,
    relative to that of the first: both None for what is not a number.
    """

    name: str
    first: Counts
    second: Counts
    both: Counts
    derived: int | None
    width: float | None

    def narrowed(self, k: int) -> int:
        """Return how many records each release hides among k, but not both together."""
        return int(((self.first >= k) & (self.second >= k) & (self.both < k)).sum())

    def alone(self, k: int) -> int:
        """Return how many records each release hides among k, but both together not at all."""
        return int(((self.first >= k) & (self.second >= k) & (self.both == 1)).sum())


def common(first: Labels, second: Labels) -> tuple[Counts, Counts, Counts]:
    """Return for every record the sizes of its two groups and of their common part.

    >>> [sizes.tolist() for sizes in common(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))]
    [[3, 3, 3, 1], [2, 2, 2, 2], [2, 2, 1, 1]]
    """
    together = classes([first, second])
    one, two, three = (np.bincount(label)[label] for label in (first, second, together))
    return one, two, three


def relative_width(first: Labels, second: Labels, one: Floats, other: Floats) -> float | None:
    """Return the mean width of the intervals of values that are not negative, relative to those of one release.

    With one release a value lies between 0 and the total of its group. With both it lies below the smaller total, and
    above what remains of its first group's total if every other member takes as much as it can. None if no total is
    above 0.
    """
    total, second_total = (np.bincount(at)[at] * values for at, values in ((first, one), (second, other)))
    high = np.minimum(total, second_total)
    others = np.bincount(first, high)[first] - high
    low = np.clip(total - others, 0.0, high)
    positive = total > 0
    return float(((high - low)[positive] / total[positive]).mean()) if positive.any() else None


class Differencing:
    """Lay another release of the same file over the masked one: candidates left, values derived, records linked."""

    name: ClassVar[str] = "differencing"
    title: ClassVar[str] = "Differencing of two releases"
    traits: ClassVar[MeasureTraits] = MeasureTraits("attack", needs_release=True)

    def measure(self, pair: Pair) -> Measured:
        """Compare the groups of both releases variable by variable, and link their records."""
        found = [] if pair.other is None or not len(pair) else [*_differenced(pair, pair.other)]
        if pair.other is None or not found:
            why = because("no-other-release") if pair.other is None else because("releases-share-nothing")
            return Measured(self.name, self.title, _figures((), 1, None), because("not-run", why=why), notes=(why,))
        k = min((size for size in (pair.k, pair.other.k) if size is not None), default=_LEAST_K)
        linked = _linked(pair, pair.other)
        figures = _figures(found, k, linked)
        says = (
            f"{figures[0].value:.2f}% of the masked cells have fewer than {k} candidates in both releases together, "
            f"although each release alone leaves at least {k}; {linked:.2f}% of the records are linked between them."
        )
        return Measured(self.name, self.title, figures, says, (_table(found, k),), tuple(_notes(pair, pair.other)))


REGISTERED = {"differencing": Differencing()}


def _differenced(pair: Pair, other: Pair) -> Iterator[Differenced]:
    """Yield every variable that both releases mask; each release has its own blocks."""
    theirs = dict(_grouped(other))
    for name, label in _grouped(pair):
        if name in theirs:
            yield _compare(pair[name], other[name], label, theirs[name])


def _grouped(pair: Pair) -> Iterator[tuple[str, Labels]]:
    there = {v.name for v in pair.variables}
    for block in pair.blocks:
        names = [name for name in block.names if name in there]
        label = classes([pair[name].masked_code for name in names]) if names else np.zeros(0, np.int64)
        yield from ((name, label) for name in names)


def _compare(one: Compared, other: Compared, first: Labels, second: Labels) -> Differenced:
    sizes = common(first, second)
    filled = np.isfinite(one.original) & np.isfinite(one.masked) & np.isfinite(other.masked)
    if one.scale is not Scale.NUMERIC or one.grid.notation is not None or not filled.all():
        return Differenced(one.name, *sizes, None, None)
    values = derived_values(first, second, one.masked, other.masked)
    with np.errstate(invalid="ignore"):
        right = int((np.abs(values - one.original) <= _RIGHT * np.abs(one.original)).sum())
    has_negative = (one.masked < 0).any() or (other.masked < 0).any()
    width = None if has_negative else relative_width(first, second, one.masked, other.masked)
    return Differenced(one.name, *sizes, right, width)


def _linked(pair: Pair, other: Pair) -> float:
    """Return the share of records whose nearest record of the other release is their own, ties shared."""
    there = {v.name for v in other.variables}
    shared = [_between(v, other[v.name]) for v in pair.variables if v.name in there]
    places = places_of(shared, len(pair))
    found = links(places.original, places.masked, np.arange(len(pair)))
    return 100.0 * float(found.credit.mean())


def _between(one: Compared, other: Compared) -> Compared:
    """Return the variable with the first release as the original; categories have the codes of the first pair."""
    if Scale.NUMERIC in (one.scale, other.scale) and one.scale is not other.scale:
        return replace(one, scale=Scale.NOMINAL, original_code=one.masked_code, masked_code=other.masked_code)
    return replace(
        one,
        scale=one.scale if one.scale is Scale.NUMERIC else Scale.NOMINAL,
        original=one.masked,
        masked=other.masked,
        original_code=one.masked_code,
        masked_code=other.masked_code,
    )


def _figures(found: Sequence[Differenced], k: int, linked: float | None) -> tuple[Figure, ...]:
    cells = sum(len(one.both) for one in found)
    of_numbers = [one for one in found if one.derived is not None]
    numbers = sum(len(one.both) for one in of_numbers)
    widths = [one.width for one in found if one.width is not None]
    return (
        Figure("narrowed", "cells with fewer than k candidates only together", _share(_sum(found, k), cells)),
        Figure("alone", "of these, with one candidate", _share(sum(one.alone(k) for one in found), cells)),
        Figure("derived", "values derived to 1%", _share(sum(one.derived or 0 for one in of_numbers), numbers)),
        Figure("width", "mean width of intervals, relative to one release", _mean(widths)),
        Figure("linked", "records linked between the releases", linked),
        Figure("cells", "cells compared", cells if cells else None, Unit.COUNT),
    )


def _sum(found: Sequence[Differenced], k: int) -> int:
    return sum(one.narrowed(k) for one in found)


def _share(part: int, whole: int) -> float | None:
    return 100.0 * part / whole if whole else None


def _mean(widths: Sequence[float]) -> float | None:
    return 100.0 * sum(widths) / len(widths) if widths else None


def _table(found: Sequence[Differenced], k: int) -> ResultTable:
    head = ("variable", "narrowed", "to one candidate", "derived to 1%", "interval width")
    units = (None, Unit.COUNT, Unit.COUNT, Unit.COUNT, Unit.PERCENT)
    rows = tuple(
        (one.name, one.narrowed(k), one.alone(k), one.derived, None if one.width is None else 100.0 * one.width)
        for one in found
    )
    return ResultTable("variables", "Both releases together, by variable", head, units, rows)


def _notes(pair: Pair, other: Pair) -> Iterator[Reason]:
    yield because("releases-aligned")
    if pair.k is None and other.k is None:
        yield because("narrowed-below", k=_LEAST_K)
