"""The influential metric against its formula, written out for one pair."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.maskers.group_anonymity.influence import Influence, Nominal, Ordinal
from tests.maskers.group_anonymity.drawn import drawn_influence

NAN = math.nan


def by_hand(influence: Influence, row: int, other: int) -> float:
    total = 0.0
    for variable in influence.variables:
        if isinstance(variable, Nominal):
            alike = variable.codes[row] == variable.codes[other]
            total += variable.weight * (variable.same if alike else variable.different) ** 2
            continue
        a, b = float(variable.values[row]), float(variable.values[other])
        if a == b or (math.isnan(a) and math.isnan(b)):
            continue
        is_largest = math.isnan(a) or math.isnan(b) or a * b <= 0
        total += variable.weight * (1.0 if is_largest else ((a - b) / (a + b)) ** 2)
    return total


@given(st.integers(0, 10**6))
def test_pairs_and_matrix_agree_with_the_formula(seed: int) -> None:
    random = np.random.default_rng(seed)
    influence = drawn_influence(random, 30, blanks=True)
    rows, others = random.integers(0, 30, 12), random.integers(0, 30, 12)
    expected = [by_hand(influence, row, other) for row, other in zip(rows, others, strict=True)]
    assert influence.cost(rows, others) == pytest.approx(expected, abs=1e-12)
    assert np.diag(influence.matrix(rows, others)).tolist() == influence.cost(rows, others).tolist()
    assert np.array_equal(influence.matrix(rows, others).T, influence.matrix(others, rows))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [(3, 1, 0.25), (-3, -1, 0.25), (0, 0, 0), (5, 5, 0), (0, 7, 1), (-2, 2, 1), (-2, 3, 1), (NAN, NAN, 0), (NAN, 0, 1)],
)
def test_numbers(a: float, b: float, expected: float) -> None:
    influence = Influence((Ordinal(np.array([a, b], np.float64), 2.0),))
    assert influence.cost(np.array([0]), np.array([1])).tolist() == [2 * expected]


@pytest.mark.parametrize(("a", "b", "expected"), [(1, 1, 0.25), (1, 2, 9), (-1, -1, 0.25), (-1, 0, 9)])
def test_categories(a: int, b: int, expected: float) -> None:
    influence = Influence((Nominal(np.array([a, b]), same=0.5, different=3.0),))
    assert influence.cost(np.array([0]), np.array([1])).tolist() == [expected]


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 0, not -1"):
        Ordinal(np.array([1.0]), -1.0)
    with pytest.raises(ValueError, match="infinite"):
        Ordinal(np.array([math.inf]))
    with pytest.raises(ValueError, match="at least `same`"):
        Nominal(np.array([1]), same=2.0)
