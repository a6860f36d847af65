"""Partition: divide a file's records into groups, mask nothing, and say what the groups would lose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from constraint_sdc.arrays import Labels, Weights
from constraint_sdc.commands.masking.division import keep_weights, record_weights
from constraint_sdc.commands.masking.settings import settle_partition
from constraint_sdc.commands.measuring.records_file import Progress, is_table, read_records
from constraint_sdc.data.cloud import Cloud, cloud_of
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import Series
from constraint_sdc.data.table import Table
from constraint_sdc.errors import UsageError
from constraint_sdc.files.rows_file import xml_name
from constraint_sdc.maskers.masked import DividedBy, Partitioned, PartitionOptions
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods.auto import Auto
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.partitioner import require_possible
from constraint_sdc.partition.registry import partitioner
from constraint_sdc.plan.blocks import decide_roles, refuse_too_many_categories
from constraint_sdc.plan.plan import Kept
from constraint_sdc.plan.read_series import make_series, on_any_grid
from constraint_sdc.settings.partition_settings import PartitionSettings
from constraint_sdc.settings.recipe import Division, Recipe
from constraint_sdc.settings.words import Role, Standardise, VariableWish
from constraint_sdc.stages import stage

_DIVIDED_TWICE = 20_000  # records; beyond, MDAV for comparison would take longer than the method itself


def partition_file(
    data: Path, options: PartitionOptions | PartitionSettings, progress: Progress = lambda _: None
) -> Partitioned:
    """Return the groups of a file's records; `progress` hears the number of records read."""
    if isinstance(options, PartitionOptions) and options.record is not None and is_table(data):
        raise UsageError("--record has no meaning here", file=str(data), hint="a table has no elements")
    settings = settle_partition(options)
    k, seed = settings.k, settings.seed
    table = read_records(data, settings.record, progress).table
    if table.records < k:
        what = f"{table.records:,} records cannot form a group of {k:,}"
        raise UsageError(what, file=str(data), hint="choose a smaller k")
    division, weights = _weighed(table, settings.division)
    variables, left_out = _variables(table, settings, division.weights)
    if not variables:
        raise UsageError("no variable holds numbers", file=str(data), hint="name some categories with --variables")
    cloud = _cloud(table, variables, settings.recipe, division.standardise, weights)
    _refuse_impossible(cloud, k)
    method = partitioner(division.partition, division.effort)
    choice = method.choose(cloud, k) if isinstance(method, Auto) else None
    started = perf_counter()
    with stage("dividing"):
        label = method.partition(cloud, k, seed)
    seconds = perf_counter() - started
    loss = _loss(cloud, label)
    return Partitioned(
        data=data,
        k=k,
        seed=seed,
        division=division,
        variables=variables,
        left_out=left_out,
        chosen=None if choice is None else choice.partition,
        why=None if choice is None else choice.why,
        groups=Groups(label),
        loss=loss,
        mdav_loss=loss if method.name == Mdav.name else _mdav_loss(cloud, k),
        seconds=seconds,
    )


def _loss(cloud: Cloud, label: Labels) -> float:
    """Return 100 * SSE / SST: 0 if nothing is lost, 100 if all records are one group; 0 if nothing varies.

    >>> _loss(Cloud(np.array([[0.0], [2.0], [6.0], [8.0]])), np.array([0, 0, 1, 1]))
    10.0
    """
    total = sse(cloud, np.zeros(len(cloud), np.int64))
    return 100.0 * sse(cloud, label) / total if total else 0.0


def _mdav_loss(cloud: Cloud, k: int) -> float | None:
    """Return what plain MDAV, which knows no weights of records, loses on the same points; without any compiling."""
    if len(cloud) > _DIVIDED_TWICE:
        return None
    return _loss(cloud, Mdav(compiled=False).partition(Cloud(cloud.points, cloud.axes), k, seed=0))


def _weighed(table: Table, division: Division) -> tuple[Division, Weights | None]:
    if division.weights is None:
        return division, None
    name = _in_file(table, division.weights) or division.weights
    return replace(division, weights=name), record_weights(table, name)


def _in_file(table: Table, name: str) -> str | None:
    """Return the variable of this name, or of this header of a CSV file."""
    return next((spelt for spelt in (name, xml_name(name)) if spelt in table.columns), None)


def _variables(
    table: Table, settings: PartitionSettings, weights: str | None
) -> tuple[tuple[DividedBy, ...], tuple[Kept, ...]]:
    """Return the variables to divide by, and those that were not named and are left out."""
    named = None if settings.variables is None else _named(table, settings.variables, weights)
    recipe = settings.recipe if weights is None else keep_weights(settings.recipe, weights)
    recipe = _with_named(recipe, named or ())
    roles = decide_roles(table, recipe, tied=frozenset())
    names = tuple(roles.masked) if named is None else named
    left_out = tuple(kept for kept in roles.kept.values() if kept.name != weights) if named is None else ()
    return tuple(DividedBy(name, roles.masked[name][1], _weight(recipe, name)) for name in names), left_out


def _named(table: Table, names: Sequence[str], weights: str | None) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        spelt = _in_file(table, name)
        if spelt is None:
            known = ", ".join(list(table.columns)[:20])
            raise UsageError(f"no record has a variable {name!r}", hint=f"the file has: {known}")
        if spelt in found:
            raise UsageError(f"{name} is named twice", hint="a weight in the recipe makes a variable count more")
        if spelt == weights:
            raise UsageError(f"{name} weighs the records and cannot divide them too", hint="use it for one of the two")
        found.append(spelt)
    return tuple(found)


def _with_named(recipe: Recipe, names: Sequence[str]) -> Recipe:
    """Return the recipe with these variables masked, whatever it says of them: the command line goes before it."""
    wishes = {name: recipe.variables.get(name, VariableWish()) for name in names}
    masked = {name: replace(wish, role=Role.CONFIDENTIAL, is_removed=False) for name, wish in wishes.items()}
    return replace(recipe, variables={**recipe.variables, **masked})


def _weight(recipe: Recipe, name: str) -> float:
    weight = recipe.variables.get(name, VariableWish()).weight
    return 1.0 if weight is None else weight


def _cloud(
    table: Table,
    variables: Sequence[DividedBy],
    recipe: Recipe,
    standardise: Standardise,
    weights: Weights | None,
) -> Cloud:
    # No value is written, so the grid of the numbers does not matter.
    wishes = {name: on_any_grid(wish) for name, wish in recipe.variables.items()}
    any_number = VariableWish(decimals="free")
    series = [
        make_series(
            table.columns[one.name], one.scale, wishes.get(one.name, any_number), recipe.missing.get(one.name, ())
        )
        for one in variables
    ]
    for one in series:
        _refuse_blanks(one)
    refuse_too_many_categories(series, table.records)
    return cloud_of(series, standardise, recipe.variables, weights)


def _refuse_blanks(series: Series) -> None:
    blank = np.flatnonzero(series.is_blank)
    if not len(blank):
        return
    others = f", and {len(blank) - 1:,} more" if len(blank) > 1 else ""
    raise UsageError(
        f"{series.name} has no value in record {blank[0] + 1:,}{others}",
        hint="divide by other variables with --variables; masking divides such records apart, in strata",
    )


def _refuse_impossible(cloud: Cloud, k: int) -> None:
    try:
        require_possible(cloud, k)
    except ValueError as problem:
        hint = "standardise by z-score, and give no variable an enormous weight"
        raise UsageError(f"the records have no distances: {problem}", hint=hint) from None
