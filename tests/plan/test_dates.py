"""Dates: a grid of days or months in the notation of the file, on which comparisons of dates are orders and sums."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.calendar import DateNotation
from constraint_sdc.constraints.constraint import AllOf, EditRule, LinearAtom, OpaqueAtom, PresentAtom, SetAtom, atoms
from constraint_sdc.data.series import Grid
from constraint_sdc.data.table import column_of
from constraint_sdc.errors import UsageError
from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.plan.calendar_rules import rules_on_calendar
from constraint_sdc.plan.plan import Why
from constraint_sdc.plan.read_series import make_series
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Scale, VariableWish
from tests.constraints.pairs import Pair, rule_of
from tests.maskers.extract import columns, extract, the_block, the_rule

DAYS, CODES, GERMAN, MONTHS = (
    DateNotation.ISO_DAY,
    DateNotation.DAY,
    DateNotation.DAY_FIRST,
    DateNotation.MONTH,
)
N = 24
FIRST = date(2019, 12, 1)


@pytest.mark.parametrize(
    ("notation", "texts", "gap"),
    [
        (DAYS, ("2020-02-28", "2020-03-01"), 2),
        (DAYS, ("1900-02-28", "1900-03-01"), 1),
        (CODES, ("19991231", "20000101"), 1),
        (GERMAN, ("31121999", "01012000"), 1),
        (MONTHS, ("199912", "200001"), 1),
        (DateNotation.ISO_MONTH, ("0001-01", "9999-12"), 9999 * 12 - 1),
    ],
)
def test_a_date_is_a_whole_number_and_is_written_as_it_was_read(
    notation: DateNotation, texts: tuple[str, str], gap: int
) -> None:
    first, second = (notation.number(text) for text in texts)
    assert first is not None
    assert second is not None
    assert second - first == gap
    assert (notation.text(first), notation.text(second)) == texts


@pytest.mark.parametrize("notation", DateNotation)
def test_numbers_and_texts_of_dates_are_the_same_thing(notation: DateNotation) -> None:
    low, high = notation.limits
    for number in {low, high, *range(-800, 800, 7), *range(low, high, (high - low) // 300)}:
        assert notation.number(notation.text(number)) == number


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        *((DAYS, text) for text in ("2023-02-29", "2023-2-1", "0000-01-01", "2023-01-01Z", "٢٠٢٣-01-01")),
        *((CODES, text) for text in ("20231301", "2023011")),
        *((MONTHS, text) for text in ("202300", "202313")),
        (GERMAN, "20230131"),
    ],
)
def test_what_is_no_date_has_no_number(notation: DateNotation, text: str) -> None:
    assert notation.number(text) is None


def test_a_variable_is_dates_if_every_value_is_one() -> None:
    texts = ["2020-01-31", None, "", " 2020-02-02 ", "-9"]
    series = make_series(column_of("V", texts), Scale.NUMERIC, VariableWish(), ("-9",))
    assert series.grid == Grid(0, notation=DAYS)
    assert series.is_blank.tolist() == [False, True, True, False, True]
    assert np.diff(series.values[[0, 3]]).tolist() == [2.0]


def test_a_value_that_is_no_date_is_refused_by_number_not_by_value() -> None:
    column = column_of("V", ["20200131", "20200100", "20200100", "20200201"])
    with pytest.raises(UsageError, match="not a date written YYYYMMDD in 2 of 4 records") as caught:
        make_series(column, Scale.NUMERIC, VariableWish(decimals=CODES), ())
    assert "20200100" not in str(caught.value)


def test_a_number_beyond_the_calendar_is_not_written() -> None:
    series = make_series(column_of("V", ["9999-12-30"]), Scale.NUMERIC, VariableWish(), ())
    candidates = Candidates.blank([series], np.zeros(2, np.int64))
    candidates.set_numbers(0, np.arange(2), series.values[0] + np.array([1.0, 2.0]))
    assert candidates.texts[:, 0].tolist() == ["9999-12-31", ""]


def stays(seed: int = 1) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    begin = [FIRST + timedelta(int(n)) for n in rng.integers(0, 500, N)]
    gaps = [int(n) for n in rng.integers(0, 40, N)]
    end = [day + timedelta(gap) for day, gap in zip(begin, gaps, strict=True)]
    return {
        "Begin": [day.isoformat() for day in begin],
        "End": [d.isoformat() for d in end],
        "Days": list(map(str, gaps)),
    }


def test_dates_are_averaged_and_their_rules_are_proven(tmp_path: Path) -> None:
    rules = {
        "order": "xs:date(Begin) <= xs:date(End)",
        "stay": "days-from-duration(xs:date(End) - xs:date(Begin)) = number(Days)",
        "recent": "year-from-date(xs:date(Begin)) >= 2019",
        "real": "End castable as xs:date",
    }
    given = extract(tmp_path, columns(**stays()), rules)
    plan = given.design(3).plan
    block = the_block(plan, "Begin")
    assert {v.name: (v.operator, v.grid.notation) for v in block.variables} == {
        "Begin": (ArithmeticMean.name, DAYS),
        "End": (ArithmeticMean.name, DAYS),
        "Days": (ArithmeticMean.name, None),
    }
    assert [the_rule(plan, name).why for name in rules] == [Why.EXACT, Why.EXACT, Why.EXACT, Why.PRESERVED]
    assert because("assumed-dates", variables=("Begin", "End")) in plan.assumptions
    given.mask(3)
    given.requires_all_rules()
    assert given.smallest_group("Begin", "End", "Days") >= 3
    assert set(given.column("Begin")) - set(stays()["Begin"]), "a mean of dates is a new date"
    assert all(date.fromisoformat(text) for text in given.column("Begin"))


def test_a_date_that_a_rule_computes_is_derived_digit_for_digit(tmp_path: Path) -> None:
    cells = stays()
    due = [(date.fromisoformat(day) + timedelta(30)).isoformat() for day in cells["End"]]
    records = columns(End=cells["End"], Due=due)
    given = extract(tmp_path, records, {"due": "xs:date(Due) = xs:date(End) + xs:dayTimeDuration('P30D')"})
    (block,) = given.design(3).blocks
    assert [d.variable for d in block.strata[0].derivations] == ["Due"]
    given.mask(3)
    given.requires_all_rules()


def test_codes_that_the_recipe_calls_dates_are_ordered_and_bounded_by_days(tmp_path: Path) -> None:
    cells = stays()
    records = columns(**{name: [day.replace("-", "") for day in cells[name]] for name in ("Begin", "End")})
    recipe = "variables:\n  Begin: {grid: YYYYMMDD}\n  End: {grid: YYYYMMDD}\n"
    rules = {
        "order": "number(Begin) <= number(End)",
        "first": "number(Begin) >= 20191131",
        "year": "number(substring(End, 1, 4)) <= 2021",
    }
    given = extract(tmp_path, records, rules, recipe)
    assert [the_rule(given.design(3).plan, name).why for name in rules] == [Why.EXACT] * 3
    given.mask(3)
    given.requires_all_rules()
    assert all(CODES.number(text) is not None for text in given.column("Begin"))


def test_a_geometric_mean_of_dates_is_refused(tmp_path: Path) -> None:
    given = extract(tmp_path, columns(**stays()), None, "variables:\n  Begin: {operator: geometric mean}\n")
    with pytest.raises(UsageError, match="geometric mean of Begin, which are dates"):
        given.design(3)


def test_dates_called_nominal_stay_categories(tmp_path: Path) -> None:
    recipe = "variables:\n  Begin: {role: confidential, type: nominal}\n"
    (block,) = [
        b for b in extract(tmp_path, columns(**stays()), None, recipe).design(3).blocks if "Begin" in b.plan.block.names
    ]
    assert block.series[0].scale is Scale.NOMINAL


# Formulas on the calendar.

ONE = Fraction(1)


def edit(test: str) -> EditRule:
    return rule_of(Pair("xslt2", "assert", "Record", test, "", ""))


def on_calendar(test: str, **notations: DateNotation) -> tuple[object, ...]:
    (rule,) = rules_on_calendar([edit(test)], notations)
    return tuple(atoms(rule.constraint.formula))


@pytest.mark.parametrize(
    ("op", "code", "way", "day"),
    [
        (">=", 20200100, ">=", "2020-01-01"),
        (">", 20200101, ">=", "2020-01-02"),
        ("<=", 20200199, "<=", "2020-01-31"),
        ("<", 20200101, "<=", "2019-12-31"),
        (">=", 20200230, ">=", "2020-03-01"),
    ],
)
def test_a_bound_on_a_code_is_a_bound_on_its_day(op: str, code: int, way: str, day: str) -> None:
    (atom,) = on_calendar(f"number(V1) {op} {code}", V1=CODES)
    assert isinstance(atom, LinearAtom)
    assert (atom.op, atom.constant, atom.dates) == (way, DAYS.number(day), (("V1", CODES),))


@pytest.mark.parametrize(
    ("test", "notations"),
    [
        ("number(V1) <= number(V2)", {"V1": GERMAN, "V2": GERMAN}),
        ("number(V1) <= number(V2)", {"V1": CODES, "V2": MONTHS}),
        ("number(V1) <= number(V2)", {"V1": CODES}),
        ("number(V1) - number(V2) <= 100", {"V1": CODES, "V2": CODES}),
        ("number(V1) * number(V2) <= 100", {"V1": CODES}),
        ("number(V1) = 20200101", {"V1": CODES}),
        ("number(V1) mod 100 = 1", {"V1": CODES}),
        ("number(V1) >= 30000000000", {"V1": CODES}),
        ("xs:date(V1) <= xs:date(V2)", {"V1": DAYS}),
        ("xs:date(V1) <= xs:date(V2)", {"V1": CODES, "V2": CODES}),
        ("xs:date(V1) <= xs:date(V2)", {}),
    ],
)
def test_what_the_grid_does_not_decide_is_opaque_to_the_plan(test: str, notations: dict[str, DateNotation]) -> None:
    assert any(isinstance(atom, OpaqueAtom) for atom in on_calendar(test, **notations))


def test_conditions_that_every_text_of_the_grid_decides() -> None:
    assert on_calendar("V1 castable as xs:date", V1=DAYS) == (PresentAtom("V1", filled=True),)
    assert on_calendar("V1 = ('2020-01-01', '2020-01-02')", V1=DAYS) == (SetAtom("V1", ("2020-01-01", "2020-01-02")),)
    low, high = on_calendar("number(substring(V1, 1, 4)) = 2020", V1=CODES)
    assert isinstance(low, LinearAtom)
    assert isinstance(high, LinearAtom)
    assert (low.op, low.constant) == (">=", DAYS.number("2020-01-01"))
    assert (high.op, high.constant) == ("<=", DAYS.number("2020-12-31"))


def test_rules_without_dates_do_not_change() -> None:
    rule = edit("number(V1) <= number(V2)")
    assert rules_on_calendar([rule], {"V3": DAYS})[0] is rule
    assert isinstance(rule.constraint.formula, LinearAtom | AllOf)
