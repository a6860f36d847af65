"""Verbatim records: how many records of the written file have, in a block, the values of an actual record.

Counted from the texts of both files. Numbers are compared as numbers, everything else as text. Values that k or more
original records share are nobody's own. At least two values count, one of them a number or a date: one value alone is
no record, and a combination of categories is protected by the key. A variable that never varies tells nothing. A
missing value is like any other missing value, however it is written. Where a tenth of all possible combinations of a
block occur, an equal one is chance (`data/coincidence.py`): none counts.

All masked variables together count like a block. Blocks of one variable, of categories, or of values that k records
share are nobody's own each, and can still add up to a record that was not changed at all. Any values count here if
fewer than k written records share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Flags
from constraint_sdc.data.codes import join_codes
from constraint_sdc.data.coincidence import is_crowded
from constraint_sdc.data.table import Table
from constraint_sdc.plan.promised import Found, PromiseCount
from constraint_sdc.promises.compared_cells import BlockVariable, compare_cells
from constraint_sdc.promises.release import Release


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
    """Count the records with the values of an actual record, in a block or in all together; None promises nothing."""
    blocks = [
        [BlockVariable(name, name in release.numbers, release.missing.get(name, ())) for name in names]
        for names in release.every_block
    ]
    counts, whole = count_verbatim(release.before, release.after, blocks, release.k)
    records = int(np.any([count.is_verbatim for count in (*counts, whole)], axis=0).sum())
    found: dict[str, Found] = {
        "records": records,
        "combinations": sum(count.verbatim for count in counts),
        "of_combinations": sum(count.combinations for count in counts),
    }
    if whole.verbatim:
        found["whole"] = int(whole.is_verbatim.sum())
    asked = {} if at_most is None else {"at_most": at_most}
    is_kept = records <= at_most if isinstance(at_most, int) else None
    return PromiseCount(
        "verbatim", tuple(name for names in release.every_block for name in names), asked, found, is_kept
    )


def count_verbatim(
    before: Table, after: Table, blocks: Sequence[Sequence[BlockVariable]], k: int
) -> tuple[list[VerbatimCount], VerbatimCount]:
    """Return the count of every block, and that of all blocks together: of these, every masked value is of one record.

    What `k` original records share is nobody's own, and k is at least 2.
    """
    counts: list[VerbatimCount] = []
    whole = _Combinations.none(before.records, after.records)
    for block in blocks:
        found = _combined(before, after, block)
        counts.append(found.counted(max(k, 2), is_whole=False))
        whole = whole.joined(found)
    return counts, whole.counted(max(k, 2), is_whole=True)


@dataclass(frozen=True, slots=True)
class _Combinations:
    """The combination of values of every record, those before masking first; equal numbers for equal values.

    For every masked record, `values` counts its values that vary, and `numbers` tells whether one of them is a number.
    `possible` is the number of values that each variable can have.
    """

    names: tuple[str, ...]
    before: int
    number: Codes
    values: Counts
    numbers: Flags
    possible: tuple[float, ...]

    @classmethod
    def none(cls, before: int, after: int) -> _Combinations:
        nothing = np.zeros(after, np.int64)
        return cls((), before, np.zeros(before + after, np.int64), nothing, np.zeros(after, np.bool_), ())

    def joined(self, other: _Combinations) -> _Combinations:
        """Return the combinations of the variables of both."""
        return _Combinations(
            self.names + other.names,
            self.before,
            join_codes([self.number, other.number], len(self.number)),
            self.values + other.values,
            self.numbers | other.numbers,
            self.possible + other.possible,
        )

    def counted(self, k: int, *, is_whole: bool) -> VerbatimCount:
        written, count = self.number[self.before :], int(self.number.max(initial=0)) + 1
        shared, sizes = np.bincount(self.number[: self.before], minlength=count), np.bincount(written, minlength=count)
        own = shared[written]
        is_record = self.numbers & (not is_crowded(int(np.count_nonzero(shared)), self.possible))
        if is_whole:
            is_record |= sizes[written] < k
        is_verbatim: Flags = (own > 0) & (own < k) & (self.values > 1) & is_record
        verbatim = np.count_nonzero(np.bincount(written[is_verbatim], minlength=count))
        return VerbatimCount(self.names, int(np.count_nonzero(sizes)), int(verbatim), is_verbatim)


def _combined(before: Table, after: Table, block: Sequence[BlockVariable]) -> _Combinations:
    records = before.records
    columns: list[Codes] = []
    values, numbers = np.zeros(after.records, np.int64), np.zeros(after.records, np.bool_)
    possible: list[float] = []
    for variable in block:
        cells = compare_cells([table.column(variable.name) for table in (before, after)], variable)
        columns.append(cells.codes)
        possible.append(cells.possible(cells.codes[:records]))
        if (cells.codes[:records] != cells.codes[:1]).any():
            has_value = cells.has_value[cells.codes[records:]]
            values += has_value
            numbers |= has_value & variable.is_number
    number = join_codes(columns, records + after.records)
    return _Combinations(tuple(one.name for one in block), records, number, values, numbers, tuple(possible))
