"""Every utility measure sits the same exam: odd files, the identity file, types and names."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Measure, Measured
from constraint_sdc.measures.utility.correlations import Correlations
from constraint_sdc.measures.utility.il1s import AbsoluteError
from constraint_sdc.measures.utility.moments import Moments
from constraint_sdc.measures.utility.pil import ProbabilisticLoss
from constraint_sdc.measures.utility.regressions import Regression, Regressions
from constraint_sdc.measures.utility.sse import SquaredError
from constraint_sdc.measures.utility.unchanged import Unchanged
from constraint_sdc.reports.sentences import sentences, worded
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, pair_of
from tests.measures.utility.odd_files import FILES

LOSSES: list[Measure] = [SquaredError(), AbsoluteError(), ProbabilisticLoss(), Moments(), Correlations()]
MEASURES: list[Measure] = [*LOSSES, Unchanged()]


def _name(measure: Measure) -> str:
    return measure.name


def _require_sound(found: Measured, measure: Measure) -> None:
    assert found.measure == measure.name
    assert found.title == measure.title
    assert len({figure.name for figure in found.figures}) == len(found.figures)
    for figure in found.figures:
        assert figure.value is None or (type(figure.value) in (int, float) and math.isfinite(figure.value))
    headline = found.figures[0].value
    if headline is None:
        assert sentences(found.notes)
    else:
        assert f"{headline:.2f}" in worded(found.says) or f"{headline:.4f}" in worded(found.says)
    for table in found.tables:
        assert len(table.head) == len(table.units)
        for row in table.rows:
            assert len(row) == len(table.head)
            for cell, unit in zip(row, table.units, strict=True):
                assert (unit is None) == (type(cell) is str)
                assert not isinstance(cell, float) or math.isfinite(cell)
                assert cell is None or type(cell) in (str, int, float)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("measure", MEASURES, ids=_name)
def test_an_odd_file_gives_numbers_or_says_that_there_are_none(measure: Measure, kind: str) -> None:
    _require_sound(measure.measure(pair_of(*FILES[kind]())), measure)


@pytest.mark.parametrize("kind", FILES)
def test_a_regression_on_an_odd_file_gives_numbers_or_says_that_there_are_none(kind: str) -> None:
    original, masked = FILES[kind]()
    names = tuple(f"V{j + 1}" for j in range(original.shape[1] + 1))
    spare = np.arange(len(original), dtype=float)
    pair = pair_of(np.column_stack((original, spare)), np.column_stack((masked, spare)))
    measure = Regressions((Regression(names[0], names[1:]), Regression(names[-1], names[:-1])))
    _require_sound(measure.measure(pair), measure)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("measure", LOSSES, ids=_name)
def test_the_original_itself_has_lost_nothing(measure: Measure, kind: str) -> None:
    original, _ = FILES[kind]()
    found = measure.measure(pair_of(original, original.copy()))
    assert {figure.value for figure in found.figures} <= {0.0, None}
    if kind in ("plain", "blanks", "far from nought", "immense", "ties", "equal columns"):
        assert {figure.value for figure in found.figures} == {0.0}


@pytest.mark.parametrize("measure", LOSSES, ids=_name)
@pytest.mark.parametrize("factor", [2.0**900, 2.0**-900])
def test_the_unit_does_not_matter(measure: Measure, factor: float) -> None:
    original, masked = FILES["blanks"]()
    figures = measure.measure(pair_of(original * factor, masked * factor)).figures
    assert figures == measure.measure(pair_of(original, masked)).figures


@pytest.mark.parametrize("measure", LOSSES, ids=_name)
def test_the_order_of_the_records_does_not_matter(measure: Measure) -> None:
    original, masked = FILES["blanks"]()
    order = np.random.default_rng(3).permutation(len(original))
    for one, other in zip(
        measure.measure(pair_of(original, masked)).figures,
        measure.measure(pair_of(original[order], masked[order])).figures,
        strict=True,
    ):
        assert one.value == pytest.approx(other.value, rel=1e-9)


@pytest.mark.parametrize("measure", MEASURES, ids=_name)
def test_without_a_masked_numeric_variable_nothing_is_claimed(measure: Measure) -> None:
    codes = [0.0, 1.0, 0.0]
    variables = (
        compared("Town", codes, codes, scale=Scale.NOMINAL, is_masked=measure.name != "unchanged"),
        compared("Wave", [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], is_masked=False),
    )
    found = measure.measure(Pair(variables, ()))
    assert found.figures[0].value is None
    assert "no" in worded(found.says)
    _require_sound(found, measure)


@pytest.mark.parametrize("measure", [SquaredError(), AbsoluteError(), Correlations()], ids=_name)
def test_a_shuffled_file_loses_more_than_one_with_a_little_noise(measure: Measure) -> None:
    original, shuffled = FILES["shuffled"]()
    noisy = original + np.random.default_rng(5).normal(size=original.shape)
    lost, little = (measure.measure(pair_of(original, m)).figures[0].value for m in (shuffled, noisy))
    assert lost is not None
    assert little is not None
    assert lost > 3 * little


_number = st.one_of(
    st.floats(allow_nan=True, allow_infinity=False),
    st.sampled_from([0.0, 1.0, 2.0, 1e15, 1e15 + 1, 1e300, -1e300, 5e-324, math.nan]),
)
_file = st.integers(0, 7).flatmap(lambda n: st.lists(st.lists(_number, min_size=6, max_size=6), min_size=n, max_size=n))


@given(_file)
@settings(max_examples=100)
def test_any_numbers_give_numbers_or_none(rows: list[list[float]]) -> None:
    both = np.array(rows, float).reshape(-1, 6)
    pair = pair_of(both[:, :3], both[:, 3:])
    for measure in (*MEASURES, Regressions((Regression("V1", ("V2", "V3")), Regression("V2", ("V1",))))):
        _require_sound(measure.measure(pair), measure)
