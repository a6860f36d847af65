"""Turn what a caller gives into what the commands take: one options object, with paths where files are meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import read_recipe, recipe_of_entries
from constraint_sdc.library.keywords import File
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import standardise_by

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Chosen = TypeVar("Chosen", bound="DataclassInstance")


def settle(kind: type[Chosen], options: Chosen | None, given: Mapping[str, Any]) -> Chosen:
    """Return the options as one object of this kind, whether they came as an object or as keywords."""
    known = [field.name for field in fields(kind)]
    refuse_unknown(given, known)
    if options is None:
        stated = {name: value for name, value in given.items() if name != "recipe" or value is not None}
        return kind(**converted(stated, "recipe_file" in known))
    if not isinstance(options, kind):
        raise UsageError(f"the options are {type(options).__name__}", hint=f"give {kind.__name__}, or keywords")
    if given:
        what = f"{next(iter(given))!r} is given beside an object of options"
        raise UsageError(what, hint=f"use either {kind.__name__} or keywords")
    stated = {name: getattr(options, name) for name in known}
    return replace(options, **converted(stated, "recipe_file" in known))


def refuse_unknown(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a keyword that is not an option, and name the nearest one.

    >>> refuse_unknown(["standardize"], ["k", "seed", "standardise"])
    Traceback (most recent call last):
    constraint_sdc.errors.UsageError: there is no option 'standardize' (did you mean 'standardise'?)
    """
    names = sorted(known)
    for name in given:
        if name not in names:
            nearest = get_close_matches(name, names, 1, cutoff=0.5)
            hint = f"did you mean {nearest[0]!r}?" if nearest else f"the options are: {', '.join(names)}"
            raise UsageError(f"there is no option {name!r}", hint=hint)


def converted(given: Mapping[str, Any], notes_recipe: bool = False) -> dict[str, Any]:
    """Return the values with files as Path, several values as tuple, and the recipe read.

    With `notes_recipe` the file of the recipe is noted too: its digest is part of plan and certificate.
    """
    values = {name: value if value is None else CONVERSIONS.get(name, _same)(value) for name, value in given.items()}
    recipe = given.get("recipe")
    is_file = recipe is not None and not isinstance(recipe, (Recipe, Mapping))
    if notes_recipe and is_file and values.get("recipe_file") is None:
        values["recipe_file"] = Path(str(recipe))
    return values


def path_or_none(file: File | None) -> Path | None:
    """Return the path of a file that need not be given."""
    return None if file is None else Path(file)


def recipe_of(given: Recipe | File | Mapping[str, object] | None) -> Recipe:
    """Return a recipe that is given as such, as a file or as its entries; an empty one if none is."""
    if given is None:
        return Recipe()
    if isinstance(given, Mapping):
        return recipe_of_entries(given)
    return given if isinstance(given, Recipe) else read_recipe(Path(given))


def _same(value: Any) -> Any:
    return value


def _paths(files: Iterable[File]) -> tuple[Path, ...]:
    if isinstance(files, str):
        raise UsageError(f"one text is given where several directories are meant: {files!r}", hint="give a list")
    return tuple(map(Path, files))


def _names(names: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(names, str):
        raise UsageError(f"one text is given where several names are meant: {names!r}", hint="give a list of names")
    return tuple(names)


CONVERSIONS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "original": Path,
        "domain": Path,
        "masked_from": Path,
        "rules": Path,
        "certificate": Path,
        "recipe_file": Path,
        "against": Path,
        "intruder": Path,
        "release": Path,
        "truth_rows": _names,
        "allow": _paths,
        "allow_idle": _names,
        "ignore": _names,
        "recipe": recipe_of,
        "standardise": standardise_by,
        "variables": _names,
        "known": _names,
        "attacks": _names,
        "maskers": _names,
        "partitions": _names,
        "ks": _names,
    }
)
"""How the value of an option becomes what the commands take, by the name of the option."""
