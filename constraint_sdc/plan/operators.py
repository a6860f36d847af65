"""The operator of each variable of a block: the one that preserves its rules, as the operators themselves declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constraint_sdc.constraints.constraint import (
    Atom,
    DomainAtom,
    IntegerAtom,
    PatternAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
)
from constraint_sdc.data.series import Series
from constraint_sdc.errors import UsageError
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.operators.lower_median import LowerMedian
from constraint_sdc.operators.medoid import Medoid
from constraint_sdc.operators.mode import Mode
from constraint_sdc.operators.operator import NotCovered
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.plan.rule_facts import RuleFacts
from constraint_sdc.settings.words import Scale, VariableWish


def choose_operators(
    rules: Sequence[RuleFacts], series: Mapping[str, Series], wishes: Mapping[str, VariableWish]
) -> dict[str, str]:
    """Return the operator of every variable of a block, given as its series; `rules` are those that read one of them.

    Numbers are averaged: arithmetically, or geometrically in a block of products. A variable that may only have values
    that occur (a set, a value domain, a pattern) gets the lower median, and so do variables that order rules tie to it.
    Variables of a rule that cannot be evaluated here come from one actual record.
    """
    rule_atoms = [atom for rule in rules for atom in rule.atoms()]
    chosen = {name: _plain(one) for name, one in series.items()}
    if _is_geometric(rule_atoms, series):
        chosen = dict.fromkeys(series, GeometricMean.name)
    for name in _confined(rule_atoms):
        if name in chosen and series[name].scale is Scale.NUMERIC:
            chosen[name] = LowerMedian.name
    _spread_median(chosen, rule_atoms)
    for name in series:
        wish = wishes.get(name, VariableWish()).operator
        if wish is not None:
            chosen[name] = _allowed(name, wish, series[name].scale)
    for rule in rules:
        if not rule.is_evaluable:
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
    if any(one.scale is not Scale.NUMERIC for one in series.values()):
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
            case SetAtom(negated=False) | DomainAtom() | PatternAtom():
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


def _allowed(name: str, wish: str, scale: Scale) -> str:
    if scale not in OPERATORS[wish].traits.scales:
        fitting = [operator.name for operator in OPERATORS.all() if scale in operator.traits.scales]
        hint = f"use one of the operators for {scale.value} variables: {', '.join(fitting)}"
        raise UsageError(f"the recipe asks for the {wish} of {name}, which does not fit its type", hint=hint)
    return wish
