"""Goals of group anonymity against a file: conditions become records, values become places of a signal.

What does not fit the file is a UsageError that names the goal, numbered from 1 as in the recipe.
"""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np

from constraint_sdc.errors import UsageError
from constraint_sdc.measure.subdomain import parse_subdomain
from constraint_sdc.model.goal import AddedExtremum, Goal, MovedExtremum, VitalSet
from constraint_sdc.model.groups import Rows
from constraint_sdc.model.method import GroupAnonymity
from constraint_sdc.model.recipe import Recipe
from constraint_sdc.model.swap_task import FileGoal, Mask, Parameter, SwapTask, VitalRows
from constraint_sdc.model.table import Table
from constraint_sdc.pipeline.influential import file_influential
from constraint_sdc.pipeline.parameter_values import parameter_of, place_of
from constraint_sdc.pipeline.subdomain_rows import subdomain_rows

_SHOWN = 20


def resolve_goals(masker: GroupAnonymity, table: Table, recipe: Recipe) -> SwapTask:
    """Return the goals in terms of the file; UsageError for what does not fit it."""
    parameters: dict[str, Parameter] = {}
    goals: list[FileGoal] = []
    for number, goal in enumerate(masker.goals, start=1):
        where = f"goal {number}"
        if goal.parameter not in parameters:
            _require_variable(goal.parameter, table, f"{where}: the parameter")
            parameters[goal.parameter] = parameter_of(goal.parameter, table, recipe)
        goals.append(_resolved(number, goal, parameters[goal.parameter], table, recipe))
    for one in masker.influential:
        _require_variable(one.name, table, "influential")
    return SwapTask(parameters, tuple(goals), tuple(file_influential(one, table, recipe) for one in masker.influential))


def _require_variable(name: str, table: Table, what: str) -> None:
    if name not in table.columns:
        close = get_close_matches(name, list(table.columns), n=1)
        known = f"is it {close[0]}?" if close else f"the file has: {', '.join(list(table.columns)[:_SHOWN])}"
        raise UsageError(f"{what} names {name!r}, which no record has", hint=known)


def _resolved(number: int, goal: Goal, parameter: Parameter, table: Table, recipe: Recipe) -> FileGoal:
    where = f"goal {number}"
    group, reads = _vital_rows(goal.group, parameter, table, recipe, where)
    against: VitalRows | None = None
    if goal.against is not None:
        against, more = _vital_rows(goal.against, parameter, table, recipe, f"{where}: against")
        reads |= more
    places = _places(goal, group.base, parameter, where)
    resolved = FileGoal(number, goal, places, group, against, reads)
    _require_partners(resolved, where)
    for change in goal.changes:
        match change:
            case MovedExtremum(source, target):
                for value in (source, target):
                    place_of(value, parameter, places, f"{where}: move")
            case AddedExtremum(at):
                place_of(at, parameter, places, f"{where}: add")
            case _:
                pass
    return resolved


def _vital_rows(
    wish: VitalSet, parameter: Parameter, table: Table, recipe: Recipe, where: str
) -> tuple[VitalRows, frozenset[str]]:
    """Return the records of a set that have a value of the parameter, and the variables that were looked at."""
    has_value = parameter.codes >= 0
    base, base_reads = has_value, frozenset[str]()
    if wish.base is not None:
        chosen, base_reads = _satisfying(wish.base, table, recipe, f"{where}: base")
        base = base & chosen
        if not base.any():
            raise UsageError(f"{where}: no record with a value of {parameter.name} satisfies base {wish.base!r}")
    vital, reads = _satisfying(wish.vital, table, recipe, f"{where}: vital")
    if not (vital & base).any():
        among = f" among the records of base {wish.base!r}" if wish.base is not None else ""
        what = f"{where}: no record with a value of {parameter.name} satisfies vital {wish.vital!r}{among}"
        raise UsageError(what, hint="a group without records has no signal to change")
    return VitalRows(vital & base, base), reads | base_reads


def _satisfying(text: str, table: Table, recipe: Recipe, where: str) -> tuple[Mask, frozenset[str]]:
    try:
        condition = parse_subdomain(text, tuple(table.columns))
        if condition.condition is None:
            raise ValueError(f"a condition is needed, such as {text} = 'x', and not a variable's name alone")
        ((_, rows),) = subdomain_rows(condition, table, recipe)
    except ValueError as problem:
        raise UsageError(f"{where} {text!r}: {problem}", hint="see docs/measures/subdomains.md") from None
    found = np.zeros(table.records, np.bool_)
    found[rows] = True
    return found, frozenset(condition.names)


def _require_partners(goal: FileGoal, where: str) -> None:
    """Refuse a base of vital records only, and a signal of a single value: no swap could change it."""
    if not (goal.group.base & ~goal.group.vital).any():
        raise UsageError(
            f"{where}: every record of the base is vital, so that there is nobody to swap with",
            hint="make the condition of vital narrower, or that of base wider",
        )
    if len(goal.places) < 2:
        raise UsageError(f"{where}: {goal.goal.parameter} has the same value in every record of the base")


def _places(goal: Goal, base: Mask, parameter: Parameter, where: str) -> Rows:
    """Return the codes of the values that occur in the base, as the goal orders them."""
    occurring = np.unique(parameter.codes[base]).astype(np.int64)
    if not goal.order:
        return occurring
    ordered = [int(occurring[place_of(value, parameter, occurring, f"{where}: order")]) for value in goal.order]
    if len(set(ordered)) < len(ordered):
        raise UsageError(f"{where}: order names a value of {parameter.name} twice")
    if left := len(occurring) - len(ordered):
        # How many, not which: a rare value may be somebody's.
        records = int(np.count_nonzero(base & ~np.isin(parameter.codes, ordered)))
        what = (
            f"{where}: order leaves out {left:,} values of {parameter.name}, which {records:,} records of the base have"
        )
        raise UsageError(what, hint="name every value that occurs in the base")
    return np.array(ordered, np.int64)
