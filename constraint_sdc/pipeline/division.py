"""How records are to be divided: what the command line, else the recipe, else the defaults say."""

from __future__ import annotations

from constraint_sdc.model.division import Division
from constraint_sdc.model.masking import MaskOptions
from constraint_sdc.model.partitioned import PartitionOptions
from constraint_sdc.model.policy import Standardise
from constraint_sdc.partition.methods import METHODS, settled


def wished_division(options: MaskOptions | PartitionOptions) -> Division:
    """Return the division that the options ask for; refuse what does not fit together."""
    recipe = options.recipe
    method = options.method or recipe.method or METHODS[0]
    # An effort in the recipe is for the recipe's method; another method on the command line does not inherit it.
    inherited = recipe.effort if method == (recipe.method or METHODS[0]) else None
    division = Division(
        method=method,
        effort=options.effort or inherited,
        standardise=options.standardise or recipe.standardise or Standardise.Z_SCORE,
        weights=options.weights or recipe.weights,
    )
    return settled(division)
