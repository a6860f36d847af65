"""Interval disclosure: J. Domingo-Ferrer and V. Torra, in Confidentiality, Disclosure and Data Access, 111-133, 2001.

The original value often lies near the masked value. The measure is how often it lies within an interval around it, in
ranks (ID, as in the SCORE) or in standard deviations (SDID: J. M. Mateo-Sanz, F. Sebe and J. Domingo-Ferrer, Outlier
protection in continuous microdata masking, PSD 2004, LNCS 3050, 201-215).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.points import Standardisation as Standard
from constraint_sdc.measures.ranks import ranks_among
from constraint_sdc.settings.reason import Reason, because

WIDTHS = tuple(range(1, 11))
"""The widths p of the intervals, in percent."""


@dataclass(frozen=True)
class VariableDisclosure:
    """One variable: the percentage of its originals within the interval for each width, among `cells` compared."""

    cells: int
    by_rank: Floats
    by_deviation: Floats


@dataclass(frozen=True)
class IntervalDisclosure:
    """The share of original values within the interval around the masked value, in percent; None without a value.

    `rank` and `deviation` are means over variables and widths. `variables` has None where there is no value in both
    files.
    """

    rank: float | None
    deviation: float | None
    variables: tuple[VariableDisclosure | None, ...]


@dataclass(frozen=True)
class RankBase:
    """The part that is the same for all masked files: the original, and the unit of every variable."""

    original: Points
    units: tuple[Standard, ...]

    @staticmethod
    def of(original: Points) -> RankBase:
        """Return the base of an original file, n x d, NaN for blanks."""
        return RankBase(original, tuple(Standard.of(column) for column in original.T))

    def disclosure(self, masked: Points) -> IntervalDisclosure:
        """Return the disclosure of a masked file; its rows are the records of the original."""
        found = tuple(
            _variable(before, after, unit)
            for before, after, unit in zip(self.original.T, masked.T, self.units, strict=True)
        )
        return IntervalDisclosure(_mean_of(found, "by_rank"), _mean_of(found, "by_deviation"), found)


def interval_disclosure(original: Points, masked: Points) -> IntervalDisclosure:
    """Return the interval disclosure of n x d numbers; blanks are NaN, and such cells are not counted.

    >>> interval_disclosure(np.array([[1.0], [2.0], [9.0]]), np.array([[1.5], [1.5], [9.0]])).rank
    33.33333333333333
    """
    return RankBase.of(original).disclosure(masked)


def _variable(original: Floats, masked: Floats, unit: Standard) -> VariableDisclosure | None:
    both = ~(np.isnan(original) | np.isnan(masked))
    original, masked = original[both], masked[both]
    if len(original) == 0:
        return None
    needed = rank_distance(original, masked)
    reach = np.array([width * len(original) // 200 for width in WIDTHS])
    apart = np.abs(unit.place(original) - unit.place(masked))
    widths = np.array(WIDTHS) / 100 * (1.0 + 1e-12)  # a difference of exactly p percent is within, despite rounding
    by_rank, by_deviation = _share_within(needed, reach), _share_within(apart, widths)
    return VariableDisclosure(len(original), by_rank, by_deviation)


def rank_distance(original: Floats, masked: Floats) -> Floats:
    """Return for every record how many ranks of the masked order its interval needs to contain the original.

    The interval runs from the masked value w ranks below the record's own to the one w ranks above. Equal masked values
    have their middle rank. The interval ends with the file: an original beyond all masked values is never within it.
    """
    ordered = np.sort(masked)
    less, up_to = ranks_among(ordered, masked)
    place = (less + up_to) // 2
    above, below = ranks_among(ordered, original)
    below -= 1
    needed: Floats = np.maximum(np.maximum(above - place, place - below), 0).astype(np.float64)
    needed[(above == len(ordered)) | (below < 0)] = np.inf
    return needed


def _share_within(needed: Floats, reaches: Floats) -> Floats:
    """Return for every reach the percentage of records that need no more."""
    share: Floats = 100.0 * np.searchsorted(np.sort(needed), reaches, "right") / len(needed)
    return share


def _mean_of(found: Sequence[VariableDisclosure | None], which: str) -> float | None:
    shares = [getattr(one, which) for one in found if one is not None]
    return float(np.mean(shares)) if shares else None


class IntervalDisclosureRisk:
    """How often the original value lies close to the masked one."""

    name: ClassVar[str] = "interval-disclosure"
    title: ClassVar[str] = "Interval disclosure (ID)"
    traits: ClassVar[MeasureTraits] = MeasureTraits("risk", unmasked=100.0)

    def measure(self, pair: Pair) -> Measured:
        """Measure all masked numeric variables, whether or not the intruder knows them."""
        found = interval_disclosure(*pair.numbers(pair.numeric))
        figures = (
            Figure("rank", "original values within the rank interval (ID)", found.rank),
            Figure("deviation", "original values within the interval by standard deviation", found.deviation),
        )
        tables = (_by_variable(pair.numeric, found), _by_width(found))
        return Measured(self.name, self.title, figures, _says(found), tables, tuple(_notes(pair, found)))


REGISTERED = {"interval-disclosure": IntervalDisclosureRisk()}


def _says(found: IntervalDisclosure) -> str:
    if found.rank is None:
        return "Not measured: no masked numeric variable has a value in both files."
    return (
        f"{found.rank:.2f}% of the original values lie within the rank interval around their masked value, and "
        f"{found.deviation:.2f}% within 1 to 10% of a standard deviation of it."
    )


def _notes(pair: Pair, found: IntervalDisclosure) -> Iterator[Reason]:
    compared = sum(one.cells for one in found.variables if one is not None)
    blank = len(pair) * len(pair.numeric) - compared
    if blank:
        yield because("cells-blank", cells=blank)
    empty = [name for name, one in zip(pair.numeric, found.variables, strict=True) if one is None]
    if empty:
        yield because("no-value-in-both", variables=tuple(empty))
    if found.rank is None:
        yield because("share-not-defined")


def _by_variable(names: Sequence[str], found: IntervalDisclosure) -> ResultTable:
    head = ("variable", "values compared", "by rank", "by standard deviation")
    rows = tuple(
        (name, 0, None, None)
        if one is None
        else (name, one.cells, float(one.by_rank.mean()), float(one.by_deviation.mean()))
        for name, one in zip(names, found.variables, strict=True)
    )
    units = (None, Unit.COUNT, Unit.PERCENT, Unit.PERCENT)
    return ResultTable("variables", "Interval disclosure by variable", head, units, rows)


def _by_width(found: IntervalDisclosure) -> ResultTable:
    there = [one for one in found.variables if one is not None]
    rows = tuple(
        (width, float(np.mean([v.by_rank[i] for v in there])), float(np.mean([v.by_deviation[i] for v in there])))
        for i, width in enumerate(WIDTHS)
        if there
    )
    head = ("width p, in percent", "by rank", "by standard deviation")
    units = (Unit.COUNT, Unit.PERCENT, Unit.PERCENT)
    return ResultTable("widths", "Interval disclosure by width of the interval", head, units, rows)
