"""Read the user's recipe: YAML that follows `schemas/recipe.schema.json`; every error names its line."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.nearest_name import nearest_name
from constraint_sdc.errors import UsageError
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.files.recipe_hierarchy import refuse_strange_hierarchy, with_levels
from constraint_sdc.files.recipe_masker import (
    modern_spelling,
    refuse_masker,
    refuse_strange_parameters,
    refuse_two_spellings,
)
from constraint_sdc.files.recipe_protect import refuse_strange_promises
from constraint_sdc.files.recipe_undecided import refuse_undecided
from constraint_sdc.limits import RECIPE_BYTES
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.settings.accept import accept_from_json, accept_to_json
from constraint_sdc.settings.hierarchy import hierarchy_from_json, hierarchy_to_json
from constraint_sdc.settings.masker import MaskerTraits, make_masker, masker_registry
from constraint_sdc.settings.protect import protect_from_json, protect_to_json
from constraint_sdc.settings.recipe import AssessWish, Recipe
from constraint_sdc.settings.table_reading import table_reading_from_json
from constraint_sdc.settings.words import Role, Scale, Standardise, SurroundingWish, VariableWish

if TYPE_CHECKING:
    import jsonschema

    from constraint_sdc.files.recipe_yaml import RecipeText

_MESSAGE_LIMIT = 300
_XML_BLANK = " \t\r\n"


def read_recipe(path: Path) -> Recipe:
    """Return the recipe in a YAML file."""
    return load_recipe(path)[0]


def recipe_of_entries(entries: Mapping[str, object]) -> Recipe:
    """Return the recipe with these entries, named and nested as in a YAML file.

    >>> recipe_of_entries({"k": 5, "variables": {"V1": {"role": "quasi-identifier"}}}).k
    5
    """
    try:
        written = json.dumps(entries, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        hint = "use texts, numbers, lists and dictionaries"
        raise UsageError(f"an entry cannot be written: {error}", file="recipe", hint=hint) from None
    try:
        return _recipe(written, Path("recipe"))
    except UsageError as error:  # there are no lines to name
        raise UsageError(error.what, file="recipe", hint=error.hint) from None


def load_recipe(path: Path) -> tuple[Recipe, str]:
    """Return the recipe in a YAML file, and the SHA-256 of the bytes it was read from."""
    data = _read_bytes(path)
    return _recipe(_decoded(data, path), path), hashlib.sha256(data).hexdigest()


def _recipe(written: str, path: Path) -> Recipe:
    from constraint_sdc.files.recipe_yaml import RecipeText  # YAML is slow to load, and most runs have no recipe

    text = RecipeText(written, path)
    content = {} if text.content is None else text.content
    if not isinstance(content, dict):
        # The validator's own message would quote the whole content of a wrong file.
        raise UsageError("not a recipe", file=str(path), line=1, hint="expected lines such as `record: Record`")
    refuse_undecided(content, text)
    import jsonschema  # only where a file is read: it takes a while to load

    schema = json.loads(shipped_file("schemas", "recipe.schema.json").read_text(encoding="utf-8"))
    for problem in jsonschema.Draft202012Validator(schema).iter_errors(content):
        culprit = _culprit(problem)
        raise text.mistake(_short(_said(culprit)), _place(culprit))
    refuse_two_spellings(content, text)
    content = with_levels(content, text, path)
    content = modern_spelling(content)
    if "mask" in content:
        refuse_strange_parameters(content, text)
    recipe = recipe_from_json(content)
    _refuse_contradictions(recipe, text)
    return recipe


def recipe_from_json(content: Mapping[str, Any]) -> Recipe:
    """Return the recipe from content that follows the schema."""
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
        totals=content.get("totals"),
        allow_idle=tuple(content.get("allow_idle", ())),
        group_size=content.get("group_size"),
        groups="all" if groups == "all" else tuple(tuple(group) for group in groups),
        variables={name: _wish(entry) for name, entry in content.get("variables", {}).items()},
        assess=_assess(content.get("assess", {})),
        accept=accept_from_json(content.get("accept", {})),
        protect=protect_from_json(content.get("protect", {})),
        surroundings={path: _surrounding(entry) for path, entry in content.get("surroundings", {}).items()},
        undecided=content.get("undecided"),
        table=table_reading_from_json(content.get("table", {})),
    )


def recipe_to_json(recipe: Recipe) -> dict[str, object]:
    """Return the recipe as content that follows the schema; entries without a value are left out."""
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
        "totals": recipe.totals,
        "allow_idle": list(recipe.allow_idle),
        "group_size": recipe.group_size,
        "groups": groups,
        "variables": {name: _wish_to_json(wish) for name, wish in recipe.variables.items()},
        "assess": _assess_to_json(recipe.assess),
        "accept": accept_to_json(recipe.accept),
        "protect": protect_to_json(recipe.protect),
        "surroundings": {path: _surrounding_to_json(wish) for path, wish in recipe.surroundings.items()},
        "undecided": recipe.undecided,
        "table": recipe.table.to_json(),
    }
    return {name: entry for name, entry in content.items() if entry not in (None, {}, [])}


def _masker(mask: Mapping[str, Any]) -> MaskerTraits:
    told = {name: value for name, value in mask.items() if name not in ("masker", "partition")}
    return make_masker(masker_registry()[mask["masker"]], told)


def _mask_to_json(recipe: Recipe) -> dict[str, object]:
    told = {} if recipe.masker is None else {"masker": recipe.masker.name, **recipe.masker.told()}
    return told if recipe.partition is None else {**told, "partition": recipe.partition}


def _assess(entry: Mapping[str, Any]) -> AssessWish:
    return AssessWish(
        known=tuple(entry["known"]) if "known" in entry else None,
        subdomains=tuple(entry.get("subdomains", ())),
        regressions=tuple(entry.get("regressions", ())),
        weights=entry.get("weights"),
    )


def _assess_to_json(wish: AssessWish) -> dict[str, object]:
    lists = {"known": wish.known or (), "subdomains": wish.subdomains, "regressions": wish.regressions}
    content: dict[str, object] = {name: list(entries) for name, entries in lists.items() if entries}
    return content if wish.weights is None else {**content, "weights": wish.weights}


def _wish(entry: Mapping[str, Any]) -> VariableWish:
    return VariableWish(
        role=Role(entry["role"]) if "role" in entry else None,
        scale=Scale(entry["type"]) if "type" in entry else None,
        decimals=_grid(entry.get("grid")),
        operator=entry.get("operator"),
        is_removed=entry.get("remove", False),
        weight=float(entry["weight"]) if "weight" in entry else None,
        order=tuple(str(value).strip(_XML_BLANK) for value in entry.get("order", ())),
        hierarchy=hierarchy_from_json(entry["hierarchy"]) if "hierarchy" in entry else None,
        keep=entry.get("keep"),
    )


def _surrounding(entry: str | Mapping[str, str]) -> SurroundingWish:
    return SurroundingWish(entry == "keep") if isinstance(entry, str) else SurroundingWish(True, entry["keep"])


def _surrounding_to_json(wish: SurroundingWish) -> object:
    return {"keep": wish.why} if wish.why is not None else "keep" if wish.is_kept else "remove"


def _grid(said: str | int | None) -> int | Literal["free"] | DateNotation | None:
    if said is None or isinstance(said, int):
        return said
    return 0 if said == "integer" else "free" if said == "free" else DateNotation(said)


def _wish_to_json(wish: VariableWish) -> dict[str, object]:
    entry: dict[str, object] = {}
    if wish.role is not None:
        entry["role"] = wish.role.value
    if wish.scale is not None:
        entry["type"] = wish.scale.value
    if wish.decimals is not None:
        grid = wish.decimals.value if isinstance(wish.decimals, DateNotation) else wish.decimals
        entry["grid"] = "integer" if grid == 0 else grid
    if wish.operator is not None:
        entry["operator"] = wish.operator
    if wish.is_removed:
        entry["remove"] = True
    if wish.weight is not None:
        entry["weight"] = repr(wish.weight)
    if wish.order:
        entry["order"] = list(wish.order)
    if wish.hierarchy is not None:
        entry["hierarchy"] = hierarchy_to_json(wish.hierarchy)
    if wish.keep is not None:
        entry["keep"] = wish.keep
    return entry


def _refuse_contradictions(recipe: Recipe, text: RecipeText) -> None:
    """Refuse entries that contradict each other, which the schema cannot express."""
    if recipe.groups == "all":
        if recipe.group_size is not None:
            raise text.mistake("group_size has no meaning with `groups: all`", ["group_size"])
    else:
        _refuse_double_membership(recipe.groups, text)
    refuse_masker(recipe, text)
    refuse_strange_promises(recipe.protect, text)
    for name, wish in recipe.variables.items():
        _refuse_contradictory_wish(name, wish, text)
        _refuse_strange_order(name, wish, recipe.missing.get(name, ()), text)
        if wish.hierarchy is not None:
            refuse_strange_hierarchy(name, wish, text)
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
                raise text.mistake(
                    f"{name} is listed twice in `groups`; a variable belongs to one group", ["groups", i, j]
                )
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
        raise text.mistake(f"{name} is not an identifier; only identifiers can be removed", [*place, "remove"])
    if wish.keep is not None and (wish.is_removed or wish.role not in (Role.IDENTIFIER, Role.UNTOUCHED)):
        why = "it is removed" if wish.is_removed else "its role is not identifier or untouched"
        raise text.mistake(f"{name} is not kept as it is: {why}", [*place, "keep"])
    if wish.weight is not None and not 0 < wish.weight < math.inf:
        raise text.mistake(f"the weight of {name} must be a positive number", [*place, "weight"])
    for entry, value in (("operator", wish.operator), ("grid", wish.decimals), ("weight", wish.weight)):
        if value is not None and wish.role is Role.UNTOUCHED:
            raise text.mistake(f"{name} is untouched, so {entry} has no effect", [*place, entry])
    if wish.operator is not None and wish.operator not in OPERATORS:
        known = ", ".join(OPERATORS.names)
        raise text.mistake(f"unknown operator {wish.operator!r}; use one of: {known}", [*place, "operator"])
    if wish.scale is None:
        return
    if wish.operator is not None and wish.scale not in OPERATORS[wish.operator].traits.scales:
        what = f"operator {wish.operator} is not defined for {wish.scale.value} variables"
        raise text.mistake(what, [*place, "operator"])
    if wish.decimals is not None and wish.scale is not Scale.NUMERIC:
        raise text.mistake(f"{wish.scale.value} variables have no grid", [*place, "grid"])


def _refuse_strange_order(name: str, wish: VariableWish, missing: tuple[str, ...], text: RecipeText) -> None:
    """Refuse an order for a variable that is not ordinal, and a value that is invalid or listed twice."""
    place: list[str | int] = ["variables", name, "order"]
    if wish.order and wish.scale is not Scale.ORDINAL:
        raise text.mistake(f"the order of {name} requires `type: ordinal`", place)
    for i, value in enumerate(wish.order):
        if not value:
            raise text.mistake(f"the order of {name} lists an empty text, which is not a value", [*place, i])
        if value in wish.order[:i]:
            raise text.mistake(f"{value} is listed twice in the order of {name}", [*place, i])
        if value in missing:
            raise text.mistake(f"{value} is a missing code of {name}, so it cannot be in its order", [*place, i])


def _culprit(problem: jsonschema.ValidationError) -> jsonschema.ValidationError:
    """Return what is wrong inside an entry of one of several forms, such as a list; the problem itself of others."""
    forms: dict[object, list[jsonschema.ValidationError]] = {}
    for one in problem.context or () if isinstance(problem.instance, dict | list) else ():
        forms.setdefault(one.schema_path[0], []).append(one)
    meant = [found for found in forms.values() if not any(e.validator == "type" and not e.path for e in found)]
    return meant[0][0] if len(meant) == 1 else problem


def _said(problem: jsonschema.ValidationError) -> str:
    """Return what is wrong: of an unknown entry its name and the nearest known one, or all if none is alike."""
    unknown, known = _unknown_entry(problem)
    if unknown is None:
        return problem.message
    nearest = nearest_name(unknown, known)
    meant = f"did you mean {nearest}?" if nearest else f"known entries: {', '.join(known)}"
    return f"unknown entry {unknown!r}; {meant}" if known else f"unknown entry {unknown!r}"


def _place(problem: jsonschema.ValidationError) -> list[str | int]:
    """Return the path to the mistake; for an unknown entry, the path to the entry itself."""
    unknown, _ = _unknown_entry(problem)
    return [*problem.absolute_path, *(() if unknown is None else (unknown,))]


def _unknown_entry(problem: jsonschema.ValidationError) -> tuple[str | None, list[str]]:
    """Return the first entry that the schema does not know, and all that it knows; None for any other mistake."""
    content, schema = problem.instance, problem.schema
    if problem.validator != "additionalProperties" or not isinstance(content, dict) or not isinstance(schema, dict):
        return None, []
    known = list(schema.get("properties", {}))
    return next((name for name in content if name not in known), None), known


def _short(message: str) -> str:
    return message if len(message) <= _MESSAGE_LIMIT else message[:_MESSAGE_LIMIT] + "…"


def _read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(RECIPE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read the recipe: {error.strerror}", file=str(path)) from None
    if len(data) > RECIPE_BYTES:
        raise UsageError(f"the recipe is larger than {RECIPE_BYTES:,} bytes", file=str(path))
    return data


def _decoded(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("the recipe is not UTF-8 text", file=str(path)) from None
