from __future__ import annotations

import math
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.evaluate.subdomain import parse_subdomain

NAN = float("nan")
NAMES = ("V8", "Region", "a-b.c", "Größe", "two words", "missing", "in")
TEXTS: dict[str, list[str | None]] = {
    "Region": ["North", "South", None, "North", "it's"],
    "two words": ["1", "01", "1.0", None, ""],
}
NUMBERS = {
    "V8": np.array([1115.0, 5.0, NAN, 2000.0, -3.5]),
    "a-b.c": np.array([1.0, 2.0, 3.0, 4.0, 5.0]),
    "Größe": np.array([NAN, NAN, 0.0, 0.0, 1e300]),
    "missing": np.array([1.0, NAN, 1.0, NAN, 1.0]),
    "in": np.array([1.0, 2.0, 1.0, 2.0, 1.0]),
}


def _rows(text: str) -> list[int]:
    ((label, rows),) = parse_subdomain(text, NAMES).rows(TEXTS, NUMBERS)
    assert label == text.strip()
    assert rows.dtype == np.int64
    return rows.tolist()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("V8 >= 1115", [0, 3]),
        ("V8 >= 1115 and Region = 'North'", [0, 3]),
        ('V8 < 0 or Region = "South"', [1, 4]),
        ("V8 != 5", [0, 3, 4]),  # a blank satisfies no comparison, not even this one
        ("not V8 = 5", [0, 2, 3, 4]),  # but it does not satisfy the comparison, either
        ("not not V8 = 5", [1]),
        ("V8 is missing", [2]),
        ("V8 is not missing", [0, 1, 3, 4]),
        ("Region in ('South', 'East')", [1]),
        ("Region != 'North'", [1, 4]),
        ("Region = 'it''s'", [4]),
        ("not (Region in ('North', 'South'))", [2, 4]),
        ("V8 in (5, -3.5e0,+2000.)", [1, 3, 4]),
        ("a-b.c>2 and a-b.c<=4", [2, 3]),
        ("Größe = 0", [2, 3]),
        ("Größe > 1e299", [4]),
        ("`two words` = '01'", [1]),
        ("`two words` = ''", [4]),
        ("missing is missing", [1, 3]),
        ("`in` in (2)", [1, 3]),
        ("a-b.c = 1 or a-b.c = 2 and V8 > 100", [0]),  # "and" binds more tightly
        ("(a-b.c = 1 or a-b.c = 2) and V8 < 100", [1]),
        ("  V8 > 1e9  ", []),
    ],
)
def test_a_condition_chooses_records(text: str, rows: list[int]) -> None:
    assert _rows(text) == rows


def test_a_variable_is_a_subdomain_for_each_value_and_one_for_its_blanks() -> None:
    found = parse_subdomain("Region", NAMES).rows(TEXTS, NUMBERS)
    assert [(label, rows.tolist()) for label, rows in found] == [
        ("Region = 'North'", [0, 3]),
        ("Region = 'South'", [1]),
        ("Region = 'it's'", [4]),
        ("Region is missing", [2]),
    ]


@pytest.mark.parametrize("text", ["two words", "`two words`", " two words "])
def test_a_name_of_several_words_may_stand_alone_with_or_without_backquotes(text: str) -> None:
    labels = [label for label, _ in parse_subdomain(text, NAMES).rows(TEXTS, NUMBERS)]
    assert labels == [f"two words = '{value}'" for value in ("", "01", "1", "1.0")] + ["two words is missing"]


def test_numbers_are_values_whatever_their_text() -> None:
    numbers = {"V1": np.array([10.0, 2.0, -0.0, 0.0, 2.0])}
    found = parse_subdomain("V1", ["V1"]).rows({"V1": ["10", "2.0", "-0", "0", "2"]}, numbers)
    assert [(label, rows.tolist()) for label, rows in found] == [
        ("V1 = 0", [2, 3]),
        ("V1 = 2", [1, 4]),
        ("V1 = 10", [0]),
    ]


def test_every_record_is_in_one_subdomain_of_a_variable() -> None:
    rows = np.concatenate([rows for _, rows in parse_subdomain("V8", NAMES).rows(TEXTS, NUMBERS)])
    assert sorted(rows.tolist()) == [0, 1, 2, 3, 4]


def test_a_variable_of_more_than_fifty_values_is_refused() -> None:
    subdomain = parse_subdomain("V1", ["V1"])
    assert len(subdomain.rows({}, {"V1": np.arange(50.0)})) == 50
    with pytest.raises(ValueError, match="V1 has 51 different values, more than 50"):
        subdomain.rows({}, {"V1": np.arange(51.0)})


