"""What a recipe says of the masker: that it exists, and that what it is told fits together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from constraint_sdc.errors import UsageError
from constraint_sdc.model.method import MASKERS, FuzzyCMeans, GroupAnonymity, Microhybrid
from constraint_sdc.model.method_json import PARAMETERS
from constraint_sdc.model.policy import OperatorName, Role, Scale
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
    _refuse_idle(recipe, text)
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


def _refuse_idle(recipe: Recipe, text: RecipeText) -> None:
    """Refuse what the masker would not obey: it has no weights of records, no geometric mean, or no groups."""
    from constraint_sdc.partition.methods import takes_one_variable

    is_alone = recipe.method is not None and takes_one_variable(recipe.method)
    if recipe.weights is not None and (recipe.method in (Microhybrid.name, FuzzyCMeans.name) or is_alone):
        raise text.mistake(f"{recipe.method} takes no weights of records", ["weights"])
    for name, wish in recipe.variables.items():
        is_drawn = recipe.method in (Microhybrid.name, FuzzyCMeans.name)
        if is_drawn and wish.operator is OperatorName.GEOMETRIC_MEAN:
            raise text.mistake(f"{recipe.method} has no geometric mean", ["variables", name, "operator"])
        if is_alone and wish.weight is not None:
            what = f"{recipe.method} masks each variable alone, so none counts more than another"
            raise text.mistake(what, ["variables", name, "weight"])
    if not is_alone:
        return
    idle = {
        "groups": recipe.groups == "all" or any(len(group) > 1 for group in recipe.groups),
        "group_size": recipe.group_size not in (None, 1),
    }
    idle["standardise"] = recipe.standardise is not None
    for entry, is_said in idle.items():
        if is_said:
            raise text.mistake(f"{recipe.method} masks each variable alone, so {entry} has no meaning", [entry])


def _refuse_masked_given(name: str, place: int, recipe: Recipe, text: RecipeText) -> None:
    wish = recipe.variables.get(name)
    if wish is not None:
        is_wished = (wish.operator, wish.decimals, wish.weight) != (None, None, None)
        if is_wished or wish.role not in (None, Role.UNTOUCHED):
            raise text.mistake(f"{name} is given, so it stays as it is and cannot be masked", ["mask", "given", place])
        if wish.scale not in (None, Scale.NUMERIC):
            raise text.mistake(
                f"{name} is given, which takes a number, and is {wish.scale.value}", ["mask", "given", place]
            )
    if any(name in group for group in recipe.groups if recipe.groups != "all"):
        raise text.mistake(f"{name} is given, so it stays as it is and is in no group", ["mask", "given", place])


def _said(error: UsageError) -> str:
    return f"{error.what}; {error.hint}"
