"""The geometric mean: for products of powers of positive values, and what is convex in their logarithms."""

from __future__ import annotations

from fractions import Fraction

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
from constraint_sdc.data.portable import exponentials, logarithms
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.operators.arithmetic_mean import group_means
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


class GeometricMean:
    """Each variable's geometric mean over the group; all values are positive (others are in separate strata).

    Proof sketch. Move every product to the side where its coefficient is positive: P op N, both sums of products of
    powers with positive coefficients. The geometric mean of x is the mean of log x, and a product of powers is linear
    in log x. So one product against one product is a linear condition in the logarithms, convex for every operator but
    `!=`. A sum of products below a single one, P <= N, is `log sum exp(linear) <= linear`: convex as well, the
    condition of a geometric programme. A comparison with no product on one side is always or never true for positive
    values. Any other form (an equality with a sum, a sum above) is not convex in the logarithms.
    """

    name = "geometric mean"
    traits = OperatorTraits(averages_logarithms=True)

    def verdict(self, formula: Formula) -> OperatorVerdict:
        """Products, V1 <= c * V2, intervals, and sums below one product need the exact step only; no `!=`."""
        return judge(formula, _atom_verdict)

    def representatives(self, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
        """Return the geometric means, one row per group; ValueError where a value is not positive.

        >>> GeometricMean().representatives(np.array([[2.0], [8.0]]), Groups(np.array([0, 0]))).round(9).tolist()
        [[4.0]]
        """
        if not (values > 0).all():
            raise ValueError("a geometric mean takes positive values only")
        means = exponentials(group_means(logarithms(values), groups, weights))
        members = values[groups.order]
        lowest, highest = np.minimum.reduceat(members, groups.starts), np.maximum.reduceat(members, groups.starts)
        return np.clip(means, lowest, highest)


REGISTERED = {"geometric mean": GeometricMean()}


def _atom_verdict(atom: ValueAtom) -> OperatorVerdict:
    match atom:
        case LinearAtom(dates=dates) if dates:
            return NotCovered(because("sum-in-logarithms"))
        case LinearAtom(terms, op, constant):
            return _comparison([*(value for _, value in terms), -constant], op)
        case ProductAtom(_, left_factor, op, _, right_factor):
            return _comparison([left_factor, -right_factor], op)
        case PolynomialAtom(terms=sums, op=op, constant=constant):
            return _comparison([*(value for _, value in sums), -constant], op)
        case SetAtom():
            return _set_verdict(atom)
        case IntegerAtom():
            return integer_verdict(atom)
        case PatternAtom():
            return pattern_verdict(atom)
        case DomainAtom():
            return NotCovered(because("mean-outside-domain"))
        case ConditionAtom():
            return NotCovered(because("condition-of-mean"))
        case OpaqueAtom():
            return NotCovered(because("part-not-understood"))


def _comparison(coefficients: list[Fraction], op: CompareOp) -> OperatorVerdict:
    """Judge `sum of products op 0` by the number of products on each side after all coefficients are made positive."""
    left, right = sum(value > 0 for value in coefficients), sum(value < 0 for value in coefficients)
    if not left or not right:
        is_true = op in (("!=", ">", ">=") if left else ("!=", "<", "<="))
        return NeedsExact(because("true-of-positive")) if is_true else NotCovered(because("never-true-of-positive"))
    if op == "!=":
        return NotCovered(because("mean-hits-excluded"))
    if left == right == 1:
        return NeedsExact(because("linear-in-logarithms"))
    if (op in ("<", "<=") and right == 1) or (op in (">", ">=") and left == 1):
        return NeedsExact(because("convex-in-logarithms"))
    return NotCovered(because("sum-in-logarithms"))


def _set_verdict(atom: SetAtom) -> OperatorVerdict:
    numbers = [value for value in atom.values if not isinstance(value, str)]
    if len(numbers) < len(atom.values):
        return NotCovered(because("text-of-mean"))
    if atom.negated and all(value <= 0 for value in numbers):
        return NeedsExact(because("true-of-positive"))
    if len(numbers) == 1 and not atom.negated:
        return NeedsExact(because("equal-members"))
    if atom.negated:
        return NotCovered(because("mean-hits-excluded"))
    return NotCovered(because("mean-not-listed"))
