"""Classes of records that share all the values that a question reads, and the records that stand for them.

Records get a 64-bit fingerprint of their outline and of the texts and states of the variables. Records of the same
fingerprint are one class; then every record is compared with the first of its class, byte by byte. So a collision of
fingerprints cannot join records that differ: another seed is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Counts, Flags, Rows, SmallCodes, Words, Worth
from constraint_sdc.data.codes import code_integers
from constraint_sdc.data.table import Column, Table
from constraint_sdc.data.text import Text, equal
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.running import scratch
from constraint_sdc.errors import JudgeError

_ROWS = 65_536  # records that are looked at together
_SEEDS = 4
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True, slots=True)
class CaseClasses:
    """The class of every record (0, 1, ...), the first record of each class, and how many records it has."""

    of_record: SmallCodes
    first: Rows
    sizes: Counts

    def __len__(self) -> int:
        return len(self.first)


def classes_of(table: Table, outlines: SmallCodes, names: Sequence[str]) -> CaseClasses:
    """Return the classes of records that have the same outline and the same texts and states of these variables.

    A variable that the table does not have is absent from all records.
    """
    columns = {name: table.columns[name] for name in names if name in table.columns}
    kept = scratch().kept
    for seed in range(_SEEDS):
        coded = code_integers(_fingerprints(columns, outlines, seed).view(np.int64))
        of_record: SmallCodes = kept(coded.codes.astype(np.int32))
        first, sizes = (kept(part.astype(np.int64)) for part in (coded.first, np.bincount(of_record)))
        classes = CaseClasses(of_record, first, sizes)
        if _is_exact(classes, columns, outlines):
            return classes
    raise JudgeError("records cannot be told apart by their fingerprints", hint="use --judge every-record")


def _fingerprints(columns: Mapping[str, Column], outlines: SmallCodes, seed: int) -> Words:
    marks = np.empty(len(outlines), np.uint64)
    for start in range(0, len(outlines), _ROWS):
        rows = slice(start, start + _ROWS)
        mark = mixed(outlines[rows].astype(np.uint64) + np.uint64(seed + 1))
        for column in columns.values():
            mark = _with_column(mark, column.of(rows))
        marks[rows] = mark
    return marks


def _with_column(mark: Words, column: Column) -> Words:
    """Return the fingerprints with the lengths, states and texts of one more variable in them."""
    text = Text.of_column(column)
    mark = mixed(mark ^ (text.length.astype(np.uint64) << np.uint64(2) | column.state))
    mark = mixed(mark ^ text.first_word)
    for place in range(1, -(-text.longest // 8)):
        longer = np.flatnonzero(text.length > 8 * place)
        mark[longer] = mixed(mark[longer] ^ text.take(longer).word(place))
    return mark


def mixed(mark: Words) -> Words:
    """Return the words with every bit depending on many others; different words stay different."""
    product = mark * _ODD
    product ^= product >> _SHIFT
    product *= _ODD
    product ^= product >> _SHIFT
    return product


def _is_exact(classes: CaseClasses, columns: Mapping[str, Column], outlines: SmallCodes) -> bool:
    """Tell whether every record has the outline, and the texts and states, of the first of its class."""
    for start in range(0, len(outlines), _ROWS):
        rows = slice(start, start + _ROWS)
        firsts = classes.first[classes.of_record[rows]]
        if not np.array_equal(outlines[rows], outlines[firsts]):
            return False
        if not all(_are_equal(column.of(rows), column.take(firsts)) for column in columns.values()):
            return False
    return True


def _are_equal(left: Column, right: Column) -> bool:
    return np.array_equal(left.state, right.state) and bool(equal(Text.of_column(left), Text.of_column(right)).all())


def representatives(classes: Sequence[CaseClasses]) -> Rows:
    """Return records that stand for all classes of all questions, in file order; a record may stand for several.

    In rounds, a record is taken if it stands for more classes that none stands for yet than any other record of these
    classes does. The order among equals is fixed, so the same records are taken every time. With one question the first
    record of each class is taken.
    """
    if len(classes) == 1:
        return np.sort(classes[0].first)
    count = len(classes[0].of_record) if classes else 0
    taken = np.zeros(count, np.bool_)
    open_classes = [np.ones(len(one), np.bool_) for one in classes]
    left: Rows = np.arange(count, dtype=np.int64)
    while len(left):
        worth = _worth(classes, open_classes, left)
        left, worth = left[worth > 0], worth[worth > 0]
        chosen = left[_first_of_all(classes, open_classes, left, worth)]
        taken[chosen] = True
        for one, is_open in zip(classes, open_classes, strict=True):
            is_open[one.of_record[chosen]] = False
    return np.flatnonzero(taken).astype(np.int64)


def _worth(classes: Sequence[CaseClasses], open_classes: Sequence[Flags], left: Rows) -> Worth:
    """Return for how many classes each record would stand that none stands for yet."""
    worth = np.zeros(len(left), np.uint16)
    for part in windows(len(left)):
        for one, is_open in zip(classes, open_classes, strict=True):
            worth[part] += is_open[one.of_record[left[part]]]
    return worth


def _first_of_all(classes: Sequence[CaseClasses], open_classes: Sequence[Flags], left: Rows, worth: Worth) -> Flags:
    """Tell which records are the best of every class that is open and theirs; the best of all always is."""
    wins = np.ones(len(left), np.bool_)
    for one, is_open in zip(classes, open_classes, strict=True):
        best = np.zeros(len(one), np.uint64)
        for part in windows(len(left)):
            mine = one.of_record[left[part]]
            flags = is_open[mine]
            np.maximum.at(best, mine[flags], _rank(left[part], worth[part])[flags])
        for part in windows(len(left)):
            mine = one.of_record[left[part]]
            wins[part] &= ~is_open[mine] | (best[mine] == _rank(left[part], worth[part]))
    return wins


def _rank(records: Rows, worth: Worth) -> Words:
    """Return a number for each record, larger for one that is worth more.

    A bijection on 32 bits scatters equal records, so that many can be taken in a round.
    """
    scattered = records.astype(np.uint64) * np.uint64(2_654_435_761) & np.uint64(0xFFFFFFFF)
    rank: Words = worth.astype(np.uint64) << np.uint64(32) | scattered
    return rank
