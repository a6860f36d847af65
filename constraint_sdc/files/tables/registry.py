"""Every format of tables by the ending of its files, ours and installed ones, and how tables are read in this run.

SDMX-ML has no ending of its own: the root element of an XML file tells it.
"""

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

_DOCUMENTS = frozenset(("sch", "json", "xsd", "txt"))  # never tables: no look at what is installed
_XML = frozenset(("", "xml"))
_SDMX = "sdmx-ml"
_SAME = {"arrow": "feather", "zsav": "sav"}  # two endings of one format


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
                first=("csv", "tsv", "parquet", "feather", "arrow", "sav", "zsav", "dta", "sdmx-ml"),
            )
        return self._registry


_ENDINGS = _Endings()
_said: list[list[TableReading]] = []


def table_formats() -> Registry[TableFormat]:
    """Return all formats by the ending of their files, without the point."""
    return _ENDINGS.registry()


def table_format(path: Path) -> TableFormat | None:
    """Return the format of a table by the ending of its name, or its root; None for a file that is read as XML."""
    ending = path.suffix[1:].lower()
    if ending in _DOCUMENTS or ending == _SDMX:
        return None
    if ending not in _XML and ending in table_formats():
        return table_formats()[ending]
    return table_formats()[_SDMX] if is_message(path) and current_reading().sdmx != "elements" else None


def format_by_name(path: Path) -> str | None:
    """Return the format that the ending of a name says; None for XML, which every other ending is."""
    ending = path.suffix[1:].lower()
    is_known = ending not in _XML | _DOCUMENTS | {_SDMX} and ending in table_formats()
    return _SAME.get(ending, ending) if is_known else None


def is_message(path: Path) -> bool:
    """Tell whether an XML file is a message of SDMX-ML."""
    from constraint_sdc.files.tables.sdmx.recognised import message_kind

    return message_kind(path) is not None


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


def options_of(path: Path) -> frozenset[str]:
    """Return which fields of `TableReading` mean something for a file."""
    known = table_format(path)
    if known is None:
        return frozenset(("sdmx",)) if current_reading().sdmx == "elements" and is_message(path) else frozenset()
    return known.options


def reading_statement(path: Path) -> dict[str, dict[str, str]]:
    """Return how a table is read, as the entry `table` of a certificate; nothing for a file that says so itself."""
    reading = table_read_as(path)
    if reading is None and "sdmx" in options_of(path):
        reading = TableReading(sdmx="elements")
    stated = {} if reading is None else reading.to_json()
    return {"table": stated} if stated else {}
