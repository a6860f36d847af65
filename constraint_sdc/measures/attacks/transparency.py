"""The transparency (intersection) attack: V. Torra, Transparency and microaggregation, and the work it reviews.

An intruder who knows the method knows which masked records each record can have become. If all variables together leave
a single one, the re-identification is certain, not just likely.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, get_args

import numpy as np

from constraint_sdc.arrays import Codes, Floats, SmallPositions
from constraint_sdc.data.pair import Pair
from constraint_sdc.errors import UsageError
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.attacks.transparency_reach import Knowledge, Reach, Use, uses_of
from constraint_sdc.measures.parameters import measure_parameter
from constraint_sdc.partition.partitioner import COMPILED_ABOVE
from constraint_sdc.settings.reason import Reason, because

# The number of masked records that each original can have become: the intersection over all variables.

_CELLS = 1 << 22
"""Pairs compared at a time in NumPy."""

_CHUNK = 1_024
"""Records that a thread takes at a time."""

_InQuestion: TypeAlias = tuple[SmallPositions, SmallPositions, SmallPositions]
"""An order of the masked records, and the range of each original's candidates in it."""


def set_sizes(reaches: Sequence[Reach], records: int, cap: int, *, compiled: bool | None = None) -> Codes:
    """Return for every original how many masked records are within all reaches; `cap` stands for that many or more.

    `compiled` None chooses by the number of records; the result is the same.
    """
    if not reaches:
        return np.full(records, min(records, cap), np.int64)
    is_large = records > COMPILED_ABOVE if compiled is None else compiled
    sizes = _by_kernel(reaches, records, cap) if is_large else _by_numpy(reaches, records)
    return np.minimum(sizes, cap)


