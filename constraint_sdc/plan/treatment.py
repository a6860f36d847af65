"""The treatment of each variable of a block: its operator, and what the masker needs for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from constraint_sdc.arrays import Floats
from constraint_sdc.constraints.constraint import (
    Atom,
    ConditionAtom,
    DomainAtom,
    IntegerAtom,
    PatternAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
)
from constraint_sdc.data.series import Series
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.operators.lower_median import LowerMedian
from constraint_sdc.operators.medoid import Medoid
from constraint_sdc.operators.mode import Mode
from constraint_sdc.operators.operator import NotCovered
from constraint_sdc.operators.registry import OPERATORS, averages_otherwise
from constraint_sdc.partition.registry import sorts_by_one_number, takes_one_variable
from constraint_sdc.plan.rule_facts import RuleFacts
from constraint_sdc.settings.masker import MaskerTraits
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale, Treatment, VariableWish

# The operator of each variable of a block: the one that preserves its rules, as the operators themselves declare.


def choose_operators(
    rules: Sequence[RuleFacts],
    series: Mapping[str, Series],
    wishes: Mapping[str, VariableWish],
    *,
    products_by_mean: bool = False,
) -> dict[str, str]:
    """Return the operator of every variable of a block, given as its series; `rules` are those that read one of them.

    Numbers are averaged: arithmetically, or geometrically in a block of products unless `products_by_mean`. A variable
    that may only have values that occur (a set, a value domain, a pattern) gets the lower median, and so do variables
    that order rules tie to it. Variables of a rule by which candidates cannot be judged come from one actual record.
    """
    rule_atoms = [atom for rule in rules for atom in rule.atoms()]
    chosen = {name: _plain(one) for name, one in series.items()}
    if not products_by_mean and _is_geometric(rule_atoms, series):
        chosen = dict.fromkeys(series, GeometricMean.name)
    for name in _confined(rule_atoms):
        if name in chosen and series[name].scale is Scale.NUMERIC:
            chosen[name] = LowerMedian.name
    _spread_median(chosen, rule_atoms)
    for name in series:
        wish = wishes.get(name, VariableWish()).operator
        if wish is not None:
            chosen[name] = _allowed(name, wish, series[name])
    for rule in rules:
        if not rule.is_checked:
            chosen.update(dict.fromkeys((n for n in rule.variables if n in chosen), Medoid.name))
    return chosen


def _plain(series: Series) -> str:
    match series.scale:
        case Scale.NUMERIC:
            return ArithmeticMean.name
        case Scale.ORDINAL:
            return LowerMedian.name
        case Scale.NOMINAL:
            return Mode.name


def _is_geometric(rule_atoms: Sequence[Atom], series: Mapping[str, Series]) -> bool:
    """Tell whether the block has rules about products, and the geometric mean suits its other rules too."""
    if any(one.scale is not Scale.NUMERIC or one.grid.notation is not None for one in series.values()):
        return False
    masked = [atom for atom in rule_atoms if set(atom_variables(atom)) & set(series)]
    has_product = any(isinstance(atom, ProductAtom) and len(atom_variables(atom)) > 1 for atom in masked)
    geometric = GeometricMean()
    return has_product and not any(isinstance(geometric.verdict(atom), NotCovered) for atom in masked)


def _confined(rule_atoms: Sequence[Atom]) -> list[str]:
    """Return the variables that may only have certain values or texts."""
    found = []
    for atom in rule_atoms:
        match atom:
            case SetAtom(values=(only,), negated=False) if not isinstance(only, str):
                continue  # one number: all records that satisfy it have that value
            case SetAtom(negated=False) | DomainAtom() | PatternAtom() | ConditionAtom():
                found.append(atom.variable)
            case IntegerAtom(modulus=modulus) if modulus != 1:
                found.append(atom.variable)
            case _:
                continue
    return found


def _spread_median(chosen: dict[str, str], rule_atoms: Sequence[Atom]) -> None:
    """Give the lower median to variables that only order rules tie to a median: one rank keeps the order."""
    median = LowerMedian()
    tying = [atom for atom in rule_atoms if len(atom_variables(atom)) > 1]
    covered = [atom for atom in tying if not isinstance(median.verdict(atom), NotCovered)]
    summed = {name for atom in tying if atom not in covered for name in atom_variables(atom)}
    is_growing = True
    while is_growing:
        is_growing = False
        for atom in covered:
            names = [name for name in atom_variables(atom) if name in chosen]
            averaged = [n for n in names if chosen[n] == ArithmeticMean.name and n not in summed]
            if averaged and any(chosen[name] == LowerMedian.name for name in names):
                chosen.update(dict.fromkeys(averaged, LowerMedian.name))
                is_growing = True


def _allowed(name: str, wish: str, series: Series) -> str:
    scale = series.scale
    if series.grid.notation is not None and OPERATORS[wish].traits.averages_logarithms:
        hint = "use the arithmetic mean, or an operator that copies a value"
        raise UsageError(f"the recipe asks for the {wish} of {name}, which are dates", hint=hint)
    if scale not in OPERATORS[wish].traits.scales:
        fitting = [operator.name for operator in OPERATORS.all() if scale in operator.traits.scales]
        hint = f"use one of the operators for {scale.value} variables: {', '.join(fitting)}"
        raise UsageError(f"the recipe asks for the {wish} of {name}, which does not fit its type", hint=hint)
    return wish


# What a masker does to each variable of a block, and how many records a cluster needs for it.

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
        return (because("variables-ranked-alone", partition=partition, k=k),)
    if sorts_by_one_number(partition):
        return (because("records-projected", partition=partition),)
    return ()
