"""What promises about people demand of the groups of a block: from `protect` of a recipe to demands on records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from constraint_sdc.arrays import Codes, Floats, Weights
from constraint_sdc.data.series import Series
from constraint_sdc.data.table import Column, Table
from constraint_sdc.errors import Conflict, PlanRefusedError, PromiseChange, UsageError
from constraint_sdc.partition.demands.closeness import ClosenessDemand
from constraint_sdc.partition.demands.demand import GroupDemand, Laid
from constraint_sdc.partition.demands.diversity import NO_VALUE, DiversityDemand
from constraint_sdc.partition.demands.dominance import DominanceDemand
from constraint_sdc.plan.read_series import is_measurable, make_series, on_any_grid
from constraint_sdc.settings.protect import ClosenessPromise, DiversityPromise, DominancePromise, Protect
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Scale, VariableWish


@dataclass(frozen=True, slots=True)
class GroupPromises:
    """What is promised about every group of a block.

    `diversity` and `closeness` are of variables outside the block. `sensitive` are these variables as the original has
    them, and `wishes` and `missing` how they are to be read.
    """

    dominance: DominancePromise | None = None
    diversity: tuple[DiversityPromise, ...] = ()
    closeness: tuple[ClosenessPromise, ...] = ()
    sensitive: Mapping[str, Column] = field(default_factory=dict)
    wishes: Mapping[str, VariableWish] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.dominance is not None or bool(self.diversity or self.closeness)

    def demands(
        self,
        series: Iterable[Series],
        averaged: Collection[str],
        weights: Weights | None,
        written: Mapping[str, Column],
    ) -> tuple[GroupDemand, ...]:
        """Return the demands on groups of these variables, of which some are `averaged`.

        `written` are sensitive variables that are masked already; the others count as in the original.
        """
        return tuple(self._demands(list(series), averaged, weights, {**self.sensitive, **written}))

    def _demands(
        self, series: list[Series], averaged: Collection[str], weights: Weights | None, columns: Mapping[str, Column]
    ) -> Iterator[GroupDemand]:
        amounts = [contributions(one, weights) for one in series if one.name in averaged and is_amount(one)]
        if self.dominance is not None and amounts:
            share = 100.0 if self.dominance.share is None else self.dominance.share
            yield DominanceDemand(np.array(amounts).T, self.dominance.p, self.dominance.n, share)
        for one in self.diversity:
            yield DiversityDemand(self._codes(columns[one.of])[0], one.l, one.kind, one.c, one.of)
        for near in self.closeness:
            codes, is_ordered = self._codes(columns[near.of])
            yield ClosenessDemand(codes - int(codes.min(initial=0)), near.t, is_ordered, near.of)

    def _codes(self, column: Column) -> tuple[Codes, bool]:
        """Return the values of a variable as codes in their order, `NO_VALUE` for none; and whether they are numbers.

        Numbers are compared as numbers, so that 5 and 5.0 are one value.
        """
        wish, missing = self.wishes.get(column.name, VariableWish()), self.missing.get(column.name, ())
        scale = sensitive_scale(column, wish, missing)
        values = make_series(column, scale, on_any_grid(wish), missing).values
        has_value = ~np.isnan(values)
        codes = np.full(len(values), NO_VALUE, np.int64)
        codes[has_value] = np.unique(values[has_value], return_inverse=True)[1].ravel()
        return codes, scale is Scale.NUMERIC


def sensitive_scale(column: Column, wish: VariableWish, missing: tuple[str, ...]) -> Scale:
    """Return numeric for numbers and dates, unless the recipe calls the variable nominal or ordinal."""
    is_category = wish.scale in (Scale.NOMINAL, Scale.ORDINAL)
    return Scale.NUMERIC if not is_category and is_measurable(column, wish, missing) else Scale.NOMINAL


def is_amount(series: Series) -> bool:
    """Tell whether a variable has amounts, which can be added up: numbers, but not dates."""
    return series.scale is Scale.NUMERIC and series.grid.notation is None


def contributions(series: Series, weights: Weights | None) -> Floats:
    """Return what each record adds to the sum of a group: the size of its number in steps of the grid, weighted.

    A negative number counts by its size, a missing one as 0.
    """
    steps = np.abs(np.where(series.is_blank, 0.0, series.values)) * series.grid.scale
    whole = steps if series.grid.decimals is None else np.rint(steps)
    return whole if weights is None else whole * weights


def key_promises(protect: Protect, table: Table, recipe: Recipe) -> GroupPromises:
    """Return what is promised about the records that share the key."""
    of = (*(one.of for one in protect.diversity), *(near.of for near in protect.closeness))
    return GroupPromises(
        diversity=protect.diversity,
        closeness=protect.closeness,
        sensitive={name: table.columns[name] for name in of},
        wishes={name: recipe.variables[name] for name in of if name in recipe.variables},
        missing={name: recipe.missing[name] for name in of if name in recipe.missing},
    )


def refuse_impossible(demands: Sequence[GroupDemand], strata: Laid, names: tuple[str, ...]) -> None:
    """Refuse if a stratum breaks a demand even as one group: no other division of its records holds it."""
    for demand in demands:
        failing = strata.sizes[~demand.held_by(strata)]
        if len(failing):
            whom = f"{int(failing.min()):,} records that are masked apart from all others"
            about = f"the {demand.name} of {demand.of}" if demand.of else f"the {demand.name}"
            what = f"{about} that `protect` promises cannot be kept: {whom} break it even as one group"
            raise PlanRefusedError(what, conflict=Conflict((), names, weaker=_weaker(demand, strata)))


def _weaker(demand: GroupDemand, strata: Laid) -> tuple[PromiseChange, ...]:
    """Return the changes that make the promise one that every stratum keeps; otherwise that it is left out."""
    changes = (PromiseChange(demand.name, demand.of, *entry) for entry in demand.weaker(strata).items())
    return tuple(changes) or (PromiseChange(demand.name, demand.of),)


# Which block is bound by which promises.


@dataclass(frozen=True, slots=True)
class PromisesContext:
    """What decides about the promises of a block: those of the run, the key, the file and how its values are read.

    `computed` are variables that are computed for every record after all blocks are masked.
    """

    protect: Protect
    key: tuple[str, ...]
    table: Table
    recipe: Recipe
    masked: Collection[str]
    computed: Collection[str]

    def of_block(self, names: Collection[str], *, shares: bool) -> GroupPromises:
        """Return what is promised about the groups of a block; `shares` tells whether their records share values.

        Diversity and closeness bind the block that has all masked variables of the key.
        """
        if not shares:
            self._refuse_dominance(names)
            return GroupPromises()
        has_key = bool(self.key) and {name for name in self.key if name in self.masked} <= set(names)
        has_key &= any(name in names for name in self.key)
        if not has_key:
            return GroupPromises(dominance=self.protect.dominance)
        promises = key_promises(self.protect, self.table, self.recipe)
        self._refuse_sensitive(promises.sensitive, names)
        return replace(promises, dominance=self.protect.dominance)

    def refuse_unmasked_key(self) -> None:
        """Refuse a key without a masked variable if the records that share it break a promise about an unmasked one."""
        promises = key_promises(self.protect, self.table, self.recipe)
        kept = [name for name in promises.sensitive if name not in self.masked and name not in self.computed]
        if not self.key or any(name in self.masked for name in self.key) or not kept:
            return
        of_class: dict[tuple[str | None, ...], list[int]] = {}
        for row, values in enumerate(zip(*(self.table.columns[name].texts() for name in self.key), strict=True)):
            of_class.setdefault(values, []).append(row)
        demands = [demand for demand in promises.demands((), (), None, {}) if demand.of in kept]
        refuse_impossible(demands, Laid.of(np.array(rows) for rows in of_class.values()), self.key)

    def refuse_without_key(self) -> None:
        """Refuse promises about the records that share the key if there is no key."""
        of = (*(one.of for one in self.protect.diversity), *(near.of for near in self.protect.closeness))
        if of and not self.key:
            hint = "name its variables in `protect: {key: {variables: [...]}}`, or leave the promise out"
            raise UsageError(
                f"`protect` promises something about {of[0]} among records that share the key, but there is no key",
                hint=hint,
            )
        inside = [name for name in of if name in self.key]
        if inside:
            hint = f"take {inside[0]} out of the key, or leave the promise about it out"
            raise UsageError(f"{inside[0]} is in the key: records that share the key have one value of it", hint=hint)

    def _refuse_dominance(self, names: Collection[str]) -> None:
        if self.protect.dominance is not None:
            hint = "mask by microaggregation with a partition such as auto, or leave `dominance` out of `protect`"
            what = "dominance is promised for means that a group shares, but every record has values of its own of"
            raise UsageError(f"{what} {', '.join(names)}", hint=hint)

    def _refuse_sensitive(self, of: Collection[str], names: Collection[str]) -> None:
        for name in of:
            if name in self.computed:
                what = f"{name} is computed for every record, so its values are not known when groups are formed"
                hint = "give `totals: together`, or leave the promise about it out of `protect`"
                raise PlanRefusedError(what, hint=hint)
            if name in names:
                what = f"{name} is masked together with the key: records that share the key have one value of it"
                hint = (
                    "leave the promise about it out of `protect`, or take variables that rules tie to it out of the key"
                )
                raise PlanRefusedError(what, hint=hint)
