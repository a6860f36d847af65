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
from constraint_sdc.partition.registry import METHODS, partitioner, settled, takes_one_variable
from constraint_sdc.settings.masker import (
    MASKERS,
    FuzzyCMeans,
    GroupAnonymity,
    Method,
    Microaggregation,
    Microhybrid,
    divides_itself,
)
from constraint_sdc.settings.recipe import Division, Recipe
from constraint_sdc.settings.words import Role, Standardise, VariableWish


def wished_masker(options: MaskOptions) -> Method:
    """Return the masker that the options ask for, as the recipe tells it if that is for the same one.

    The name of a partition stands for microaggregation.
    """
    recipe = options.recipe
    name = options.method or recipe.method or METHODS[0]
    if recipe.masker is not None and recipe.masker.name == name:
        return recipe.masker
    match name:
        case Microhybrid.name:
            return Microhybrid()
        case FuzzyCMeans.name:
            return FuzzyCMeans()
        case GroupAnonymity.name:
            hint = "a recipe with `mask: {method: group-anonymity, goals: [...]}`, see docs/maskers/group-anonymity.md"
            raise UsageError("group-anonymity needs to be told its goals", hint=hint)
    _refuse_unknown(name)
    return Microaggregation()


def _refuse_unknown(name: str) -> None:
    try:
        if name != Microaggregation.name:
            partitioner(name)
    except UsageError as error:
        raise UsageError(error.what, hint=f"{error.hint}; or a masker: {', '.join(MASKERS)}") from None


def wished_division(options: MaskOptions | PartitionOptions, masker: Method | None = None) -> Division:
    """Return the division that the options ask for; refuse what does not fit together."""
    recipe = options.recipe
    method = _partition_name(options)
    # An effort in the recipe is for the recipe's method; another method on the command line does not inherit it.
    of_recipe = recipe.partition or (recipe.method if recipe.method not in MASKERS else None)
    inherited = recipe.effort if method == (of_recipe or METHODS[0]) else None
    division = Division(
        method=method,
        effort=inherited if options.effort is None else options.effort,
        standardise=_unit(options.standardise or recipe.standardise or Standardise.Z_SCORE),
        weights=recipe.weights if options.weights is None else options.weights,
    )
    if masker is not None and divides_itself(masker):
        return _undivided(division, masker, options)
    if masker is not None and takes_one_variable(division.method) and division.standardise is not Standardise.Z_SCORE:
        what = f"{division.method} masks each variable alone, so standardise has no meaning"
        raise UsageError(what, hint="leave it out")
    if isinstance(masker, Microhybrid) and division.weights is not None:
        raise UsageError(f"{masker.name} takes no weights of records", hint="leave the weights out")
    return settled(division)


def _partition_name(options: MaskOptions | PartitionOptions) -> str:
    """Return the partition: what `--partition` says, else the method if it is a partition, else the recipe's."""
    recipe = options.recipe
    asked = options.partition if isinstance(options, MaskOptions) else None
    name = options.method or recipe.method
    if asked is not None and options.method is not None and options.method not in MASKERS:
        hint = f"--method {options.method} says how records are divided already; leave --partition out"
        raise UsageError(f"--method {options.method} and --partition {asked} are two partitions", hint=hint)
    if asked is not None and options.method is None and recipe.method is not None and recipe.method not in MASKERS:
        hint = f"--method {asked} goes before the recipe's; leave --partition out"
        raise UsageError(f"the recipe's method {recipe.method} and --partition {asked} are two partitions", hint=hint)
    if asked is not None:
        return asked
    if isinstance(options, PartitionOptions):
        _require_partition(options)
    if name is not None and name not in MASKERS:
        return name
    return recipe.partition or METHODS[0]


def _require_partition(options: PartitionOptions) -> None:
    """Refuse maskers where records are only to be divided; one that divides by a partition says which."""
    if options.method in MASKERS:
        partitioner(options.method)  # says that there is no such partition
    if options.method is None and options.recipe.method in (FuzzyCMeans.name, GroupAnonymity.name):
        what = f"the recipe's {options.recipe.method} divides no records by a partition method"
        raise UsageError(what, hint="name a partition with --method")


def _undivided(division: Division, masker: Method, options: MaskOptions | PartitionOptions) -> Division:
    """Return the division of a masker that needs none; refuse options that would be without effect."""
    told = {"partition": getattr(options, "partition", None), "effort": options.effort}
    for option, value in told.items():
        if value is not None:
            what = f"--{option} has no meaning with {masker.name}"
            raise UsageError(what, hint="it divides no records by a partition method; leave the option out")
    if division.weights is not None:
        raise UsageError(f"{masker.name} takes no weights of records", hint="leave the weights out")
    if isinstance(masker, GroupAnonymity) and division.standardise is not Standardise.Z_SCORE:
        raise UsageError(f"standardise has no meaning with {masker.name}", hint="leave it out")
    return Division(masker.name, None, division.standardise, None)


def _unit(wish: Standardise | str) -> Standardise:
    """Return the way to standardise, also for callers who give its name."""
    try:
        return Standardise(wish)
    except ValueError:
        names = ", ".join(each.value for each in Standardise)
        raise UsageError(f"unknown way to standardise: {wish!r}", hint=f"use one of: {names}") from None


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
