"""Check what a recipe says about the masker: it must exist, and its parameters must be consistent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe_yaml import RecipeText
from constraint_sdc.settings.goal import (
    AddedExtremum,
    Change,
    ChangedApproximation,
    GivenSignal,
    Goal,
    Influential,
    MovedExtremum,
    SignalKind,
)
from constraint_sdc.settings.masker import MASKERS, PARAMETERS, FuzzyCMeans, GroupAnonymity, Microhybrid
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import OperatorName, Role, Scale, VariableWish

# Checks of a recipe for group anonymity: each goal is consistent, and every entry has an effect.

RecipePath: TypeAlias = list[str | int]


def refuse_goals(recipe: Recipe, text: RecipeText) -> None:
    """Refuse group anonymity without goals, inconsistent goals, and entries that group anonymity does not use."""
    masker = recipe.masker
    if not isinstance(masker, GroupAnonymity) or not masker.goals:
        place = ["mask", "method"] if "mask" in text.content else ["method"]
        raise text.mistake("group-anonymity needs goals; list them as `goals` under `mask`", place)
    for entry, why in _WITHOUT_EFFECT.items():
        if entry in text.content:
            raise text.mistake(f"{entry} has no meaning with group-anonymity: {why}", [entry])
    for number, goal in enumerate(masker.goals):
        for problem in _goal_mistakes(goal, text, ["mask", "goals", number]):
            raise problem
    parameters = {goal.parameter for goal in masker.goals}
    for problem in _influential_mistakes(masker.influential, parameters, text):
        raise problem
    if recipe.key in parameters:
        raise text.mistake(f"{recipe.key} is the key of the records, so its values cannot be swapped", ["key"])
    for name, wish in recipe.variables.items():
        for problem in _variable_mistakes(name, wish, name in parameters, text):
            raise problem


_WITHOUT_EFFECT = {
    "k": "it forms no groups",
    "weights": "it counts every record once",
    "standardise": "it compares influential variables by their relative differences",
    "groups": "every parameter is a block of its own",
    "group_size": "every parameter is a block of its own",
}


def _goal_mistakes(goal: Goal, text: RecipeText, place: RecipePath) -> Iterator[UsageError]:
    is_difference = goal.signal is SignalKind.DIFFERENCE
    if is_difference and goal.against is None:
        yield text.mistake("a concentration difference needs `against`, the other group", [*place, "signal"])
    if goal.against is not None and not is_difference:
        what = f"`against` is for the signal {SignalKind.DIFFERENCE.value}, but the signal is {goal.signal.value}"
        yield text.mistake(what, [*place, "against"])
    if len(set(goal.order)) < len(goal.order):
        yield text.mistake(f"`order` lists a value of {goal.parameter} twice", [*place, "order"])
    for number, change in enumerate(goal.changes):
        yield from _change_mistakes(change, goal, text, [*place, "change", number])


def _change_mistakes(change: Change, goal: Goal, text: RecipeText, place: RecipePath) -> Iterator[UsageError]:
    match change:
        case MovedExtremum(source, target):
            if source == target:
                yield text.mistake(
                    f"the move from {source} to {target} changes nothing; name two different values", [*place, "move"]
                )
            yield from _unordered({"from": source, "to": target}, goal, text, [*place, "move"])
        case AddedExtremum(at, height):
            yield from _unordered({"at": at}, goal, text, [*place, "add"])
            if height is not None and not math.isfinite(height):
                yield text.mistake("the height is too large for a floating-point number", [*place, "add", "height"])
        case ChangedApproximation(approximation=wish):
            if not isinstance(wish, str) and not all(map(math.isfinite, wish)):
                yield text.mistake(
                    "a coefficient is too large for a floating-point number", [*place, "wavelet", "approximation"]
                )
        case GivenSignal(values):
            if not all(map(math.isfinite, values)):
                yield text.mistake(
                    "a number of the signal is too large for a floating-point number", [*place, "signal"]
                )
            if goal.order and len(values) != len(goal.order):
                what = f"the signal has {len(values)} numbers, but `order` lists {len(goal.order)} values"
                yield text.mistake(what, [*place, "signal"])


def _unordered(values: dict[str, str], goal: Goal, text: RecipeText, place: RecipePath) -> Iterator[UsageError]:
    """Yield a mistake for each value that `order`, if there is one, does not list; equal numbers are one value."""
    for entry, value in values.items():
        if goal.order and not any(_is_same(value, known) for known in goal.order):
            yield text.mistake(f"{value!r} is not among the values that `order` lists", [*place, entry])


def _is_same(one: str, other: str) -> bool:
    try:
        return one == other or float(one) == float(other)
    except ValueError:
        return False


def _influential_mistakes(
    influential: tuple[Influential, ...], parameters: set[str], text: RecipeText
) -> Iterator[UsageError]:
    seen: set[str] = set()
    for number, one in enumerate(influential):
        place: RecipePath = ["mask", "influential", number]
        entries = text.content["mask"]["influential"][number]
        if one.name in seen:
            yield text.mistake(f"{one.name} is listed twice as influential", [*place, "variable"])
        if one.name in parameters:
            what = f"{one.name} is swapped and cannot be influential: the records of a pair always differ in it"
            yield text.mistake(what, [*place, "variable"])
        seen.add(one.name)
        for entry, value in (("weight", one.weight), ("same", one.same), ("different", one.different)):
            if not math.isfinite(value):
                yield text.mistake(f"{entry} is too large for a floating-point number", [*place, entry])
            if entry != "weight" and entry in entries and one.scale in (Scale.NUMERIC, Scale.ORDINAL):
                what = f"{entry} is for categories, but {one.name} is {one.scale.value}"
                yield text.mistake(what, [*place, entry])
        if one.weight == 0:
            yield text.mistake(f"with weight 0, {one.name} has no influence; leave it out", [*place, "weight"])
        if one.same > one.different:
            place += ["same" if "same" in entries else "different"]
            yield text.mistake(f"`same` ({one.same}) must not be larger than `different`", place)


def _variable_mistakes(name: str, wish: VariableWish, is_parameter: bool, text: RecipeText) -> Iterator[UsageError]:
    """Yield a mistake for each entry of a variable that swapping cannot follow."""
    place: RecipePath = ["variables", name]
    for entry, value in (("operator", wish.operator), ("grid", wish.decimals), ("weight", wish.weight)):
        if value is not None:
            what = f"{entry} of {name} has no meaning with group-anonymity, which computes no averages"
            yield text.mistake(what, [*place, entry])
    if wish.role is None or wish.role.is_masked == is_parameter:
        return
    if is_parameter:
        what = f"{name} is {wish.role.value}, but it is a parameter, and parameters are swapped"
    else:
        what = f"{name} is {wish.role.value}, but group-anonymity changes only its parameters"
    yield text.mistake(what, [*place, "role"])


def refuse_strange_parameters(content: Mapping[str, Any], text: RecipeText) -> None:
    """Refuse parameters that belong to another masker than the chosen one."""
    if "mask" not in content:
        return
    if "method" in content:
        raise text.mistake("`method` is given twice: here and under `mask`", ["method"])
    mask = content["mask"]
    allowed = PARAMETERS.get(mask["method"], ())
    for entry in mask:
        if entry != "method" and entry not in allowed:
            owners = [name for name, parameters in PARAMETERS.items() if entry in parameters]
            what = f"{entry} is a parameter of {' and '.join(owners)}, not of {mask['method']}"
            raise text.mistake(what, ["mask", entry])


def refuse_masker(recipe: Recipe, text: RecipeText) -> None:
    """Refuse a masker that does not exist, and parameters that contradict each other or the rest of the recipe."""
    if recipe.method is not None or recipe.effort is not None:
        _refuse_method(recipe, text)
    match recipe.masker:
        case FuzzyCMeans(m1=m1, m2=m2):
            for entry, number in (("m1", m1), ("m2", m2)):
                if not 1 <= number < math.inf:
                    raise text.mistake(f"{entry} must be a number of at least 1", ["mask", entry])
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
    from constraint_sdc.partition.registry import partitioner  # loads NumPy: only for recipes that need it

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
    """Refuse entries that the masker does not use: record weights, the geometric mean, or groups."""
    from constraint_sdc.partition.registry import takes_one_variable

    is_alone = recipe.method is not None and takes_one_variable(recipe.method)
    if recipe.weights is not None and (recipe.method in (Microhybrid.name, FuzzyCMeans.name) or is_alone):
        raise text.mistake(f"{recipe.method} takes no weights of records", ["weights"])
    for name, wish in recipe.variables.items():
        is_drawn = recipe.method in (Microhybrid.name, FuzzyCMeans.name)
        if is_drawn and wish.operator is OperatorName.GEOMETRIC_MEAN:
            raise text.mistake(f"{recipe.method} does not support the geometric mean", ["variables", name, "operator"])
        if is_alone and wish.weight is not None:
            what = f"{recipe.method} masks each variable alone, so weight has no meaning"
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
                f"{name} is given and must be numeric, but it is {wish.scale.value}", ["mask", "given", place]
            )
    if any(name in group for group in recipe.groups if recipe.groups != "all"):
        raise text.mistake(f"{name} is given, so it stays as it is and cannot be in a group", ["mask", "given", place])


def _said(error: UsageError) -> str:
    return f"{error.what}; {error.hint}"
