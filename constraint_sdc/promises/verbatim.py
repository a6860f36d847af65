"""Verbatim records: how many records of the written file have, in a block, the values of an actual record.

Counted from the texts of both files. Numbers are compared as numbers, everything else as text. Values that k or more
original records share are nobody's own. At least two values count, one of them a number or a date: one value alone is
no record, and a combination of categories is protected by the key. A variable that never varies tells nothing. A
missing value is like any other missing value, however it is written. Where a tenth of all possible combinations of a
block occur, an equal one is chance (`data/coincidence.py`): none counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Flags
from constraint_sdc.data.coincidence import grid_points, is_crowded
from constraint_sdc.data.table import Column, Table
from constraint_sdc.plan.promised import PromiseCount
from constraint_sdc.promises.release import Release

_NUMBER = re.compile(r"\s*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?\s*")
_NO_VALUES = ("NaN", "INF", "-INF")


@dataclass(frozen=True, slots=True)
class BlockVariable:
    """A variable of a block: whether it has numbers or dates, and the texts that stand for a missing value."""

    name: str
    is_number: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerbatimCount:
    """One block: its variables, its `combinations` of values in the masked file, and how many are verbatim.

    `records` are those that have a verbatim combination, as flags.
    """

    names: tuple[str, ...]
    combinations: int
    verbatim: int
    is_verbatim: Flags


def count_copies(release: Release, at_most: int | str | None) -> PromiseCount:
    """Count the records that have the values of an actual record in at least one block; None promises nothing."""
    blocks = [
        [BlockVariable(name, name in release.numbers, release.missing.get(name, ())) for name in names]
        for names in release.every_block
    ]
    counts = count_verbatim(release.before, release.after, blocks, release.k)
    records = int(np.any([count.is_verbatim for count in counts], axis=0).sum())
    found = {
        "records": records,
        "combinations": sum(count.verbatim for count in counts),
        "of_combinations": sum(count.combinations for count in counts),
    }
    asked = {} if at_most is None else {"at_most": at_most}
    is_kept = records <= at_most if isinstance(at_most, int) else None
    return PromiseCount(
        "verbatim", tuple(name for names in release.every_block for name in names), asked, found, is_kept
    )


def count_verbatim(
    before: Table, after: Table, blocks: Sequence[Sequence[BlockVariable]], k: int
) -> list[VerbatimCount]:
    """Return the count of every block; what `k` original records share is nobody's own, and k is at least 2."""
    return [_counted(before, after, block, max(k, 2)) for block in blocks]


def _counted(before: Table, after: Table, block: Sequence[BlockVariable], k: int) -> VerbatimCount:
    records = before.records
    number = np.zeros(records + after.records, np.int64)
    values, numbers = np.zeros(after.records, np.int64), np.zeros(after.records, np.bool_)
    possible: list[float] = []
    for variable in block:
        cells = _CellCodes(variable)
        codes = np.concatenate([cells.codes(table.column(variable.name)) for table in (before, after)])
        number = np.unique(number * len(cells) + codes, return_inverse=True)[1].ravel().astype(np.int64)
        possible.append(cells.possible(codes[:records]))
        if len(set(codes[:records].tolist())) > 1:
            has_value = np.array(cells.has_value, np.bool_)[codes[records:]]
            values += has_value
            numbers |= has_value & variable.is_number
    shared = np.bincount(number[:records], minlength=int(number.max(initial=0)) + 1)
    own = shared[number[records:]]
    is_verbatim = (own > 0) & (own < k) & (values > 1) & numbers
    is_verbatim &= not is_crowded(int(np.count_nonzero(shared)), possible)
    written = number[records:]
    return VerbatimCount(
        tuple(variable.name for variable in block),
        len(np.unique(written)),
        len(np.unique(written[is_verbatim])),
        np.asarray(is_verbatim, np.bool_),
    )


class _CellCodes:
    """The distinct cells of a variable, numbered in the order in which they are met, in both files."""

    def __init__(self, variable: BlockVariable) -> None:
        self._is_number = variable.is_number
        self._missing: Collection[str] = frozenset(variable.missing)
        self._texts: dict[str | None, int] = {}
        self._cells: dict[Hashable, int] = {}
        self.has_value: list[bool] = []

    def __len__(self) -> int:
        return len(self._cells)

    def codes(self, column: Column) -> Codes:
        """Return the number of every cell."""
        known = self._texts
        return np.array([known[text] if text in known else self._new(text) for text in column.texts()], np.int64)

    def possible(self, codes: Codes) -> float:
        """Return how many cells records with these may have; dates count as infinitely many."""
        met = set(codes.tolist())
        cells = [cell for cell, place in self._cells.items() if place in met]
        given = [cell for cell in cells if cell is not None]
        is_missing = len(given) < len(cells)
        if not self._is_number:
            return float(len(cells))
        numbers = [cell for cell in given if isinstance(cell, float)]
        return is_missing + (grid_points(np.array(numbers)) if len(numbers) == len(given) else math.inf)

    def _new(self, text: str | None) -> int:
        cell = self._cell(text)
        place = self._cells.setdefault(cell, len(self._cells))
        if place == len(self.has_value):
            self.has_value.append(cell is not None)
        self._texts[text] = place
        return place

    def _cell(self, text: str | None) -> Hashable:
        """Return a number for the text of a number, None for a missing value, and the text of any other value."""
        if text is None or not text.strip() or text in self._missing or text.strip() in self._missing:
            return None
        if not self._is_number:
            return text
        return float(text) if _NUMBER.fullmatch(text) else None if text in _NO_VALUES else text
