from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.measures.utility.il1s import AbsoluteError, il1s
from constraint_sdc.reports.sentences import sentences
from tests.measures.pairs import pair_of


def _slow(original: np.ndarray, masked: np.ndarray) -> float:
    """Return the loss, cell by cell."""
    losses = []
    for x, y in zip(original.T.tolist(), masked.T.tolist(), strict=True):
        deviation = statistics.stdev(a for a in x if a == a)
        cells = [abs(a - b) / (math.sqrt(2) * deviation) for a, b in zip(x, y, strict=True) if a == a and b == b]
        losses.append(sum(cells) / len(cells))
    return 100 * sum(losses) / len(losses)


@given(st.integers(0, 10_000), st.floats(0.0, 0.5))
@settings(max_examples=40)
def test_it_is_the_mean_of_the_cells(seed: int, blanks: float) -> None:
    random = np.random.default_rng(seed)
    original = random.lognormal(size=(20, 3)) * [1.0, 1e6, 1e-6]
    masked = original * random.uniform(0.5, 1.5, size=(20, 3))
    original[2:][random.random((18, 3)) < blanks] = np.nan
    masked[2:][random.random((18, 3)) < blanks] = np.nan
    assert il1s(original, masked).loss == pytest.approx(_slow(original, masked), rel=1e-10)


def test_a_file_moved_by_a_standard_deviation() -> None:
    original = np.arange(10.0)[:, None]
    deviation = statistics.stdev(range(10))
    assert il1s(original, original + deviation).loss == pytest.approx(100 / math.sqrt(2))


def test_a_constant_counts_if_unchanged_and_is_left_out_if_changed() -> None:
    original = np.column_stack((np.full(4, 7.0), np.arange(4.0)))
    moved = original + np.array([0.0, 1.0])
    alone = il1s(original[:, 1:], moved[:, 1:]).loss
    assert alone is not None
    assert il1s(original, moved).by_variable == (0.0, pytest.approx(alone))
    assert il1s(original, moved).loss == pytest.approx(alone / 2)
    found = AbsoluteError().measure(pair_of(original, original + 1.0, ["Rate", "Age"]))
    assert found.value("il1s") == pytest.approx(alone)
    assert "Rate" in sentences(found.notes)[0]


def test_one_record_has_no_deviation() -> None:
    assert il1s(np.array([[1.0]]), np.array([[2.0]])).loss is None
    assert il1s(np.array([[1.0]]), np.array([[1.0]])).loss == 0.0
