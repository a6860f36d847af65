"""A run of bytes that begins and ends between records, and what its readers share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from constraint_sdc.model.table import Bytes, Column, Spans, State
from constraint_sdc.read.build import MAX_VARIABLES
from constraint_sdc.read.characters import NotPlainError
from constraint_sdc.read.parse import Place

BLANK = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class Run:
    """Bytes of whole records, white space in front included, none after the last."""

    data: bytes
    place: Place


def line_ends_before(raw: Bytes, places: Spans) -> Spans:
    """Return how many line ends stand before each place."""
    return np.searchsorted(np.flatnonzero(raw == 0x0A), places).astype(np.int64)


def count_line_ends(data: bytes) -> int:
    """Return how many line ends the bytes hold."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == 0x0A))


def add_names(names: list[str], more: Iterable[str]) -> None:
    """Append the names that are new; refuse more variables than rows may have."""
    known = set(names)
    names.extend(name for name in more if name not in known)
    if len(names) > MAX_VARIABLES:
        raise NotPlainError


def column_spans(name: str, buffer: Bytes, count: int, state: State) -> Column:
    """Return a column without any text."""
    nowhere = np.zeros(count, np.int64)
    return Column(name, buffer, nowhere, nowhere, np.full(count, state, np.uint8))
