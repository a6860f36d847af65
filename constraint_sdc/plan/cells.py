"""Cells: a conjunction of every rule, and the records that satisfy all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Classes, Codes, ConditionBits, Rows, SmallCodes
from constraint_sdc.data.codes import code_integers, join_codes
from constraint_sdc.plan.plan import Formation

# Every record satisfies at least one conjunction of each rule. A cell is a choice of one conjunction per rule and the
# records assigned to it: within it the chosen atoms are plain conjunctive constraints. Cells are taken greedily,
# largest first.
#
# Bit t of `accepts[i, r]` says that record i satisfies conjunction t of rule r. Records with different rows of
# `classes` (n x c) do not share a mean: patterns of blanks, pinned values, signs.

NONE_KNOWN = -1
"""The choice for a rule if the records satisfy no conjunction that we understand."""


@dataclass(slots=True)
class StratumCell:
    """Records, the conjunction chosen for each rule, and how the cell came to its size."""

    rows: Rows
    choice: tuple[int, ...]
    formation: Formation = Formation.WHOLE
    is_one_class: bool = True


def by_class(classes: Classes) -> Iterator[Rows]:
    """Yield the records of each class."""
    if not classes.shape[1]:
        yield np.arange(len(classes))
        return
    _, label = np.unique(classes, axis=0, return_inverse=True)
    label = label.ravel()
    order = np.argsort(label, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(label[order])) + 1)


def cover(accepts: ConditionBits, rows: Rows) -> Iterator[StratumCell]:
    """Yield cells that cover the rows; each choice starts from the conjunctions that most records satisfy."""
    kind_of = join_codes((_coded(column[rows]) for column in accepts.T), len(rows))
    counts = np.bincount(kind_of)
    first = np.empty(len(counts), np.int64)
    first[kind_of[::-1]] = rows[::-1]  # of the records of a kind, the last one written stays
    kinds = accepts[first]
    bits = _Bits.of(kinds)
    left = np.ones(len(kinds), np.bool_)
    while left.any():
        chosen, taken = bits.largest_choice(counts, left)
        left &= ~taken
        yield StratumCell(rows[taken[kind_of]], chosen)


def _coded(bits: ConditionBits) -> Codes | SmallCodes:
    """Return a number for each different row of bits; in most files all are the same, and there is nothing to sort."""
    if (bits == bits[:1]).all():
        return np.zeros(len(bits), np.int32)
    return code_integers(bits.view(np.int64)).codes


@dataclass(frozen=True, slots=True)
class _Bits:
    """The conjunctions that occur: column c of `accepted` tells which kinds of record satisfy `term[c]` of a rule."""

    rules: int
    rule: Rows
    term: Rows
    accepted: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, kinds: ConditionBits) -> _Bits:
        columns = [
            (rule, term, mask)
            for rule in range(kinds.shape[1])
            for term in range(64)
            if (mask := has_bit(kinds[:, rule], term)).any()
        ]
        accepted = np.array([mask for _, _, mask in columns], np.bool_).reshape(len(columns), len(kinds)).T
        places = np.array([(rule, term) for rule, term, _ in columns], np.int64).reshape(-1, 2)
        return cls(kinds.shape[1], places[:, 0], places[:, 1], accepted)

    def largest_choice(
        self, counts: npt.NDArray[np.int64], left: npt.NDArray[np.bool_]
    ) -> tuple[tuple[int, ...], npt.NDArray[np.bool_]]:
        """Return a conjunction for each rule, the most widely satisfied first, and the kinds that satisfy them all."""
        taken = left.copy()
        choice = [NONE_KNOWN] * self.rules
        is_open = np.ones(len(self.rule), np.bool_)
        while is_open.any():
            sizes = np.where(is_open, counts[taken] @ self.accepted[taken], -1)
            best = int(sizes.argmax())
            is_open &= self.rule != self.rule[best]
            if sizes[best] > 0:
                choice[self.rule[best]] = int(self.term[best])
                taken &= self.accepted[:, best]
        return tuple(choice), taken


def has_bit(masks: ConditionBits, term: int) -> npt.NDArray[np.bool_]:
    """Tell which masks contain a conjunction."""
    return np.asarray((masks >> np.uint64(term)) & np.uint64(1), np.bool_)
