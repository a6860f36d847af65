"""Goals of group anonymity resolved against a file: which records, which values, and how records are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Rows
from constraint_sdc.data.table import Table
from constraint_sdc.errors import UsageError
from constraint_sdc.evaluate.subdomain import parse_subdomain
from constraint_sdc.maskers.group_anonymity.goal import Goal, Influential, VitalSet
from constraint_sdc.maskers.group_anonymity.goal_changes import kind_of, named_values
from constraint_sdc.maskers.group_anonymity.signals import quantity
from constraint_sdc.maskers.masker import Recount
from constraint_sdc.plan.plan import GoalReport, Plan
from constraint_sdc.plan.read_series import is_numeric, make_series, not_numeric, subdomain_rows
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Scale, VariableWish


@dataclass(frozen=True, slots=True)
class SwapParameter:
    """A variable whose values are swapped: `codes[i]` is the value of record i, -1 where it has none.

    Codes count the values from left to right; `labels` are these values as the file first writes them. `is_ordered` if
    the recipe calls the variable ordinal.
    """

    name: str
    codes: Codes
    labels: tuple[str, ...]
    is_ordered: bool = False

    @property
    def blanks(self) -> int:
        """Return how many records have no value."""
        return int(np.count_nonzero(self.codes < 0))

    def numbers(self, places: Rows) -> Floats | None:
        """Return the values at `places` (codes) as numbers, or None if one of them is not a number."""
        found = [_number(self.labels[code]) for code in places.tolist()]
        return None if None in found else np.array(found, np.float64)

    def place_of(self, value: str, places: Rows) -> int:
        """Return the index of a value among `places` (codes), or ValueError; equal numbers are the same value."""
        labels = [self.labels[code] for code in places.tolist()]
        if value in labels:
            return labels.index(value)
        number = _number(value)
        for place, label in enumerate(labels):
            if number is not None and _number(label) == number:
                return place
        raise ValueError(f"{value!r} is not a value of {self.name} in the base")


@dataclass(frozen=True, slots=True)
class VitalRows:
    """The vital records and the base that contains them; only records that have a value of the parameter."""

    vital: Flags
    base: Flags


@dataclass(frozen=True, slots=True)
class FileGoal:
    """One goal of the recipe, the `number`-th from 1, resolved against a file.

    `places` are the codes of the parameter's values that occur in the base, in the order of the signal. `reads` are the
    variables that define the sets.
    """

    number: int
    goal: Goal
    places: Rows
    group: VitalRows
    against: VitalRows | None
    reads: frozenset[str]


@dataclass(frozen=True, slots=True)
class FileInfluential:
    """An influential variable: numbers (NaN where blank) that count by relative difference, or codes of categories."""

    wish: Influential
    numbers: Floats | None
    codes: Codes | None


@dataclass(frozen=True, slots=True)
class SwapTask:
    """Everything that group anonymity needs from a file besides its rules; goals in the order of the recipe.

    `threshold` is the most distortion of all goals together.
    """

    parameters: Mapping[str, SwapParameter]
    goals: tuple[FileGoal, ...]
    influential: tuple[FileInfluential, ...]
    threshold: float | None = None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


# Goals of group anonymity resolved against a file: conditions become records, values become places of a signal.
#
# A goal that does not fit the file is a UsageError with its number, counted from 1 as in the recipe.

# Influential variables of a file: numbers that count by their relative difference, or categories.


def file_influential(wish: Influential, table: Table, recipe: Recipe) -> FileInfluential:
    """Return the variable as numbers or codes; ordinal values count as 1, 2, 3, ... in their order."""
    column, missing = table.columns[wish.name], recipe.missing.get(wish.name, ())
    is_number = is_numeric(column, missing)
    known = recipe.variables.get(wish.name, VariableWish())
    scale = wish.scale or known.scale
    if scale is Scale.NUMERIC and not is_number:
        raise not_numeric(f"influential: {wish.name}")
    scale = scale or (Scale.NUMERIC if is_number else Scale.NOMINAL)
    if scale is Scale.NOMINAL:
        series = make_series(column, scale, VariableWish(), missing)
        return FileInfluential(wish, None, np.where(series.is_blank, -1, np.nan_to_num(series.values)).astype(np.int64))
    if (wish.same, wish.different) != (0.0, 1.0):
        what = f"influential: {wish.name} is {scale.value}, but `same` and `different` are for categories"
        raise UsageError(what, hint="leave them out, or give it type: nominal")
    series = make_series(column, scale, replace(known, decimals="free"), missing)
    return FileInfluential(wish, series.values + (1.0 if scale is Scale.ORDINAL else 0.0), None)


# The values of a parameter: equal numbers are one value in any spelling; texts are compared exactly.

MOST_VALUES = 1000
"""A parameter with more values is refused: it is a mistake, not a signal."""


def parameter_of(name: str, table: Table, recipe: Recipe) -> SwapParameter:
    """Return a parameter with its values in order: numbers by size, else texts."""
    column, missing = table.columns[name], recipe.missing.get(name, ())
    wish = recipe.variables.get(name, VariableWish())
    is_number = is_numeric(column, missing)
    scale = wish.scale or (Scale.NUMERIC if is_number else Scale.NOMINAL)
    if scale is Scale.NUMERIC and not is_number:
        raise not_numeric(name)
    # Ordinal series put texts that are numbers in the order of the numbers.
    ordered = Scale.NUMERIC if scale is Scale.NUMERIC else Scale.ORDINAL
    series = make_series(column, ordered, replace(wish, decimals="free"), missing)
    has_value = ~series.is_blank
    values, first, codes = np.unique(series.values[has_value], return_index=True, return_inverse=True)
    if not len(values):
        raise UsageError(f"{name} is the parameter of a goal, but no record has a value of it")
    if len(values) > MOST_VALUES:
        hint = "choose a variable with fewer values, or join values before masking"
        raise UsageError(f"{name} has {len(values):,} different values, too many for a signal", hint=hint)
    rows = np.flatnonzero(has_value)
    texts = [column.text(int(rows[place])) or "" for place in first.tolist()]
    labels = tuple(text.strip() if scale is Scale.NUMERIC else text for text in texts)
    all_codes = np.full(table.records, -1, np.int64)
    all_codes[rows] = codes.reshape(-1)
    return SwapParameter(name, all_codes, labels, scale is Scale.ORDINAL)


def place_of(value: str, parameter: SwapParameter, places: Rows, where: str) -> int:
    """Return the index of a value in a signal over `places`; the UsageError shows no value of the file."""
    try:
        return parameter.place_of(value, places)
    except ValueError as problem:
        hint = f"there are {len(places):,} different values; write one of them as in the file"
        raise UsageError(f"{where}: {problem}", hint=hint) from None


_SHOWN = 20


def resolve_goals(goals: Sequence[Goal], influential: Sequence[Influential], table: Table, recipe: Recipe) -> SwapTask:
    """Return the goals resolved against the file; UsageError for a goal that does not fit it."""
    parameters: dict[str, SwapParameter] = {}
    found: list[FileGoal] = []
    for number, goal in enumerate(goals, start=1):
        where = f"goal {number}"
        if goal.parameter not in parameters:
            _require_variable(goal.parameter, table, f"{where}: the parameter")
            parameters[goal.parameter] = parameter_of(goal.parameter, table, recipe)
        found.append(_resolved(number, goal, parameters[goal.parameter], table, recipe))
    for one in influential:
        _require_variable(one.name, table, "influential")
    return SwapTask(parameters, tuple(found), tuple(file_influential(one, table, recipe) for one in influential))


def _require_variable(name: str, table: Table, what: str) -> None:
    if name not in table.columns:
        close = get_close_matches(name, list(table.columns), n=1)
        known = f"is it {close[0]}?" if close else f"the file has: {', '.join(list(table.columns)[:_SHOWN])}"
        raise UsageError(f"{what} names {name!r}, which no record has", hint=known)


def _resolved(number: int, goal: Goal, parameter: SwapParameter, table: Table, recipe: Recipe) -> FileGoal:
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
        for value in named_values(change).values():
            place_of(value, parameter, places, f"{where}: {kind_of(change)}")
    return resolved


def _vital_rows(
    wish: VitalSet, parameter: SwapParameter, table: Table, recipe: Recipe, where: str
) -> tuple[VitalRows, frozenset[str]]:
    """Return the records of a set that have a value of the parameter, and the variables that its conditions read."""
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
        raise UsageError(what, hint="correct the condition: a group without records has no signal")
    return VitalRows(vital & base, base), reads | base_reads


def _satisfying(text: str, table: Table, recipe: Recipe, where: str) -> tuple[Flags, frozenset[str]]:
    try:
        condition = parse_subdomain(text, tuple(table.columns))
        if condition.condition is None:
            raise ValueError(f"this is a variable, not a condition; write a condition such as {text} = 'x'")
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
            f"{where}: every record of the base is vital, so there are no records to swap with",
            hint="make the condition of vital narrower, or that of base wider",
        )
    if len(goal.places) < 2:
        raise UsageError(f"{where}: {goal.goal.parameter} has the same value in every record of the base")


def _places(goal: Goal, base: Flags, parameter: SwapParameter, where: str) -> Rows:
    """Return the codes of the values that occur in the base, as the goal orders them."""
    occurring = np.unique(parameter.codes[base]).astype(np.int64)
    if not goal.order:
        return occurring
    ordered = [int(occurring[place_of(value, parameter, occurring, f"{where}: order")]) for value in goal.order]
    if len(set(ordered)) < len(ordered):
        raise UsageError(f"{where}: order lists a value of {parameter.name} twice")
    if left := len(occurring) - len(ordered):
        # The message gives the number of values, not the values: a rare value may identify a person.
        records = int(np.count_nonzero(base & ~np.isin(parameter.codes, ordered)))
        what = (
            f"{where}: order leaves out {left:,} values of {parameter.name}, which {records:,} records of the base have"
        )
        raise UsageError(what, hint="list every value that occurs in the base")
    return np.array(ordered, np.int64)


# Count the signals of a certificate's goals in the masked file.


def recount_goals(
    goals: Sequence[Goal], influential: Sequence[Influential], plan: Plan, table: Table, recipe: Recipe
) -> Recount:
    """Return a sentence about what was counted, and the differences from the certificate.

    A set whose condition reads a variable that was removed from the file cannot be counted; the sentence says so.
    """
    try:
        task = resolve_goals(goals, influential, table, recipe)
    except UsageError as problem:
        return Recount(f"the signals of the goals cannot be counted in this file: {problem.what}", is_counted=False)
    stated = plan.all_goals()
    if len(task.goals) != len(stated):
        return Recount("", (f"goals: {len(stated)} are certified, {len(task.goals)} were asked for",))
    pairs = zip(task.goals, stated, strict=True)
    wrong = tuple(line for goal, said in pairs for line in _differences(goal, said, task))
    return Recount("the signals of the goals are as certified, counted in the file", wrong)


def _differences(goal: FileGoal, said: GoalReport, task: SwapTask) -> list[str]:
    parameter = task.parameters[goal.goal.parameter]
    counts = quantity(parameter.codes, goal.group.vital, len(parameter.labels)).tolist()
    actual = dict(zip(parameter.labels, counts, strict=True))
    lines = [
        f"goal {said.number}: {value.value} has {actual.get(value.value, 0):,} vital records, certified {value.after:,}"
        for value in said.values
        if actual.get(value.value, 0) != value.after
    ]
    gone = sum(max(value.before - value.after, 0) for value in said.values)
    if gone != said.swaps:
        lines.append(f"goal {said.number}: {said.swaps:,} swaps are certified, but the counts changed by {gone:,}")
    return lines
