"""What input may make a command use: time, memory and sizes. Every limit stands here, with its default.

Rules are code, and data can be hostile: a small file can ask for hours, or for more memory than a machine has. Time and
memory have an option each; sizes are fixed, far beyond what offices publish. docs/security.md lists them all, and a
test compares the two lists.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.errors import LimitError

SECONDS = 3600.0
"""Seconds that a command may take by the clock."""
SAXON_BASE, SAXON_FACTOR = 2 << 30, 32
"""Memory of a Saxon process: so many bytes, and so many for every byte that it was given; at most MACHINE_SHARE."""
MACHINE_SHARE = 0.75
"""The share of the machine's memory beyond which a process is not let grow."""
CELL_BYTES = 64
"""Memory of one value of one record, in planning and masking; an estimate for the refusal of what cannot fit."""
SCRATCH_FACTOR = 6
"""Scratch files of a run: so many bytes for every byte of the file; an estimate for the refusal of a small disk."""

RULE_FILE_BYTES = 32 << 20
"""Bytes of one file of rules, included files and documents that a rule reads as text counted one by one."""
INCLUSIONS = 10_000
"""Elements of other files that a schema may include."""
RULE_DEPTH = 100
"""Nested elements in a file of rules."""
RULE_NESTING = 100
"""Nested expressions in a rule of another language than Schematron; a sum of so many terms counts as nested."""
RULE_PARTS = 10_000
"""Names, constants and operators in one rule of another language, macros written out."""
TRANSLATED_RULES = 10_000
"""Rules in the files of another language, groups of variables written out."""
NUMBER_EXPONENT = 300
"""Digits, and powers of ten, of a number in a rule of another language."""
NAMESPACES = 1_000
"""Namespace declarations in one start tag; parsers compare each with all others."""
ELEMENT_KINDS = 10_000
"""Kinds of elements, by path from the root, among which records are looked for."""
VARIABLES = 10_000
"""Variables of a file."""
SURROUNDINGS = 10_000
"""Different attributes, values and texts around the variables of a file; further ones are counted together."""
RECORD_BYTES = 64 << 20
"""Bytes of one record."""
HEAD_BYTES = 32 << 20
"""Bytes before the first record, and bytes of metadata."""
RECIPE_BYTES = 1_000_000
"""Bytes of a recipe."""
JSON_BYTES = 200_000_000
"""Bytes of a plan, a certificate or another JSON file."""
KEY_BYTES = 100_000
"""Bytes of the file of a key."""
TRIALS = 9
"""Maskings that a refusal tries in search of ways out."""
TRIALS_OF_LARGE, LARGE_RECORDS = 3, 20_000
"""The same for files of more than so many records."""
TOTALS_TRIED = 8
"""Maskings among which `totals: auto` chooses."""
RECORD_NUMBERS = 10_000_000
"""Record numbers of `--truth-rows`, those of all ranges together."""
TABLE_CELLS = 2_000_000_000
"""Cells of a Parquet, SPSS or Stata file, whose compressed form tells nothing of its size."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits that a user may set: seconds for the whole command, bytes for each Saxon process; None is no limit.

    Without `memory` the limit of a Saxon process follows from the size of what it is given.
    """

    seconds: float | None = SECONDS
    memory: int | None = None


@dataclass(slots=True)
class _Running:
    """The limits of the command that runs in this process, and when its time is over by `time.monotonic`."""

    limits: Allowance
    deadline: float | None = None


_running = _Running(Allowance(seconds=None))


@contextmanager
def within(limits: Allowance) -> Iterator[None]:
    """Let a block run within limits; time counts from here."""
    global _running
    before = _running
    _running = _Running(limits, None if limits.seconds is None else time.monotonic() + limits.seconds)
    try:
        yield
    finally:
        _running = before


def sooner(deadline: float | None) -> float | None:
    """Return the earlier of a deadline and that of the command; None is never."""
    known = [moment for moment in (deadline, _running.deadline) if moment is not None]
    return min(known, default=None)


def saxon_memory(given: int) -> int:
    """Return the bytes that a Saxon process may hold after it was given so many bytes of documents and rules."""
    if _running.limits.memory is not None:
        return _running.limits.memory
    return min(SAXON_BASE + SAXON_FACTOR * given, max(int(MACHINE_SHARE * machine_memory()), SAXON_BASE))


def machine_memory() -> int:
    """Return the bytes of memory that the machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def require_memory(records: int, variables: int, file: str) -> None:
    """Refuse a file whose values would not fit into the memory of the machine, before they are laid out."""
    needed, most = records * variables * CELL_BYTES, int(MACHINE_SHARE * machine_memory())
    if needed > most:
        raise LimitError(
            f"{records:,} records of {variables:,} variables need about {needed >> 20:,} MB of memory; "
            f"{most >> 20:,} MB may be used",
            file=file,
            hint="leave variables out, or use a machine with more memory",
        )


def require_cells(records: int, variables: int, path: Path) -> None:
    """Refuse a compressed table with more cells than are read."""
    if records * variables > TABLE_CELLS:
        raise LimitError(
            f"{records:,} records of {variables:,} variables: more than {TABLE_CELLS:,} cells",
            file=str(path),
            hint="leave variables out, or divide the file",
        )
