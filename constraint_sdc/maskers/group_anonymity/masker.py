"""Group anonymity: O. Chertov and D. Tavrov, Data group anonymity in microfiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from constraint_sdc.maskers.group_anonymity.goal import (
    GOALS,
    INFLUENTIAL,
    Goal,
    Influential,
    goal_from_json,
    goal_to_json,
    influential_from_json,
    influential_to_json,
)
from constraint_sdc.maskers.group_anonymity.goal_changes import POSITIVE
from constraint_sdc.maskers.group_anonymity.goal_mistakes import goal_mistakes
from constraint_sdc.maskers.masker import Masker, Recount
from constraint_sdc.settings.masker import RecipeMistake, parameter
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe

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
    computes_totals = False

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
    threshold: float | None = parameter(
        {"description": "the most distortion of all goals together, each times its weight; default: no bound."}
        | POSITIVE,
        default=None,
        read=float,
        write=lambda bound: None if bound is None else repr(bound),
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
        return goal_mistakes(self.goals, self.influential, self.threshold, recipe, written)

    def resolve(self, table: Table, recipe: Recipe) -> SwapTask:
        """Return the goals resolved against a file."""
        from constraint_sdc.maskers.group_anonymity.swap_task import resolve_goals

        return replace(resolve_goals(self.goals, self.influential, table, recipe), threshold=self.threshold)

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


REGISTERED = {"group-anonymity": GroupAnonymity}
