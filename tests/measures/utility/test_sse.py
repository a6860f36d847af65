from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.series import Grid, Series
from constraint_sdc.data.table import Column
from constraint_sdc.maskers.inputs import information_loss
from constraint_sdc.measures.utility.sse import SquaredError, sse
from constraint_sdc.reports.sentences import sentences, worded
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import group_means, pair_of


def _slow(original: np.ndarray, masked: np.ndarray) -> float:
    """Return the loss, cell by cell."""
    error = total = 0.0
    for j in range(original.shape[1]):
        cells = [(x, y) for x, y in zip(original[:, j], masked[:, j], strict=True) if x == x and y == y]
        everything = [x for x in original[:, j] if x == x]
        centre = sum(everything) / len(everything)
        variance = sum((x - centre) ** 2 for x in everything) / len(everything)
        mean = sum(x for x, _ in cells) / len(cells)
        error += sum((x - y) ** 2 for x, y in cells) / variance
        total += sum((x - mean) ** 2 for x, _ in cells) / variance
    return 100 * error / total


def _series(name: str, values: np.ndarray) -> Series:
    spans = np.zeros(len(values), np.int64)
    column = Column(
        name, np.zeros(0, np.uint8), spans, spans, np.zeros(len(values), np.uint8)
    )  # nobody reads the texts
    return Series(name, column, Scale.NUMERIC, Grid(None), values, np.isnan(values).astype(np.int64))


@given(st.integers(0, 10_000), st.floats(0.0, 0.5))
@settings(max_examples=40)
def test_it_is_the_loss_of_the_certificate_and_of_the_slow_formula(seed: int, blanks: float) -> None:
    random = np.random.default_rng(seed)
    original = random.lognormal(size=(25, 3)) * [1.0, 1e6, 1e-6]
    masked = original * random.uniform(0.5, 1.5, size=(25, 3))
    original[2:][random.random((23, 3)) < blanks] = np.nan
    masked[2:][random.random((23, 3)) < blanks] = np.nan
    series = [_series(f"V{j}", original[:, j]) for j in range(3)]
    assert sse(original, masked).loss == pytest.approx(information_loss(series, masked), rel=1e-10)
    assert sse(original, masked).loss == pytest.approx(_slow(original, masked), rel=1e-10)


def test_a_variable_is_measured_by_itself_too() -> None:
    original = np.column_stack((np.arange(10.0), np.arange(10.0)[::-1] ** 2))
    masked = group_means(original, np.arange(10) // 3)
    found = sse(original, masked)
    assert found.by_variable == pytest.approx([_slow(original[:, [j]], masked[:, [j]]) for j in (0, 1)])
    assert found.loss == pytest.approx(np.mean(found.by_variable))  # no blanks: equal spread for each


def test_all_records_in_one_group_lose_everything() -> None:
    original = np.random.default_rng(1).normal(size=(40, 4))
    assert sse(original, group_means(original, np.zeros(40, int))).loss == pytest.approx(100.0)


def test_a_constant_that_changed_has_no_unit_and_is_named() -> None:
    original = np.column_stack((np.full(6, 2.0), np.arange(6.0)))
    found = SquaredError().measure(pair_of(original, original + np.array([1.0, 0.0]), ["Rate", "Age"]))
    assert found.value("sse") == 0.0
    assert found.tables[0].rows == (("Rate", None), ("Age", 0.0))
    assert "Rate" in sentences(found.notes)[0]


def test_an_unchanged_constant_lost_nothing() -> None:
    assert sse(np.full((5, 1), 3.0), np.full((5, 1), 3.0)).loss == 0.0


def test_an_error_beyond_all_numbers_is_not_defined() -> None:
    original = np.arange(5.0)[:, None]
    found = SquaredError().measure(pair_of(original, original * 1e300))
    assert found.value("sse") is None
    assert "too large" in worded(found.says)
