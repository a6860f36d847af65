"""Special uniques: M. Elliot, A. Manning and R. Ford, 2002, and SUDA2 (A. Manning, D. Haglin and J. Keane, 2008).

A record is at special risk if few of its values are enough to make it unique. A minimal sample unique (MSU) is a set of
variables in which a record is unique, and in no smaller part of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Flags
from constraint_sdc.data.codes import code_integers, join_codes
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.parameters import measure_parameter
from constraint_sdc.settings.reason import Reason, because

_MOST_SETS = 1_500
"""Sets of variables that are looked at: all of up to three of twenty."""
_MOST_CELLS = 60_000_000
"""Sets times records: one byte each, before and after."""
_TOP = 10
_SPECIAL = 2
"""A record that so few variables make unique is called a special unique here."""

Named = tuple[str, ...]


@dataclass(frozen=True)
class MinimalUniques:
    """The MSUs of every record: `sets` has, by its variables, which records it makes unique minimally.

    `score` adds, for each MSU of s variables, the number of ways to extend it step by step to `most` variables of
    `known`: the product of (known - i) for i = s to most - 1.
    """

    sets: Mapping[Named, Flags]
    score: Counts
    known: int
    most: int

    def records(self, size: int) -> int:
        """Return how many records have an MSU of at most so many variables."""
        found = [flags for names, flags in self.sets.items() if len(names) <= size]
        return int(np.logical_or.reduce(found).sum()) if found else 0

    def sizes(self) -> Counter[int]:
        """Return how many MSUs there are by their size."""
        found: Counter[int] = Counter()
        for names, flags in self.sets.items():
            found[len(names)] += int(flags.sum())
        return found

    def share(self, name: str) -> float | None:
        """Return the share of the score that comes from MSUs with this variable; None without any MSU."""
        whole = sum(self._points(names) * int(flags.sum()) for names, flags in self.sets.items())
        own = sum(self._points(names) * int(flags.sum()) for names, flags in self.sets.items() if name in names)
        return 100.0 * own / whole if whole else None

    def _points(self, names: Named) -> int:
        return extensions(len(names), self.known, self.most)


def extensions(size: int, known: int, most: int) -> int:
    """Return in how many ways a set of `size` variables grows to `most` of `known`, one variable after the other.

    >>> extensions(1, 5, 3), extensions(2, 5, 3), extensions(3, 5, 3)
    (12, 3, 1)
    """
    return prod(known - i for i in range(size, most))


def minimal_uniques(codes: Mapping[str, Codes], most: int) -> MinimalUniques:
    """Return the MSUs of up to `most` variables; there is a variable.

    Who is unique in a set is unique in every larger one, so a unique set is minimal if no set with one variable less is
    unique.
    """
    records = len(next(iter(codes.values())))
    codes = {name: code_integers(column).codes for name, column in codes.items()}
    before: dict[Named, Flags] = {(): np.full(records, records == 1)}
    found: dict[Named, Flags] = {}
    score = np.zeros(records, np.int64)
    for size in range(1, most + 1):
        here: dict[Named, Flags] = {}
        for names in combinations(codes, size):
            here[names] = _is_unique([codes[name] for name in names])
            smaller = [before[part] for part in combinations(names, size - 1)]
            found[names] = here[names] & ~np.logical_or.reduce(smaller)
            score += found[names] * extensions(size, len(codes), most)
        before = here
    return MinimalUniques(found, score, len(codes), most)


def _is_unique(codes: Sequence[Codes]) -> Flags:
    label = join_codes(codes, len(codes[0]))
    alone: Flags = np.bincount(label)[label] == 1
    return alone


def largest_size(known: int, records: int, wished: int) -> int:
    """Return the size of sets up to which all can be looked at, at least 1."""
    most, sets = 0, 0
    for size in range(1, min(wished, known) + 1):
        sets += comb(known, size)
        if size > 1 and (sets > _MOST_SETS or sets * records > _MOST_CELLS):
            break
        most = size
    return most


@dataclass(frozen=True)
class SpecialUniques:
    """How many records a few known variables are enough to single out, and which variables do it."""

    name: ClassVar[str] = "special-uniques"
    title: ClassVar[str] = "Special uniques"
    traits: ClassVar[MeasureTraits] = MeasureTraits("risk")

    most: int = measure_parameter("Variables in a set, at most.", 3, least=1, most=6)

    def measure(self, pair: Pair) -> Measured:
        """Look at all sets of up to `most` known variables, fewer if there are too many sets."""
        most = largest_size(len(pair.known), len(pair), self.most)
        if not len(pair) or not pair.known:
            why = because("nothing-to-count")
            return Measured(self.name, self.title, _figures(None, None), because("not-measured", why=why), notes=(why,))
        before = minimal_uniques({name: pair[name].original_code for name in pair.known}, most)
        after = minimal_uniques({name: pair[name].masked_code for name in pair.known}, most)
        figures = _figures(before, after)
        says = (
            f"{figures[0].value:.2f}% of the records are unique in {most if most == 1 else f'1 to {most}'} known "
            f"variable{'' if most == 1 else 's'} after masking; before, {figures[3].value:.2f}% were."
        )
        tables = (_by_size(before, after), _by_variable(before, after, pair.known), _worst(after))
        return Measured(self.name, self.title, figures, says, tables, tuple(_notes(pair, most, self.most)))


REGISTERED = {"special-uniques": SpecialUniques()}


def _figures(before: MinimalUniques | None, after: MinimalUniques | None) -> tuple[Figure, ...]:
    return (
        Figure("after", "records that a small set of variables makes unique", _share(after, None)),
        Figure("special-after", "records that one or two variables make unique", _share(after, _SPECIAL)),
        Figure("score-after", "highest score of a record", _highest(after), Unit.COUNT),
        Figure("before", "records that a small set made unique before masking", _share(before, None)),
        Figure("special-before", "records that one or two variables made unique", _share(before, _SPECIAL)),
        Figure("score-before", "highest score of a record before masking", _highest(before), Unit.COUNT),
    )


def _share(found: MinimalUniques | None, size: int | None) -> float | None:
    return None if found is None else 100.0 * found.records(size or found.most) / len(found.score)


def _highest(found: MinimalUniques | None) -> int | None:
    return None if found is None else int(found.score.max())


def _by_size(before: MinimalUniques, after: MinimalUniques) -> ResultTable:
    then, now = before.sizes(), after.sizes()
    rows = tuple((str(size), then[size], now[size]) for size in range(1, after.most + 1))
    head, units = ("variables", "sets before", "sets after"), (None, Unit.COUNT, Unit.COUNT)
    return ResultTable("sizes", "Minimal sets that make a record unique, by their size", head, units, rows)


def _by_variable(before: MinimalUniques, after: MinimalUniques, known: Sequence[str]) -> ResultTable:
    rows = tuple((name, before.share(name), after.share(name)) for name in known)
    head, units = ("variable", "share of the score before", "after"), (None, Unit.PERCENT, Unit.PERCENT)
    return ResultTable("contributions", "What each variable contributes", head, units, rows)


def _worst(after: MinimalUniques) -> ResultTable:
    order = np.argsort(-after.score, kind="stable")[:_TOP]
    rows = tuple((int(row) + 1, int(after.score[row])) for row in order if after.score[row])
    head, units = ("record", "score"), (Unit.COUNT, Unit.COUNT)
    return ResultTable("records", "Records of the highest score", head, units, rows, is_of_records=True)


def _notes(pair: Pair, most: int, wished: int) -> Iterator[Reason]:
    yield because("unique-in-file")
    if most < min(wished, len(pair.known)):
        yield because("sets-bounded", wished=wished, most=most, known=len(pair.known))