def _by_numpy(reaches: Sequence[Reach], records: int) -> Codes:
    """Compare all pairs, some originals at a time."""
    sizes = np.zeros(records, np.int64)
    step = max(1, _CELLS // max(1, records))
    for first in range(0, records, step):
        own = slice(first, first + step)
        possible = np.ones((len(sizes[own]), records), np.bool_)
        for one in reaches:
            possible &= one.low_y <= one.high_x[own, None]
            possible &= one.high_y >= one.low_x[own, None]
        sizes[own] = possible.sum(axis=1)
    return sizes


def _by_kernel(reaches: Sequence[Reach], records: int, cap: int) -> Codes:
    """Compare each original with the masked records within the reach that leaves the fewest."""
    from constraint_sdc.measures.attacks.kernels import count_possible
    from constraint_sdc.partition.compiled import announce, in_threads

    announce("transparency attack", [count_possible])
    # A pair is compared no farther than the first reach that it fails: the one that leaves the fewest comes first.
    fewest = _Fewest(records)
    means = [min(fewest.offer(*ranges) for ranges in _in_question(one)) for one in reaches]
    reaches = [reaches[i] for i in np.argsort(means, kind="stable")]
    order, column, start, stop = np.stack(fewest.orders), fewest.column, fewest.start, fewest.stop
    low_x, high_x, low_y, high_y = (_table(reaches, end) for end in ("low_x", "high_x", "low_y", "high_y"))
    sizes = np.zeros(records, np.int64)
    turn = np.lexsort((start, column)).astype(np.int32)  # originals with the same candidates find them in cache
    in_threads(
        lambda a, b: count_possible(low_x, high_x, low_y, high_y, order, column, start, stop, cap, turn, sizes, a, b),
        records,
        _CHUNK,
    )
    return sizes


def _table(reaches: Sequence[Reach], end: str) -> Floats:
    return np.ascontiguousarray(np.column_stack([getattr(one, end) for one in reaches]))


class _Fewest:
    """Orders of the masked records and, for each original, the order with the fewest candidates and their range.

    The first order is file order, in which all records are candidates.
    """

    def __init__(self, records: int) -> None:
        self.orders = [np.arange(records, dtype=np.int32)]
        self.column = np.zeros(records, np.int32)
        self.start, self.stop = np.zeros(records, np.int32), np.full(records, records, np.int32)

    def offer(self, order: SmallPositions, first: SmallPositions, last: SmallPositions) -> float:
        """Take an order for the originals that have fewer candidates there; return how many they have on average."""
        is_fewer = last - first < self.stop - self.start
        if is_fewer.any():
            self.column[is_fewer] = len(self.orders)
            self.start[is_fewer], self.stop[is_fewer] = first[is_fewer], last[is_fewer]
            self.orders.append(order)
        return float((last - first).mean())


def _in_question(reach: Reach) -> Iterator[_InQuestion]:
    """Yield orders of the masked records, and the range of each original's candidates in them by one reach.

    Points within an interval are consecutive. Intervals that start early enough come first in one order, and those that
    end late enough come last in another.
    """
    order = np.argsort(reach.low_y, kind="stable").astype(np.int32)
    ordered = reach.low_y[order]
    last = np.searchsorted(ordered, reach.high_x, "right").astype(np.int32)
    if reach.has_points:
        yield order, np.searchsorted(ordered, reach.low_x, "left").astype(np.int32), last
        return
    yield order, np.zeros_like(last), last
    order = np.argsort(reach.high_y, kind="stable").astype(np.int32)
    first = np.searchsorted(reach.high_y[order], reach.low_x, "left").astype(np.int32)
    yield order, first, np.full_like(first, len(order))


KNOWLEDGE: tuple[Knowledge, ...] = get_args(Knowledge)

_BRACKETS = (("1", 1, 1), ("2", 2, 2), ("3-5", 3, 5), ("6-10", 6, 10))

_KNOWING: dict[Knowledge, str] = {
    "published": "who knows the method",
    "rerun": "who has the whole original file and runs the method",
}


@dataclass(frozen=True)
class AnonymitySets:
    """How many masked records each original can have become; `cap` stands for that many or more.

    The true one is always among them, so sets of one are certain and correct re-identifications.
    """

    knowledge: Knowledge
    sizes: Codes
    cap: int
    uses: tuple[Use, ...]

    @property
    def is_carried_out(self) -> bool:
        """Tell whether there are records, and something follows from at least one variable."""
        return len(self.sizes) > 0 and any(use.reach is not None for use in self.uses)

    @property
    def certain(self) -> int:
        """Return the number of certain re-identifications."""
        return int((self.sizes == 1).sum())

    @property
    def share(self) -> float | None:
        """Return their percentage; None if the attack could not be carried out."""
        return 100.0 * self.certain / len(self.sizes) if self.is_carried_out else None

    @property
    def median(self) -> float | None:
        """Return the median size; None if the attack could not be carried out."""
        return float(np.median(self.sizes)) if self.is_carried_out else None

    def within(self, low: int, high: int) -> int:
        """Return how many sets have from `low` to `high` records."""
        return int(((self.sizes >= low) & (self.sizes <= high)).sum())


@dataclass(frozen=True)
class Transparency:
    """Intersect the masked records that each original can have become, block by block; a single one is certain.

    `knowledge` is `published` (method and k), `rerun` (the intruder runs the method on the original), or None for both.
    Sets are counted up to `cap`.
    """

    name: ClassVar[str] = "transparency"
    title: ClassVar[str] = "Transparency attack"
    traits: ClassVar[MeasureTraits] = MeasureTraits("attack", misses=because("misses-likely-links"))

    knowledge: Knowledge | None = None
    cap: int = measure_parameter("Size up to which sets are counted.", 1_000, least=_BRACKETS[-1][2] + 1)

    def __post_init__(self) -> None:
        if self.knowledge not in (None, *KNOWLEDGE):
            raise UsageError(f"unknown knowledge {self.knowledge!r}", hint=f"use {' or '.join(KNOWLEDGE)}")
        if self.cap <= _BRACKETS[-1][2]:
            raise UsageError(f"a cap of {self.cap} is too small for the table of set sizes", hint="use 11 or more")

    def measure(self, pair: Pair) -> Measured:
        """Return the certain links for each knowledge, the median size of the sets, and how the sizes are spread."""
        found = [self.carry_out(pair, each) for each in KNOWLEDGE if self.knowledge in (None, each)]
        return Measured(
            self.name,
            self.title,
            tuple(figure for one in found for figure in _figures(one)),
            _says(found),
            (_spread(found), *(_uses(one) for one in found)),
            tuple(_notes(found, [name for block in pair.blocks if block.is_drawn for name in block.names])),
        )

    def carry_out(self, pair: Pair, knowledge: Knowledge) -> AnonymitySets:
        """Return the size of every record's set."""
        uses = tuple(uses_of(pair, knowledge)) if len(pair) else ()
        reaches = [use.reach for use in uses if use.reach is not None]
        return AnonymitySets(knowledge, set_sizes(reaches, len(pair), self.cap), self.cap, uses)


REGISTERED = {"transparency": Transparency()}


def _figures(found: AnonymitySets) -> tuple[Figure, ...]:
    end = found.knowledge
    return (
        Figure(f"certain-links-{end}", f"Certain re-identifications by an intruder {_KNOWING[end]}", found.share),
        Figure(
            f"certain-records-{end}",
            "Records re-identified with certainty",
            found.certain if found.is_carried_out else None,
            Unit.COUNT,
        ),
        Figure(
            f"median-set-{end}",
            f"Median number of masked records that a record can have become ({found.cap:,} means that many or more)",
            found.median,
            Unit.PLAIN,
        ),
    )


def _says(found: Sequence[AnonymitySets]) -> str | Reason:
    if any(one.share is not None for one in found):
        return f"Re-identified with certainty: {'; '.join(map(_part, found))}."
    has_records = any(len(one.sizes) for one in found)
    return because("not-run", why=because("no-method-to-use") if has_records else because("no-record-to-link"))


def _part(one: AnonymitySets) -> str:
    """Return what one intruder finds; of an attack that could not be carried out, that it was not."""
    if one.share is None:
        return f"not run for an intruder {_KNOWING[one.knowledge]}, because nothing follows from it for certain"
    return f"{one.certain:,} of {len(one.sizes):,} records ({one.share:.1f}%) by an intruder {_KNOWING[one.knowledge]}"


def _spread(found: Sequence[AnonymitySets]) -> ResultTable:
    """Return how many records have sets of each size."""
    brackets = (*_BRACKETS, ("more than 10", _BRACKETS[-1][2] + 1, found[0].cap))
    return ResultTable(
        "set-sizes",
        "Records by the number of masked records they can have become",
        ("masked records", *(one.knowledge for one in found)),
        (None, *(Unit.COUNT for _ in found)),
        tuple((title, *(one.within(low, high) for one in found)) for title, low, high in brackets),
    )


def _uses(found: AnonymitySets) -> ResultTable:
    return ResultTable(
        f"used-{found.knowledge}",
        f"Knowledge used by an intruder {_KNOWING[found.knowledge]}",
        ("variable", "used", "slack"),
        (None, None, Unit.PLAIN),
        tuple((use.name, use.how, _finite(use.slack)) for use in found.uses),
    )


def _finite(number: float | None) -> float | None:
    return number if number is not None and np.isfinite(number) else None


def _notes(found: Sequence[AnonymitySets], drawn: Sequence[str]) -> list[Reason]:
    notes = [because("sets-hold-truth")]
    if any(use.slack for one in found for use in one.uses):
        notes.append(because("slack-known"))
    idle = dict.fromkeys(use.name for one in found for use in one.uses if use.reach is None)
    if idle:
        notes.append(because("nothing-follows", variables=tuple(idle)))
    if any(one.knowledge == "rerun" for one in found):
        notes.append(because("rerun-needs-order"))
    if drawn:
        notes.append(because("drawn-while-secret", variables=tuple(drawn)))
    return notes
