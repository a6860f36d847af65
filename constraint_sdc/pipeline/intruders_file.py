"""The file that an intruder has himself: the same people, his own values."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from constraint_sdc.errors import UsageError
from constraint_sdc.model.assessment import AssessOptions
from constraint_sdc.model.groups import Points
from constraint_sdc.model.pair import Pair
from constraint_sdc.model.policy import Scale, VariableWish
from constraint_sdc.pipeline.records_file import is_csv, read_records
from constraint_sdc.plan.series import is_numeric, make_series


def intruders_file(path: Path, pair: Pair, options: AssessOptions) -> Points:
    """Return his numbers of the variables that he knows: n x as many columns, row i for record i of the original."""
    table = read_records(path, None if is_csv(path) else options.record or options.recipe.record)
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
        if not is_numeric(column, missing):
            raise UsageError(f"some values of {name} are no numbers", file=str(path), hint="leave it out of --known")
        columns.append(make_series(column, Scale.NUMERIC, VariableWish(decimals="free"), missing).values)
    if not columns:
        raise UsageError("he knows no numbers, so that his file links nothing", file=str(path))
    return np.column_stack(columns)
