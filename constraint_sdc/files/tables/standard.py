"""The standard that a file follows, where its content shows one: SDMX-CSV or SDMX-ML."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.files.tables.registry import current_reading, table_format


def standard_of(path: Path) -> str | None:
    """Return the standard of a table in words, None if it follows none that is known."""
    known = table_format(path)
    if known is None:
        return None
    if known.name == "sdmx-ml":
        from constraint_sdc.files.tables.sdmx.recognised import message_kind

        kind = message_kind(path)
        return None if kind is None else kind.words
    if known.name in ("csv", "tsv"):
        from constraint_sdc.files.tables.csv.text import CsvText

        with CsvText(path, current_reading(), is_tsv=known.name == "tsv") as text:
            return text.dialect.standard
    return None


def demanded_parts(path: Path) -> frozenset[str]:
    """Return the paths of what stands around the rows and every file of this standard must have."""
    known = table_format(path)
    if known is None or known.name != "sdmx-ml":
        return frozenset()
    from constraint_sdc.files.tables.sdmx.recognised import DEMANDED

    return frozenset(DEMANDED)
