"""Mistakes in a recipe for group anonymity: inconsistent goals, and entries without effect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from constraint_sdc.maskers.group_anonymity.goal import Goal, Influential, SignalKind
from constraint_sdc.maskers.group_anonymity.goal_changes import (
    AddedCycle,
    AddedExtremum,
    Change,
    ChangedAmplitude,
    ChangedApproximation,
    ChangedPeriod,
    ChangedStatistics,
    ChangedTrend,
    GivenSignal,
    MovedExtremum,
    kind_of,
    named_values,
)
from constraint_sdc.settings.masker import RecipeMistake
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Scale, VariableWish

RecipePath: TypeAlias = list[str | int]


def goal_mistakes(
    goals: tuple[Goal, ...],
    influential: tuple[Influential, ...],
    threshold: float | None,
    recipe: Recipe,
    written: Mapping[str, Any],
) -> Iterator[RecipeMistake]:
    """Yield inconsistent goals, and entries that group anonymity does not use."""
    for entry, why in _WITHOUT_EFFECT.items():
        if entry in written:
            yield f"{entry} has no meaning with group-anonymity: {why}", [entry]
    for number, goal in enumerate(goals):
        place: RecipePath = ["mask", "goals", number]
        yield from _goal_mistakes(goal, place)
        if goal.weight != 1.0 and (threshold is None or len(goals) < 2):
            what = "`weight` has no effect here: it weighs several goals under a `threshold` of the masker"
            yield what, [*place, "weight"]
    yield from _threshold_mistakes(threshold, influential, ["mask", "threshold"])
    parameters = {goal.parameter for goal in goals}
    yield from _influential_mistakes(influential, parameters, written)
    if recipe.key in parameters:
        yield f"{recipe.key} is the key of the records, so its values cannot be swapped", ["key"]
    for name, wish in recipe.variables.items():
        yield from _variable_mistakes(name, wish, name in parameters)


_WITHOUT_EFFECT = {
    "k": "it forms no groups",
    "weights": "it counts every record once",
    "standardise": "it compares influential variables by their relative differences",
    "groups": "every parameter is a block of its own",
    "group_size": "every parameter is a block of its own",
}


def _goal_mistakes(goal: Goal, place: RecipePath) -> Iterator[RecipeMistake]:
    is_difference = goal.signal is SignalKind.DIFFERENCE
    if is_difference and goal.against is None:
        yield "a concentration difference needs `against`, the other group", [*place, "signal"]
    if goal.against is not None and not is_difference:
        what = f"`against` is for the signal {SignalKind.DIFFERENCE.value}, but the signal is {goal.signal.value}"
        yield what, [*place, "against"]
    if len(set(goal.order)) < len(goal.order):
        yield f"`order` lists a value of {goal.parameter} twice", [*place, "order"]
    if goal.threshold is not None and not math.isfinite(goal.threshold):
        yield "the threshold is too large for a floating-point number", [*place, "threshold"]
    if not math.isfinite(goal.weight):
        yield "the weight is too large for a floating-point number", [*place, "weight"]
    for number, change in enumerate(goal.changes):
        yield from _change_mistakes(change, goal, [*place, "change", number])


def _threshold_mistakes(
    threshold: float | None, influential: tuple[Influential, ...], place: RecipePath
) -> Iterator[RecipeMistake]:
    if threshold is None:
        return
    if not math.isfinite(threshold):
        yield "the threshold is too large for a floating-point number", place
    if not influential:
        yield "without influential variables no swap distorts anything, so a threshold has no effect", place


def _change_mistakes(change: Change, goal: Goal, place: RecipePath) -> Iterator[RecipeMistake]:
    place = [*place, kind_of(change)]
    yield from _unordered(named_values(change), goal, place)
    match change:
        case MovedExtremum(source, target):
            if source == target:
                yield f"the move from {source} to {target} changes nothing; name two different values", place
        case AddedExtremum(height=height):
            yield from _too_large({"height": height}, place)
        case ChangedApproximation(approximation=wish):
            if not isinstance(wish, str) and not all(map(math.isfinite, wish)):
                yield "a coefficient is too large for a floating-point number", [*place, "approximation"]
        case GivenSignal(values):
            if not all(map(math.isfinite, values)):
                yield "a number of the signal is too large for a floating-point number", place
            if goal.order and len(values) != len(goal.order):
                what = f"the signal has {len(values)} numbers, but `order` lists {len(goal.order)} values"
                yield what, place
        case ChangedTrend():
            yield from _trend_mistakes(change, place)
        case ChangedPeriod(source, target):
            if source == target:
                yield f"a period of {source} instead of {target} changes nothing; name two periods", place
        case ChangedAmplitude(factor):
            yield from _too_large({"factor": factor}, place)
            if factor == 1.0:
                yield "a factor of 1 changes nothing", [*place, "factor"]
        case AddedCycle(height=height):
            yield from _too_large({"height": height}, place)
            if height == 0.0:
                yield "a height of 0 changes nothing", [*place, "height"]
        case ChangedStatistics():
            yield from _statistics_mistakes(change, goal, place)


def _trend_mistakes(change: ChangedTrend, place: RecipePath) -> Iterator[RecipeMistake]:
    if (change.factor is None) == (change.coefficients is None):
        yield "a trend needs either `factor` or `coefficients`", place
    yield from _too_large({"factor": change.factor}, place)
    if change.factor == 1.0:
        yield "a factor of 1 changes nothing", [*place, "factor"]
    if not all(map(math.isfinite, change.coefficients or ())):
        yield "a coefficient is too large for a floating-point number", [*place, "coefficients"]


def _statistics_mistakes(change: ChangedStatistics, goal: Goal, place: RecipePath) -> Iterator[RecipeMistake]:
    if change.mean is None and change.deviation is None:
        yield "statistics need `mean`, `deviation` or both", place
    yield from _too_large({"mean": change.mean, "deviation": change.deviation}, place)
    if change.deviation == 0.0:
        yield "a deviation of 0 would give all vital records one value; use a larger one", [*place, "deviation"]
    if goal.normalise:
        yield "`normalise` would undo the statistics; leave one of them out", place
    if goal.changes[-1] is not change:
        yield "later changes would undo the statistics; put them last", place


def _too_large(numbers: dict[str, float | None], place: RecipePath) -> Iterator[RecipeMistake]:
    for entry, number in numbers.items():
        if number is not None and not math.isfinite(number):
            yield f"the {entry} is too large for a floating-point number", [*place, entry]


def _unordered(values: dict[str, str], goal: Goal, place: RecipePath) -> Iterator[RecipeMistake]:
    """Yield a mistake for each value that `order`, if there is one, does not list; equal numbers are one value."""
    for entry, value in values.items():
        if goal.order and not any(_is_same(value, known) for known in goal.order):
            yield f"{value!r} is not among the values that `order` lists", [*place, *entry.split()]


def _is_same(one: str, other: str) -> bool:
    try:
        return one == other or float(one) == float(other)
    except ValueError:
        return False


def _influential_mistakes(
    influential: tuple[Influential, ...], parameters: set[str], written: Mapping[str, Any]
) -> Iterator[RecipeMistake]:
    seen: set[str] = set()
    for number, one in enumerate(influential):
        place: RecipePath = ["mask", "influential", number]
        entries = written["mask"]["influential"][number]
        if one.name in seen:
            yield f"{one.name} is listed twice as influential", [*place, "variable"]
        if one.name in parameters:
            what = f"{one.name} is swapped and cannot be influential: the records of a pair always differ in it"
            yield what, [*place, "variable"]
        seen.add(one.name)
        for entry, value in (("weight", one.weight), ("same", one.same), ("different", one.different)):
            if not math.isfinite(value):
                yield f"{entry} is too large for a floating-point number", [*place, entry]
            if entry != "weight" and entry in entries and one.scale in (Scale.NUMERIC, Scale.ORDINAL):
                what = f"{entry} is for categories, but {one.name} is {one.scale.value}"
                yield what, [*place, entry]
        if one.weight == 0:
            yield f"with weight 0, {one.name} has no influence; leave it out", [*place, "weight"]
        if one.same > one.different:
            place += ["same" if "same" in entries else "different"]
            yield f"`same` ({one.same}) must not be larger than `different`", place


def _variable_mistakes(name: str, wish: VariableWish, is_parameter: bool) -> Iterator[RecipeMistake]:
    """Yield a mistake for each entry of a variable that swapping cannot follow."""
    place: RecipePath = ["variables", name]
    for entry, value in (("operator", wish.operator), ("grid", wish.decimals), ("weight", wish.weight)):
        if value is not None:
            what = f"{entry} of {name} has no meaning with group-anonymity, which computes no averages"
            yield what, [*place, entry]
    if wish.role is None or wish.role.is_masked == is_parameter:
        return
    if is_parameter:
        what = f"{name} is {wish.role.value}, but it is a parameter, and parameters are swapped"
    else:
        what = f"{name} is {wish.role.value}, but group-anonymity changes only its parameters"
    yield what, [*place, "role"]
