"""What a masker does to each variable of a block, and how many records a cluster needs for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.model.method import FuzzyCMeans, Method, Microaggregation, Microhybrid
from constraint_sdc.model.plan import Treatment
from constraint_sdc.model.policy import OperatorName, VariableWish
from constraint_sdc.partition.methods import takes_one_variable


def treats_records(names: Sequence[str], masker: Method, partition: str) -> bool:
    """Tell whether every record of the block gets values of its own.

    So it is with synthetic values, and where each of several variables that rules tie is divided by itself.
    """
    if isinstance(masker, Microaggregation):
        return takes_one_variable(partition) and len(names) > 1
    return isinstance(masker, Microhybrid)


def treatments(operators: Mapping[str, OperatorName], masker: Method, partition: str) -> dict[str, Treatment]:
    """Return the treatment of every variable.

    What must keep to values that occur cannot be synthesised: the values of the cluster are shuffled.
    """
    if not treats_records(tuple(operators), masker, partition):
        return dict.fromkeys(operators, Treatment.AGGREGATED)
    if isinstance(masker, Microaggregation):
        return dict.fromkeys(operators, Treatment.RANKED)
    return {
        name: Treatment.SYNTHESISED if operator.is_average else Treatment.SHUFFLED
        for name, operator in operators.items()
    }


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
    least = len(names) + 2 * len(given) + 1
    if not names or k == 1 or k >= least:
        return
    beside = f" and {len(given)} given ({', '.join(given)})" if given else ""
    formula = f"{len(names)} + 2 * {len(given)} + 1 = {least}"
    hint = f"-k {least}, or fewer variables together (`groups` or `group_size` in the recipe)"
    raise PlanRefusedError(
        f"microhybrid needs k of at least |X| + 2|Y| + 1 = {formula} for the {len(names)} variables of a block "
        f"({', '.join(names)}){beside}; k is {k}",
        hint=hint + (", or fewer given" if given else ""),
    )


def block_shares(names: Sequence[str], masker: Method, partition: str) -> bool:
    """Tell whether at least k records share the values of a block."""
    if isinstance(masker, FuzzyCMeans):
        return masker.ensure_k
    return not treats_records(names, masker, partition)
