"""The values of a parameter: equal numbers are one value however they are spelt, and texts are as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from constraint_sdc.errors import UsageError
from constraint_sdc.model.groups import Rows
from constraint_sdc.model.policy import Scale, VariableWish
from constraint_sdc.model.recipe import Recipe
from constraint_sdc.model.swap_task import Parameter
from constraint_sdc.model.table import Table
from constraint_sdc.plan.series import is_numeric, make_series, not_numeric

MOST_VALUES = 1000
"""More values than that are no signal but a mistake."""


def parameter_of(name: str, table: Table, recipe: Recipe) -> Parameter:
    """Return a parameter with its values in order: numbers by size, else texts."""
    column, missing = table.columns[name], recipe.missing.get(name, ())
    wish = recipe.variables.get(name, VariableWish())
    is_number = is_numeric(column, missing)
    scale = wish.scale or (Scale.NUMERIC if is_number else Scale.NOMINAL)
    if scale is Scale.NUMERIC and not is_number:
        raise not_numeric(name)
    # Ordinal series put texts that are numbers in the order of the numbers.
    ordered = Scale.NUMERIC if scale is Scale.NUMERIC else Scale.ORDINAL
    series = make_series(column, ordered, replace(wish, decimals="free"), missing)
    has_value = ~series.is_blank
    values, first, codes = np.unique(series.values[has_value], return_index=True, return_inverse=True)
    if not len(values):
        raise UsageError(f"{name} is a parameter, but no record has a value of it")
    if len(values) > MOST_VALUES:
        hint = "choose a variable with fewer values, or join values before masking"
        raise UsageError(f"{name} has {len(values):,} different values, too many for a signal", hint=hint)
    rows = np.flatnonzero(has_value)
    texts = [column.text(int(rows[place])) or "" for place in first.tolist()]
    labels = tuple(text.strip() if scale is Scale.NUMERIC else text for text in texts)
    all_codes = np.full(table.records, -1, np.int64)
    all_codes[rows] = codes.reshape(-1)
    return Parameter(name, all_codes, labels)


def place_of(value: str, parameter: Parameter, places: Rows, where: str) -> int:
    """Return where in a signal over `places` a value stands; UsageError tells none of the file's own values."""
    try:
        return parameter.place_of(value, places)
    except ValueError as problem:
        hint = f"it has {len(places):,} different values there; write one as the file does"
        raise UsageError(f"{where}: {problem}", hint=hint) from None
