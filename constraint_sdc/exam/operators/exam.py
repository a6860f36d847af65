"""The exam that every operator sits: whatever it claims about a formula must be true of random groups.

`Preserved` is examined on what would be published, digit for digit; `NeedsExact` on the representative in real
arithmetic, and "is a whole number" on that number rounded to the step that the rule names.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import islice
from operator import mul
from random import Random
from typing import cast

import numpy as np

from constraint_sdc.arrays import Weights
from constraint_sdc.constraints.constraint import Formula
from constraint_sdc.data.grid import Grid
from constraint_sdc.data.groups import Groups
from constraint_sdc.exam.failure import require
from constraint_sdc.exam.operators.formulas import ANY, NAMES, POSITIVE, draw_formula, draw_groups
from constraint_sdc.exam.operators.meaning import ExactValue, Record, holds
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.operators.operator import CopyingOperator, NotCovered, Operator, OperatorVerdict, Preserved

# Relative error of a geometric mean computed in double; a false claim misses by far more.
SLACK = 1e-9
WEIGHTS = (1.0, 1.0, 2.0, 3.0, 0.5, 7.25, 0.001, 1e6)


def examine(
    operator: Operator, claims: int = 400, groups: int = 6, seed: int = 1, *, is_weighted: bool = False
) -> Counter[str]:
    """Attack every claim of the operator; return how many groups each kind of claim survived."""
    random, survived = Random(seed), Counter[str]()
    texts = POSITIVE if operator.traits.averages_logarithms else ANY
    drawn = (draw_formula(random) for _ in range(20 * claims))
    judged = ((formula, operator.verdict(formula)) for formula in drawn)
    claimed = ((formula, verdict) for formula, verdict in judged if not isinstance(verdict, NotCovered))
    for formula, verdict in islice(claimed, claims):
        for members in draw_groups(formula, random, texts, groups):
            weights = np.array(random.choices(WEIGHTS, k=len(members))) if is_weighted else None
            _attack(operator, formula, verdict, members, weights)
            survived[f"{type(verdict).__name__} {type(formula).__name__}"] += 1
    return survived


def _attack(
    operator: Operator, formula: Formula, verdict: OperatorVerdict, members: list[Record], weights: Weights | None
) -> None:
    if isinstance(verdict, Preserved):
        representative = published(operator, members, weights)
        kept = holds(formula, representative)
    else:
        representative = in_real_arithmetic(operator, members, weights)
        slack = 0.0 if operator.name == ArithmeticMean.name or not operator.traits.is_average else SLACK
        kept = holds(formula, representative, slack, is_rounded=True)
    require(kept, f"{operator.name} claims {verdict} for {formula}, but {members} give {representative}")


def published(operator: Operator, members: list[Record], weights: Weights | None = None) -> Record:
    """Return the representative as it would be written: a member's text where there is one to copy."""
    values = np.array([[float(record[name].number) for name in NAMES] for record in members])
    one_group = Groups(np.zeros(len(members), np.int64))
    if operator.traits.is_average:
        numbers = operator.representatives(values, one_group, weights)[0].tolist()
        return {name: _written(Fraction(x)) for name, x in zip(NAMES, numbers, strict=True)}
    chooser = cast(CopyingOperator, operator)
    if operator.traits.copies_a_record:
        return members[int(chooser.choose(values, one_group, weights)[0])]
    rows = [int(chooser.choose(values[:, column], one_group, weights)[0]) for column in range(len(NAMES))]
    return {name: members[row][name] for name, row in zip(NAMES, rows, strict=True)}


def in_real_arithmetic(operator: Operator, members: list[Record], weights: Weights | None = None) -> Record:
    """Return the representative by the operator's definition: exact for our own means but for roots, else in double."""
    columns = {name: [record[name].number for record in members] for name in NAMES}
    shares = [Fraction(1)] * len(members) if weights is None else list(map(Fraction, weights.tolist()))
    total = sum(shares)
    match operator.name:
        case ArithmeticMean.name:
            sums = {name: sum(map(mul, column, shares)) for name, column in columns.items()}
            return {name: _written(Fraction(summed) / total) for name, summed in sums.items()}
        case GeometricMean.name:
            logarithms = {name: map(math.log, column) for name, column in columns.items()}
            means = {name: math.fsum(map(mul, logs, map(float, shares))) for name, logs in logarithms.items()}
            return {name: _written(Fraction(math.exp(mean / float(total)))) for name, mean in means.items()}
        case _:
            return published(operator, members, weights)


def _written(number: Fraction) -> ExactValue:
    return ExactValue(number, Grid(None).text(float(number)))
