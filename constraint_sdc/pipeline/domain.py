"""Domain: the distinct values of chosen variables, as a file that stands in for the original microdata."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraint_sdc.model.rows import Written
from constraint_sdc.read.microdata import open_microdata
from constraint_sdc.write.domain import distinct_values, write_domain


def export_domain(
    data: Path, variables: Sequence[str], target: Path, *, record: str | None = None, overwrite: bool = False
) -> Written:
    """Write the values of these variables as rows in the shape of the data."""
    microdata = open_microdata(data, record=record)
    values = distinct_values(microdata.chunks(), variables)
    layout = microdata.layout
    return write_domain(target, values, layout.record, wrappers=layout.wrappers, overwrite=overwrite)
