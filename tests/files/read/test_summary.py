"""What the text of a variable looks like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.data.table import Chunk, Layout, column_of
from constraint_sdc.files.summary import ColumnSummary, LexicalForm, _form_of, summarise

LAYOUT = Layout(("D",), "R", "elements", b"<D>", b"</D>")


def chunk_of(first: int, **columns: list[str | None]) -> Chunk:
    count = len(next(iter(columns.values())))
    nowhere = np.zeros(count, np.int64)
    made = {name: column_of(name, values) for name, values in columns.items()}
    return Chunk(LAYOUT, first, made, np.zeros(0, np.uint8), nowhere, nowhere, nowhere)


def summary_of(*values: str | None, missing: tuple[str, ...] = ()) -> ColumnSummary:
    (summary,) = summarise([chunk_of(0, V=list(values))], {"V": missing})
    return summary


@pytest.mark.parametrize(
    ("values", "form", "decimals"),
    [
        (("1", "-22", "+3", " 4 "), LexicalForm.INTEGER, 0),
        (("1", "2.50", ".5", "7."), LexicalForm.DECIMAL, 2),
        (("1", "2.5e-3"), LexicalForm.SCIENTIFIC, 1),
        (("1", "1E5"), LexicalForm.SCIENTIFIC, 0),
        (("1", "a"), LexicalForm.TEXT, 0),
        (("1", "."), LexicalForm.TEXT, 0),
        (("1-2",), LexicalForm.TEXT, 0),
        (("-",), LexicalForm.TEXT, 0),
        (("1.2.3",), LexicalForm.TEXT, 0),
        (("NaN",), LexicalForm.TEXT, 0),
        (("٣",), LexicalForm.TEXT, 0),
        ((" ",), LexicalForm.TEXT, 0),
    ],
)
def test_the_form_is_the_narrowest_that_holds_every_value(
    values: tuple[str, ...], form: LexicalForm, decimals: int
) -> None:
    summary = summary_of(*values)
    assert (summary.form, summary.decimals, summary.values) == (form, decimals, len(values))


@given(st.lists(st.text(alphabet="01.+-eE x", max_size=6), min_size=1, max_size=20))
def test_the_form_by_counting_bytes_is_the_form_by_reading_each_value(values: list[str]) -> None:
    filled = [value for value in values if value]
    forms = [_form_of(value) for value in filled]
    summary = summary_of(*values)
    assert summary.form == max((form for form, _ in forms), default=None)
    if summary.form not in (None, LexicalForm.TEXT):
        assert summary.decimals == max(0, *(decimals for _, decimals in forms))
    assert (summary.values, summary.empty) == (len(filled), len(values) - len(filled))


def test_missing_values_are_counted_by_their_kind() -> None:
    first = chunk_of(0, A=["1", "", None, "-9"])
    later = chunk_of(4, A=["-9", "-99", "2"], B=["x", None, "-9"])
    a, b = summarise([first, later], {"A": ("-9", "-99")})
    assert (a.values, a.empty, a.absent, a.nil, dict(a.missing)) == (2, 1, 1, 0, {"-9": 2, "-99": 1})
    assert (a.form, a.records) == (LexicalForm.INTEGER, 7)
    assert (b.values, b.absent, b.form, b.records) == (2, 5, LexicalForm.TEXT, 7)


def test_a_missing_code_does_not_decide_the_form() -> None:
    summary = summary_of("1", "refused", "2", missing=("refused",))
    assert (summary.form, summary.values, dict(summary.missing)) == (LexicalForm.INTEGER, 2, {"refused": 1})


def test_a_variable_without_values_has_no_form() -> None:
    assert summary_of(None, "").form is None
