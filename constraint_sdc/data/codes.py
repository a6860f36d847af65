"""Equal values as equal numbers: the one place where the texts of a column, and combinations of columns, are coded.

Texts are told apart by a word made of their bytes, so a million records take a fraction of a second and no Python
object for each. Words of different texts may coincide, by chance or because somebody wishes it: every text is compared
with the first of its code byte by byte, and if two differ the texts are coded one by one. So codes are exact, always.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Integers, Positions, SmallCodes, Words
from constraint_sdc.data.table import Column, State
from constraint_sdc.data.text import Text, equal
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.running import scratch

_MOST_WORDS = 16  # of a text that make its key; longer texts that begin alike are compared one by one
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd: no two words get the same product
_LARGEST = 2**62
_MANY = 50_000  # keys from which on a hash table pays
_SAMPLE = 4_096  # keys that are looked at to tell whether they repeat
_HARDLY_REPEAT = 0.97  # share of different keys in the sample
_AT_A_TIME = 1 << 18  # texts that are compared together


@dataclass(frozen=True, slots=True)
class Coded:
    """`codes[i]` is the number of value i: two values are the same if and only if their numbers are.

    Numbers are 0, 1, ... in the order in which the values first appear. `first` has the place of the first of each.
    """

    codes: Codes
    first: Positions

    def __len__(self) -> int:
        """Return how many different values there are."""
        return len(self.first)


def code_texts(texts: Text) -> Coded:
    """Number the different texts, byte by byte.

    >>> found = code_texts(Text.of_strings(["b", "a", "b", "1.0", "1"]))
    >>> found.codes.tolist(), found.first.tolist()
    ([0, 1, 0, 2, 3], [0, 1, 3, 4])
    """
    found = _code_keys(text_keys(texts))
    if texts.longest > 8 and not _are_alike(texts, found):
        return _code_one_by_one(texts)
    return found


def _are_alike(texts: Text, coded: Coded) -> bool:
    """Tell whether every text is the first of its code, letter by letter."""
    for start in range(0, len(texts), _AT_A_TIME):
        rows = np.arange(start, min(start + _AT_A_TIME, len(texts)))
        if not equal(texts.take(rows), texts.take(coded.first[coded.codes[rows]])).all():
            return False
    return True


def text_keys(texts: Text) -> Words:
    """Return a word for every text: the text itself if none is longer than that; equal texts have equal words."""
    keys = texts.first_word
    for k in range(1, min(-(-texts.longest // 8), _MOST_WORDS)):
        keys = (keys ^ (keys >> np.uint64(29))) * _FACTOR + texts.word(k)
    return keys


def code_values(column: Column) -> Coded:
    """Number the different values of a column, text and state: absent, empty and nil are values of their own.

    >>> from constraint_sdc.data.table import column_of
    >>> code_values(column_of("V1", ["5", None, "", "5", None])).codes.tolist()
    [0, 1, 2, 0, 1]
    """
    texts = code_texts(Text.of_column(column))
    if not column.state.any():
        return texts
    return code_integers(texts.codes * len(State) + column.state)


def code_integers(values: Integers) -> Coded:
    """Number the different integers.

    >>> code_integers(np.array([7, 3, 7])).codes.tolist()
    [0, 1, 0]
    """
    return _code_keys(values)


def join_codes(columns: Iterable[Codes | SmallCodes], records: int) -> Codes:
    """Return a number for each combination of codes: 0, 1, ... in the order in which combinations first appear.

    `columns` have `records` codes each, none of them negative. Without a column all records are alike.

    >>> join_codes([np.array([1, 0, 1, 1]), np.array([0, 0, 2, 0])], 4).tolist()
    [0, 1, 2, 0]
    """
    return _numbered(join_keys(columns, records))


def join_keys(columns: Iterable[Codes | SmallCodes], records: int) -> Integers:
    """Return an integer for each combination of codes, the same for the same combination; not negative, maybe large.

    >>> join_keys([np.array([1, 0, 1, 1]), np.array([0, 0, 2, 0])], 4).tolist()
    [3, 0, 5, 3]
    """
    joint: Integers = scratch().own(records, np.int64)
    joint[:] = 0
    width = 1
    for codes in columns:
        size = int(codes.max(initial=0)) + 1
        if width * size > _LARGEST:
            joint[:] = _any_numbers(joint)
            width = records
        joint *= size
        joint += codes
        width *= size
    return joint


def _any_numbers(keys: Integers) -> Codes | SmallCodes:
    """Number the different keys 0, 1, ... in any order; of keys that hardly repeat, with little memory besides."""
    if len(keys) < _MANY or not _hardly_repeat(keys):
        return _table_codes(keys)[0] if len(keys) >= _MANY else _code_by_order(keys).codes
    order = np.argsort(keys)
    codes, count = np.empty(len(keys), np.int32), 0
    for part in windows(len(keys)):
        rows = order[part]
        ordered = keys[order[max(part.start - 1, 0) : part.stop]]
        is_new = ordered[1:] != ordered[:-1]
        ranks = count + np.cumsum(is_new if part.start else np.concatenate(([False], is_new)))
        codes[rows], count = ranks, int(ranks[-1])
    return codes


def _hardly_repeat(keys: Words | Integers) -> bool:
    sample = keys[:: len(keys) // _SAMPLE + 1]
    return len(np.unique(sample)) > _HARDLY_REPEAT * len(sample)


def _numbered(keys: Integers) -> Codes:
    """Number the different keys, without the place of the first of each."""
    return _table_codes(keys)[0].astype(np.int64) if len(keys) >= _MANY else _code_by_order(keys).codes


def _code_keys(keys: Words | Integers) -> Coded:
    """Number the different keys; a hash table is faster than sorting, but its library takes a moment to load."""
    return _code_by_table(keys) if len(keys) >= _MANY else _code_by_order(keys)


def _code_by_order(keys: Words | Integers) -> Coded:
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    is_first = np.ones(len(ordered), np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    first = order[is_first]
    appearance = np.argsort(first, kind="stable")
    rank = np.empty(len(first), np.int64)
    rank[appearance] = np.arange(len(first))
    codes = np.empty(len(order), np.int64)
    codes[order] = rank[np.cumsum(is_first) - 1]
    return Coded(codes, first[appearance])


def _code_by_table(keys: Words | Integers) -> Coded:
    codes, count = _table_codes(keys)
    first = np.empty(count, np.intp)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of places with the same code, the last one written stays
    return Coded(codes.astype(np.int64), first)


def _table_codes(keys: Words | Integers) -> tuple[SmallCodes, int]:
    """Return the number of each key, and how many different ones there are.

    A hash table is quick as long as it fits into the processor's cache; of keys that hardly repeat, sorting is quicker,
    and takes a quarter of the memory.
    """
    if _hardly_repeat(keys):
        return sorted_codes(keys)
    import pyarrow as pa

    # By its buffers: pyarrow loads pandas to convert an array.
    kind = pa.uint64() if keys.dtype == np.uint64 else pa.int64()
    coded = pa.Array.from_buffers(kind, len(keys), [None, pa.py_buffer(np.ascontiguousarray(keys))]).dictionary_encode()
    codes, count = np.frombuffer(coded.indices.buffers()[1], np.int32, len(keys)), len(coded.dictionary)
    pa.default_memory_pool().release_unused()  # the hash table is larger than all that is kept
    return codes, count


def sorted_codes(keys: Words | Integers) -> tuple[SmallCodes, int]:
    """Return the number of each key, in the order in which keys first appear, and how many different ones there are.

    >>> codes, count = sorted_codes(np.array([9, 4, 9, 7]))
    >>> codes.tolist(), count
    ([0, 1, 0, 2], 3)
    """
    order = np.argsort(keys)
    ordered = keys[order]
    is_first = np.ones(len(keys), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    del ordered
    starts = np.flatnonzero(is_first)
    appearance = np.argsort(np.minimum.reduceat(order, starts))
    rank = np.empty(len(starts), np.int32)
    rank[appearance] = np.arange(len(starts), dtype=np.int32)
    codes = np.empty(len(keys), np.int32)
    codes[order] = np.repeat(rank, np.diff(starts, append=len(keys)))
    return codes, len(starts)


def _code_one_by_one(texts: Text) -> Coded:
    known: dict[bytes, int] = {}
    raw = texts.raw(np.arange(len(texts)))
    codes = np.array([known.setdefault(text, len(known)) for text in raw], np.int64)
    return Coded(codes, np.unique(codes, return_index=True)[1])
