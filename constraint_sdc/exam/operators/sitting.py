"""The questions to an operator: its values, its claims, and the guarantee with variables that it represents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from constraint_sdc.arrays import Points, Weights
from constraint_sdc.data.groups import Groups
from constraint_sdc.exam.failure import require
from constraint_sdc.exam.guarantee.exam import guarantee_question
from constraint_sdc.exam.guarantee.maskers import with_operator
from constraint_sdc.exam.operators.exam import examine
from constraint_sdc.exam.question import AskedQuestion, ExamOptions
from constraint_sdc.operators.operator import Operator
from constraint_sdc.settings.words import Scale

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
