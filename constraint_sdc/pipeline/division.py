"""How records are to be divided: what the command line, else the recipe, else the defaults say."""

from __future__ import annotations

from constraint_sdc.errors import UsageError
from constraint_sdc.model.division import Division
from constraint_sdc.model.masking import MaskOptions
from constraint_sdc.model.partitioned import PartitionOptions
from constraint_sdc.model.policy import Standardise
from constraint_sdc.partition.methods import METHODS, settled


def wished_division(options: MaskOptions | PartitionOptions) -> Division:
    """Return the division that the options ask for; refuse what does not fit together."""
    recipe = options.recipe
    method = next(name for name in (options.method, recipe.method, METHODS[0]) if name is not None)
    # An effort in the recipe is for the recipe's method; another method on the command line does not inherit it.
    inherited = recipe.effort if method == (recipe.method or METHODS[0]) else None
    division = Division(
        method=method,
        effort=inherited if options.effort is None else options.effort,
        standardise=_unit(options.standardise or recipe.standardise or Standardise.Z_SCORE),
        weights=recipe.weights if options.weights is None else options.weights,
    )
    return settled(division)


def _unit(wish: Standardise | str) -> Standardise:
    """Return the way to standardise, also for callers who give its name."""
    try:
        return Standardise(wish)
    except ValueError:
        names = ", ".join(each.value for each in Standardise)
        raise UsageError(f"unknown way to standardise: {wish!r}", hint=f"use one of: {names}") from None
