"""Group anonymity: O. Chertov and D. Tavrov, Data group anonymity in microfiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from constraint_sdc.maskers.group_anonymity.goal import (
    Goal,
    Influential,
    goal_from_json,
    goal_to_json,
    influential_from_json,
    influential_to_json,
)
from constraint_sdc.maskers.group_anonymity.goal_schema import GOALS, INFLUENTIAL
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.settings.masker import RecipeMistake, parameter
from constraint_sdc.settings.reason import Reason, because

if TYPE_CHECKING:
    from constraint_sdc.data.table import Table
    from constraint_sdc.maskers.group_anonymity.swap_task import SwapTask
    from constraint_sdc.maskers.inputs import MaskInputs
    from constraint_sdc.maskers.masked import Masked
    from constraint_sdc.plan.design import Design, PlanInputs
    from constraint_sdc.plan.plan import Plan
    from constraint_sdc.settings.recipe import Recipe


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
        from constraint_sdc.maskers.group_anonymity.goal_mistakes import goal_mistakes

        return goal_mistakes(self.goals, self.influential, recipe, written)

    def resolve(self, table: Table, recipe: Recipe) -> SwapTask:
        """Return the goals resolved against a file."""
        from constraint_sdc.maskers.group_anonymity.resolve_goals import resolve_goals

        return resolve_goals(self.goals, self.influential, table, recipe)

    def plan(self, inputs: PlanInputs) -> Design:
        """Return a block for each parameter of the goals."""
        from constraint_sdc.maskers.group_anonymity.swap_plan import plan_swaps

        return plan_swaps(inputs, self.goals)

    def mask_all(self, design: Design, inputs: MaskInputs) -> Masked:
        """Return every parameter with its values swapped; swaps for one goal depend on those for the others."""
        from constraint_sdc.maskers.group_anonymity.mask_groups import mask_groups

        return mask_groups(design, inputs)

    def recount(self, plan: Plan, table: Table, recipe: Recipe) -> tuple[str, list[str]]:
        """Count the signals of the goals again."""
        from constraint_sdc.maskers.group_anonymity.recount import recount_goals

        return recount_goals(self.goals, self.influential, plan, table, recipe)


REGISTERED = {"group-anonymity": GroupAnonymity}
