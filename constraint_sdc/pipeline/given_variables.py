"""Variables that microhybrid leaves as they are, and whose covariances with the others it keeps."""

from __future__ import annotations

from dataclasses import replace

from constraint_sdc.errors import UsageError
from constraint_sdc.model.policy import Role, VariableWish
from constraint_sdc.model.recipe import Recipe


def keep_given(recipe: Recipe, given: tuple[str, ...]) -> Recipe:
    """Return the recipe with the given variables untouched."""
    variables = dict(recipe.variables)
    for name in given:
        wish = variables.get(name, VariableWish())
        is_wished = (wish.operator, wish.decimals, wish.weight) != (None, None, None)
        if is_wished or wish.role not in (None, Role.UNTOUCHED):
            hint = f"take {name} out of `given`, or out of `variables`"
            raise UsageError(f"{name} is given, so it stays as it is and cannot be masked", hint=hint)
        variables[name] = replace(wish, role=Role.UNTOUCHED)
    return replace(recipe, variables=variables)
