"""Uniqueness: C. J. Skinner and M. J. Elliot, J. R. Statist. Soc. B 64, 855-867, 2002; here in the file, not beyond it.

A record whose values no other record shares can be identified. Masking should leave few of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from constraint_sdc.arrays import Codes
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.risk.achieved_k import achieved_k
from constraint_sdc.settings.reason import Reason, because

_MOST_PAIRS = 66
"""The most pairs of variables in the table: those of twelve variables."""


@dataclass(frozen=True)
class Uniqueness:
    """How many of the records are unique in some variables, before masking and after."""

    records: int
    before: int
    after: int

    @property
    def percent_before(self) -> float:
        """Return the share before masking."""
        return 100.0 * self.before / self.records

    @property
    def percent_after(self) -> float:
        """Return the share after masking."""
        return 100.0 * self.after / self.records


def uniqueness(original: Sequence[Codes], masked: Sequence[Codes]) -> Uniqueness | None:
    """Count unique records by the codes of some variables; None without a variable or a record."""
    before, after = achieved_k(original), achieved_k(masked)
    if before is None or after is None:
        return None
    return Uniqueness(len(original[0]), before.records_below(2), after.records_below(2))


class UniquenessRisk:
    """How many records are unique in what an intruder knows, before masking and after."""

    name: ClassVar[str] = "uniqueness"
    title: ClassVar[str] = "Unique records"
    traits: ClassVar[MeasureTraits] = MeasureTraits("risk")

    def measure(self, pair: Pair) -> Measured:
        """Count over all known variables, each of them alone, and every two of them if there are not too many."""
        whole = _in(pair, pair.known)
        if whole is None:
            why = because("nothing-to-count")
            figures = tuple(Figure(n, f"unique records {n} masking", None) for n in ("after", "before"))
            return Measured(self.name, self.title, figures, because("not-measured", why=why), notes=(why,))
        figures = (
            Figure("after", "unique records after masking", whole.percent_after),
            Figure("before", "unique records before masking", whole.percent_before),
            Figure("records-after", "how many after", whole.after, Unit.COUNT),
            Figure("records-before", "how many before", whole.before, Unit.COUNT),
        )
        known = pair.known[0] if len(pair.known) == 1 else f"the {len(pair.known)} known variables"
        says = (
            f"{whole.percent_after:.2f}% of the records are unique in {known} after masking; before, "
            f"{whole.percent_before:.2f}% were."
        )
        return Measured(self.name, self.title, figures, says, (_table(pair),), tuple(_notes(pair)))


REGISTERED = {"uniqueness": UniquenessRisk()}


def _in(pair: Pair, names: Sequence[str]) -> Uniqueness | None:
    return uniqueness([pair[name].original_code for name in names], [pair[name].masked_code for name in names])


def _has_all_pairs(pair: Pair) -> bool:
    return len(pair.known) * (len(pair.known) - 1) // 2 <= _MOST_PAIRS


def _combinations(pair: Pair) -> Iterator[tuple[str, ...]]:
    yield from combinations(pair.known, 1)
    if _has_all_pairs(pair):
        yield from combinations(pair.known, 2)


def _table(pair: Pair) -> ResultTable:
    head = ("variables", "unique before", "unique after", "records before", "records after")
    units = (None, Unit.PERCENT, Unit.PERCENT, Unit.COUNT, Unit.COUNT)
    found = ((names, _in(pair, names)) for names in _combinations(pair))
    rows = tuple(
        (", ".join(names), u.percent_before, u.percent_after, u.before, u.after) for names, u in found if u is not None
    )
    return ResultTable("combinations", "Unique records by one and by two known variables", head, units, rows)


def _notes(pair: Pair) -> Iterator[Reason]:
    yield because("unique-in-file")
    if not _has_all_pairs(pair):
        yield because("single-variables-only", known=len(pair.known))
