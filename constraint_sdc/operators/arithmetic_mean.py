"""The arithmetic mean: for sums, intervals and any conjunction of them."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Points, Weights
from constraint_sdc.constraints.constraint import (
    ConditionAtom,
    DomainAtom,
    Formula,
    IntegerAtom,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    ProductAtom,
    SetAtom,
)
from constraint_sdc.data.groups import Groups
from constraint_sdc.operators.operator import (
    NeedsExact,
    NotCovered,
    OperatorTraits,
    OperatorVerdict,
    ValueAtom,
    integer_verdict,
    judge,
    pattern_verdict,
)
from constraint_sdc.settings.reason import because

_CONVEX = NeedsExact(because("linear-is-convex"))


class ArithmeticMean:
    """Each variable's mean over the group, kept between the group's smallest and largest value.

    Proof sketch. Let a'x op c hold for every member x. By linearity a'mean(x) is the mean of numbers that all satisfy
    "op c"; for =, <=, <, >=, > these form an interval, and an interval contains the mean of its points. `!=` leaves two
    intervals with a hole between them. In double the mean is rounded, so the exact step must restore a linear
    condition. Intervals and orders seldom need it, because summing, dividing and clamping to the extremes are all
    monotone: a group of equal values keeps that value, and V1 <= V2 also holds in double.
    """

    name = "arithmetic mean"
    traits = OperatorTraits()

    def verdict(self, formula: Formula) -> OperatorVerdict:
        """Linear conditions need the exact step only; `!=`, products, sets and texts are not covered."""
        return judge(formula, _atom_verdict)

    def representatives(self, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
        """Return the means, one row per group.

        >>> two = Groups(np.array([0, 1, 0]))
        >>> ArithmeticMean().representatives(np.array([[1.0], [5.0], [2.0]]), two).tolist()
        [[1.5], [5.0]]
        """
        return group_means(values, groups, weights)


REGISTERED = {"arithmetic mean": ArithmeticMean()}


def group_means(values: Points, groups: Groups, weights: Weights | None = None) -> Points:
    """Return the (weighted) mean of every group's rows, never outside the range of the group's values."""
    members = values[groups.order]
    with np.errstate(over="ignore"):
        if weights is None:
            means = np.add.reduceat(members, groups.starts) / groups.sizes[:, None]
        else:
            share = weights[groups.order]
            share = share / np.repeat(np.maximum.reduceat(share, groups.starts), groups.sizes)  # no product overflows
            total = np.add.reduceat(share, groups.starts)[:, None]
            means = np.add.reduceat(members * share[:, None], groups.starts) / total
    lowest, highest = np.minimum.reduceat(members, groups.starts), np.maximum.reduceat(members, groups.starts)
    return np.clip(means, lowest, highest)


def _atom_verdict(atom: ValueAtom) -> OperatorVerdict:
    match atom:
        case LinearAtom(op="!="):
            return NotCovered(because("mean-hits-excluded"))
        case LinearAtom():
            return _CONVEX
        case SetAtom():
            return _set_verdict(atom)
        case IntegerAtom():
            return integer_verdict(atom)
        case PatternAtom():
            return pattern_verdict(atom)
        case ProductAtom() | PolynomialAtom():
            return NotCovered(because("product-of-means"))
        case DomainAtom():
            return NotCovered(because("mean-outside-domain"))
        case ConditionAtom():
            return NotCovered(because("condition-of-mean"))
        case OpaqueAtom():
            return NotCovered(because("part-not-understood"))


def _set_verdict(atom: SetAtom) -> OperatorVerdict:
    if atom.negated:
        return NotCovered(because("mean-hits-excluded"))
    if len(atom.values) == 1 and not isinstance(atom.values[0], str):
        return _CONVEX
    return NotCovered(because("mean-not-listed"))
