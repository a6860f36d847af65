"""The variable that says how much each record counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from constraint_sdc.errors import UsageError
from constraint_sdc.evaluate.lexical import Reading
from constraint_sdc.evaluate.text import Text
from constraint_sdc.model.cloud import Weights
from constraint_sdc.model.policy import Role, VariableWish
from constraint_sdc.model.recipe import Recipe
from constraint_sdc.model.table import Table

_LEAST = 1e-12  # less is lost in the digits of a double, when weights are added up


def record_weights(table: Table, name: str) -> Weights:
    """Return how much every record counts, the largest near 1: only proportions count, and those stay exact.

    What is not a positive number is refused.
    """
    if name not in table.columns:
        known = ", ".join(list(table.columns)[:20])
        raise UsageError(f"the weights are to be {name!r}, which no record has", hint=f"the file has: {known}")
    weights = Reading(Text.of_column(table.columns[name])).doubles.values
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if len(bad):
        hint = "give every record a weight, or leave the weights out"
        raise UsageError(f"{name} of record {bad[0] + 1:,} is no positive number, so it is no weight", hint=hint)
    scaled: Weights = np.ldexp(weights, -np.frexp(weights.max())[1])
    if scaled.min() < _LEAST:
        hint = "in such company it counts for nothing; give it a larger weight"
        what = f"{name} of record {int(scaled.argmin()) + 1:,} is less than {_LEAST:g} of the largest weight"
        raise UsageError(what, hint=hint)
    return scaled


def keep_weights(recipe: Recipe, name: str) -> Recipe:
    """Return the recipe with the weights untouched: once masked they would no longer be those of the records."""
    wish = recipe.variables.get(name, VariableWish())
    is_masked = wish.role is not None and wish.role.is_masked
    if is_masked or (wish.operator, wish.decimals, wish.weight) != (None, None, None):
        hint = f"make {name} untouched, or leave the weights out"
        raise UsageError(f"{name} weighs the records and cannot be masked too", hint=hint)
    if name in recipe.missing:
        hint = f"take {name} out of `missing`, or leave the weights out"
        raise UsageError(f"{name} weighs the records, so that none of its values can be missing", hint=hint)
    kept = wish if wish.role is not None else replace(wish, role=Role.UNTOUCHED)
    return replace(recipe, variables={**recipe.variables, name: kept})
