"""Every risk measure sits the same exam: odd files, the identity file, shuffled files, types and names."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Measure, Measured, Unit
from constraint_sdc.measures.risk.achieved_k import AchievedKRisk
from constraint_sdc.measures.risk.distance_linkage import DistanceLinkage
from constraint_sdc.measures.risk.interval_disclosure import IntervalDisclosureRisk
from constraint_sdc.measures.risk.mahalanobis_linkage import MahalanobisLinkage
from constraint_sdc.measures.risk.probabilistic_linkage import ProbabilisticLinkage
from constraint_sdc.measures.risk.subset_linkage import SubsetLinkage
from constraint_sdc.measures.risk.uniqueness import UniquenessRisk
from constraint_sdc.reports.sentences import sentences, worded
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, pair_of

NAN = math.nan
LINKAGES: list[Measure] = [DistanceLinkage(), MahalanobisLinkage(), SubsetLinkage(per_size=3), ProbabilisticLinkage()]
MEASURES: list[Measure] = [*LINKAGES, IntervalDisclosureRisk(), AchievedKRisk(), UniquenessRisk()]
PLAIN = np.random.default_rng(7).lognormal(3.0, 1.0, size=(40, 3))
FILES = {
    "no record": (np.zeros((0, 2)), np.zeros((0, 2))),
    "one record": (np.array([[1.0, 2.0]]), np.array([[1.5, 2.0]])),
    "two records": (np.array([[1.0, 2.0], [2.0, 5.0]]), np.array([[1.5, 2.0], [1.5, 5.0]])),
    "constants": (np.full((9, 2), 0.1), np.full((9, 2), 0.1)),
    "constants changed": (np.full((9, 2), 0.1), np.full((9, 2), 0.3)),
    "one constant": (np.column_stack((np.full(40, 0.7), PLAIN)), np.column_stack((PLAIN[:, 0], PLAIN))),
    "blanks": (np.where(PLAIN > 60, NAN, PLAIN), np.where(PLAIN < 9, NAN, PLAIN)),
    "all blank": (np.full((5, 2), NAN), np.full((5, 2), NAN)),
    "blanks opposite": (np.array([[1.0, NAN]] * 4), np.array([[NAN, 1.0]] * 4)),
    "far from nought": (1e15 + np.round(PLAIN), 1e15 + np.round(PLAIN) + 1.0),
    "immense": (PLAIN * 1e300, PLAIN * 1.1e300),
    "largest": (np.array([[1.7e308], [-1.7e308]] * 4), np.array([[-1.7e308], [1.7e308]] * 4)),
    "smallest": (np.arange(8.0)[:, None] * 5e-324, np.arange(8.0)[::-1, None] * 5e-324),
    "thrown far away": (PLAIN * 1e-300, PLAIN * 1e300),
    "ties": (np.round(PLAIN / 30), np.round(PLAIN / 60)),
    "equal columns": (np.repeat(PLAIN[:, :1], 3, axis=1), np.repeat(PLAIN[:, 1:2], 3, axis=1)),
}


def _name(measure: Measure) -> str:
    return measure.name


def _require_sound(found: Measured, measure: Measure) -> None:
    assert (found.measure, found.title) == (measure.name, measure.title)
    assert len({figure.name for figure in found.figures}) == len(found.figures)
    for figure in found.figures:
        assert figure.value is None or (type(figure.value) in (int, float) and math.isfinite(figure.value))
        assert figure.unit is not Unit.PERCENT or figure.value is None or -1e-9 <= figure.value <= 100 + 1e-9
        assert figure.unit is not Unit.COUNT or figure.value is None or type(figure.value) is int
    headline = found.figures[0].value
    if headline is None:
        assert sentences(found.notes)
        assert worded(found.says).startswith("Not measured")
    else:
        shown = f"{headline:,}" if type(headline) is int else f"{headline:.2f}"
        assert shown in worded(found.says)
    assert len({table.name for table in found.tables}) == len(found.tables)
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
    _require_sound(measure.measure(pair_of(*FILES[kind], k=2)), measure)


@pytest.mark.parametrize("measure", MEASURES, ids=_name)
def test_who_knows_nothing_is_told_so(measure: Measure) -> None:
    codes = [0.0, 1.0, 0.0]
    town = compared("Town", codes, codes, scale=Scale.NOMINAL)
    found = measure.measure(Pair((town,), ()))
    _require_sound(found, measure)
    assert found.figures[0].value is None


@pytest.mark.parametrize("measure", [DistanceLinkage(), MahalanobisLinkage(), IntervalDisclosureRisk()], ids=_name)
@pytest.mark.parametrize("kind", ["far from nought", "immense", "blanks", "one constant", "two records"])
def test_the_original_itself_is_at_full_risk(measure: Measure, kind: str) -> None:
    original, _ = FILES[kind]
    original = np.unique(original, axis=0)  # copies of a person are not told apart
    assert measure.measure(pair_of(original, original.copy())).figures[0].value == pytest.approx(100.0)


@pytest.mark.parametrize("measure", LINKAGES, ids=_name)
def test_a_shuffled_file_is_linked_about_as_by_lots(measure: Measure) -> None:
    random = np.random.default_rng(3)
    original = random.lognormal(size=(300, 4))
    found = measure.measure(pair_of(original, random.permuted(original, axis=0)))
    assert found.figures[0].value is not None
    assert found.figures[0].value < 3.0


@pytest.mark.parametrize("measure", MEASURES, ids=_name)
def test_the_order_of_the_records_does_not_matter(measure: Measure) -> None:
    original, masked = FILES["blanks"]
    order = np.random.default_rng(3).permutation(len(original))
    for one, other in zip(
        measure.measure(pair_of(original, masked, k=2)).figures,
        measure.measure(pair_of(original[order], masked[order], k=2)).figures,
        strict=True,
    ):
        if one.name != "iterations":
            assert one.value == pytest.approx(other.value, rel=1e-9)


@pytest.mark.parametrize("measure", MEASURES, ids=_name)
@pytest.mark.parametrize("factor", [2.0**900, 2.0**-900])
def test_the_unit_does_not_matter(measure: Measure, factor: float) -> None:
    original, masked = FILES["blanks"]
    figures = measure.measure(pair_of(original * factor, masked * factor)).figures
    assert figures == measure.measure(pair_of(original, masked)).figures


_number = st.one_of(
    st.floats(allow_nan=True, allow_infinity=False),
    st.sampled_from([0.0, 1.0, 2.0, 1e15, 1e15 + 1, 1e300, -1e300, 5e-324, NAN]),
)
_file = st.integers(0, 7).flatmap(lambda n: st.lists(st.lists(_number, min_size=6, max_size=6), min_size=n, max_size=n))


@given(_file)
@settings(max_examples=50, deadline=None)
def test_any_numbers_give_numbers_or_none(rows: list[list[float]]) -> None:
    both = np.array(rows, float).reshape(-1, 6)
    scales = (Scale.NUMERIC, Scale.ORDINAL, Scale.NOMINAL)
    variables = tuple(compared(f"V{j}", both[:, j], both[:, 3 + j], scale=scales[j]) for j in range(3))
    pair = Pair(variables, ("V0", "V1", "V2"), k=2)
    for measure in MEASURES:
        _require_sound(measure.measure(pair), measure)
