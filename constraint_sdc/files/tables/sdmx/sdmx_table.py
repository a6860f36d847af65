"""SDMX-ML as a format of tables, found by the root of a message and not by the ending of its name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.files.tables.sdmx.masked_message import message_skeleton, write_masked_message
from constraint_sdc.files.tables.sdmx.presented_message import PresentedMessage
from constraint_sdc.files.tables.table_format import TableChange, TableCopied
from constraint_sdc.settings.table_reading import TableReading


@dataclass(frozen=True, slots=True)
class SdmxTable:
    """Observations as rows; the variables of a series are those of each of its observations."""

    name: str
    options: frozenset[str] = frozenset(("sdmx",))

    def open(self, path: Path, _: TableReading) -> PresentedMessage:
        """Open a message."""
        return PresentedMessage(path)

    def read_as(self, _path: Path, _: TableReading) -> TableReading:
        """Return that observations are read."""
        return TableReading(sdmx="observations")

    def spelled(self, _path: Path, change: TableChange, _: TableReading) -> TableChange:
        """Return the change as it is: an attribute holds any text."""
        return change

    def write_masked(self, source: Path, target: Path, change: TableChange, _: TableReading) -> TableCopied:
        """Copy a message with other values."""
        return write_masked_message(source, target, change)

    def skeleton(self, path: Path, change: TableChange, _: TableReading) -> TableCopied:
        """Return the digests of a copy."""
        return message_skeleton(path, change)


REGISTERED = {"sdmx-ml": SdmxTable("sdmx-ml")}
