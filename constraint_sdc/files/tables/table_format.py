"""What a format of tables can do: present a table as XML rows, and write it again with other values.

A table is *presented* as a document in our own row format (`schemas/microdata.xsd`), generated a block at a time while
the table is read and never stored. Reader, evaluator and Saxon see the same presentation, so a rule means the same for
a table and for XML. The digest of a table is that of its own bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Protocol

from constraint_sdc.data.table import Column
from constraint_sdc.settings.table_reading import TableReading


class OpenTable(Protocol):
    """A table that is open at its first row; `names` are the XML names of its columns."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the XML names of the columns."""
        ...

    def presented(self) -> Iterator[bytes]:
        """Yield the whole presentation, UTF-8, a block at a time.

        Record i begins on the line that a message should name: its line in a text file, its number elsewhere.
        """
        ...

    @property
    def sha256(self) -> str:
        """Return the digest of the table's own bytes; call it after the end of the presentation."""
        ...

    @property
    def share(self) -> float | None:
        """Return what share of the table was read; None if that is not known."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


@dataclass(frozen=True, slots=True)
class TableCopied:
    """What was read while a table was looked through: the digest of its bytes, and that of its skeleton.

    The skeleton is everything that must be the same in a table and its masked copy: all but the values of masked
    variables, and removed variables.
    """

    sha256: str
    skeleton: bytes


@dataclass(frozen=True, slots=True)
class TableChange:
    """What is other in a copy: the values of `columns`, which cover all records, and without `removed` variables.

    The names are those of the presentation, and so are the paths of `taken_out`: what a file says besides its columns
    and is left out.
    """

    columns: Mapping[str, Column]
    removed: frozenset[str] = frozenset()
    taken_out: frozenset[str] = frozenset()


def is_same_number(one: str | None, other: str | None) -> bool:
    """Tell whether two texts are the same decimal number.

    >>> is_same_number("1.50", "1.5"), is_same_number("1.5", "1.25"), is_same_number("a", "b")
    (True, False, False)
    """
    try:
        return one is not None and other is not None and Decimal(one) == Decimal(other)
    except InvalidOperation:
        return False


class TableFormat(Protocol):
    """A format of tables, registered under the ending of its files.

    `options` are the fields of `TableReading` that it heeds.
    """

    name: str
    options: frozenset[str]

    def open(self, path: Path, reading: TableReading) -> OpenTable:
        """Open a table; DataError for a file that is none."""
        ...

    def read_as(self, path: Path, reading: TableReading) -> TableReading:
        """Return how the table is read: every field that the format heeds, found or given."""
        ...

    def spelled(self, path: Path, change: TableChange, reading: TableReading) -> TableChange:
        """Return the change with every value as it will be read back, such as `1.5` for `1.50` in a column of doubles.

        DataError, with column and row, for a value that the column cannot hold.
        """
        ...

    def write_masked(self, source: Path, target: Path, change: TableChange, reading: TableReading) -> TableCopied:
        """Write the table at `source` with other values into the staged file `target`; the result is of `source`."""
        ...

    def skeleton(self, path: Path, change: TableChange, reading: TableReading) -> TableCopied:
        """Return the digests of a table that `write_masked` has written with this change."""
        ...
