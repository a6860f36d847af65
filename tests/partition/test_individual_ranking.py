"""Individual ranking groups k consecutive values of one variable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.cloud import Axis, Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.methods.individual_ranking import IndividualRanking
from constraint_sdc.settings.words import Scale


def ranked(points: list[float], k: int) -> list[int]:
    return list(IndividualRanking().partition(Cloud(np.array(points)[:, None]), k, seed=0).tolist())


def by_hand(values: list[float], k: int) -> list[int]:
    """Sort with pencil and paper: k at a time while another k remain."""
    rest = sorted(range(len(values)), key=lambda i: (values[i], i))
    groups = []
    while len(rest) >= 2 * k:
        groups.append(rest[:k])
        rest = rest[k:]
    groups.append(rest)
    return [next(number for number, group in enumerate(groups) if i in group) for i in range(len(values))]


@settings(max_examples=60)
@given(values=st.lists(st.integers(-5, 5).map(float), min_size=4, max_size=40), k=st.integers(2, 4))
def test_the_groups_are_those_made_by_hand(values: list[float], k: int) -> None:
    assert ranked(values, k) == by_hand(values, k)


def test_the_last_group_takes_the_rest() -> None:
    assert ranked([8.0, 1.0, 7.0, 2.0, 6.0, 3.0, 5.0, 4.0], 3) == [1, 0, 1, 0, 1, 0, 1, 1]


def test_several_variables_are_refused_since_it_masks_each_alone() -> None:
    axes = (Axis("AGE", Scale.NUMERIC, 0, 1), Axis("WAGE", Scale.NUMERIC, 1, 2))
    with pytest.raises(UsageError, match="individual-ranking masks each variable alone, but AGE, WAGE vary"):
        IndividualRanking().partition(Cloud(np.eye(6)[:, :2], axes), 3, 0)


def test_a_nominal_variable_is_refused() -> None:
    nominal = Cloud(np.eye(3)[np.array([0, 1, 2, 0, 1, 2])], (Axis("REGION", Scale.NOMINAL, 0, 3),))
    with pytest.raises(UsageError, match="REGION is nominal"):
        IndividualRanking().partition(nominal, 3, 0)


def test_ordinal_codes_have_an_order() -> None:
    ordinal = Cloud(np.array([[3.0], [1.0], [2.0], [1.0]]), (Axis("GRADE", Scale.ORDINAL, 0, 1),))
    assert IndividualRanking().partition(ordinal, 2, 0).tolist() == [1, 0, 1, 0]
