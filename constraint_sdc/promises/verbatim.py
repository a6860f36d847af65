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

from constraint_sdc.arrays import Codes, Flags
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
    counts = count_verbatim(release.before, release.after, blocks, release.k)
    whole = count_whole(release.before, release.after, blocks, release.k)
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
) -> list[VerbatimCount]:
    """Return the count of every block; what `k` original records share is nobody's own, and k is at least 2."""
    return [_counted(before, after, block, max(k, 2)) for block in blocks]


def count_whole(before: Table, after: Table, blocks: Sequence[Sequence[BlockVariable]], k: int) -> VerbatimCount:
    """Return the count of all blocks together: records of which every masked value is that of one actual record."""
    return _counted(before, after, [variable for block in blocks for variable in block], max(k, 2), is_whole=True)


def _counted(
    before: Table, after: Table, block: Sequence[BlockVariable], k: int, *, is_whole: bool = False
) -> VerbatimCount:
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
    written, count = number[records:], int(number.max(initial=0)) + 1
    shared = np.bincount(number[:records], minlength=count)
    own, sharing = (sizes[written] for sizes in (shared, np.bincount(written, minlength=count)))
    numbers &= not is_crowded(int(np.count_nonzero(shared)), possible)
    is_record = numbers | (sharing < k) if is_whole else numbers
    is_verbatim = (own > 0) & (own < k) & (values > 1) & is_record
    return VerbatimCount(
        tuple(variable.name for variable in block),
        len(np.unique(written)),
        len(np.unique(written[is_verbatim])),
        np.asarray(is_verbatim, np.bool_),
    )
