from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree

from constraint_sdc.data.variable import Batch, RowSource, VariableInfo

Record = dict[str, str | None]


@pytest.fixture(scope="session")
def records_of_xml() -> Callable[[Path], list[Record]]:
    """Read our row format by an independent parser: name to text, '' for an empty element, no key for an absent one."""

    def read(path: Path) -> list[Record]:
        with path.open("rb") as file:
            root = etree.parse(file).getroot()
        return [{v.tag: v.text or "" for v in record} for record in root.findall("Record")]

    return read


@pytest.fixture(scope="session")
def records_of() -> Callable[[RowSource], list[Record]]:
    """Collect rows as one mapping a record, without its absent variables."""

    def collect(rows: RowSource) -> list[Record]:
        found: list[Record] = []
        for batch in rows.batches():
            for row in zip(*(batch[name] for name in rows.names), strict=True):
                found.append({n: t for n, t in zip(rows.names, row, strict=True) if t is not None})
        return found

    return collect


@pytest.fixture(scope="session")
def rows_from() -> Callable[..., RowSource]:
    """Make rows from columns of texts; infos default to undescribed text variables."""

    def make(columns: Batch, infos: tuple[VariableInfo, ...] | None = None) -> RowSource:
        described = infos or tuple(VariableInfo(name, "text") for name in columns)
        return RowSource(described, lambda: iter([columns]))

    return make
