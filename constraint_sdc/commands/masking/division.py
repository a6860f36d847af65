"""The masker and how records are divided: what the command line, else the recipe, else the defaults say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from constraint_sdc.arrays import Weights
from constraint_sdc.data.table import Table
from constraint_sdc.data.text import Text
from constraint_sdc.errors import UsageError
from constraint_sdc.evaluate.lexical import Reading
from constraint_sdc.maskers.masked import MaskOptions, PartitionOptions
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.maskers.registry import DEFAULT, MASKERS
from constraint_sdc.partition.registry import METHODS, settled, takes_one_variable
from constraint_sdc.settings.masker import MaskerTraits, make_masker
from constraint_sdc.settings.recipe import Division, Recipe
from constraint_sdc.settings.words import Role, Standardise, VariableWish, standardise_by


def wished_masker(options: MaskOptions) -> Masker:
    """Return the masker that the options ask for, as the recipe tells it if that is for the same one."""
    of_recipe = options.recipe.masker
    name = options.masker or (DEFAULT if of_recipe is None else of_recipe.name)
    told = of_recipe.told() if of_recipe is not None and of_recipe.name == name else {}
    return make_masker(MASKERS[name], told)


def wished_division(options: MaskOptions | PartitionOptions, masker: MaskerTraits | None = None) -> Division:
    """Return the division that the options ask for; refuse what does not fit together."""
    recipe = options.recipe
    method = options.partition or recipe.partition or METHODS[0]
    # An effort in the recipe is for the recipe's method; another method on the command line does not inherit it.
    inherited = recipe.effort if method == (recipe.partition or METHODS[0]) else None
    division = Division(
        partition=method,
        effort=inherited if options.effort is None else options.effort,
        standardise=standardise_by(options.standardise or recipe.standardise or Standardise.Z_SCORE),
        weights=recipe.weights if options.weights is None else options.weights,
    )
    if masker is None:
        _refuse_recipe_without_partition(options)
        return settled(division)
    _refuse_idle(division, masker, options)
    return Division(masker.name, None, division.standardise, None) if masker.divides_itself else settled(division)


def _refuse_recipe_without_partition(options: MaskOptions | PartitionOptions) -> None:
    """Refuse to divide records alone by a recipe whose masker divides them in its own way."""
    masker = options.recipe.masker
    if masker is not None and masker.divides_itself and options.partition is None:
        what = f"the recipe's {masker.name} divides no records by a partition method"
        raise UsageError(what, hint="name a partition with --partition")


def _refuse_idle(division: Division, masker: MaskerTraits, options: MaskOptions | PartitionOptions) -> None:
    """Refuse options that would be without effect."""
    if masker.divides_itself:
        for option, value in {"partition": options.partition, "effort": options.effort}.items():
            if value is not None:
                what = f"--{option} has no meaning with {masker.name}"
                raise UsageError(what, hint="it divides no records by a partition method; leave the option out")
    elif takes_one_variable(division.partition) and division.standardise is not Standardise.Z_SCORE:
        what = f"{division.partition} masks each variable alone, so standardise has no meaning"
        raise UsageError(what, hint="leave it out")
    if division.weights is not None and not masker.takes_weights:
        raise UsageError(f"{masker.name} takes no weights of records", hint="leave the weights out")
    if division.standardise is not Standardise.Z_SCORE and not masker.takes_standardise:
        raise UsageError(f"standardise has no meaning with {masker.name}", hint="leave it out")


# The variable that says how much each record counts.

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
        raise UsageError(f"{name} of record {bad[0] + 1:,} is not a positive number, so not a weight", hint=hint)
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