def test_it_says_which_variables_it_needs() -> None:
    assert parse_subdomain("V8 > 1 and (Region = 'x' or not V8 is missing)", NAMES).names == ("V8", "Region")
    assert parse_subdomain("Region", NAMES).names == ("Region",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"column 1: expected a variable's name, found nothing"),
        ("V9", r"column 1: the file has no variable 'V9'$"),
        ("V8 > 1 and Regoin = 'x'", r"column 12: the file has no variable 'Regoin'; is it Region\?"),
        ("V8 >", r"column 5: expected a number or a text in quotes, found nothing"),
        ("V8 > Region", r"column 6: expected a number or a text in quotes, found 'Region'"),
        ("V8 == 5", r"column 5: expected a number or a text in quotes, found '='"),
        ("V8 5", r"column 4: expected =, !=, <, <=, >, >=, in .*found '5'"),
        ("5 < V8", r"column 1: expected a variable's name, found '5'"),
        ("V8 > 5 Region = 'x'", r"column 8: expected and, or, or the end, found 'Region'"),
        ("V8 > 5 AND V8 < 9", r"column 8: expected and, or, or the end, found 'AND'"),
        ("(V8 > 5", r"column 8: expected '\)', found nothing"),
        ("V8 > 5)", r"column 7: expected and, or, or the end, found '\)'"),
        ("V8 in 5", r"column 7: expected '\(', found '5'"),
        ("V8 in ()", r"column 8: expected a number or a text in quotes, found '\)'"),
        ("V8 in (1 2)", r"column 10: expected ',' or '\)', found '2'"),
        ("V8 is nothing", r"column 7: expected 'missing', found 'nothing'"),
        ("in in (1)", r"column 1: expected a variable's name, found 'in' \(as a name it needs backquotes\)"),
        ("V8 > 1e999", r"column 6: '1e999' is too large"),
        ("Region = 'North", r"column 10: the quote ' is not closed"),
        ("V8 > 5 & V8 < 9", r"column 8: '&' has no meaning here"),
        ("V8 > 5 and", r"column 11: expected a variable's name, found nothing"),
        ("not", r"column 1: the file has no variable 'not'"),
        ("(" * 60 + "V8 > 5" + ")" * 60, r"column 51: conditions are nested more than 50 deep"),
        ("not " * 5000 + "V8 > 5", r"column 201: conditions are nested more than 50"),
    ],
)
def test_a_mistake_is_shown_where_it_stands(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_subdomain(text, NAMES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("V8 = '5'", r"column 6: V8 is numeric; expected a number without quotes"),
        ("V8 in (5, 'x')", r"column 11: V8 is numeric"),
        ("Region = 5", r"column 10: Region is not numeric; expected a text in quotes"),
        ("Region < 'North'", r"column 10: Region is not numeric and has no order here; expected =, != or in"),
    ],
)
def test_a_comparison_of_unlike_things_is_refused(text: str, message: str) -> None:
    subdomain = parse_subdomain(text, NAMES)
    with pytest.raises(ValueError, match=message):
        subdomain.rows(TEXTS, NUMBERS)


# Conditions in two languages at once: (ours, Python's), where Python's knows a record as x (a number) and t (a text).

_SIGNS = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_OPERATORS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_number = st.integers(-3, 3) | st.sampled_from([0.5, -1.25])
_text = st.sampled_from(["a", "b", "it's", 'say "x"', ""])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _on_number(sign: str, number: float) -> tuple[str, str]:
    return f"x{sign}{number}", f"compare({_SIGNS[sign]!r}, x, {number!r})"


def _on_text(sign: str, text: str) -> tuple[str, str]:
    return f"`t t` {sign} {_quoted(text)}", f"compare({_SIGNS[sign]!r}, t, {text!r})"


def _listed(texts: list[str]) -> tuple[str, str]:
    return f"`t t` in ({', '.join(map(_quoted, texts))})", f"(t is not None and t in {texts!r})"


_leaf = st.one_of(
    st.builds(_on_number, st.sampled_from(list(_SIGNS)), _number),
    st.builds(_on_text, st.sampled_from(["=", "!="]), _text),
    st.builds(_listed, st.lists(_text, min_size=1, max_size=3)),
    st.sampled_from([("x is missing", "(x is None)"), ("`t t` is not missing", "(t is not None)")]),
)
_condition = st.recursive(
    _leaf,
    lambda inner: st.one_of(
        inner.map(lambda c: (f"not {c[0]}", f"not {c[1]}")),
        inner.map(lambda c: (f"({c[0]})", f"({c[1]})")),
        st.tuples(inner, st.sampled_from([" and ", " or "]), inner).map(
            lambda p: (p[0][0] + p[1] + p[2][0], p[0][1] + p[1] + p[2][1])
        ),
    ),
    max_leaves=8,
)
_records = st.lists(st.tuples(st.none() | _number, st.none() | _text), min_size=1, max_size=8)


def _compare(sign: str, value: float | str | None, literal: float | str) -> bool:
    return value is not None and bool(_OPERATORS[sign](value, literal))


@given(_condition, _records)
@settings(max_examples=150)
def test_a_condition_means_what_the_same_condition_means_in_python(
    condition: tuple[str, str], records: list[tuple[float | None, str | None]]
) -> None:
    ours, python = condition
    expected = [i for i, (x, t) in enumerate(records) if eval(python, {"compare": _compare, "x": x, "t": t})]
    numbers = {"x": np.array([math.nan if x is None else x for x, _ in records])}
    ((_, rows),) = parse_subdomain(ours, ("x", "t t")).rows({"t t": [t for _, t in records]}, numbers)
    assert rows.tolist() == expected


@given(st.text(alphabet="V8`'\"()<>=!,~+-. inotrads5e@é", max_size=25))
@settings(max_examples=150)
def test_any_text_is_understood_or_refused_with_a_column(text: str) -> None:
    complaint = _complaint(text)
    assert complaint is None or complaint.startswith("column ")


def _complaint(text: str) -> str | None:
    try:
        parse_subdomain(text, ("V8",))
    except ValueError as error:
        return str(error)
    return None
