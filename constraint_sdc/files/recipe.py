"""Read the user's recipe: YAML under `schemas/recipe.schema.json`, every mistake with its line."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema

from constraint_sdc.errors import UsageError
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.files.recipe_masker import (
    modern_spelling,
    refuse_masker,
    refuse_strange_parameters,
    refuse_two_spellings,
)
from constraint_sdc.files.recipe_yaml import RecipeText
from constraint_sdc.settings.masker import MaskerTraits, make_masker, masker_registry
from constraint_sdc.settings.recipe import AssessWish, Recipe
from constraint_sdc.settings.words import OperatorName, Role, Scale, Standardise, VariableWish

_SIZE_LIMIT = 1_000_000
_MESSAGE_LIMIT = 300
_XML_BLANK = " \t\r\n"
_OPERATORS_BY_SCALE = {
    Scale.NUMERIC: frozenset(OperatorName),
    Scale.ORDINAL: frozenset((OperatorName.LOWER_MEDIAN, OperatorName.MODE, OperatorName.MEDOID)),
    Scale.NOMINAL: frozenset((OperatorName.MODE, OperatorName.MEDOID)),
}


def read_recipe(path: Path) -> Recipe:
    """Return the recipe in a YAML file."""
    text = RecipeText(_read_text(path), path)
    content = {} if text.content is None else text.content
    if not isinstance(content, dict):
        # Not the validator's message, which would quote the whole of a file given by mistake.
        raise UsageError("not a recipe", file=str(path), line=1, hint="expected lines such as `record: Record`")
    schema = json.loads(shipped_file("schemas", "recipe.schema.json").read_text(encoding="utf-8"))
    for problem in jsonschema.Draft202012Validator(schema).iter_errors(content):
        raise text.mistake(_short(problem.message), _place(problem))
    refuse_two_spellings(content, text)
    content = modern_spelling(content)
    if "mask" in content:
        refuse_strange_parameters(content, text)
    recipe = recipe_from_json(content)
    _refuse_contradictions(recipe, text)
    return recipe


def recipe_from_json(content: Mapping[str, Any]) -> Recipe:
    """Return the recipe that content under the schema stands for."""
    content = modern_spelling(content)
    groups = content.get("groups", ())
    mask = content.get("mask", {})
    return Recipe(
        record=content.get("record"),
        key=content.get("key"),
        missing={name: tuple(str(code) for code in codes) for name, codes in content.get("missing", {}).items()},
        k=content.get("k"),
        masker=_masker(mask) if "masker" in mask else None,
        partition=mask.get("partition"),
        effort=content.get("effort"),
        standardise=Standardise(content["standardise"]) if "standardise" in content else None,
        weights=content.get("weights"),
        seed=content.get("seed"),
        on_broken=content.get("on_broken"),
        group_size=content.get("group_size"),
        groups="all" if groups == "all" else tuple(tuple(group) for group in groups),
        variables={name: _wish(entry) for name, entry in content.get("variables", {}).items()},
        assess=_assess(content.get("assess", {})),
    )


def recipe_to_json(recipe: Recipe) -> dict[str, object]:
    """Return the recipe as content under the schema; what it does not say is left out."""
    groups: object = recipe.groups if recipe.groups == "all" else [list(group) for group in recipe.groups]
    content: dict[str, object] = {
        "record": recipe.record,
        "key": recipe.key,
        "missing": {name: list(codes) for name, codes in recipe.missing.items()},
        "k": recipe.k,
        "mask": _mask_to_json(recipe),
        "effort": recipe.effort,
        "standardise": None if recipe.standardise is None else recipe.standardise.value,
        "weights": recipe.weights,
        "seed": recipe.seed,
        "on_broken": recipe.on_broken,
        "group_size": recipe.group_size,
        "groups": groups,
        "variables": {name: _wish_to_json(wish) for name, wish in recipe.variables.items()},
        "assess": _assess_to_json(recipe.assess),
    }
    return {name: entry for name, entry in content.items() if entry not in (None, {}, [])}


def _masker(mask: Mapping[str, Any]) -> MaskerTraits:
    told = {name: value for name, value in mask.items() if name not in ("masker", "partition")}
    return make_masker(masker_registry().find(mask["masker"]), told)


def _mask_to_json(recipe: Recipe) -> dict[str, object]:
    told = {} if recipe.masker is None else {"masker": recipe.masker.name, **recipe.masker.told()}
    return told if recipe.partition is None else {**told, "partition": recipe.partition}


def _assess(entry: Mapping[str, Any]) -> AssessWish:
    return AssessWish(
        known=tuple(entry["known"]) if "known" in entry else None,
        subdomains=tuple(entry.get("subdomains", ())),
        regressions=tuple(entry.get("regressions", ())),
    )


def _assess_to_json(wish: AssessWish) -> dict[str, object]:
    lists = {"known": wish.known or (), "subdomains": wish.subdomains, "regressions": wish.regressions}
    return {name: list(entries) for name, entries in lists.items() if entries}


def _wish(entry: Mapping[str, Any]) -> VariableWish:
    grid = entry.get("grid")
    return VariableWish(
        role=Role(entry["role"]) if "role" in entry else None,
        scale=Scale(entry["type"]) if "type" in entry else None,
        decimals=0 if grid == "integer" else grid,
        operator=OperatorName(entry["operator"]) if "operator" in entry else None,
        is_removed=entry.get("remove", False),
        weight=float(entry["weight"]) if "weight" in entry else None,
        order=tuple(str(value).strip(_XML_BLANK) for value in entry.get("order", ())),
    )


def _wish_to_json(wish: VariableWish) -> dict[str, object]:
    entry: dict[str, object] = {}
    if wish.role is not None:
        entry["role"] = wish.role.value
    if wish.scale is not None:
        entry["type"] = wish.scale.value
    if wish.decimals is not None:
        entry["grid"] = "integer" if wish.decimals == 0 else wish.decimals
    if wish.operator is not None:
        entry["operator"] = wish.operator.value
    if wish.is_removed:
        entry["remove"] = True
    if wish.weight is not None:
        entry["weight"] = repr(wish.weight)
    if wish.order:
        entry["order"] = list(wish.order)
    return entry


def _refuse_contradictions(recipe: Recipe, text: RecipeText) -> None:
    """Refuse what the schema cannot see: entries that contradict each other."""
    if recipe.groups == "all":
        if recipe.group_size is not None:
            raise text.mistake("group_size has no meaning with `groups: all`", ["group_size"])
    else:
        _refuse_double_membership(recipe.groups, text)
    refuse_masker(recipe, text)
    for name, wish in recipe.variables.items():
        _refuse_contradictory_wish(name, wish, text)
        _refuse_strange_order(name, wish, recipe.missing.get(name, ()), text)
        if name == recipe.weights:
            _refuse_masked_weights(name, wish, text)
    if recipe.weights in recipe.missing:
        what = f"{recipe.weights} weighs the records, so that none of its values can be missing"
        raise text.mistake(what, ["missing", str(recipe.weights)])


def _refuse_double_membership(groups: tuple[tuple[str, ...], ...], text: RecipeText) -> None:
    seen: set[str] = set()
    for i, group in enumerate(groups):
        for j, name in enumerate(group):
            if name in seen:
                raise text.mistake(f"{name} stands in `groups` twice; a variable has one group", ["groups", i, j])
            seen.add(name)


def _refuse_masked_weights(name: str, wish: VariableWish, text: RecipeText) -> None:
    entries: dict[str, object] = {"operator": wish.operator, "grid": wish.decimals, "weight": wish.weight}
    if wish.role is not None and wish.role.is_masked:
        entries = {"role": wish.role}
    for entry, value in entries.items():
        if value is not None:
            raise text.mistake(f"{name} weighs the records and cannot be masked too", ["variables", name, entry])


def _refuse_contradictory_wish(name: str, wish: VariableWish, text: RecipeText) -> None:
    place = ["variables", name]
    if wish.is_removed and wish.role is not Role.IDENTIFIER:
        raise text.mistake(f"{name} is no identifier, and only those can be removed", [*place, "remove"])
    if wish.weight is not None and not 0 < wish.weight < math.inf:
        raise text.mistake(f"the weight of {name} must be a positive number", [*place, "weight"])
    for entry, value in (("operator", wish.operator), ("grid", wish.decimals), ("weight", wish.weight)):
        if value is not None and wish.role is Role.UNTOUCHED:
            raise text.mistake(f"{name} is untouched: it needs no {entry}", [*place, entry])
    if wish.scale is None:
        return
    if wish.operator is not None and wish.operator not in _OPERATORS_BY_SCALE[wish.scale]:
        what = f"the {wish.operator.value} of a {wish.scale.value} variable does not exist"
        raise text.mistake(what, [*place, "operator"])
    if wish.decimals is not None and wish.scale is not Scale.NUMERIC:
        raise text.mistake(f"a {wish.scale.value} variable has no grid", [*place, "grid"])


def _refuse_strange_order(name: str, wish: VariableWish, missing: tuple[str, ...], text: RecipeText) -> None:
    """Refuse an order of what has none, and a value that has no place in it or two."""
    place: list[str | int] = ["variables", name, "order"]
    if wish.order and wish.scale is not Scale.ORDINAL:
        raise text.mistake(f"{name} has an order only with `type: ordinal`", place)
    for i, value in enumerate(wish.order):
        if not value:
            raise text.mistake(f"the order of {name} lists an empty text, which is no value", [*place, i])
        if value in wish.order[:i]:
            raise text.mistake(f"{value} stands in the order of {name} twice", [*place, i])
        if value in missing:
            raise text.mistake(f"{value} is a missing code of {name}, and has no place in its order", [*place, i])


def _place(problem: jsonschema.ValidationError) -> list[str | int]:
    """Return the path to the mistake; to an unknown entry itself, not to what surrounds it."""
    path = list(problem.absolute_path)
    content, schema = problem.instance, problem.schema
    if problem.validator == "additionalProperties" and isinstance(content, dict) and isinstance(schema, dict):
        path += [name for name in content if name not in schema.get("properties", {})][:1]
    return path


def _short(message: str) -> str:
    return message if len(message) <= _MESSAGE_LIMIT else message[:_MESSAGE_LIMIT] + "…"


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(_SIZE_LIMIT + 1)
        if len(data) > _SIZE_LIMIT:
            raise UsageError(f"a recipe of more than {_SIZE_LIMIT:,} bytes", file=str(path))
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read the recipe: {error.strerror}", file=str(path)) from None
    except UnicodeDecodeError:
        raise UsageError("the recipe is not UTF-8 text", file=str(path)) from None
