"""What a masker does to each variable of a block, and how many records a cluster needs for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from constraint_sdc.arrays import Floats
from constraint_sdc.data.series import Series
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.settings.masker import MaskerTraits
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import OperatorName, Treatment, VariableWish

_DETERMINED = 1e-9  # of a variable's range: what rounding leaves


def treatments(operators: Mapping[str, OperatorName], masker: MaskerTraits, partition: str) -> dict[str, Treatment]:
    """Return the treatment of every variable.

    What must keep to values that occur cannot be synthesised: the values of the cluster are shuffled. What must come
    from one record together is shared by the whole cluster: shuffled records would still be records.
    """
    if not masker.treats_records(operators.keys(), partition):
        return dict.fromkeys(operators, Treatment.AGGREGATED)
    return {name: _treatment(operator, masker) for name, operator in operators.items()}


def _treatment(operator: OperatorName, masker: MaskerTraits) -> Treatment:
    return Treatment.AGGREGATED if operator is OperatorName.MEDOID else masker.own_treatment(operator)


def settle_operators(
    chosen: Mapping[str, OperatorName], wishes: Mapping[str, VariableWish], masker: MaskerTraits, partition: str
) -> dict[str, OperatorName]:
    """Return the operators; where values are no representatives of groups, none is geometric.

    Centres of fuzzy c-means are arithmetic, and so are synthetic values and means of ranks.
    """
    if masker.has_geometric_mean and not masker.treats_records(chosen.keys(), partition):
        return dict(chosen)
    for name in chosen:
        if name in wishes and wishes[name].operator is OperatorName.GEOMETRIC_MEAN:
            which = partition if masker.has_geometric_mean else masker.name
            hint = f"take the operator of {name} out of the recipe, or mask by microaggregation"
            raise UsageError(f"{which} has no geometric mean, and the recipe asks for that of {name}", hint=hint)
    arithmetic = OperatorName.ARITHMETIC_MEAN
    return {n: arithmetic if o is OperatorName.GEOMETRIC_MEAN else o for n, o in chosen.items()}


def refuse_determined(series: Mapping[str, Series], names: Sequence[str], given: Mapping[str, Series]) -> None:
    """Refuse variables that the given ones determine: with them known, there is nothing left to synthesise."""
    if not given:
        return
    known = np.column_stack([np.ones(len(next(iter(given.values())).values)), *(_unit(one) for one in given.values())])
    for name in names:
        present = ~series[name].is_blank
        values = _unit(series[name])[present]
        if not len(values) or not values.any():
            continue
        rest = values - known[present] @ np.linalg.lstsq(known[present], values, rcond=None)[0]
        if np.abs(rest).max() < _DETERMINED:
            hint = f"make {name} untouched too, or take something out of `given`"
            what = f"{name} is determined by what is given ({', '.join(given)}): it would be published as it is"
            raise PlanRefusedError(what, hint=hint)


def _unit(series: Series) -> Floats:
    """Return the values from their middle, in units of the largest distance from it; blanks are in the middle."""
    values = series.values / (np.nanmax(np.abs(series.values), initial=0.0) or 1.0)
    centred = np.nan_to_num(values - np.nanmean(values)) if np.isfinite(values).any() else np.zeros(len(values))
    return np.asarray(centred / (np.abs(centred).max(initial=0.0) or 1.0), np.float64)


# Risks of a masker that whoever chooses it must see.

_RANKED = ("individual-ranking", "optimal-univariate")
_PROJECTED = ("pc1-projection", "z-sum-projection")
_DEFAULT_SEED = 0


def plan_warnings(masker: MaskerTraits, partition: str, k: int, seed: int) -> tuple[Reason, ...]:
    """Return what is to be said before anybody masks in this way, gravest first."""
    found = masker.warnings(k, partition)
    if not masker.draws_at_random or k == 1:
        return found
    return (*found, because("draw-repeatable", seed=seed, is_default=seed == _DEFAULT_SEED))


def partition_warnings(partition: str, k: int) -> tuple[Reason, ...]:
    """Return the risks of microaggregation by a partition method."""
    partition = partition.removesuffix("+refine")
    if partition in _RANKED:
        return (because("variables-ranked-alone", method=partition, k=k),)
    if partition in _PROJECTED:
        return (because("records-projected", method=partition),)
    return ()
