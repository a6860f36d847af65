"""Influential variables of a file: numbers that count by their relative difference, or categories."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from constraint_sdc.errors import UsageError
from constraint_sdc.model.goal import Influential
from constraint_sdc.model.policy import Scale, VariableWish
from constraint_sdc.model.recipe import Recipe
from constraint_sdc.model.swap_task import FileInfluential
from constraint_sdc.model.table import Table
from constraint_sdc.plan.series import is_numeric, make_series, not_numeric


def file_influential(wish: Influential, table: Table, recipe: Recipe) -> FileInfluential:
    """Return the variable as numbers or codes; ordinal values count as 1, 2, 3, ... in their order."""
    column, missing = table.columns[wish.name], recipe.missing.get(wish.name, ())
    is_number = is_numeric(column, missing)
    known = recipe.variables.get(wish.name, VariableWish())
    scale = wish.scale or known.scale
    if scale is Scale.NUMERIC and not is_number:
        raise not_numeric(f"influential: {wish.name}")
    scale = scale or (Scale.NUMERIC if is_number else Scale.NOMINAL)
    if scale is Scale.NOMINAL:
        series = make_series(column, scale, VariableWish(), missing)
        return FileInfluential(wish, None, np.where(series.is_blank, -1, np.nan_to_num(series.values)).astype(np.int64))
    if (wish.same, wish.different) != (0.0, 1.0):
        what = f"influential: {wish.name} is {scale.value}, and same and different are for categories"
        raise UsageError(what, hint="leave them out, or say type: nominal")
    series = make_series(column, scale, replace(known, decimals="free"), missing)
    return FileInfluential(wish, series.values + (1.0 if scale is Scale.ORDINAL else 0.0), None)
