"""Every format of tables by the ending of its files, ours and installed ones, and how tables are read in this run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from constraint_sdc.plugins import Registry
from constraint_sdc.settings.table_reading import TableReading

if TYPE_CHECKING:
    from constraint_sdc.files.tables.table_format import TableFormat

_DOCUMENTS = frozenset(("", "xml", "sch", "json", "xsd", "txt"))  # never tables: no look at what is installed


class _Endings:
    """The registry, made when it is first asked for."""

    def __init__(self) -> None:
        self._registry: Registry[TableFormat] | None = None

    def registry(self) -> Registry[TableFormat]:
        if self._registry is None:
            from constraint_sdc.files.tables.table_format import TableFormat

            self._registry = Registry(
                kind="table format",
                folders=("constraint_sdc.files.tables",),
                group="constraint_sdc.tables",
                protocol=TableFormat,
                first=("csv", "tsv", "parquet", "feather", "arrow", "sav", "zsav", "dta"),
            )
        return self._registry


_ENDINGS = _Endings()
_said: list[list[TableReading]] = []


def table_formats() -> Registry[TableFormat]:
    """Return all formats by the ending of their files, without the point."""
    return _ENDINGS.registry()


def table_format(path: Path) -> TableFormat | None:
    """Return the format of a table by the ending of its name; None for a file that is read as XML."""
    ending = path.suffix[1:].lower()
    if ending in _DOCUMENTS or ending not in table_formats():
        return None
    return table_formats()[ending]


@contextmanager
def reading_tables(reading: TableReading) -> Iterator[None]:
    """Let the tables that are opened in the block be read so; what an outer block says goes first."""
    said = [reading]  # a list is itself only, whatever it holds: blocks may end in any order
    _said.append(said)
    try:
        yield
    finally:
        _said[:] = [one for one in _said if one is not said]


def current_reading() -> TableReading:
    """Return how tables are read in this run, as far as it was said."""
    return reduce(TableReading.over, (reading for (reading,) in _said), TableReading())


def table_read_as(path: Path) -> TableReading | None:
    """Return how a table is read, as it was said or found; None for a file that is read as XML."""
    known = table_format(path)
    return None if known is None else known.read_as(path, current_reading())


def reading_statement(path: Path) -> dict[str, dict[str, str]]:
    """Return how a table is read, as the entry `table` of a certificate; nothing for a file that says so itself."""
    reading = table_read_as(path)
    stated = {} if reading is None else reading.to_json()
    return {"table": stated} if stated else {}
