"""Check what a recipe says about the masker: it must exist, and its parameters must be consistent."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from constraint_sdc.errors import UsageError
from constraint_sdc.operators.registry import OPERATORS, averages_otherwise
from constraint_sdc.settings.masker import MaskerTraits, masker_registry, parameters
from constraint_sdc.settings.recipe import Recipe

if TYPE_CHECKING:
    from constraint_sdc.files.recipe_yaml import RecipeText

_log = logging.getLogger("constraint_sdc.recipe")

# The old spelling: `method`, at the top or under `mask`, names a masker or a partition.


def modern_spelling(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a recipe with `masker` and `partition` under `mask`, in either spelling.

    >>> modern_spelling({"k": 3, "method": "mdav"})
    {'k': 3, 'mask': {'partition': 'mdav'}}
    >>> modern_spelling({"mask": {"method": "microhybrid", "given": ["V1"]}})
    {'mask': {'masker': 'microhybrid', 'given': ['V1']}}
    """
    mask = content.get("mask", {})
    name = mask.get("method", content.get("method"))
    if name is None:
        return dict(content)
    told = {entry: value for entry, value in mask.items() if entry != "method"}
    rest = {entry: value for entry, value in content.items() if entry not in ("method", "mask")}
    return {**rest, "mask": {_meant(name): name, **told}}


def _meant(name: str) -> str:
    """Return the new entry for an old `method` of this name; third-party maskers never had the old spelling."""
    return "masker" if name in masker_registry().own_names else "partition"


def refuse_two_spellings(content: Mapping[str, Any], text: RecipeText) -> None:
    """Refuse the old spelling beside the new one; where it is used alone, log the new one."""
    mask = content.get("mask", {})
    name = mask.get("method", content.get("method"))
    if name is None:
        return
    if "method" in content and "mask" in content:
        raise text.mistake("`method` is the old spelling of an entry under `mask`; leave it out", ["method"])
    meant = _meant(name)
    for entry in ("masker", meant):
        if entry in mask:
            what = f"`method: {name}` is the old spelling of a {meant}, but `{entry}` is given too; leave it out"
            raise text.mistake(what, ["mask", "method"])
    said = f"recipe: `method: {name}` is read as a {meant}; the new spelling is `mask: {{{meant}: {name}}}`"
    _log.info(said)


def refuse_strange_parameters(content: Mapping[str, Any], text: RecipeText) -> None:
    """Refuse an unknown masker, parameters of another masker, and values that do not follow the parameter's schema."""
    import jsonschema  # only where a file is read: it takes a while to load

    mask: Mapping[str, Any] = content.get("mask", {})
    kind = _kind(mask.get("masker"), text)
    own = {one.name: one for one in parameters(kind)}
    for entry, value in mask.items():
        if entry in own:
            for problem in jsonschema.Draft202012Validator(own[entry].schema).iter_errors(value):
                raise text.mistake(problem.message, ["mask", entry, *problem.absolute_path])
        elif entry != "masker" and (entry != "partition" or kind.divides_itself):
            raise text.mistake(_of_another(entry, kind), ["mask", entry])
    for one in own.values():
        if one.is_required and one.name not in mask:
            what = f"{kind.name} needs its parameter {one.name}; add `{one.name}` under `mask`"
            raise text.mistake(what, masker_place(text))


def _kind(name: str | None, text: RecipeText) -> type[MaskerTraits]:
    maskers = masker_registry()
    try:
        return maskers[maskers.own_names[0] if name is None else name]
    except UsageError as error:
        raise text.mistake(_said(error), masker_place(text)) from None


def _of_another(entry: str, kind: type[MaskerTraits]) -> str:
    """Return the message that names the built-in maskers to which an entry belongs."""
    maskers = masker_registry()
    kinds = [maskers[name] for name in maskers.own_names]
    if entry == "partition":
        owners = [one.name for one in kinds if not one.divides_itself]
    else:
        owners = [one.name for one in kinds if entry in {each.name for each in parameters(one)}]
    if not owners:
        return f"{entry} is not a parameter of {kind.name}"
    return f"{entry} is a parameter of {' and '.join(owners)}, not of {kind.name}"


