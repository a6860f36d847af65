"""Put the original and the masked file side by side: record by record, variable by variable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Codes, Weights
from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.pair import Compared, MaskedTogether, Pair
from constraint_sdc.data.series import EXACT_MANTISSA, Grid
from constraint_sdc.data.table import Column, Table
from constraint_sdc.errors import UsageError
from constraint_sdc.evaluate.distinct_texts import distinct_texts, stands_below
from constraint_sdc.plan.blocks import Roles, decide_roles
from constraint_sdc.plan.plan import BlockPlan, ComputedTotal, Plan, VariablePlan
from constraint_sdc.plan.read_series import is_measurable, make_series, on_any_grid
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Role, Scale, Treatment, VariableWish

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Paired:
    """The pair, what is to be said about how it was made, and the masked records in the order of the originals."""

    pair: Pair
    notes: tuple[Reason, ...]
    released: Table


def pair_tables(
    original: Table, masked: Table, recipe: Recipe, plan: Plan | None = None, known: tuple[str, ...] | None = None
) -> Paired:
    """Return both files as one pair.

    Records correspond by the recipe's key if both files have it, else by their order. What was masked, together with
    what and how, is the plan's to say; without one, a variable that differs somewhere was masked. The intruder knows
    the variables `known`, else those of the recipe, else everything published that can be known: the quasi-identifiers,
    or all masked variables if there are none, and the variables that are published as they were.
    """
    _refuse_unknown(original, recipe)
    notes = [*_order_note(original, masked, recipe)]
    masked = _aligned(original, masked, recipe.key)
    names = [name for name in original.columns if name in masked.columns]
    if not names:
        raise UsageError("the two files have no variable in common", hint="is it the masked file of this original?")
    notes += _only_in_one(original, masked)
    roles = decide_roles(original, _of_file(recipe, original), tied=frozenset())
    planned = _planned(plan)
    variables = []
    for name in names:
        both = _joined(original.columns[name], masked.columns[name])
        missing = recipe.missing.get(name, ())
        wish = _read_as(planned.get(name), recipe.variables.get(name, VariableWish()))
        role = planned[name].role if name in planned else _role(name, roles, plan)
        scale = planned[name].scale if name in planned else recipe.variables.get(name, VariableWish()).scale
        if scale in (None, Scale.NUMERIC):
            scale = Scale.NUMERIC if is_measurable(both, wish, missing) else Scale.NOMINAL
            if scale is Scale.NOMINAL and name in roles.numeric:
                notes.append(because("no-longer-numbers", variable=name))
        grid = planned[name].grid if name in planned else Grid(None)
        order = planned[name].order if name in planned else recipe.variables.get(name, VariableWish()).order
        wish = replace(wish, order=order)
        variables.append(_compared(both, scale, role, grid, missing, wish, name in planned, original.records))
    compared = _settled(tuple(variables), plan)
    notes += _unseen(compared)
    blocks = _blocks(compared, recipe, plan)
    computed = () if plan is None else tuple(total.name for total in plan.computed)
    pair = Pair(compared, (), blocks, _promised_k(plan), computed, _weights(original, recipe))
    return Paired(replace(pair, known=_known(pair, known or recipe.assess.known, recipe)), tuple(notes), masked)


def _weights(original: Table, recipe: Recipe) -> Weights | None:
    """Return the sampling weights of the original; what is not a number is NaN."""
    name = recipe.assess.weights or recipe.weights
    if name is None:
        return None
    column, missing = original.columns[name], recipe.missing.get(name, ())
    if not is_measurable(column, VariableWish(), missing):
        return np.full(original.records, np.nan)
    return make_series(column, Scale.NUMERIC, on_any_grid(VariableWish()), missing).values


def _planned(plan: Plan | None) -> dict[str, VariablePlan | ComputedTotal]:
    """Return the variables whose values a plan changes."""
    if plan is None:
        return {}
    masked = {variable.name: variable for block in plan.blocks for variable in block.variables}
    return {**masked, **{total.name: total for total in plan.computed}}


def _promised_k(plan: Plan | None) -> int | None:
    """Return the k that the masking promised; some maskers promise none."""
    return plan.k if plan is not None and all(block.shares for block in plan.blocks) else None


def _refuse_unknown(original: Table, recipe: Recipe) -> None:
    groups = () if recipe.groups == "all" else recipe.groups
    single = [name for name in (recipe.key, recipe.weights, recipe.assess.weights) if name is not None]
    for name in (*single, *(name for group in groups for name in group)):
        if name not in original.columns:
            known = ", ".join(list(original.columns)[:_SHOWN])
            raise UsageError(f"the recipe names {name!r}, which no record has", hint=f"the original has: {known}")


def _order_note(original: Table, masked: Table, recipe: Recipe) -> Iterator[Reason]:
    """Say when records correspond by their order although a variable tells that they do not, or the key is gone."""
    if recipe.key is not None and recipe.key not in masked.columns:
        yield because("key-not-masked", key=recipe.key)
    if recipe.key is not None or original.records != masked.records:
        return
    for name, column in original.columns.items():
        if name not in masked.columns or len(distinct_texts(column)) < original.records - 1:  # absent ones are no text
            continue
        ours, theirs = (table.columns[name].texts() for table in (original, masked))
        if ours != theirs and len(set(ours)) == len(ours) and set(ours) == set(theirs):
            yield because("other-order", variable=name)


def _aligned(original: Table, masked: Table, key: str | None) -> Table:
    """Return the masked records in the order of the originals."""
    if original.records != masked.records:
        what = f"the original has {original.records:,} records, the masked file {masked.records:,}"
        raise UsageError(what, hint="both must hold the same records")
    if not original.records:
        raise UsageError("there is no record to compare")
    if key is None or key not in original.columns or key not in masked.columns:
        return masked
    ours, theirs = (table.columns[key].texts() for table in (original, masked))
    if ours == theirs:
        return masked
    place = {text: row for row, text in enumerate(theirs)}
    if len(place) < len(theirs) or set(place) != set(ours) or None in place:
        hint = "leave `key` out of the recipe to compare the records in their order"
        raise UsageError(f"the records cannot be told apart by {key}, or differ in it between the files", hint=hint)
    rows = np.array([place[text] for text in ours], np.intp)
    return Table({name: column.take(rows) for name, column in masked.columns.items()}, masked.records)


def _unseen(variables: tuple[Compared, ...]) -> Iterator[Reason]:
    """Say what the measures of numbers do not see: categories, and numbers that masking blanked."""
    categories = [v.name for v in variables if v.is_masked and v.scale is not Scale.NUMERIC]
    if categories:
        yield because("categories-unseen", variables=tuple(categories))
    for v in variables:
        gone = int(np.count_nonzero(np.isfinite(v.original) & np.isnan(v.masked)))
        if v.is_masked and gone:
            had = int(np.count_nonzero(np.isfinite(v.original)))
            yield because("values-blanked", variable=v.name, blank=gone, of=had)


def _only_in_one(original: Table, masked: Table) -> Iterator[Reason]:
    gone = tuple(name for name in original.columns if name not in masked.columns)
    new = tuple(name for name in masked.columns if name not in original.columns)
    if gone:
        yield because("taken-out", variables=gone)
    if new:
        yield because("only-in-masked", variables=new)


def _of_file(recipe: Recipe, table: Table) -> Recipe:
    """Return the recipe without its words on masking, which assess nothing and may name variables taken out."""
    variables = {name: VariableWish(role=wish.role, scale=wish.scale) for name, wish in recipe.variables.items()}
    return Recipe(key=recipe.key if recipe.key in table.columns else None, missing=recipe.missing, variables=variables)


def _role(name: str, roles: Roles, plan: Plan | None) -> Role:
    if plan is not None:
        return next((kept.role for kept in plan.kept if kept.name == name), Role.UNTOUCHED)
    return roles.kept[name].role if name in roles.kept else roles.masked[name][0]


def _joined(first: Column, second: Column) -> Column:
    """Return both columns as one, the second below the first: values of both files get the same codes."""
    shift = len(first.buffer)
    both = Column(
        first.name,
        np.concatenate((first.buffer, second.buffer)),
        np.concatenate((first.start, second.start + shift)),
        np.concatenate((first.stop, second.stop + shift)),
        np.concatenate((first.state, second.state)),
    )
    stands_below(both, first, second)
    return both


def _read_as(planned: VariablePlan | ComputedTotal | None, wish: VariableWish) -> VariableWish:
    """Return how values are read: dates in the notation of the plan or of the recipe, all else as numbers."""
    notation = wish.decimals if planned is None else planned.grid.notation
    return VariableWish(decimals=notation if isinstance(notation, DateNotation) else None)


def _compared(
    both: Column,
    scale: Scale,
    role: Role,
    grid: Grid,
    missing: tuple[str, ...],
    wish: VariableWish,
    is_masked: bool,
    records: int,
) -> Compared:
    # Both files together have no grid; the plan knows the grid of the masked values.
    series = make_series(both, scale, on_any_grid(wish), missing)
    if series.grid.notation is not None:
        grid = series.grid  # dates are measured in days or months, also where no plan says so
    codes = _codes(series.values, both, scale)
    return Compared(
        both.name,
        scale,
        role,
        is_masked,
        grid,
        series.values[:records],
        series.values[records:],
        codes[:records],
        codes[records:],
    )


def _codes(values: npt.NDArray[np.float64], both: Column, scale: Scale) -> Codes:
    """Number the values; whole numbers too large for a double are told apart by their texts."""
    _, codes = np.unique(values, return_inverse=True)
    if scale is Scale.NUMERIC and np.nanmax(np.abs(values), initial=0.0) >= EXACT_MANTISSA:
        texts = both.texts()
        place: dict[tuple[int, str | None], int] = {}
        large = np.flatnonzero(np.abs(values) >= EXACT_MANTISSA)
        above = int(codes.max()) + 1
        for row in large.tolist():
            codes[row] = above + place.setdefault((int(codes[row]), texts[row]), len(place))
    return codes.astype(np.int64)


def _settled(variables: tuple[Compared, ...], plan: Plan | None) -> tuple[Compared, ...]:
    """Decide what was masked where no plan says so: what differs somewhere, or all numbers when nothing does."""
    if plan is not None:
        return variables
    differs = {v.name for v in variables if not v.unchanged.all()}
    if not differs:
        differs = {v.name for v in variables if v.role.is_masked and v.scale is Scale.NUMERIC}
    return tuple(replace(v, is_masked=v.name in differs) for v in variables)


def _blocks(variables: tuple[Compared, ...], recipe: Recipe, plan: Plan | None) -> tuple[MaskedTogether, ...]:
    """Return what was masked together: as the plan says, else as the recipe's groups do, else all in one block."""
    if plan is not None:
        return tuple(
            MaskedTogether(
                block.names,
                plan.division.partition if _is_aggregated(plan, block) else plan.masker.name,
                _operators(plan, block),
                is_weighted=plan.division.weights is not None,
                is_drawn=plan.masker.draws_at_random and not _is_aggregated(plan, block),
                is_swapped=any(variable.treatment is Treatment.SWAPPED for variable in block.variables),
            )
            for block in plan.blocks
        )
    masked = [v.name for v in variables if v.is_masked]
    groups = () if recipe.groups == "all" else recipe.groups
    blocks = [tuple(name for name in group if name in masked) for group in groups]
    rest = tuple(name for name in masked if not any(name in block for block in blocks))
    return tuple(MaskedTogether(block, _divided_by(recipe)) for block in (*blocks, rest) if block)


