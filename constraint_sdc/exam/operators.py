"""The exam that every operator sits: whatever it claims about a formula must be true of random groups.

`Preserved` is examined on what would be published, digit for digit; `NeedsExact` on the representative in real
arithmetic, and "is a whole number" on that number rounded to the step that the rule names.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import islice
from operator import mul
from random import Random
from typing import cast

import numpy as np

from constraint_sdc.arrays import Points, Weights
from constraint_sdc.constraints.constraint import Formula
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import Grid
from constraint_sdc.exam.formulas import ANY, NAMES, POSITIVE, ExactValue, Record, draw_formula, draw_groups, holds
from constraint_sdc.exam.guarantee.exam import guarantee_question
from constraint_sdc.exam.guarantee.maskers import with_operator
from constraint_sdc.exam.question import AskedQuestion, ExamOptions, require
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.operators.operator import CopyingOperator, NotCovered, Operator, OperatorVerdict, Preserved
from constraint_sdc.settings.words import Scale

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


# The questions to an operator: its values, its claims, and the guarantee with variables that it represents.

_CLAIMS = 15  # for every case


def operator_questions(operator: Operator, options: ExamOptions) -> Iterator[AskedQuestion]:
    """Yield the questions about values and claims; then random files are masked, where the operator takes numbers."""
    drawn = partial(_drawn, operator, options.seed)
    yield AskedQuestion("members that agree are represented by their own value", partial(_agreeing, operator))
    yield AskedQuestion("values lie between those of the members", lambda: _between(operator, drawn()))
    yield AskedQuestion("groups do not influence each other", lambda: _apart(operator, drawn()))
    yield AskedQuestion("the same values have the same representative", lambda: _again(operator, drawn()))
    for is_weighted in (False, True):
        yield AskedQuestion(
            f"every claim is true{' with weights of records' if is_weighted else ''}",
            partial(_claims, operator, options, is_weighted=is_weighted),
        )
    if Scale.NUMERIC in operator.traits.scales:
        yield guarantee_question(lambda case: with_operator(case, operator), options)


def _claims(operator: Operator, options: ExamOptions, *, is_weighted: bool) -> str:
    claims = _CLAIMS * options.cases
    survived = examine(operator, claims, groups=4, seed=options.seed + 1, is_weighted=is_weighted)
    return f"{survived.total():,} groups under up to {claims:,} claims"


def _drawn(operator: Operator, seed: int) -> tuple[Points, Groups]:
    random = np.random.default_rng([seed, 1])
    values = np.round(random.lognormal(2, 1.5, (200, 3)), 2) + 0.01
    values[:, 1] = random.integers(1, 6, 200)
    if not operator.traits.averages_logarithms:
        values[:, 2] -= 10.0
    return values, Groups(np.unique(random.integers(0, 45, 200), return_inverse=True)[1].astype(np.int64))


def _agreeing(operator: Operator) -> str:
    for value in (0.1, 1 / 3, 123456.789, 7.0, 1e-300, 1e300):
        for size in (1, 3, 7, 10):
            found = _of(operator, np.full((size, 2), value), Groups(np.zeros(size, np.int64)))
            require(found.tolist() == [[value] * 2], f"{size} members of {value!r} give {found.tolist()}")
    return "24 groups"


def _between(operator: Operator, drawn: tuple[Points, Groups]) -> str:
    values, groups = drawn
    found = _of(operator, values, groups)
    for number, members in enumerate(groups.each()):
        low, high = values[members].min(axis=0), values[members].max(axis=0)
        is_between = bool(((low <= found[number]) & (found[number] <= high)).all())
        require(is_between, f"members {values[members].tolist()} give {found[number].tolist()}")
    return f"{len(groups)} groups"


def _apart(operator: Operator, drawn: tuple[Points, Groups]) -> str:
    values, groups = drawn
    together = _of(operator, values, groups)
    for number, members in enumerate(groups.each()):
        alone = _of(operator, values[members], Groups(np.zeros(len(members), np.int64)))
        same = alone.tolist() == [together[number].tolist()]
        require(same, f"{values[members].tolist()} give {alone.tolist()} alone, {together[number].tolist()} in a file")
    return f"{len(groups)} groups"


def _again(operator: Operator, drawn: tuple[Points, Groups]) -> str:
    values, groups = drawn
    before = values.copy()
    first, second = (_of(operator, values, groups, np.ones(len(values))) for _ in range(2))
    require(first.tolist() == second.tolist(), "another representative the second time")
    require(bool((values == before).all()), "the values were changed")
    return f"{len(groups)} groups twice"


def _of(operator: Operator, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
    found = operator.representatives(values, groups, weights)
    shape = (len(groups), values.shape[1])
    require(found.shape == shape, f"representatives of shape {found.shape}, expected {shape}")
    return found