def masker_place(text: RecipeText) -> list[str | int]:
    """Return where the recipe names the masker, in either spelling."""
    return _place(text, "masker")


def _place(text: RecipeText, entry: str) -> list[str | int]:
    content = text.content if isinstance(text.content, dict) else {}
    if "mask" not in content:
        return ["method"] if "method" in content else []
    return ["mask", entry if entry in content["mask"] else "method"]


def refuse_masker(recipe: Recipe, text: RecipeText) -> None:
    """Refuse parameters that contradict each other or the rest of the recipe."""
    _refuse_division(recipe, text)
    if recipe.masker is not None:
        for what, place in recipe.masker.mistakes(recipe, text.content):
            raise text.mistake(what, place)
    _refuse_idle(recipe, text)
    if recipe.k is not None and recipe.k < (2 if recipe.masker is None else recipe.masker.least_k):
        raise text.mistake("k must be at least 2: a group of one record hides nothing", ["k"])


def _refuse_division(recipe: Recipe, text: RecipeText) -> None:
    """Refuse a partition or an effort that does not exist, and an effort beside a method that does not search."""
    if recipe.masker is not None and recipe.masker.divides_itself:
        if recipe.effort is not None:
            raise text.mistake(f"{recipe.masker.name} does not search, so it has no effort", ["effort"])
        return
    if recipe.partition is None and recipe.effort is None:
        return
    from constraint_sdc.partition.registry import partitioner  # loads NumPy: only for recipes that need it

    name = recipe.partition or "auto"
    try:
        partitioner(name)
    except UsageError as error:
        raise text.mistake(_said(error), _place(text, "partition")) from None
    try:
        partitioner(name, recipe.effort)
    except UsageError as error:
        raise text.mistake(_said(error), ["effort"]) from None


def _refuse_idle(recipe: Recipe, text: RecipeText) -> None:
    """Refuse entries that the masker does not use: record weights, the geometric mean, or groups."""
    masker = recipe.masker
    if masker is not None and recipe.weights is not None and not masker.takes_weights:
        raise text.mistake(f"{masker.name} takes no weights of records", ["weights"])
    for name, wish in recipe.variables.items():
        if masker is None or masker.has_geometric_mean or wish.operator is None:
            continue
        if wish.operator in OPERATORS and averages_otherwise(wish.operator):
            raise text.mistake(f"{masker.name} does not support the {wish.operator}", ["variables", name, "operator"])
    if recipe.partition is not None and (masker is None or not masker.divides_itself):
        _refuse_together(recipe, recipe.partition, text)


def _refuse_together(recipe: Recipe, partition: str, text: RecipeText) -> None:
    """Refuse entries without a meaning where each variable is masked alone."""
    from constraint_sdc.partition.registry import takes_one_variable

    if not takes_one_variable(partition):
        return
    if recipe.weights is not None and recipe.masker is None:
        raise text.mistake(f"{partition} takes no weights of records", ["weights"])
    for name, wish in recipe.variables.items():
        if wish.weight is not None:
            what = f"{partition} masks each variable alone, so weight has no meaning"
            raise text.mistake(what, ["variables", name, "weight"])
    idle = {
        "groups": recipe.groups == "all" or any(len(group) > 1 for group in recipe.groups),
        "group_size": recipe.group_size not in (None, 1),
        "standardise": recipe.standardise is not None,
    }
    for entry, is_said in idle.items():
        if is_said:
            raise text.mistake(f"{partition} masks each variable alone, so {entry} has no meaning", [entry])


def _said(error: UsageError) -> str:
    return f"{error.what}; {error.hint}"
