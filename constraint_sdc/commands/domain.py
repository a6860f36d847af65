"""Domain: the distinct values of chosen variables, as a file that stands in for the original microdata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from constraint_sdc.data.table import Chunk
from constraint_sdc.data.variable import Written
from constraint_sdc.errors import UsageError
from constraint_sdc.files.domain_file import distinct_values, write_domain
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.microdata import Microdata, open_microdata


def export_domain(
    data: Path, variables: Sequence[str], target: Path, *, record: str | None = None, overwrite: bool = False
) -> Written:
    """Write the values of these variables as rows in the shape of the data."""
    microdata = open_microdata(data, record=record)
    layout = microdata.layout
    around = Around()
    values = distinct_values(_in_one_place(microdata, around), variables)
    written = write_domain(target, values, layout.record, wrappers=layout.wrappers, overwrite=overwrite)
    also = [name for name in variables if name in around.elements]
    notes = [f"<{name}> also stands outside the records; what it says there is not in the list" for name in also]
    return Written(written.records, (*written.notes, *notes))


def _in_one_place(microdata: Microdata, around: Around) -> Iterator[Chunk]:
    """Yield the chunks while all records sit under the same elements: a list has no room for several places.

    With one list for all of them, a path into one place would find a value of another.
    """
    for chunk in microdata.chunks(around):
        if not chunk.layout.is_uniform or chunk.layout.wrappers != microdata.layout.wrappers:
            what = "the records sit under different elements, and a value list would mix them"
            raise UsageError(what, file=str(microdata.path), hint="check with --original instead")
        yield chunk
