"""What a recipe says of the masker: that it exists, and that what it is told fits together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from constraint_sdc.errors import UsageError
from constraint_sdc.model.method import MASKERS, FuzzyCMeans, GroupAnonymity, Microhybrid
from constraint_sdc.model.method_json import PARAMETERS
from constraint_sdc.model.policy import Role
from constraint_sdc.model.recipe import Recipe
from constraint_sdc.read.recipe_goals import refuse_goals
from constraint_sdc.read.recipe_yaml import RecipeText


def refuse_strange_parameters(content: Mapping[str, Any], text: RecipeText) -> None:
    """Refuse what is told to another masker than the one that masks."""
    if "mask" not in content:
        return
    if "method" in content:
        raise text.mistake("`method` stands under `mask` already", ["method"])
    mask = content["mask"]
    allowed = PARAMETERS.get(mask["method"], ())
    for entry in mask:
        if entry != "method" and entry not in allowed:
            owners = [name for name, parameters in PARAMETERS.items() if entry in parameters]
            what = f"{entry} is for {' and '.join(owners)}, not for {mask['method']}"
            raise text.mistake(what, ["mask", entry])


def refuse_masker(recipe: Recipe, text: RecipeText) -> None:
    """Refuse a masker that does not exist, and parameters that contradict each other or the rest of the recipe."""
    if recipe.method is not None or recipe.effort is not None:
        _refuse_method(recipe, text)
    match recipe.masker:
        case FuzzyCMeans(m1=m1, m2=m2):
            for entry, number in (("m1", m1), ("m2", m2)):
                if not 1 <= number < math.inf:
                    raise text.mistake(f"{entry} must be a number from 1 up", ["mask", entry])
        case Microhybrid(given=given):
            for place, name in enumerate(given):
                _refuse_masked_given(name, place, recipe, text)
        case GroupAnonymity() | None if recipe.method == GroupAnonymity.name:
            refuse_goals(recipe, text)
        case _:
            pass
    if recipe.k == 1 and recipe.method != Microhybrid.name:
        raise text.mistake("k must be at least 2: a group of one record hides nothing", ["k"])


def _refuse_method(recipe: Recipe, text: RecipeText) -> None:
    """Refuse a method or an effort that does not exist, and an effort beside a method that does not search."""
    from constraint_sdc.partition.methods import partitioner  # NumPy and all methods: only for recipes that name one

    place: list[str | int] = ["mask"] if isinstance(text.content, dict) and "mask" in text.content else []
    if recipe.method in (FuzzyCMeans.name, GroupAnonymity.name):
        if recipe.effort is not None:
            raise text.mistake(f"{recipe.method} does not search, so it has no effort", ["effort"])
        return
    is_masker = recipe.method in MASKERS
    name = (recipe.partition if is_masker else recipe.method) or "auto"
    try:
        partitioner(name)
    except UsageError as error:
        raise text.mistake(_said(error), [*place, "partition" if is_masker else "method"]) from None
    try:
        partitioner(name, recipe.effort)
    except UsageError as error:
        raise text.mistake(_said(error), ["effort"]) from None


def _refuse_masked_given(name: str, place: int, recipe: Recipe, text: RecipeText) -> None:
    wish = recipe.variables.get(name)
    if wish is not None and (wish.role not in (None, Role.UNTOUCHED) or wish.operator or wish.decimals or wish.weight):
        raise text.mistake(f"{name} is given, so it stays as it is and cannot be masked", ["mask", "given", place])
    if any(name in group for group in recipe.groups if recipe.groups != "all"):
        raise text.mistake(f"{name} is given, so it stays as it is and is in no group", ["mask", "given", place])


def _said(error: UsageError) -> str:
    return f"{error.what}; {error.hint}"
