"""Numbers as people read them: what is not nought never reads as nought, what is not defined never as a number."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.measures.assessment import Figure, ResultTable, Unit
from constraint_sdc.reports.assessment.figures_text import count, percent, plain, shown_figure, shown_rows

numbers = st.floats(-1e308, 1e308) | st.integers(-(10**18), 10**18)
READABLE = re.compile(r"[<>]? ?-?\d[\d,]*(\.\d+)?(e[+-]\d+)?%?")


@given(numbers)
@pytest.mark.parametrize("write", [percent, count, plain])
def test_every_number_is_short_and_reads_as_nought_only_if_it_is(write, value: float) -> None:
    text = write(value)
    assert READABLE.fullmatch(text)
    assert len(text) <= 24
    if not text.startswith(("<", ">")):
        read = float(text.removesuffix("%").replace(",", ""))
        assert (read == 0) == (value == 0)
        assert read == pytest.approx(value, rel=0.1, abs=0.051)


@pytest.mark.parametrize("write", [percent, count, plain])
@pytest.mark.parametrize("nothing", [None, float("nan"), float("inf")])
def test_what_is_not_defined_is_a_dash(write, nothing: float | None) -> None:
    assert write(nothing) == "-"


@pytest.mark.parametrize(("write", "text"), [(percent, "0.00%"), (count, "0"), (plain, "0")])
def test_nought_has_no_sign(write, text: str) -> None:
    assert write(-0.0) == write(0.0) == write(0) == text


def test_nearly_all_is_not_all_and_all_is() -> None:
    assert percent(99.9999) == "> 99.99%"
    assert percent(100) == "100.00%"
    assert percent(250.5) == "250.50%"


def test_a_table_is_shown_column_by_column_in_its_units() -> None:
    units = (None, Unit.COUNT, Unit.PERCENT, Unit.PLAIN)
    table = ResultTable("t", "T", ("a", "b", "c", "d"), units, (("V1", 1200, 0.5, 0.5), ("V2", None, None, None)))
    assert shown_rows(table) == [["V1", "1,200", "0.50%", "0.5000"], ["V2", "-", "-", "-"]]
    assert shown_figure(Figure("f", "F", 3, Unit.COUNT)) == "3"
