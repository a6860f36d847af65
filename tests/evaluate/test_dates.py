"""Dates and durations: wherever the evaluator is sure, Saxon says the same; on plain dates it is always sure."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from constraint_sdc.data.table import column_of
from constraint_sdc.evaluate.expression import (
    And,
    Arithmetic,
    Call,
    Castable,
    Compare,
    Expression,
    If,
    Literal,
    Not,
    Variable,
)
from constraint_sdc.evaluate.truth import evaluate_truth, refuses
from constraint_sdc.evaluate.value import Records
from tests.draws import draws

if TYPE_CHECKING:
    from conftest import Oracle, Record

NAMES = ("V1", "V2", "V3")
OPS = ("=", "!=", "<", "<=", ">", ">=")
ODD = (
    *("2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", " 2024-01-31\n", "2024-1-31", "2024-01-32", "2024-13-01"),
    *("2024-01-31Z", "2024-01-31+02:00", "2024-01-31-14:00", "0000-01-01", "0001-01-01", "9999-12-31", "12024-01-01"),
    *("-0044-03-15", "02024-01-01", "20240131", "", " ", "abc", "2024-01", "2024", "5", "P30D", "2024-01-31T10:00:00"),
    *("2024-01-31T24:00:00", "2024-01-31T23:59:60", "2024-01-31T10:00:00.5", "2024-01-31T10:00:00Z", "+2024-01-31"),
    *("2024-00-10", "2024-10-00", "1582-10-10", "0999-12-31", "\u0662024-01-01", "2024-01-3\u0661", "P1Y", "-P1M"),
)
DURATIONS = ("P0D", "P30D", "-P1D", "PT36H", "-PT1H", "P1DT1S", "PT90M", "P400D", "P", "PT", "P1M", "P1DT0.5S", "P1Y2M")
MONTHS = ("P1Y", "P1M", "-P1M", "P18Y", "P0M", "P13M", "-P100Y", "P9999Y", "P", "P1D", "P1Y2M")


class Author:
    """Writes tests about dates as rule authors do, and as they should not."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def text(self) -> Expression:
        return Variable(self.random.choice(NAMES))

    def literal(self) -> Expression:
        day = f"{self.random.randint(1, 9999):04d}-{self.random.randint(1, 12):02d}-{self.random.randint(1, 28):02d}"
        return Literal(self.random.choice((day, "2000-01-01", "2024-02-29", self.random.choice(ODD))))

    def compact(self) -> Expression:
        part = [Call("substring", (self.text(), Literal(a), Literal(n))) for a, n in ((1, 4), (5, 2), (7, 2))]
        return Call("concat", (part[0], Literal("-"), part[1], Literal("-"), part[2]))

    def date(self, depth: int) -> Expression:
        kind = self.random.random()
        if depth <= 0 or kind < 0.4:
            source = self.random.choice((self.text, self.text, self.text, self.literal, self.compact))()
            name = self.random.choice(("xs:date",) * 12 + ("xs:dateTime", "xs:gYearMonth", "xs:gYear"))
            return Call(name, (source,))
        if kind < 0.8:
            return Arithmetic(self.random.choice("+-"), self.date(depth - 1), self.duration(depth - 1))
        if kind < 0.9:
            return Call(self.random.choice(("xs:date", "xs:dateTime")), (self.date(depth - 1),))
        return If(self.truth(depth - 1), self.date(depth - 1), self.date(depth - 1))

    def duration(self, depth: int) -> Expression:
        kind = self.random.random()
        if kind < 0.35 or depth <= 0:
            return Call("xs:dayTimeDuration", (Literal(self.random.choice(DURATIONS)),))
        if kind < 0.55:
            return Call("xs:yearMonthDuration", (Literal(self.random.choice(MONTHS)),))
        if kind < 0.8:
            return Arithmetic("-", self.date(depth - 1), self.date(depth - 1))
        if kind < 0.9:
            return Arithmetic("*", self.duration(depth - 1), Literal(self.random.choice((0, 1, 2, 30, -1))))
        return Arithmetic(self.random.choice("+-"), self.duration(depth - 1), self.duration(depth - 1))

    def number(self, depth: int) -> Expression:
        kind = self.random.random()
        if kind < 0.5:
            part = self.random.choice(("year", "month", "day"))
            of = self.random.choice(("date", "date", "date", "dateTime"))
            return Call(f"{part}-from-{of}", (self.random.choice((self.text(), self.date(depth - 1))),))
        if kind < 0.8:
            part = self.random.choice(("days", "days", "hours", "minutes", "years", "months"))
            return Call(f"{part}-from-duration", (self.duration(depth - 1),))
        if kind < 0.9:
            return Arithmetic("div", self.duration(depth - 1), Call("xs:dayTimeDuration", (Literal("P1D"),)))
        return Call("number", (self.random.choice((self.date(depth - 1), self.text())),))

    def truth(self, depth: int) -> Expression:
        op, is_value, kind = self.random.choice(OPS), self.random.random() < 0.3, self.random.random()
        if kind < 0.35:
            return Compare(op, self.date(depth), self.date(depth), is_value)
        if kind < 0.45:
            return Compare(op, self.text(), self.date(depth), is_value)
        if kind < 0.6:
            return Compare(op, self.duration(depth), self.duration(depth), is_value)
        if kind < 0.75:
            return Compare(op, self.number(depth), Literal(self.random.choice((0, 1, 2, 12, 30, 365, 2000))))
        if kind < 0.8:
            return Compare("=", Call("string", (self.date(depth),)), self.literal())
        if kind < 0.9:
            types = ("xs:date", "xs:date", "xs:dateTime", "xs:gYearMonth")
            return Castable(self.text(), self.random.choice(types), self.random.random() < 0.5)
        if depth <= 0:
            return Call("exists", (self.date(0),))
        return self.random.choice((Not(self.truth(depth - 1)), And((self.truth(depth - 1), self.truth(depth - 1)))))


