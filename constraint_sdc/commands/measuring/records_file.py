"""All records of a file in memory: microdata XML, or CSV by the ending of its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from constraint_sdc.arrays import Points
from constraint_sdc.commands.convert import FORMATS
from constraint_sdc.data.pair import Pair
from constraint_sdc.data.table import Table, column_of
from constraint_sdc.data.variable import batch_length
from constraint_sdc.errors import UsageError
from constraint_sdc.files.csv_file import csv_texts
from constraint_sdc.files.dataset import Dataset, read_dataset
from constraint_sdc.files.readings import Readings
from constraint_sdc.measures.assessment import AssessOptions
from constraint_sdc.plan.read_series import is_measurable, make_series, on_any_grid
from constraint_sdc.settings.words import Scale, VariableWish

Progress = Callable[[int], None]


def is_csv(path: Path) -> bool:
    """Tell whether a file is CSV, by the ending of its name."""
    return FORMATS.get(path.suffix.lower()) == "csv"


@dataclass(frozen=True, slots=True)
class RecordsRead:
    """The records of a file; `dataset` is None for CSV."""

    path: Path
    table: Table
    dataset: Dataset | None = None

    def xml(self) -> Dataset:
        """Return the file for rules to judge; UsageError for CSV."""
        if self.dataset is None:
            hint = f"constraint-sdc convert {self.path.name} {self.path.with_suffix('.xml').name}"
            raise UsageError("rules judge XML, and this is CSV", file=str(self.path), hint=hint)
        return self.dataset


def read_records(
    path: Path, record: str | None = None, progress: Progress = lambda _: None, readings: Readings | None = None
) -> RecordsRead:
    """Return the records; `record` names their element in XML. A file without a known ending is read as XML.

    The variables of a CSV file have the names that `convert` would give them in XML. `readings` gets the digest of an
    XML file.
    """
    if is_csv(path):
        return RecordsRead(path, _read_csv(path, progress))
    if FORMATS.get(path.suffix.lower(), "xml") != "xml":
        hint = f"constraint-sdc convert {path.name} {path.with_suffix('.xml').name}"
        raise UsageError("neither XML nor CSV: convert it first", file=str(path), hint=hint)
    dataset = read_dataset(path, record, progress)
    if readings is not None:
        readings.note(path, dataset.sha256)
    return RecordsRead(path, dataset.table, dataset)


def _read_csv(path: Path, progress: Progress) -> Table:
    rows = csv_texts(path, delimiter="\t" if path.suffix.lower() == ".tsv" else None)
    texts: dict[str, list[str | None]] = {name: [] for name in rows.names}
    records = 0
    for batch in rows.batches():
        for name, part in batch.items():
            texts[name].extend(part)
        records += batch_length(batch)
        progress(records)
    return Table({name: column_of(name, column) for name, column in texts.items()}, records)


# The intruder's own file: the same records with the intruder's values.


def intruders_file(path: Path, pair: Pair, options: AssessOptions) -> Points:
    """Return the intruder's numbers, one column per known variable; row i belongs to record i of the original."""
    table = read_records(path, None if is_csv(path) else options.record or options.recipe.record).table
    if table.records != len(pair):
        what = f"has {table.records:,} records, the original {len(pair):,}"
        raise UsageError(what, file=str(path), hint="it must hold the original's records, in their order")
    columns = []
    for name in pair.known:
        if pair[name].scale is not Scale.NUMERIC:
            continue
        column, missing = table.columns.get(name), options.recipe.missing.get(name, ())
        if column is None:
            raise UsageError(f"has no variable {name}", file=str(path), hint="name those that it has with --known")
        wish = options.recipe.variables.get(name, VariableWish())
        if not is_measurable(column, wish, missing):
            raise UsageError(f"some values of {name} are not numbers", file=str(path), hint="leave it out of --known")
        columns.append(make_series(column, Scale.NUMERIC, on_any_grid(wish), missing).values)
    if not columns:
        raise UsageError("the file has no known numeric variable, so it cannot link any record", file=str(path))
    return np.column_stack(columns)
