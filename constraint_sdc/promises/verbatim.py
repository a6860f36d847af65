"""Verbatim records: how many records of the written file have, in a block, the values of an actual record.

Counted from the texts of both files. Numbers are compared as numbers, everything else as text. Values that k or more
original records share are nobody's own. At least two values count, one of them a number or a date: one value alone is
no record, and a combination of categories is protected by the key. A variable that never varies tells nothing. A
missing value is like any other missing value, however it is written. Where a fifth of all possible combinations of a
block occur, an equal one is chance (`data/coincidence.py`): none counts, unless the recipe asks for every one.

All masked variables together are looked at too. Blocks of one variable, of categories, or of values that k records
share are nobody's own each, and can still add up to records that did not change at all. A few of those are chance. They
count if they are a tenth or more of the records that stand alone, whose masked values fewer than k records share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from constraint_sdc.arrays import Counts, Flags, Integers, SmallCodes
from constraint_sdc.data.codes import code_integers, join_codes, join_keys
from constraint_sdc.data.coincidence import is_crowded
from constraint_sdc.data.table import Table
from constraint_sdc.engines.freeing import give_back_after_work
from constraint_sdc.engines.running import scratch
from constraint_sdc.plan.promised import Found, PromiseCount
from constraint_sdc.promises.compared_cells import BlockVariable, compare_cells
from constraint_sdc.promises.release import Release
from constraint_sdc.settings.chance import USUAL, Chance
from constraint_sdc.settings.protect import Protect

_AT_A_TIME = 1 << 18  # records whose combinations are looked up together


@dataclass(frozen=True, slots=True)
class VerbatimCount:
    """One block: its variables, its `combinations` of values in the masked file, and how many are verbatim.

    `records` are those that have a verbatim combination, as flags.
    """

    names: tuple[str, ...]
    combinations: int
    verbatim: int
    is_verbatim: Flags


def count_copies(release: Release, protect: Protect) -> PromiseCount:
    """Count the records with the values of an actual record, in a block or in all together."""
    at_most = protect.verbatim
    blocks = [
        [BlockVariable(name, name in release.numbers, release.missing.get(name, ())) for name in names]
        for names in release.every_block
    ]
    counts, whole = count_verbatim(release.before, release.after, blocks, release.k, protect.chance)
    records = int(np.any([count.is_verbatim for count in (*counts, whole)], axis=0).sum())
    found: dict[str, Found] = {
        "records": records,
        "combinations": sum(count.verbatim for count in counts),
        "of_combinations": sum(count.combinations for count in counts),
    }
    if whole.verbatim:
        found["whole"] = int(whole.is_verbatim.sum())
    asked: dict[str, Found] = {} if at_most is None else {"at_most": at_most}
    if protect.counts_every:
        asked["count"] = "every"
    is_kept = records <= at_most if isinstance(at_most, int) else None
    return PromiseCount(
        "verbatim", tuple(name for names in release.every_block for name in names), asked, found, is_kept
    )


def count_verbatim(
    before: Table, after: Table, blocks: Sequence[Sequence[BlockVariable]], k: int, chance: Chance = USUAL
) -> tuple[list[VerbatimCount], VerbatimCount]:
    """Return the count of every block, and the records that did not change in any block.

    What `k` original records share is nobody's own, and k is at least 2. What is `chance` does not count.
    """
    counts: list[VerbatimCount] = []
    found: list[_Combinations] = []
    for block in blocks:
        one = _combined(before, after, block)
        counts.append(one.counted(max(k, 2), chance))
        found.append(replace(one, key=scratch().kept(one.key)))
        give_back_after_work()
    return counts, _unchanged(found, before.records, after.records, max(k, 2), chance)


@dataclass(frozen=True, slots=True)
class _Combinations:
    """The combination of values of every record, those before masking first; equal keys for equal values.

    For every masked record, `values` counts its values that vary, and `numbers` tells whether one of them is a number.
    `possible` is the number of values that each variable can have.
    """

    names: tuple[str, ...]
    before: int
    key: Integers
    values: SmallCodes
    numbers: Flags
    possible: tuple[float, ...]

    def counted(self, k: int, chance: Chance) -> VerbatimCount:
        """Return the records whose combination at least one original record has, but fewer than k."""
        written = code_integers(self.key[self.before :])
        own = _shared(self.key[: self.before], self.key[self.before :][written.first])
        is_own = (own > 0) & (own < k)
        may_count = self.numbers & (self.values > 1)
        if is_own.any() and self._is_crowded(chance):
            may_count[:] = False
        is_verbatim: Flags = is_own[written.codes] & may_count
        verbatim = np.count_nonzero(np.bincount(written.codes[is_verbatim], minlength=1))
        return VerbatimCount(self.names, len(written), int(verbatim), is_verbatim)

    def _is_crowded(self, chance: Chance) -> bool:
        """Tell whether equal combinations are chance; how many occur is counted only where it can matter."""
        if not is_crowded(self.before, self.possible, chance):
            return False
        return is_crowded(len(code_integers(self.key[: self.before])), self.possible, chance)

    @property
    def is_same(self) -> Flags:
        """Tell which records did not change; the records of both files are in the same order."""
        same: Flags = self.key[: self.before] == self.key[self.before :]
        return same


def _shared(keys: Integers, known: Integers) -> Counts:
    """Return how many of the keys are each of the known ones, which differ.

    >>> _shared(np.array([7, 3, 7, 5]), np.array([3, 7, 9])).tolist()
    [1, 2, 0]
    """
    order = np.argsort(known)
    ordered = known[order]
    found = np.zeros(len(known), np.int64)
    for start in range(0, len(keys), _AT_A_TIME):
        part = keys[start : start + _AT_A_TIME]
        place = np.minimum(np.searchsorted(ordered, part), len(known) - 1)
        found += np.bincount(place[ordered[place] == part], minlength=len(known))
    shared = np.empty(len(known), np.int64)
    shared[order] = found
    return shared


def _unchanged(parts: Sequence[_Combinations], before: int, after: int, k: int, chance: Chance) -> VerbatimCount:
    """Return the records that stand alone and did not change in any block, if these are no chance.

    One stands alone if fewer than k share its values. Where no record stayed as it was, nobody need be counted.
    """
    names = tuple(name for part in parts for name in part.names)
    values = np.zeros(after, np.int32)
    is_unchanged: Flags = np.ones(after, np.bool_)
    for part in parts:
        values += part.values
        is_unchanged &= part.is_same
    is_unchanged &= values > 1
    if not is_unchanged.any():
        return VerbatimCount(names, 0, 0, is_unchanged)
    number = join_codes((code_integers(part.key).codes for part in parts), before + after)
    was_alone, is_alone = (np.bincount(one)[one] < k for one in (number[:before], number[before:]))
    is_unchanged &= was_alone & is_alone
    is_unchanged &= int(is_unchanged.sum()) >= chance.unchanged * int(was_alone.sum())
    written = number[before:]
    combinations, verbatim = (np.count_nonzero(np.bincount(one)) for one in (written, written[is_unchanged]))
    return VerbatimCount(names, int(combinations), int(verbatim), is_unchanged)


def _combined(before: Table, after: Table, block: Sequence[BlockVariable]) -> _Combinations:
    records = before.records
    values, numbers = np.zeros(after.records, np.int32), np.zeros(after.records, np.bool_)
    possible: list[float] = []

    def codes() -> Iterator[SmallCodes]:
        for variable in block:
            cells = compare_cells([table.column(variable.name) for table in (before, after)], variable)
            possible.append(cells.possible(cells.codes[:records]))
            if (cells.codes[:records] != cells.codes[:1]).any():
                has_value = cells.has_value[cells.codes[records:]]
                np.add(values, has_value, out=values)
                np.logical_or(numbers, has_value & variable.is_number, out=numbers)
            yield cells.codes

    key = join_keys(codes(), records + after.records)
    return _Combinations(tuple(one.name for one in block), records, key, values, numbers, tuple(possible))
