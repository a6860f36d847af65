"""Summarise the text of each variable: its lexical form, and how often and in which way it is missing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Flags
from constraint_sdc.data.table import Chunk, Column, State

_NUMBER = re.compile(r"[+-]?(?P<whole>\d+)?(?P<fraction>\.\d*)?(?P<exponent>[eE][+-]?\d+)?", re.ASCII)
_XML_BLANK = " \t\r\n"


class LexicalForm(IntEnum):
    """Lexical form of a variable: the narrowest that holds every value."""

    INTEGER = 0
    DECIMAL = 1
    SCIENTIFIC = 2
    TEXT = 3


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One variable over the file; `form` is None when no record has a value, `decimals` the most digits after a point.

    `missing` counts the user-missing codes, which are excluded from `values` and from the form.
    """

    name: str
    form: LexicalForm | None
    decimals: int
    values: int
    absent: int
    empty: int
    nil: int
    missing: Mapping[str, int]

    @property
    def records(self) -> int:
        """Return the number of records."""
        return self.values + self.absent + self.empty + self.nil + sum(self.missing.values())


def summarise(
    chunks: Iterable[Chunk], missing: Mapping[str, Collection[str]] | None = None
) -> tuple[ColumnSummary, ...]:
    """Summarise every variable of the chunks; `missing` gives user-missing codes by variable."""
    tallies: dict[str, _FormTally] = {}
    records = 0
    for chunk in chunks:
        for name, column in chunk.columns.items():
            if name not in tallies:
                tallies[name] = _FormTally(absent=records, missing=dict.fromkeys((missing or {}).get(name, ()), 0))
            tallies[name].add(column)
        records += len(chunk)
    return tuple(tally.summary(name) for name, tally in tallies.items())


@dataclass(slots=True)
class _FormTally:
    absent: int
    missing: dict[str, int]
    form: LexicalForm | None = None
    decimals: int = 0
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(State), np.int64))

    def add(self, column: Column) -> None:
        self.counts += np.bincount(column.state, minlength=len(State))
        is_value = column.state == State.VALUE
        for code in self.missing:
            coded = is_value & _equals(column, code)
            self.missing[code] += int(np.count_nonzero(coded))
            is_value &= ~coded
        if self.form != LexicalForm.TEXT and is_value.any():
            self._widen(column.take(np.flatnonzero(is_value)))

    def _widen(self, column: Column) -> None:
        decimals, is_plain = _plain_decimals(column)
        if is_plain.any():
            most = int(decimals[is_plain].max())
            self._note(LexicalForm.INTEGER if most < 0 else LexicalForm.DECIMAL, most)
        for text in column.take(np.flatnonzero(~is_plain)).texts():
            self._note(*_form_of(text or ""))
            if self.form == LexicalForm.TEXT:
                return

    def _note(self, form: LexicalForm, decimals: int) -> None:
        self.form = form if self.form is None else max(self.form, form)
        self.decimals = max(self.decimals, decimals)

    def summary(self, name: str) -> ColumnSummary:
        value, absent, empty, nil = self.counts.tolist()
        return ColumnSummary(
            name=name,
            form=self.form,
            decimals=0 if self.form == LexicalForm.TEXT else self.decimals,
            values=value - sum(self.missing.values()),
            absent=absent + self.absent,
            empty=empty,
            nil=nil,
            missing=self.missing,
        )


def _equals(column: Column, code: str) -> Flags:
    """Tell which values are exactly this text."""
    wanted = np.frombuffer(code.encode("utf-8"), np.uint8)
    same: Flags = np.equal(column.stop - column.start, len(wanted))
    for offset, byte in enumerate(wanted):
        rows = np.flatnonzero(same)
        same[rows] = column.buffer.take(column.start[rows] + offset) == byte
    return same


def _plain_decimals(column: Column) -> tuple[npt.NDArray[np.int64], Flags]:
    """Return digits after the point (-1 without point), and which values are a sign, digits and one point at most.

    Each value is classified by counts over its span, taken from running totals over the part of the buffer in use.
    """
    low, high = int(column.start.min()), int(column.stop.max())
    part = column.buffer[low:high]
    start, stop = column.start - low, column.stop - low
    is_point = part == ord(".")
    digits = _within((part >= ord("0")) & (part <= ord("9")), start, stop)
    points = _within(is_point, start, stop)
    first = part.take(start)
    signs = ((first == ord("-")) | (first == ord("+"))).astype(np.int64)
    is_plain = (digits + points + signs == stop - start) & (digits > 0) & (points <= 1)
    decimals = np.full(len(column), -1, np.int64)
    with_point = np.flatnonzero(is_plain & (points == 1))
    places = np.flatnonzero(is_point)
    decimals[with_point] = stop[with_point] - 1 - places.take(np.searchsorted(places, start[with_point]))
    return decimals, is_plain


def _within(is_hit: Flags, start: npt.NDArray[np.int64], stop: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    total = np.zeros(len(is_hit) + 1, np.int64)
    np.cumsum(is_hit, out=total[1:])
    return total.take(stop) - total.take(start)


def _form_of(text: str) -> tuple[LexicalForm, int]:
    found = _NUMBER.fullmatch(text.strip(_XML_BLANK))
    if found is None or not (found["whole"] or len(found["fraction"] or "") > 1):
        return LexicalForm.TEXT, 0
    decimals = len(found["fraction"]) - 1 if found["fraction"] else -1
    if found["exponent"]:
        return LexicalForm.SCIENTIFIC, decimals
    return (LexicalForm.INTEGER if decimals < 0 else LexicalForm.DECIMAL), decimals
