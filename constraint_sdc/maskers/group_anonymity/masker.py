"""Group anonymity: O. Chertov and D. Tavrov, Data group anonymity in microfiles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from constraint_sdc.maskers.group_anonymity.goal import (
    GOALS,
    INFLUENTIAL,
    AddedExtremum,
    Change,
    ChangedApproximation,
    GivenSignal,
    Goal,
    Influential,
    MovedExtremum,
    SignalKind,
    goal_from_json,
    goal_to_json,
    influential_from_json,
    influential_to_json,
)
from constraint_sdc.maskers.masker import Masker, Recount
from constraint_sdc.settings.masker import RecipeMistake, parameter
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Scale, VariableWish

if TYPE_CHECKING:
    from constraint_sdc.data.table import Table
    from constraint_sdc.maskers.group_anonymity.swap_task import SwapTask
    from constraint_sdc.maskers.inputs import MaskInputs
    from constraint_sdc.maskers.masked import Masked
    from constraint_sdc.plan.design import Design, PlanInputs
    from constraint_sdc.plan.plan import Plan


@dataclass(frozen=True)
class GroupAnonymity(Masker):
    """Parameter values are swapped between records until the goal signals are as wished; nothing else changes.

    `influential` are the variables in which the two records of a swap should be alike.
    """

    name = "group-anonymity"
    guarantee = "Only the goals' parameters change, and the signals are as wished, or the plan says why not."
    divides_itself = True
    takes_k = False
    least_k = 1
    takes_weights = False
    takes_standardise = False
    names_variables = True
    recounts = True

    goals: tuple[Goal, ...] = parameter(
        GOALS,
        read=lambda entries: tuple(goal_from_json(entry) for entry in entries),
        write=lambda goals: [goal_to_json(goal) for goal in goals],
    )
    influential: tuple[Influential, ...] = parameter(
        INFLUENTIAL,
        default=(),
        read=lambda entries: tuple(influential_from_json(entry) for entry in entries),
        write=lambda influential: [influential_to_json(one) for one in influential],
    )

    @property
    def shares_values(self) -> bool:
        """Return false: no groups are formed."""
        return False

    @property
    def goal_count(self) -> int:
        """Return how many goals there are."""
        return len(self.goals)

    def warnings(self, k: int, partition: str) -> tuple[Reason, ...]:
        """Return the warnings that files reveal the goals, and that any two records may be swapped."""
        told = because("goals-tell")
        return (told,) if self.influential else (told, because("nothing-influential"))

    def mistakes(self, recipe: Recipe, written: Mapping[str, Any]) -> Iterator[RecipeMistake]:
        """Yield inconsistent goals, and entries without effect."""
        return goal_mistakes(self.goals, self.influential, recipe, written)

    def resolve(self, table: Table, recipe: Recipe) -> SwapTask:
        """Return the goals resolved against a file."""
        from constraint_sdc.maskers.group_anonymity.swap_task import resolve_goals

        return resolve_goals(self.goals, self.influential, table, recipe)

    def plan(self, inputs: PlanInputs) -> Design:
        """Return a block for each parameter of the goals."""
        from constraint_sdc.maskers.group_anonymity.swap_rules import plan_swaps

        return plan_swaps(inputs, self.goals)

    def mask_all(self, design: Design, inputs: MaskInputs) -> Masked:
        """Return every parameter with its values swapped; swaps for one goal depend on those for the others."""
        from constraint_sdc.maskers.group_anonymity.mask_groups import mask_groups

        return mask_groups(design, inputs)

    def recount(self, plan: Plan, table: Table, recipe: Recipe) -> Recount:
        """Count the signals of the goals again."""
        from constraint_sdc.maskers.group_anonymity.swap_task import recount_goals

        return recount_goals(self.goals, self.influential, plan, table, recipe)


# Mistakes in a recipe for group anonymity: inconsistent goals, and entries without effect.

RecipePath: TypeAlias = list[str | int]


def goal_mistakes(
    goals: tuple[Goal, ...], influential: tuple[Influential, ...], recipe: Recipe, written: Mapping[str, Any]
) -> Iterator[RecipeMistake]:
    """Yield inconsistent goals, and entries that group anonymity does not use."""
    for entry, why in _WITHOUT_EFFECT.items():
        if entry in written:
            yield f"{entry} has no meaning with group-anonymity: {why}", [entry]
    for number, goal in enumerate(goals):
        yield from _goal_mistakes(goal, ["mask", "goals", number])
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
    for number, change in enumerate(goal.changes):
        yield from _change_mistakes(change, goal, [*place, "change", number])


def _change_mistakes(change: Change, goal: Goal, place: RecipePath) -> Iterator[RecipeMistake]:
    match change:
        case MovedExtremum(source, target):
            if source == target:
                yield f"the move from {source} to {target} changes nothing; name two different values", [*place, "move"]
            yield from _unordered({"from": source, "to": target}, goal, [*place, "move"])
        case AddedExtremum(at, height):
            yield from _unordered({"at": at}, goal, [*place, "add"])
            if height is not None and not math.isfinite(height):
                yield "the height is too large for a floating-point number", [*place, "add", "height"]
        case ChangedApproximation(approximation=wish):
            if not isinstance(wish, str) and not all(map(math.isfinite, wish)):
                yield "a coefficient is too large for a floating-point number", [*place, "wavelet", "approximation"]
        case GivenSignal(values):
            if not all(map(math.isfinite, values)):
                yield "a number of the signal is too large for a floating-point number", [*place, "signal"]
            if goal.order and len(values) != len(goal.order):
                what = f"the signal has {len(values)} numbers, but `order` lists {len(goal.order)} values"
                yield what, [*place, "signal"]


def _unordered(values: dict[str, str], goal: Goal, place: RecipePath) -> Iterator[RecipeMistake]:
    """Yield a mistake for each value that `order`, if there is one, does not list; equal numbers are one value."""
    for entry, value in values.items():
        if goal.order and not any(_is_same(value, known) for known in goal.order):
            yield f"{value!r} is not among the values that `order` lists", [*place, entry]


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


REGISTERED = {"group-anonymity": GroupAnonymity}
