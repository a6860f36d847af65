"""Variables that the recipe takes out of the file: no rule may read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.model.plan import Kept
from constraint_sdc.plan.rule_facts import RuleFacts


def refuse_removed(facts: Iterable[RuleFacts], kept: Mapping[str, Kept]) -> None:
    """Refuse to take out a variable that a rule reads."""
    for rule in facts:
        for name in rule.variables:
            if name in kept and kept[name].is_removed:
                hint = f"keep {name} in the file, or leave the rule out (a phase without it)"
                raise PlanRefusedError(f"rule {rule.id} reads {name}, which the recipe takes out", hint=hint)
