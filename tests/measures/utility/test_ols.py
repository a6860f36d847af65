from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.measures.utility.regressions import dependent


def test_constants_copies_and_sums_depend_on_what_comes_before() -> None:
    x = np.random.default_rng(0).normal(size=(30, 3))
    columns = (x[:, 0], np.full(30, 0.1), x[:, 1], 3.0 - 2.0 * x[:, 0], x[:, 2], x.sum(axis=1))
    assert dependent(np.column_stack(columns)) == (1, 3, 5)


@pytest.mark.parametrize("degree", [3, 9, 12])
def test_a_sum_is_found_among_powers_that_hardly_differ(degree: int) -> None:
    powers = np.linspace(0.0, 1.0, 60)[:, None] ** np.arange(1, degree + 1)
    assert dependent(np.column_stack((powers, powers.sum(axis=1)))) == (degree,)


def test_units_and_offsets_do_not_matter() -> None:
    x = np.random.default_rng(1).integers(0, 50, size=(30, 2)).astype(float)
    columns = (x[:, 0] * 2.0**900, x[:, 1] * 2.0**-900, 1e15 + x[:, 0], x[:, 0] + x[:, 1])
    assert dependent(np.column_stack(columns)) == (2, 3)