def _divided_by(recipe: Recipe) -> str | None:
    """Return what the recipe names: the masker, else the partition."""
    return recipe.partition if recipe.masker is None else recipe.masker.name


def _is_aggregated(plan: Plan, block: BlockPlan) -> bool:
    """Tell whether the block was microaggregated by the partition of the plan."""
    return plan.masker.microaggregates([variable.treatment for variable in block.variables])


def _operators(plan: Plan, block: BlockPlan) -> dict[str, str]:
    """Return the operator of each variable where masked values are representatives; a drawn centre is not a mean."""
    if not _is_aggregated(plan, block):
        return {}
    return {v.name: v.operator for v in block.variables if v.treatment is Treatment.AGGREGATED}


def _known(pair: Pair, named: tuple[str, ...] | None, recipe: Recipe) -> tuple[str, ...]:
    """Return what an intruder knows; by default everything published that can be known.

    Identifiers are left out, because with them nothing needs to be linked: the verdict counts them. So are the key of
    the records and their weights, which say nothing about a person.
    """
    if named:
        names = [variable.name for variable in pair.variables]
        for name in named:
            if name not in names:
                hint = f"both files have: {', '.join(names[:_SHOWN])}"
                raise UsageError(f"the intruder cannot know {name!r}, which is not in both files", hint=hint)
        return tuple(dict.fromkeys(named))
    promised = () if recipe.protect.key is None else recipe.protect.key.variables or ()
    quasi = {v.name for v in pair.variables if v.role is Role.QUASI_IDENTIFIER or v.name in promised}
    known = quasi or {v.name for v in pair.variables if v.is_masked}
    apart = (recipe.key, recipe.weights, recipe.assess.weights)
    kept = (v for v in pair.variables if not v.is_masked and v.role is not Role.IDENTIFIER and v.name not in apart)
    known |= {v.name for v in kept}
    return tuple(v.name for v in pair.variables if v.name in known)
