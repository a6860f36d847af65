"""Achieved k: P. Samarati and L. Sweeney, k-anonymity, 1998: how many records share the same visible values.

A file masked in several blocks has groups of k in each block, but usually not in all blocks together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Codes, Labels
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.settings.reason import Reason, because

_LARGEST = 2**62

# Records that share all their values.


def classes(codes: Sequence[Codes]) -> Labels:
    """Return the class of every record: those with the same codes in all columns share one, numbered without a gap.

    >>> classes([np.array([5, 5, 2, 5]), np.array([0, 1, 1, 0])]).tolist()
    [1, 2, 0, 1]
    """
    label, width = np.zeros(len(codes[0]), np.int64), 1
    for column in codes:
        least = column.min(initial=0)
        size = int(column.max(initial=0)) - int(least) + 1
        if width * size > _LARGEST:
            label, width = _without_gaps(label), len(label)
        label, width = label * size + (column - least), width * size
    return _without_gaps(label)


def _without_gaps(label: Labels) -> Labels:
    return np.unique(label, return_inverse=True)[1].ravel().astype(np.int64)


_BANDS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 99), (100, None))
"""Sizes of classes in the table of the distribution, from and to."""


@dataclass(frozen=True)
class AchievedK:
    """The classes of records that share all values of some variables: the smallest, their number, and their sizes."""

    smallest: int
    groups: int
    sizes: Codes

    def records_below(self, k: int) -> int:
        """Return how many records are in classes of fewer than k."""
        return self.records_between(1, k - 1)

    def records_between(self, least: int, most: int | None) -> int:
        """Return how many records are in classes of these sizes."""
        inside = (self.sizes >= least) & (self.sizes <= (most if most is not None else np.inf))
        return int(self.sizes[inside].sum())


def achieved_k(codes: Sequence[Codes]) -> AchievedK | None:
    """Return the classes by some variables' codes; None without a variable or a record.

    >>> achieved_k([np.array([1, 1, 2, 2]), np.array([5, 5, 5, 6])]).sizes.tolist()
    [2, 1, 1]
    """
    if not codes or len(codes[0]) == 0:
        return None
    sizes = np.bincount(classes(codes)).astype(np.int64)
    return AchievedK(int(sizes.min()), len(sizes), sizes)


class AchievedKRisk:
    """How many records share the same masked values, in every block and in all variables that an intruder knows."""

    name: ClassVar[str] = "achieved-k"
    title: ClassVar[str] = "Achieved k"
    traits: ClassVar[MeasureTraits] = MeasureTraits("risk", misses=because("misses-near-values"))

    def measure(self, pair: Pair) -> Measured:
        """Count the classes of the masked file, block by block and over the known variables."""
        whole = achieved_k([pair[name].masked_code for name in pair.known])
        blocks = [(names, achieved_k([pair[name].masked_code for name in names])) for names in _blocks(pair)]
        held = [found.smallest >= pair.k for _, found in blocks if found is not None and pair.k is not None]
        figures = (
            Figure("k", "smallest class over all known variables", whole.smallest if whole else None, Unit.COUNT),
            Figure("groups", "classes over all known variables", whole.groups if whole else None, Unit.COUNT),
            Figure("promised", "promised group size", pair.k, Unit.COUNT),
            Figure("below", "records in classes smaller than promised", _below(whole, pair.k), Unit.COUNT),
            Figure("blocks-held", "blocks that keep the promise", sum(held) if held else None, Unit.COUNT),
            Figure("blocks", "blocks", len(blocks), Unit.COUNT),
        )
        tables = (_by_block(blocks, whole, pair), *_distribution(whole))
        return Measured(self.name, self.title, figures, _says(whole, held, pair.k), tables, tuple(_notes(pair, whole)))


REGISTERED = {"achieved-k": AchievedKRisk()}


def _blocks(pair: Pair) -> Iterator[tuple[str, ...]]:
    """Yield the variables of every block that both files have."""
    there = {variable.name for variable in pair.variables}
    for block in pair.blocks:
        names = tuple(name for name in block.names if name in there)
        if names:
            yield names


def _below(found: AchievedK | None, k: int | None) -> int | None:
    return None if found is None or k is None else found.records_below(k)


def _says(whole: AchievedK | None, held: Sequence[bool], k: int | None) -> str:
    if whole is None:
        return "Not measured: there is no record, or the intruder knows no variable."
    together = f"over all known variables together the smallest class has {_records(whole.smallest)}"
    if k is None:
        return f"No group size was promised; {together}."
    if not held:
        return f"Groups of {k} were promised, but no block is known; {together}."
    kept = "every block keeps" if all(held) else f"{sum(held)} of {len(held)} blocks keep"
    below = f", and {_records(whole.records_below(k))} are in classes of fewer than {k}" if whole.smallest < k else ""
    return f"Groups of {k} were promised: {kept} the promise; {together}{below}."


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def _by_block(
    blocks: Sequence[tuple[tuple[str, ...], AchievedK | None]], whole: AchievedK | None, pair: Pair
) -> ResultTable:
    head = ("variables", "smallest class", "classes", "records in classes below the promise", "promise")
    units = (None, Unit.COUNT, Unit.COUNT, Unit.COUNT, None)
    named = [(", ".join(names), found) for names, found in blocks]
    named.append((f"all known: {', '.join(pair.known)}", whole))
    rows = tuple(
        (name, found.smallest, found.groups, _below(found, pair.k), _promise(found, pair.k))
        for name, found in named
        if found is not None
    )
    return ResultTable("blocks", "Records that share their masked values", head, units, rows)


def _promise(found: AchievedK, k: int | None) -> str:
    if k is None:
        return "none made"
    return "holds" if found.smallest >= k else "does not hold"


def _distribution(whole: AchievedK | None) -> Iterator[ResultTable]:
    if whole is None:
        return
    rows = tuple((_band(least, most), whole.records_between(least, most)) for least, most in _BANDS)
    title = "Records by the size of their class over all known variables"
    yield ResultTable("distribution", title, ("class of", "records"), (None, Unit.COUNT), rows)


def _band(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def _notes(pair: Pair, whole: AchievedK | None) -> Iterator[Reason]:
    if whole is None:
        yield because("no-class-defined")
    if pair.k is None:
        yield because("no-k-promised")
    if not pair.blocks:
        yield because("blocks-unknown")
    if pair.computed:
        yield because("totals-computed", variables=pair.computed)
    if pair.k is not None and whole is not None and whole.smallest < pair.k and len(list(_blocks(pair))) > 1:
        yield because("blocks-group-apart")
