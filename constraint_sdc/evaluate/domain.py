"""The distinct texts of a variable in another file, for "this value occurs there" in near-linear time.

Texts become fixed-width keys, one to one (XML text never holds a NUL, so padding with NUL loses nothing): up to eight
bytes one 64-bit word; up to sixteen characters of a number also one word, four bits each; anything else a byte string
of the next power of two. Sorted keys are searched by bisection: no Python object per value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Flags, Keys, Positions
from constraint_sdc.data.table import Column
from constraint_sdc.data.text import Text
from constraint_sdc.evaluate.expression import Call, Compare, Expression, Literal, Outside
from constraint_sdc.evaluate.value import NotMine, TextItem, Value, exactly_one, truth

# The width in bytes of the texts behind the keys; numbers of nine to sixteen characters have a name of their own.
_SHORT = 8
_NUMBER = 0

_CHARACTERS = "\0" + "0123456789.-+eE"
_CODES = np.full(256, 255, np.uint8)
_CODES[np.frombuffer(_CHARACTERS.encode("ascii"), np.uint8)] = np.arange(16)


@dataclass(slots=True, eq=False)
class Domain:
    """A growing set of texts, exact codepoint by codepoint.

    >>> from constraint_sdc.data.table import column_of
    >>> domain = Domain.of([column_of("V1", ["1", "2", None, "1"])])
    >>> domain.contains(column_of("V1", ["1", "1.0", None])).tolist(), len(domain)
    ([True, False, False], 2)
    """

    _sorted: dict[int, Keys] = field(default_factory=dict)
    _pending: dict[int, list[Keys]] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Iterable[Column]) -> Domain:
        """Return the domain of these columns' values, without absent ones."""
        domain = cls()
        for column in columns:
            domain.add(column)
        return domain

    @classmethod
    def of_text(cls, text: Text) -> Domain:
        """Return the domain of some texts."""
        domain = cls()
        domain._add(text, np.arange(len(text)))
        return domain

    def add(self, column: Column) -> None:
        """Add the values of a column."""
        self._add(Text.of_column(column), np.flatnonzero(column.present()))

    def add_text(self, text: Text, rows: Positions) -> None:
        """Add the texts of some rows."""
        self._add(text, rows)

    def add_domain(self, other: Domain) -> None:
        """Add the values of another domain."""
        for part in (
            *other._sorted.items(),
            *((width, keys) for width, many in other._pending.items() for keys in many),
        ):
            self._add_keys(*part)

    def contains(self, column: Column) -> Flags:
        """Tell for each record whether its value is in the domain; an absent value is not."""
        return self.contains_text(Text.of_column(column), column.present())

    def contains_text(self, text: Text, present: Flags) -> Flags:
        """Tell for each present text whether it is in the domain."""
        found = np.zeros(len(text), np.bool_)
        for width, rows, keys in _keys(text, np.flatnonzero(present)):
            self._merge(width)
            known = self._sorted.get(width)
            if known is not None and len(known):
                places = np.searchsorted(known, keys)
                places[places == len(known)] = 0
                found[rows] = known[places] == keys
        return found

    def texts(self) -> Iterator[str]:
        """Yield the distinct texts, in no particular order."""
        for width in list({*self._sorted, *self._pending}):
            self._merge(width)
            for raw in _raw(width, self._sorted[width]):
                yield bytes(raw).decode("utf-8")

    def __len__(self) -> int:
        for width in list(self._pending):
            self._merge(width)
        return sum(map(len, self._sorted.values()))

    def _add(self, text: Text, rows: Positions) -> None:
        for width, _, keys in _keys(text, rows):
            self._add_keys(width, _distinct(keys))

    def _add_keys(self, width: int, keys: Keys) -> None:
        pending = self._pending.setdefault(width, [])
        pending.append(keys)
        # Merging only when the new keys are half of the known keeps work per value logarithmic and memory bounded.
        if sum(map(len, pending)) > max(len(self._sorted.get(width, ())) // 2, 65_536):
            self._merge(width)

    def _merge(self, width: int) -> None:
        pending = self._pending.pop(width, [])
        if pending:
            known = self._sorted.pop(width, None)
            joined = np.concatenate(pending if known is None else [known, *pending])
            # At a million values every copy matters: the parts are freed before the whole is sorted in place.
            del known, pending
            joined.sort()
            self._sorted[width] = _without_repetition(joined)


def _distinct(keys: Keys) -> Keys:
    """Return the distinct keys, sorted; sorting is many times faster than the hash table behind `np.unique`."""
    return _without_repetition(np.sort(keys))


def _without_repetition(keys: Keys) -> Keys:
    is_new = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    return np.compress(is_new, keys)


def _keys(text: Text, rows: Positions) -> Iterator[tuple[int, Positions, Keys]]:
    """Yield (width in bytes, rows, keys)."""
    words = np.maximum(text.length[rows] + 7, 8) // 8
    power = np.ceil(np.log2(words)).astype(np.int64)
    for exponent in np.flatnonzero(np.bincount(power)).tolist():
        chosen = rows[power == exponent]
        part = text.take(chosen)
        if exponent == 0:
            yield _SHORT, chosen, part.first_word
            continue
        width = 8 << exponent
        matrix = np.stack([part.word(k) for k in range(1 << exponent)], axis=1).astype("<u8", copy=False)
        if exponent == 1:
            is_number, keys = _packed(matrix)
            yield _NUMBER, chosen[is_number], keys
            chosen, matrix = chosen[~is_number], matrix[~is_number]
        yield width, chosen, matrix.view(f"S{width}").reshape(-1)


def _packed(matrix: npt.NDArray[np.uint64]) -> tuple[Flags, Keys]:
    """Tell which rows of two words look like numbers, and return those with four bits for each character."""
    codes = _CODES[matrix.view(np.uint8)]
    is_number: Flags = codes.max(axis=1, initial=0) < 16
    codes = codes[is_number]
    return is_number, (codes[:, 0::2] << 4 | codes[:, 1::2]).view("<u8").reshape(-1)


def _raw(width: int, keys: Keys) -> Keys:
    """Return keys as the byte strings they stand for."""
    if width == _SHORT:
        return keys.astype("<u8").view("S8")
    if width != _NUMBER:
        return keys
    pairs = keys.astype("<u8").view(np.uint8).reshape(-1, 8)
    codes = np.stack([pairs >> 4, pairs & 15], axis=2).reshape(-1, 16)
    return np.frombuffer(_CHARACTERS.encode("ascii"), np.uint8)[codes].copy().view("S16").reshape(-1)


# The value domain rule (a value occurs in another document) in every form in which rules write it.

_FOUND = {(">", 0), (">=", 1), ("!=", 0)}
_MISSING = {("=", 0), ("<", 1), ("<=", 0)}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Asked:
    """`sought` is looked up in `outside`; `is_required` marks index-of, which accepts no empty sequence, unlike `=`."""

    outside: Outside
    sought: Expression
    found: bool
    is_required: bool


def sought_outside(expression: Expression) -> Asked | None:
    """Recognise `V1 = outside`, `exists(index-of(outside, V1))`, `empty(...)` and `count(index-of(...)) > 0`."""
    match expression:
        case Compare("=", Outside() as outside, sought, False) | Compare("=", sought, Outside() as outside, False):
            return Asked(outside, sought, True, False)
        case Call("exists" | "empty" as name, (Call("index-of", (Outside() as outside, sought)),)):
            return Asked(outside, sought, name == "exists", True)
        case Compare(op, Call("count", (Call("index-of", (Outside() as outside, sought)),)), Literal(limit)):
            return _counted(op, outside, sought, limit)
        case Compare(op, Literal(limit), Call("count", (Call("index-of", (Outside() as outside, sought)),))):
            return _counted(_TURNED.get(op, op), outside, sought, limit)
    return None


def _counted(op: str, outside: Outside, sought: Expression, limit: object) -> Asked | None:
    if type(limit) is int and ((op, limit) in _FOUND or (op, limit) in _MISSING):
        return Asked(outside, sought, (op, limit) in _FOUND, True)
    return None


def occurs(asked: Asked, sought: Value, domain: Domain) -> Value:
    """Answer for each record; untyped values and strings compare as strings, codepoint by codepoint."""
    doubt = exactly_one(sought, "index-of()") if asked.is_required else sought.doubt
    found = np.zeros(1, np.bool_)
    for item in sought.items:
        if not isinstance(item, TextItem):
            raise NotMine("a number or boolean is looked up in another document; only texts are supported")
        text, present = item.reading.text.broadcast(item.present)
        found = found | domain.contains_text(text, present)
    return Value((truth(found if asked.found else ~found),), doubt)
