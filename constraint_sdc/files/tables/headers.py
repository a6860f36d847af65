"""The column headers of a table that is written from XML names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraint_sdc.errors import DataError
from constraint_sdc.files.rows_file import header_of, local_name


def headers_of(names: Sequence[str], path: Path) -> list[str]:
    """Return the column headers: local names, with escaped characters restored; equal headers are refused."""
    headers = [header_of(local_name(name)) for name in names]
    for i, header in enumerate(headers):
        if header in headers[:i]:
            raise DataError(
                f"two variables would have the header {header!r}: {names[headers.index(header)]} and {names[i]}",
                file=str(path),
                hint="they differ only in namespace or by being an attribute, which a table cannot show; rename one",
            )
    return headers
