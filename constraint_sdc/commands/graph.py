"""Graph: the drawing of a rule set, or of the plan that masks a file under it."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.commands.plan import plan_file
from constraint_sdc.commands.rules import list_rules
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.reports.rule_graph import RuleGraph, graph_of_plan, graph_of_rules
from constraint_sdc.settings.recipe import Recipe


def graph_rules(
    rules: Path,
    data: Path | None = None,
    *,
    phase: str | None = None,
    record: str | None = None,
    allow: tuple[Path, ...] = (),
) -> RuleGraph:
    """Return the drawing of a rule set; with data also the variables that are in no rule."""
    listed = list_rules(rules, phase=phase, data=data, record=record, allow=allow)
    names = () if data is None else tuple(read_dataset(data, record).table.columns)
    return graph_of_rules(listed, names)


def graph_plan(
    rules: Path,
    data: Path,
    k: int,
    recipe: Path | None = None,
    *,
    phase: str | None = None,
    record: str | None = None,
    allow: tuple[Path, ...] = (),
) -> RuleGraph:
    """Return the drawing of a plan; a drawing promises nothing, so that what nobody decided is guessed."""
    chosen = Recipe() if recipe is None else read_recipe(recipe)
    options = MaskOptions(k=k, recipe=chosen, phase=phase, record=record, allow=allow, undecided="guess")
    return graph_of_plan(plan_file(data, rules, options))
