"""The pairs of files that measures are examined with are of the kinds that their names say."""

from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.exam.measures import KINDS_OF_FILES, draw_pair


@pytest.mark.parametrize("kind", KINDS_OF_FILES)
def test_a_drawn_pair_is_of_its_kind(kind: str) -> None:
    *numbers, category = draw_pair(kind, 60, seed=1).variables
    first = numbers[0].original
    assert all((len(np.unique(one.original)) <= 3) is (kind == "ties") for one in numbers[1:])
    assert bool((first == 5.0).all()) is (kind == "one value")
    assert any(np.isnan(one.original).any() for one in numbers) is (kind == "blanks")
    same = all(np.array_equal(one.original, one.masked, equal_nan=True) for one in (*numbers, category))
    assert same is (kind == "as it was")
