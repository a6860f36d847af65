"""What a masker does to each variable of a block, and how many records a cluster needs for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from constraint_sdc.arrays import Floats
from constraint_sdc.data.series import Series
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.partition.registry import takes_one_variable
from constraint_sdc.plan.plan import Treatment
from constraint_sdc.settings.masker import FuzzyCMeans, GroupAnonymity, Method, Microaggregation, Microhybrid, draws
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import OperatorName, VariableWish

_DETERMINED = 1e-9  # of a variable's range: what rounding leaves
LEAST_CLUSTER = 3
"""Two records have one direction to differ in: synthetic values would be their own, or each other's."""


def treats_records(names: Sequence[str], masker: Method, partition: str) -> bool:
    """Tell whether every record of the block gets values of its own.

    So it is with synthetic values, and where each of several variables that rules tie is divided by itself.
    """
    if isinstance(masker, Microaggregation):
        return takes_one_variable(partition) and len(names) > 1
    return isinstance(masker, Microhybrid)


def treatments(operators: Mapping[str, OperatorName], masker: Method, partition: str) -> dict[str, Treatment]:
    """Return the treatment of every variable.

    What must keep to values that occur cannot be synthesised: the values of the cluster are shuffled. What must come
    from one record together is shared by the whole cluster: shuffled records would still be records.
    """
    if not treats_records(tuple(operators), masker, partition):
        return dict.fromkeys(operators, Treatment.AGGREGATED)
    return {name: _treatment(operator, masker) for name, operator in operators.items()}


def _treatment(operator: OperatorName, masker: Method) -> Treatment:
    if operator is OperatorName.MEDOID:
        return Treatment.AGGREGATED
    if isinstance(masker, Microaggregation):
        return Treatment.RANKED
    return Treatment.SYNTHESISED if operator.is_average else Treatment.SHUFFLED


def settle_operators(
    chosen: Mapping[str, OperatorName], wishes: Mapping[str, VariableWish], masker: Method, partition: str
) -> dict[str, OperatorName]:
    """Return the operators; where values are no representatives of groups, none is geometric.

    Centres of fuzzy c-means are arithmetic, and so are synthetic values and means of ranks.
    """
    if isinstance(masker, Microaggregation) and not treats_records(tuple(chosen), masker, partition):
        return dict(chosen)
    for name in chosen:
        if name in wishes and wishes[name].operator is OperatorName.GEOMETRIC_MEAN:
            which = partition if isinstance(masker, Microaggregation) else masker.name
            hint = f"take the operator of {name} out of the recipe, or mask by microaggregation"
            raise UsageError(f"{which} has no geometric mean, and the recipe asks for that of {name}", hint=hint)
    arithmetic = OperatorName.ARITHMETIC_MEAN
    return {n: arithmetic if o is OperatorName.GEOMETRIC_MEAN else o for n, o in chosen.items()}


def require_clusters(names: Sequence[str], given: Sequence[str], k: int) -> None:
    """Refuse a k that leaves synthetic values no freedom: Domingo-Ferrer (2009) asks for |X| + 2|Y| + 1.

    k = 1 is no masking, and gives the original.
    """
    bound = len(names) + 2 * len(given) + 1
    least = max(bound, LEAST_CLUSTER)
    if not names or k == 1 or k >= least:
        return
    beside = f" and {len(given)} given ({', '.join(given)})" if given else ""
    formula = f"{len(names)} + 2 * {len(given)} + 1 = {bound}"
    if bound < LEAST_CLUSTER:
        formula += f", and never fewer than {LEAST_CLUSTER},"
    hint = f"-k {least}, or fewer variables together (`groups` or `group_size` in the recipe)"
    raise PlanRefusedError(
        f"microhybrid needs k of at least |X| + 2|Y| + 1 = {formula} for the {len(names)} variables of a block "
        f"({', '.join(names)}){beside}; k is {k}",
        hint=hint + (", or fewer given" if given else ""),
    )


def block_shares(masker: Method) -> bool:
    """Tell whether at least k records get the same representative, where a block has one."""
    return not isinstance(masker, FuzzyCMeans) or masker.ensure_k


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


def plan_warnings(masker: Method, partition: str, k: int, seed: int) -> tuple[Reason, ...]:
    """Return what is to be said before anybody masks in this way, gravest first."""
    found: list[Reason] = []
    if isinstance(masker, Microhybrid) and k == 1:
        found.append(because("masks-nothing"))
    if isinstance(masker, FuzzyCMeans) and not masker.ensure_k:
        found.append(because("k-not-ensured", k=k))
    if draws(masker) and k > 1:
        found.append(because("draw-repeatable", seed=seed, is_default=seed == _DEFAULT_SEED))
    if isinstance(masker, GroupAnonymity):
        found.append(because("goals-tell"))
        if not masker.influential:
            found.append(because("nothing-influential"))
    if isinstance(masker, Microaggregation):
        found += _of_partition(partition.removesuffix("+refine"), k)
    return tuple(found)


def _of_partition(partition: str, k: int) -> list[Reason]:
    if partition in _RANKED:
        return [because("variables-ranked-alone", method=partition, k=k)]
    if partition in _PROJECTED:
        return [because("records-projected", method=partition)]
    return []
