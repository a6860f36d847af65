"""A file of fixed-width rows between a description and an end: the layout that SPSS and Stata share.

A masked copy is the same file with other bytes in masked cells. Labels, value labels, missing codes, formats, notes and
everything else in the description are copied as they are, except those of removed variables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from constraint_sdc.arrays import Bytes
from constraint_sdc.errors import DataError
from constraint_sdc.files.rows_file import xml_name
from constraint_sdc.files.tables.document import REMARKS
from constraint_sdc.files.tables.table_format import TableChange

StorageKind: TypeAlias = Literal["text", "int8", "int16", "int32", "float", "double", "long text"]


@dataclass(frozen=True, slots=True)
class StoredField:
    """Where the values of a variable are in a row, and how they are stored. Long texts are not stored in one piece."""

    kind: StorageKind
    offset: int
    width: int


@dataclass(frozen=True, slots=True)
class Reduction:
    """What a copy leaves out: variables and remarks; `masked` have other values, so the rows may not be sorted by them.

    Variables are numbered from 0, remarks have their names.
    """

    removed: frozenset[int] = frozenset()
    masked: frozenset[int] = frozenset()
    remarks: frozenset[str] = frozenset()


class StoredTable(Protocol):
    """A parsed file: its variables in order, the order of bytes ("<" or ">"), its rows, and what else it says."""

    fields: tuple[StoredField, ...]
    order: str
    encoding: str
    rows: Bytes
    remarks: Mapping[str, bytes]

    def around(self, left_out: Reduction) -> tuple[bytes, bytes]:
        """Return what stands before and after the rows in a copy; DataError if something cannot be left out."""
        ...

    def stored(self, rows: Bytes, before: bytes, after: bytes, left_out: Reduction) -> bytes:
        """Return the bytes of a copy."""
        ...

    def missing(self, kind: StorageKind) -> Any:
        """Return the stored value of a cell without a value."""
        ...

    def letter(self, kind: StorageKind, letter: str) -> Any:
        """Return the stored value of a missing code such as `.a`; None if the format has none."""
        ...


def cells_of(path: Path, table: StoredTable, names: Sequence[str]) -> dict[str, StoredField]:
    """Return the variables by name; the two readers of a file must have found the same number of them."""
    if len(names) != len(table.fields):
        what = f"has {len(table.fields)} variables by its description, and {len(names)} were read"
        raise DataError(what, file=str(path), hint="save it again in SPSS or Stata, or convert it to CSV")
    return dict(zip(names, table.fields, strict=True))


def reduction(names: Sequence[str], table: StoredTable, change: TableChange) -> Reduction:
    """Return what a copy leaves out, by the numbers of variables."""
    gone = frozenset(key for key in table.remarks if remark_path(key) in change.taken_out)
    removed = frozenset(at for at, name in enumerate(names) if name in change.removed)
    masked = frozenset(at for at, name in enumerate(names) if name in change.columns and at not in removed)
    return Reduction(removed, masked, gone)


def remark_path(key: str) -> str:
    """Return the path of a remark in the presentation."""
    return f"{REMARKS}/{xml_name(key)}"


def rows_without(table: StoredTable, rows: Bytes, removed: frozenset[int]) -> Bytes:
    """Return the rows without the cells of some variables."""
    if not removed:
        return rows
    keep = np.ones(rows.shape[1], np.bool_)
    for at in removed:
        keep[table.fields[at].offset : table.fields[at].offset + table.fields[at].width] = False
    found: Bytes = np.ascontiguousarray(rows[:, keep])
    return found


def skeleton_of(table: StoredTable, left_out: Reduction, path: Path) -> bytes:
    """Return a digest of everything but the cells of masked variables, and removed variables and remarks."""
    before, after = table.around(left_out)
    rows = table.rows
    if left_out.masked:
        rows = rows.copy()
        for at in left_out.masked:
            rows[:, table.fields[at].offset : table.fields[at].offset + table.fields[at].width] = 0
    rows = rows_without(table, rows, left_out.removed)
    if not rows.shape[1]:
        raise DataError("no column would be left", file=str(path), hint="keep a variable")
    digest = hashlib.sha256(f"{len(before)} {rows.shape} {len(after)} ".encode())
    for part in (before, np.ascontiguousarray(rows).data, after):
        digest.update(part)
    return digest.digest()
