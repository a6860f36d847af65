"""Where records lack values that a rule's test reads; see `missing` for what counts as missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Flags
from constraint_sdc.data.table import Chunk, Column, State
from constraint_sdc.data.text import Text, equal

MissingCodes: TypeAlias = Mapping[str, tuple[str, ...]]
"""By variable, texts that stand for a missing value."""


@dataclass(frozen=True, slots=True)
class MissingInRows:
    """The variables that each rule's test reads, None if they are not known, and the missing codes."""

    reads: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    codes: MissingCodes = field(default_factory=dict)

    def on(self, chunk: Chunk) -> ChunkMissing:
        """Return where the records of a chunk lack values."""
        return ChunkMissing(self, chunk)


@dataclass(slots=True)
class ChunkMissing:
    """Where the records of one chunk lack values; each variable is looked at once."""

    values: MissingInRows
    chunk: Chunk
    _seen: dict[str, Flags] = field(default_factory=dict)

    def of(self, rule: str) -> Flags | None:
        """Return the records in which a value that the rule's test reads is missing; None if it is not known."""
        names = self.values.reads.get(rule)
        if names is None:
            return None
        flags = np.zeros(len(self.chunk), np.bool_)
        for name in names:
            flags |= self._of_variable(name)
        return flags

    def _of_variable(self, name: str) -> Flags:
        if name not in self._seen:
            column = self.chunk.columns.get(name)
            codes = self.values.codes.get(name, ())
            nowhere = np.ones(len(self.chunk), np.bool_)
            self._seen[name] = nowhere if column is None else is_missing(column, codes)
        return self._seen[name]


def is_missing(column: Column, codes: tuple[str, ...] = ()) -> Flags:
    """Tell where a column has no value.

    >>> from constraint_sdc.data.table import column_of
    >>> is_missing(column_of("V1", ["5", None, "", " ", "-9", " -9 "]), ("-9",)).tolist()
    [False, True, True, True, True, True]
    """
    flags: Flags = np.not_equal(column.state, State.VALUE)
    text = Text.of_column(column)
    for code in codes:
        flags |= equal(text, Text.of_strings([code]))
    known = {"", *map(normal_space, codes)}
    for row in np.flatnonzero(~flags & _has_blank_edge(column)).tolist():
        flags[row] = normal_space(column.text(row) or "") in known
    return flags


def _has_blank_edge(column: Column) -> Flags:
    """Tell where a value begins or ends with white space: XML has no other character up to the space."""
    last = len(column.buffer) - 1
    first_byte = column.buffer[np.minimum(column.start, last)]
    last_byte = column.buffer[np.clip(column.stop - 1, 0, last)]
    found: Flags = np.minimum(first_byte, last_byte) <= ord(" ")
    return found & (column.stop > column.start)


def normal_space(text: str) -> str:
    """Return a text as XPath's normalize-space() does."""
    return " ".join(part for part in text.translate(str.maketrans("\t\r\n", "   ")).split(" ") if part)
