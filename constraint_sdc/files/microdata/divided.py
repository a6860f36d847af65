"""Runs of records for workers: the file is read once, here, and each run is scanned where its records are looked at.

A run is cut where `plain_rows` cuts it, so records, lines and chunks are the same as in one process. A run that is not
plain is read here, as it would have been.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeVar

import numpy as np

from constraint_sdc.arrays import Bytes
from constraint_sdc.data.table import Chunk, Layout
from constraint_sdc.engines.engine import SECONDS_PER_BYTE
from constraint_sdc.engines.running import map_pieces
from constraint_sdc.engines.shared_value import SharedValue, share_value
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.parse import FilePlace
from constraint_sdc.files.microdata.plain_rows import PlainRows, Scanner
from constraint_sdc.files.microdata.same_rows import RecordRun, count_line_ends


@dataclass(frozen=True, slots=True)
class RunPiece:
    """A run for a worker: its bytes, the rows that they hold, and what the function is to know (`context`)."""

    data: Bytes
    layout: Layout
    written_name: str
    context: SharedValue


@dataclass(frozen=True, slots=True)
class ScannedRun:
    """What the reader needs to know of a run that a worker has scanned.

    `attributes` are (variable, attribute, records), in the order in which the scanner noted them.
    """

    records: int
    line_ends: int
    attributes: tuple[tuple[str, str, int], ...]


class OfRun(Protocol):
    """What a function returns for a run: with `scanned`, whatever it found."""

    @property
    def scanned(self) -> ScannedRun:
        """Return what the reader needs."""
        ...


Found = TypeVar("Found", bound=OfRun)


class _NotedAttributes:
    """Remembers what a scanner notes while it scans one run."""

    def __init__(self) -> None:
        self._noted: list[tuple[str, str, int]] = []

    def note_variable(self, variable: str, attributes: Iterable[str], count: int = 1) -> None:
        self._noted.extend((variable, name, count) for name in attributes)

    def taken(self) -> tuple[tuple[str, str, int], ...]:
        noted, self._noted = tuple(self._noted), []
        return noted


def scan_piece(piece: RunPiece) -> tuple[Chunk, ScannedRun] | None:
    """Return the records of a run, counted from 0 and with lines from 0; None if it is not plain."""
    scanner, attributes = _scanner(piece.context.token, piece.layout, piece.written_name)
    data = piece.data.tobytes()
    chunk = scanner.scan(RecordRun(data, FilePlace("", 0, 0)))
    noted = attributes.taken()
    return None if chunk is None else (chunk, ScannedRun(len(chunk), count_line_ends(data), noted))


@lru_cache(2)
def _scanner(_token: str, layout: Layout, written_name: str) -> tuple[Scanner, _NotedAttributes]:
    """Return the scanner of one file, which knows what earlier runs taught it."""
    attributes = _NotedAttributes()
    return Scanner(layout, written_name, [], attributes), attributes


def map_runs(
    rows: PlainRows,
    layout: Layout,
    written_name: str,
    function: Callable[[RunPiece], Found | None],
    context: Any,
    around: Around,
    size: int,
) -> Iterator[tuple[FilePlace, Found | Chunk]]:
    """Yield what the function finds in every run, with the place where the run begins; a chunk where it found None.

    The results come in the order of the file. `size` is how many bytes it has, `context` what the function may know.
    """
    shared = share_value(context)
    ahead: deque[bytes] = deque()

    def pieces() -> Iterator[RunPiece]:
        for data in rows.runs():
            ahead.append(data)
            yield RunPiece(np.frombuffer(data, np.uint8), layout, written_name, shared)

    # What a run of records looks like, and whether it obeys the rules, is a verdict: no earlier run is believed.
    for found in map_pieces(function, pieces(), work=size * SECONDS_PER_BYTE, is_verdict=True):
        data, place = ahead.popleft(), rows.place
        if found is not None:
            for variable, attribute, count in found.scanned.attributes:
                around.note_variable(variable, (attribute,), count)
            rows.skip(found.scanned.records, found.scanned.line_ends)
            yield place, found
            continue
        chunk = rows.take(data)
        if chunk is None:
            rows.put_back(b"".join((data, *ahead)))
            break
        yield place, chunk
    for chunk in rows.rest():
        yield rows.place, chunk
