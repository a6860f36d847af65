"""Which records of a table a subdomain or condition of the recipe means."""

from __future__ import annotations

from constraint_sdc.measure.subdomain import Subdomain
from constraint_sdc.model.groups import Rows
from constraint_sdc.model.policy import Scale, VariableWish
from constraint_sdc.model.recipe import Recipe
from constraint_sdc.model.table import Table
from constraint_sdc.plan.series import is_numeric, make_series


def subdomain_rows(subdomain: Subdomain, table: Table, recipe: Recipe) -> tuple[tuple[str, Rows], ...]:
    """Return labels and records (from 0, ascending); missing codes are blanks, and the recipe's types decide.

    ValueError where the condition compares what cannot be compared.
    """
    texts: dict[str, list[str | None]] = {}
    numbers = {}
    for name in subdomain.names:
        column, missing = table.columns[name], recipe.missing.get(name, ())
        scale = recipe.variables.get(name, VariableWish()).scale
        if scale in (None, Scale.NUMERIC) and is_numeric(column, missing):
            numbers[name] = make_series(column, Scale.NUMERIC, VariableWish(decimals="free"), missing).values
        texts[name] = [None if text in (*missing, "") else text for text in column.texts()]
    return subdomain.rows(texts, numbers)