def text(random: Random) -> str | None:
    kind = random.random()
    if kind < 0.07:
        return None
    if kind < 0.45:
        return random.choice(ODD)
    year = random.randint(1990, 2030) if kind < 0.9 else random.randint(1, 9999)
    return f"{year:04d}-{random.randint(1, 12):02d}-{random.randint(1, 29):02d}"


_SETTINGS = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
_SETTINGS = settings(_SETTINGS, phases=(Phase.explicit, Phase.generate))


@settings(_SETTINGS, max_examples=draws(6, exploring=200))
@given(seed=st.integers(0, 2**32))
def test_every_sure_verdict_about_dates_is_saxons(oracle: Oracle, seed: int) -> None:
    random = Random(seed)
    author = Author(random)
    tests = [author.truth(random.randint(0, 3)) for _ in range(60)]
    records: list[Record] = [{name: text(random) for name in NAMES} for _ in range(40)]
    assert oracle.compare(tests, records, xpath1=False).cases > 300


SURE = (
    Compare("<=", Call("xs:date", (Variable("V1"),)), Call("xs:date", (Variable("V2"),))),
    Compare(
        "<=",
        Call("days-from-duration", (Arithmetic("-", *(Call("xs:date", (Variable(v),)) for v in ("V1", "V2"))),)),
        Literal(30),
    ),
    Compare(">=", Call("year-from-date", (Call("xs:date", (Variable("V1"),)),)), Literal(2000)),
    Compare(
        ">=",
        Call("xs:date", (Variable("V1"),)),
        Arithmetic("+", Call("xs:date", (Variable("V2"),)), Call("xs:yearMonthDuration", (Literal("P18Y"),))),
    ),
)


@pytest.mark.parametrize("test", SURE)
def test_plain_dates_leave_no_record_to_saxon(oracle: Oracle, test: Expression) -> None:
    days = [f"{y}-{m:02d}-{d}" for y in (1900, 1999, 2000, 2024) for m in (2, 6, 12) for d in (10, 28)] + ["2024-02-29"]
    records: list[Record] = [{"V1": one, "V2": other} for one in days for other in days[::5]]
    columns = {name: column_of(name, [record[name] for record in records]) for name in ("V1", "V2")}
    assert not evaluate_truth(test, Records(columns, len(records)), xpath1=False, domains={}).unsure.any()
    assert oracle.compare([test], records, xpath1=False).unsure == 0


def test_dates_of_xpath_1_are_saxons() -> None:
    assert refuses(SURE[0], xpath1=True) is not None
