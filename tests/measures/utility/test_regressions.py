from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.utility.regressions import (
    Regression,
    Regressions,
    interval_overlap,
    parse_regression,
    regression_change,
)
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, group_means, pair_of

MODEL = Regression("y", ("x1", "x2"))


@pytest.mark.parametrize(
    ("text", "response", "predictors"),
    [
        ("y ~ x", "y", ("x",)),
        ("  Income~Age+hours.week + a-b ", "Income", ("Age", "hours.week", "a-b")),
        ("Größe ~ वेतन + 収入", "Größe", ("वेतन", "収入")),
        ("@weight ~ `{urn:x}V1` + `my name`", "@weight", ("{urn:x}V1", "my name")),
    ],
)
def test_a_regression_is_read(text: str, response: str, predictors: tuple[str, ...]) -> None:
    assert parse_regression(text) == Regression(response, predictors)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"column 1: expected the response"),
        ("y", r"column 2: expected '~', found nothing"),
        ("y = x", r"column 3: expected '~', found '='"),
        ("y ~", r"column 4: expected a predictor .*found nothing"),
        ("y ~ x +", r"column 8: expected a predictor .*found nothing"),
        ("y ~ x z", r"column 7: expected '\+', found 'z'"),
        ("y ~ x * z", r"column 7: '\*' has no meaning"),
        ("y ~ x + x", r"column 9: 'x' is in the regression already"),
        ("y ~ x + y", r"column 9: 'y' is in the regression already"),
        ("y ~ y", r"column 5: 'y' is the response"),
        ("y ~ 1 + x", r"column 5: expected a predictor .*found '1'"),
        ("y ~ `x", r"column 5: the quote ` is not closed"),
    ],
)
def test_a_mistake_is_shown_where_it_stands(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_regression(text)


def _slow(file: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return coefficients, standard errors, R squared and Student's factor by the normal equations."""
    y, x = file[:, 0], np.column_stack((np.ones(len(file)), file[:, 1:]))
    inverse = np.linalg.inv(x.T @ x)
    b = inverse @ x.T @ y
    rss = ((y - x @ b) ** 2).sum()
    freedom = len(y) - x.shape[1]
    errors = np.sqrt(rss / freedom * np.diag(inverse))
    return b, errors, 1 - rss / ((y - y.mean()) ** 2).sum(), t.ppf(0.975, freedom)


def _files(seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    x = random.normal((1.0, -2.0), size=(40, 2))
    original = np.column_stack((3.0 + x @ [1.0, -0.5] + random.normal(size=40), x))
    return original, original + 0.3 * random.normal(size=original.shape)


@given(st.integers(0, 10_000))
@settings(max_examples=40)
def test_it_is_ordinary_least_squares(seed: int) -> None:
    original, masked = _files(seed)
    original[0, 1] = masked[1, 0] = np.nan
    found = regression_change(MODEL, original, masked)
    b, error, r2, factor = _slow(original[2:])
    b_masked, error_masked, r2_masked, _ = _slow(masked[2:])
    assert found.records == 38
    assert [c.name for c in found.coefficients] == ["(intercept)", "x1", "x2"]
    assert [c.before for c in found.coefficients] == pytest.approx(b)
    assert [c.error_before for c in found.coefficients] == pytest.approx(error)
    assert [c.after for c in found.coefficients] == pytest.approx(b_masked)
    assert [c.error_after for c in found.coefficients] == pytest.approx(error_masked)
    assert (found.r_squared_before, found.r_squared_after) == pytest.approx((r2, r2_masked))
    low = np.maximum(b - factor * error, b_masked - factor * error_masked)
    high = np.minimum(b + factor * error, b_masked + factor * error_masked)
    common = np.maximum(high - low, 0)
    overlap = 100 * (common / (2 * factor * error) + common / (2 * factor * error_masked)) / 2
    assert [c.overlap for c in found.coefficients] == pytest.approx(overlap, abs=1e-6)


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ((0.0, 1.0), (0.0, 1.0), 100.0),
        ((0.0, 1.0), (1.0, 1.0), 50.0),
        ((0.0, 1.0), (2.5, 1.0), 0.0),
        ((0.0, 1.0), (0.0, 0.5), 75.0),
        ((0.0, 1.0), (1.0, 0.5), 37.5),
        ((5.0, 1e300), (5.0, 1e-300), 50.0),
        ((0.0, 1e-300), (1e300, 1e-300), 0.0),
        ((1.7e308, 1e308), (-1.7e308, 1e308), 0.0),
    ],
)
def test_overlap_of_two_intervals(one: tuple[float, float], other: tuple[float, float], overlap: float) -> None:
    assert interval_overlap(*one, *other) == pytest.approx(overlap)
    assert interval_overlap(*other, *one) == pytest.approx(overlap)


def test_the_original_itself_overlaps_wholly() -> None:
    original, _ = _files(1)
    found = Regressions((MODEL,)).measure(pair_of(original, original, ["y", "x1", "x2"]))
    assert found.value("overlap") == pytest.approx(100.0)


def test_a_shuffled_file_does_not() -> None:
    original, _ = _files(1)
    shuffled = np.random.default_rng(0).permuted(original, axis=0)
    overlap = regression_change(MODEL, original, shuffled).overlap
    assert overlap is not None
    assert overlap < 40.0


def test_a_total_among_its_parts_is_left_out_and_said() -> None:
    original, masked = _files(2)
    total = original[:, 1] + original[:, 2]
    with_total = np.column_stack((original, total))
    rounded = np.column_stack((masked, np.round(masked[:, 1] + masked[:, 2], 1)))  # no longer an exact sum
    model = Regression("y", ("x1", "x2", "total"))
    found = regression_change(model, with_total, rounded)
    plain = regression_change(MODEL, original, masked)
    assert found.coefficients[:3] == plain.coefficients
    assert found.coefficients[3].before is found.coefficients[3].after is found.coefficients[3].overlap is None
    assert tuple(sentences(found.notes)) == (
        "y ~ x1 + x2 + total: total is left out of both fits; in the original file it is constant, "
        "or a linear combination of the predictors before it.",
    )


def test_an_exact_rule_that_masking_keeps_overlaps_wholly_and_one_that_it_breaks_does_not() -> None:
    parts = np.random.default_rng(3).lognormal(10.0, 1.0, size=(60, 2))
    original = np.column_stack((parts.sum(axis=1), parts))
    kept = group_means(original, np.arange(60) // 3)
    found = regression_change(MODEL, original, kept)
    assert [c.before for c in found.coefficients[1:]] == pytest.approx([1.0, 1.0])
    assert found.r_squared_after == pytest.approx(1.0)
    assert found.overlap == pytest.approx(100.0, abs=5.0)
    broken = kept + np.array([1.0, 0.0, 0.0])
    assert regression_change(MODEL, original, broken).coefficients[0].overlap == pytest.approx(0.0, abs=1e-3)


def test_what_cannot_be_fitted_says_why() -> None:
    original, masked = _files(4)
    few = regression_change(MODEL, original[:3], masked[:3])
    assert sentences(few.notes) == ["y ~ x1 + x2: not fitted, 3 complete records for 3 coefficients."]
    flat = regression_change(MODEL, original, masked * [0.0, 1.0, 1.0])
    assert sentences(flat.notes) == ["y ~ x1 + x2: not fitted, y is constant in the masked file."]
    bare = regression_change(MODEL, original * [1.0, 0.0, 0.0], masked)
    assert sentences(bare.notes)[-1] == "y ~ x1 + x2: not fitted, no predictor is left."
    assert few.overlap is flat.overlap is bare.overlap is None


def test_the_regression_that_cannot_be_fitted_does_not_hide_the_others() -> None:
    original, masked = _files(5)
    original[:, 2] = 1.0
    found = Regressions((MODEL, Regression("x2", ("x1",)))).measure(pair_of(original, masked, ["y", "x1", "x2"]))
    assert found.value("overlap") is not None
    assert len(found.tables[0].rows) == 2
    assert "x2 is constant in the original file" in sentences(found.notes)[-1]


def test_without_a_regression_nothing_is_claimed() -> None:
    original, masked = _files(6)
    found = Regressions(()).measure(pair_of(original, masked))
    assert found.value("overlap") is None
    assert sentences(found.notes) == ["Not defined: the recipe names no regression."]


def test_a_variable_that_is_not_numeric_or_not_there_is_refused() -> None:
    pair = Pair((compared("y", [1, 2], [1, 2]), compared("x1", [0, 1], [0, 1], scale=Scale.NOMINAL)), ())
    with pytest.raises(ValueError, match="x1 is not a numeric variable"):
        Regressions((Regression("y", ("x1",)),)).measure(pair)
    with pytest.raises(ValueError, match="x9 is not a numeric variable"):
        Regressions((Regression("y", ("x9",)),)).measure(pair)
