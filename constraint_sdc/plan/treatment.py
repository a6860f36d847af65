"""What a masker does to each variable of a block, and how many records a cluster needs for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from constraint_sdc.arrays import Floats
from constraint_sdc.data.series import Series
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.registry import OPERATORS, averages_otherwise
from constraint_sdc.partition.registry import sorts_by_one_number, takes_one_variable
from constraint_sdc.settings.masker import MaskerTraits
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Treatment, VariableWish

_DETERMINED = 1e-9  # of a variable's range: what rounding leaves


def treatments(operators: Mapping[str, str], masker: MaskerTraits, partition: str) -> dict[str, Treatment]:
    """Return the treatment of every variable.

    A variable that may only have values that occur cannot be synthesised: the values of the cluster are shuffled.
    Variables that must come from one record are shared by the cluster, because shuffled records are published whole.
    """
    if not masker.treats_records(operators.keys(), partition):
        return dict.fromkeys(operators, Treatment.AGGREGATED)
    return {name: _treatment(operator, masker) for name, operator in operators.items()}


def _treatment(operator: str, masker: MaskerTraits) -> Treatment:
    traits = OPERATORS[operator].traits
    return Treatment.AGGREGATED if traits.copies_a_record else masker.own_treatment(is_average=traits.is_average)


def settle_operators(
    chosen: Mapping[str, str], wishes: Mapping[str, VariableWish], masker: MaskerTraits, partition: str
) -> dict[str, str]:
    """Return the operators; where values are not representatives of groups, averages are arithmetic means.

    Centres of fuzzy c-means are arithmetic, and so are synthetic values and means of ranks.
    """
    if masker.has_geometric_mean and not masker.treats_records(chosen.keys(), partition):
        return dict(chosen)
    for name in chosen:
        wish = wishes[name].operator if name in wishes else None
        if wish is not None and averages_otherwise(wish):
            which = partition if masker.has_geometric_mean else masker.name
            hint = f"remove the operator of {name} from the recipe, or mask by microaggregation"
            raise UsageError(f"{which} does not compute the {wish} that the recipe requests for {name}", hint=hint)
    return {n: ArithmeticMean.name if averages_otherwise(o) else o for n, o in chosen.items()}


def refuse_determined(series: Mapping[str, Series], names: Sequence[str], given: Mapping[str, Series]) -> None:
    """Refuse variables that the given ones determine: nothing remains to synthesise."""
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
            hint = f"make {name} untouched too, or remove a variable from `given`"
            what = f"the variables in `given` ({', '.join(given)}) determine {name}: it would be published unchanged"
            raise PlanRefusedError(what, hint=hint)


def _unit(series: Series) -> Floats:
    """Return the values relative to their mean, in units of the largest distance from it; blanks are 0."""
    values = series.values / (np.nanmax(np.abs(series.values), initial=0.0) or 1.0)
    centred = np.nan_to_num(values - np.nanmean(values)) if np.isfinite(values).any() else np.zeros(len(values))
    return np.asarray(centred / (np.abs(centred).max(initial=0.0) or 1.0), np.float64)


# Risks of a masker that the user must see.

_DEFAULT_SEED = 0


def plan_warnings(masker: MaskerTraits, partition: str, k: int, seed: int) -> tuple[Reason, ...]:
    """Return the warnings about this kind of masking, the most serious first."""
    found = masker.warnings(k, partition)
    if not masker.draws_at_random or k == 1:
        return found
    return (*found, because("draw-repeatable", seed=seed, is_default=seed == _DEFAULT_SEED))


def partition_warnings(partition: str, k: int) -> tuple[Reason, ...]:
    """Return the risks of microaggregation by a partition method."""
    partition = partition.removesuffix("+refine")
    if takes_one_variable(partition):
        return (because("variables-ranked-alone", method=partition, k=k),)
    if sorts_by_one_number(partition):
        return (because("records-projected", method=partition),)
    return ()
