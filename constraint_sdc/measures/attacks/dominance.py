"""Dominance: a group's size times its mean is its total, and the total of a dominated group is its largest member.

The p% rule of A. Hundepool et al., Statistical Disclosure Control, 2012, on groups instead of cells: the
second largest member subtracts its own value from the total and so estimates the largest one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Floats, Labels
from constraint_sdc.data.pair import Compared, Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.parameters import measure_parameter
from constraint_sdc.measures.risk.achieved_k import classes
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale


@dataclass(frozen=True)
class Dominated:
    """The groups of one variable whose largest value can be estimated, by anybody and by the second largest member.

    `seen` and `by_second` are the errors of both estimates, relative to the largest value, one for every group.
    """

    name: str
    seen: Floats
    by_second: Floats

    @property
    def groups(self) -> int:
        """Return the number of groups that were attacked."""
        return len(self.seen)

    def exposed(self, p: float) -> int:
        """Return in how many groups the second largest member is right to p per cent."""
        return int((self.by_second <= p / 100).sum())

    def exposed_to_all(self, p: float) -> int:
        """Return in how many groups size times mean alone is right to p per cent."""
        return int((self.seen <= p / 100).sum())


def dominated(name: str, label: Labels, original: Floats, masked: Floats) -> Dominated:
    """Attack each group of two or more records; those whose largest absolute value is 0 have nothing to hide.

    Contributions are absolute values, as in the p% rule; a group with values of both signs is attacked all the same.
    """
    order = np.lexsort((np.abs(original), label))  # members of a group by size, equals in file order
    starts = np.flatnonzero(np.diff(label[order], prepend=label[order[:1]] - 1))
    sizes = np.diff(starts, append=len(order))
    first = np.minimum.reduceat(order, starts) if len(order) else order
    largest = original[order[starts + sizes - 1]]
    is_attacked = (sizes > 1) & (largest != 0.0)
    second = original[order[starts + sizes - 2]]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        total = sizes * masked[first]
        seen = np.abs(total - largest) / np.abs(largest)
        by_second = np.abs(total - second - largest) / np.abs(largest)
    return Dominated(name, seen[is_attacked], by_second[is_attacked])


@dataclass(frozen=True)
class DominanceAttack:
    """Estimate the largest value of every group from the group's size, its masked value and the second largest value.

    `p` is how close an estimate counts as a disclosure, in per cent of the value.
    """

    name: ClassVar[str] = "dominance"
    title: ClassVar[str] = "Dominance"
    traits: ClassVar[MeasureTraits] = MeasureTraits("attack", misses=because("misses-coalitions"))

    p: float = measure_parameter(
        "How close an estimate counts as disclosure, in per cent.", 10.0, least=0.0, most=100.0
    )

    def measure(self, pair: Pair) -> Measured:
        """Return how many groups give their largest value away, variable by variable."""
        found = [one for one in _attacked(pair) if one.groups]
        if not found:
            why = because("no-groups-of-numbers")
            return Measured(self.name, self.title, self._figures(()), because("not-run", why=why), notes=(why,))
        figures = self._figures(found)
        groups = sum(one.groups for one in found)
        says = (
            f"In {figures[0].value:.2f}% of {groups:,} groups the second largest member estimates the largest value to "
            f"{self.p:g}%; in {figures[2].value:.2f}% size times mean is enough."
        )
        return Measured(self.name, self.title, figures, says, (self._table(found),), tuple(_notes(pair)))

    def _figures(self, found: Sequence[Dominated]) -> tuple[Figure, ...]:
        groups = sum(one.groups for one in found)
        second, everybody = sum(one.exposed(self.p) for one in found), sum(one.exposed_to_all(self.p) for one in found)
        nearest = min((float(one.seen.min()) for one in found), default=np.nan)
        return (
            Figure("exposed", "groups whose largest value the second largest estimates", _share(second, groups)),
            Figure("groups-exposed", "how many", second if groups else None, Unit.COUNT),
            Figure("exposed-to-all", "groups whose largest value size times mean estimates", _share(everybody, groups)),
            Figure("groups-exposed-to-all", "how many", everybody if groups else None, Unit.COUNT),
            Figure("groups", "groups attacked, of all variables", groups if groups else None, Unit.COUNT),
            Figure("nearest", "smallest error of size times mean", 100.0 * nearest if np.isfinite(nearest) else None),
        )

    def _table(self, found: Sequence[Dominated]) -> ResultTable:
        head = ("variable", "groups", "exposed to the second largest", "exposed to all")
        units = (None, Unit.COUNT, Unit.COUNT, Unit.COUNT)
        rows = tuple((one.name, one.groups, one.exposed(self.p), one.exposed_to_all(self.p)) for one in found)
        return ResultTable("variables", "Dominated groups by variable", head, units, rows)


REGISTERED = {"dominance": DominanceAttack()}


def _share(part: int, whole: int) -> float | None:
    return 100.0 * part / whole if whole else None


def _attacked(pair: Pair) -> Iterator[Dominated]:
    """Yield every masked number of a block; records that share all masked values of the block are a group."""
    there = {v.name: v for v in pair.variables}
    for block in pair.blocks if len(pair) else ():
        members = [there[name] for name in block.names if name in there]
        if not members:
            continue
        label = classes([v.masked_code for v in members])
        for variable in members:
            if variable.scale is Scale.NUMERIC and variable.grid.notation is None:
                yield _of_filled(variable, label)


def _of_filled(variable: Compared, label: Labels) -> Dominated:
    """Attack the groups of the records that have a number in both files."""
    filled = np.isfinite(variable.original) & np.isfinite(variable.masked)
    return dominated(variable.name, label[filled], variable.original[filled], variable.masked[filled])


def _notes(pair: Pair) -> Iterator[Reason]:
    yield because("groups-by-values")
    if pair.computed:
        yield because("totals-computed", variables=pair.computed)
