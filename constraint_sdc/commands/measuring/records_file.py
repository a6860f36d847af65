"""All records of a file in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from constraint_sdc.arrays import Points
from constraint_sdc.data.pair import Pair
from constraint_sdc.errors import UsageError
from constraint_sdc.files.dataset import Dataset, read_dataset
from constraint_sdc.files.readings import Readings
from constraint_sdc.files.tables.registry import table_format
from constraint_sdc.measures.assessment import AssessOptions
from constraint_sdc.plan.read_series import is_measurable, make_series, on_any_grid
from constraint_sdc.settings.words import Scale, VariableWish

Progress = Callable[[int], None]


def is_table(path: Path) -> bool:
    """Tell whether a file is a table that has no elements, by the ending of its name."""
    return table_format(path) is not None


def read_records(
    path: Path, record: str | None = None, progress: Progress = lambda _: None, readings: Readings | None = None
) -> Dataset:
    """Return the records; `record` names their element in XML. `readings` gets the digest of the file."""
    dataset = read_dataset(path, record, progress)
    if readings is not None:
        readings.note(path, dataset.sha256)
    return dataset


# The intruder's own file: the same records with the intruder's values.


def intruders_file(path: Path, pair: Pair, options: AssessOptions) -> Points:
    """Return the intruder's numbers, one column per known variable; row i belongs to record i of the original."""
    table = read_records(path, options.record or options.recipe.record).table
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
