"""Signals and the way back: what is wished for a signal is a wish for counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.maskers.group_anonymity.signals import (
    concentration,
    concentration_difference,
    counts_of_concentration,
    counts_of_difference,
    counts_of_quantity,
    quantity,
)

CODES = np.array([0, 0, 1, 1, 1, 3, -1])
VITAL = np.array([True, False, True, True, False, True, True])
ALL = np.ones(7, np.bool_)


def test_the_three_signals_of_a_small_file() -> None:
    q, rho = quantity(CODES, VITAL, 4), quantity(CODES, ALL, 4)
    assert q.tolist() == [1, 2, 0, 1]
    assert concentration(q, rho) == pytest.approx([1 / 2, 2 / 3, 0, 1])
    reference = np.array([1, 0, 0, 1])
    assert concentration_difference(q, rho, reference, rho) == pytest.approx([0, 2 / 3, 0, 0])


def test_a_code_beyond_the_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match="code 3 is outside the 2 values"):
        quantity(CODES, ALL, 2)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=12))
def test_the_way_back_from_an_unchanged_signal_gives_the_counts(drawn: list[tuple[int, int, int]]) -> None:
    rho = np.array([size for size, _, _ in drawn])
    q, reference = (np.array([min(one[k], one[0]) for one in drawn]) for k in (1, 2))
    total = int(q.sum())
    assert counts_of_quantity(q.astype(np.float64), total).counts == pytest.approx(q, abs=1e-9)
    assert counts_of_concentration(concentration(q, rho), rho, total).counts == pytest.approx(q, abs=1e-9)
    difference = concentration_difference(q, rho, reference, rho)
    assert counts_of_difference(difference, rho, reference, rho, total).counts == pytest.approx(q, abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 50), st.floats(-1, 1)), min_size=2, max_size=12), st.floats(0, 1))
def test_a_wished_concentration_adds_up_and_keeps_its_differences(drawn: list[tuple[int, float]], share: float) -> None:
    rho, wish = np.array([size for size, _ in drawn]), np.array([number for _, number in drawn])
    total = int(share * rho.sum())
    back = counts_of_concentration(wish, rho, total)
    assert back.counts.sum() == pytest.approx(total if rho.any() else 0, abs=1e-9)
    has_room = rho > 0
    assert back.counts[has_room] / rho[has_room] - wish[has_room] == pytest.approx(back.shift, abs=1e-9)
    assert set(back.unreachable) == {i for i in range(len(rho)) if rho[i] == 0 and wish[i] != 0}
