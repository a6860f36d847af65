"""Record linkage by subsets: DBRL averaged over the subsets of variables that an intruder may know.

J. Domingo-Ferrer and V. Torra, A quantitative comparison of disclosure control methods for microdata, in
Confidentiality, Disclosure and Data Access, 111-133, 2001, average over the number of known variables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Rows
from constraint_sdc.data.pair import Pair
from constraint_sdc.errors import UsageError
from constraint_sdc.measures.assessment import Figure, Measured, MeasureInputs, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.column_links import ColumnLinks
from constraint_sdc.measures.parameters import measure_parameter
from constraint_sdc.measures.points import Places, joined, place
from constraint_sdc.measures.risk.distance_linkage import linkage_of, not_linked
from constraint_sdc.settings.reason import Reason, because

Subset = tuple[int, ...]


@dataclass(frozen=True)
class SizeLinkage:
    """The linkage of intruders who know `size` variables: over `tried` of `possible` subsets, in percent."""

    size: int
    tried: int
    possible: int
    mean: float
    largest: float
    worst: Subset


def subset_linkage(
    places: Sequence[Places], rows: Rows, per_size: int, seed: int, largest: int = 0
) -> tuple[SizeLinkage, ...]:
    """Link the masked records in `rows` by subsets of the variables; one `Places` each, of at least one record.

    Of every size, up to the `largest` (0: all variables), at most `per_size` subsets are tried: all of them, or a
    sample drawn by `seed`. Smaller sizes are drawn alike whatever the largest is.
    """
    sizes = range(1, min(largest or len(places), len(places)) + 1)
    whole = joined(places, len(places[0].original))
    ends = np.cumsum([0, *(each.original.shape[1] for each in places)])
    columns = [np.arange(*ends[j : j + 2]) for j in range(len(places))]
    search = ColumnLinks(whole.masked[rows], whole.original, rows)
    return tuple(_one_size(search, columns, size, per_size, seed) for size in sizes)


def _one_size(search: ColumnLinks, columns: Sequence[Rows], size: int, per_size: int, seed: int) -> SizeLinkage:
    subsets = list(drawn_subsets(len(columns), size, per_size, seed))
    found = [
        linkage_of(search.links(np.concatenate([columns[j] for j in subset]))).percent or 0.0 for subset in subsets
    ]
    worst = int(np.argmax(found))
    possible = math.comb(len(columns), size)
    return SizeLinkage(size, len(subsets), possible, float(np.mean(found)), found[worst], subsets[worst])


def drawn_subsets(count: int, size: int, at_most: int, seed: int) -> Iterator[Subset]:
    """Yield different subsets of 0..count-1: all of them in order, or `at_most` drawn ones."""
    if math.comb(count, size) <= at_most:
        yield from combinations(range(count), size)
        return
    random = np.random.default_rng([seed, size])
    met: set[Subset] = set()
    while len(met) < at_most:
        subset = tuple(sorted(random.choice(count, size, replace=False).tolist()))
        if subset not in met:
            met.add(subset)
            yield subset


@dataclass(frozen=True)
class SubsetLinkage:
    """How many masked records an intruder links who knows only some of the variables."""

    name: ClassVar[str] = "subset-linkage"
    title: ClassVar[str] = "Record linkage averaged over what an intruder may know"
    traits: ClassVar[MeasureTraits] = MeasureTraits("risk", draws=True)

    known_at_most: int = measure_parameter("Variables that the intruder knows, at most; 0 for no bound.", 0, least=0)
    per_size: int = measure_parameter("Subsets tried of every size, at most.", 10, least=1)
    records: int = measure_parameter("Masked records linked, at most.", 2_000, least=1)
    seed: int = 0

    def prepared(self, inputs: MeasureInputs) -> SubsetLinkage:
        """Return the measure with the seed of the run."""
        return replace(self, seed=inputs.seed)

    def measure(self, pair: Pair) -> Measured:
        """Link by subsets of the known variables of every size."""
        if not pair.known:
            return not_linked(self.name, self.title, because("nothing-known"))
        if len(pair) == 0:
            return not_linked(self.name, self.title, because("no-record-to-link"))
        places = [place(pair[name]) for name in pair.known]
        rows = sampled_rows(len(pair), self.records, self.seed)
        sizes = subset_linkage(places, rows, self.per_size, self.seed, self.known_at_most)
        mean = float(np.mean([size.mean for size in sizes]))
        largest = max(sizes, key=lambda size: size.largest)
        figures = (
            Figure("linked", "masked records linked to the right original, mean over sizes", mean),
            Figure("largest", "the most that any subset links", largest.largest),
            Figure("subsets", "subsets tried", sum(size.tried for size in sizes), Unit.COUNT),
            Figure("records", "records linked", len(rows), Unit.COUNT),
        )
        says = (
            f"Averaged over intruders who know 1 to {len(sizes)} variables, {mean:.2f}% of the masked records are "
            f"linked to the right person; the best subset links {largest.largest:.2f}%."
        )
        notes = [note for each in places for note in each.notes]
        notes += _notes(sizes, len(rows), len(pair), self.seed)
        return Measured(self.name, self.title, figures, says, (_table(sizes, pair.known),), tuple(notes))


REGISTERED = {"subset-linkage": SubsetLinkage()}


def require_known_at_most(bound: object) -> None:
    """Refuse a number of known variables that is none: UsageError."""
    if isinstance(bound, bool) or not isinstance(bound, int) or bound < 1:
        raise UsageError(f"an intruder cannot know {bound!r} variables at most", hint="a whole number from 1")


def sampled_rows(records: int, at_most: int, seed: int) -> Rows:
    """Return all records, or a sample of `at_most`, in file order."""
    if records <= at_most:
        return np.arange(records)
    return np.sort(np.random.default_rng([seed, records]).choice(records, at_most, replace=False))


def _table(sizes: Sequence[SizeLinkage], known: Sequence[str]) -> ResultTable:
    head = ("variables known", "subsets tried", "of", "linked, mean", "linked, most", "most by")
    units = (Unit.COUNT, Unit.COUNT, Unit.COUNT, Unit.PERCENT, Unit.PERCENT, None)
    rows = tuple((s.size, s.tried, s.possible, s.mean, s.largest, ", ".join(known[j] for j in s.worst)) for s in sizes)
    return ResultTable("by-size", "Linked records by how many variables are known", head, units, rows)


def _notes(sizes: Sequence[SizeLinkage], linked: int, records: int, seed: int) -> Iterator[Reason]:
    if any(size.tried < size.possible for size in sizes):
        yield because("subsets-drawn", most=max(s.tried for s in sizes), seed=seed)
    if linked < records:
        yield because("linked-records-drawn", linked=linked, records=records, seed=seed)
