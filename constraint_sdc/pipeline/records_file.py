"""All records of a file in memory: microdata XML, or CSV by the ending of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from constraint_sdc.errors import UsageError
from constraint_sdc.model.rows import batch_length
from constraint_sdc.model.table import Chunk, Table, column_of
from constraint_sdc.pipeline.conversion import FORMATS
from constraint_sdc.read.csv_file import read_csv
from constraint_sdc.read.microdata import open_microdata
from constraint_sdc.read.whole_table import read_table

Progress = Callable[[int], None]


def is_csv(path: Path) -> bool:
    """Tell whether a file is CSV, by the ending of its name."""
    return FORMATS.get(path.suffix.lower()) == "csv"


def read_records(path: Path, record: str | None = None, progress: Progress = lambda _: None) -> Table:
    """Return the records; `record` names their element in XML. A file without a known ending is read as XML.

    The variables of a CSV file have the names that `convert` would give them in XML.
    """
    if is_csv(path):
        return _read_csv(path, progress)
    if FORMATS.get(path.suffix.lower(), "xml") == "xml":
        return _read_xml(path, record, progress)
    target = path.with_suffix(".xml").name
    hint = f"constraint-sdc convert {path.name} {target}"
    raise UsageError("neither XML nor CSV: convert it first", file=str(path), hint=hint)


def _read_xml(path: Path, record: str | None, progress: Progress) -> Table:
    def chunks() -> Iterator[Chunk]:
        for chunk in open_microdata(path, record=record).chunks():
            progress(chunk.first + len(chunk))
            yield chunk

    return read_table(chunks())


def _read_csv(path: Path, progress: Progress) -> Table:
    rows = read_csv(path, delimiter="\t" if path.suffix.lower() == ".tsv" else None)
    texts: dict[str, list[str | None]] = {name: [] for name in rows.names}
    records = 0
    for batch in rows.batches():
        for name, part in batch.items():
            texts[name].extend(part)
        records += batch_length(batch)
        progress(records)
    return Table({name: column_of(name, column) for name, column in texts.items()}, records)
