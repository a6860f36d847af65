"""Rules about dates: orders, spans, deadlines, parts of dates, and codes that a recipe declares to be dates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from constraint_sdc.exam.guarantee.drafting import Draft
from constraint_sdc.exam.guarantee.layouts import INTEGER

_FIRST = date(1999, 11, 1)


def _day(draft: Draft, name: str, days: list[date]) -> str:
    """Add a column of dates; neither a number nor a category, so that no recipe pins it."""
    name = f"{name}{len(draft.columns) + 1}"
    draft.columns[name] = [day.isoformat() for day in days]
    return name


def _begin(draft: Draft) -> tuple[str, list[date]]:
    span = draft.rng.choice((40, 400, 9000))
    days = [_FIRST + timedelta(draft.rng.randrange(span)) for _ in range(draft.size)]
    return _day(draft, "Begin", days), days


def _later(draft: Draft, days: list[date], most: int) -> tuple[list[date], list[int]]:
    gaps = [draft.rng.randrange(most) for _ in days]
    return [day + timedelta(gap) for day, gap in zip(days, gaps, strict=True)], gaps


def add_date_order(draft: Draft) -> None:
    """One date is not after another, or some days apart."""
    if draft.is_old:
        return
    begin, days = _begin(draft)
    end = _day(draft, "End", _later(draft, days, draft.rng.choice((3, 50, 800)))[0])
    a, b = (f"xs:date({draft.layout.path(name)})" for name in (begin, end))
    draft.add_rule("date order", f"{a} <= {b}")
    if draft.rng.random() < 0.4:
        draft.add_rule("date order", f"{b} - {a} < xs:dayTimeDuration('P{draft.rng.choice((40, 300))}D')")


def add_stay(draft: Draft) -> None:
    """The days between two dates are a variable of their own."""
    if draft.is_old:
        return
    begin, days = _begin(draft)
    ends, gaps = _later(draft, days, draft.rng.choice((5, 90)))
    end, stay = _day(draft, "End", ends), draft.add([str(gap) for gap in gaps])
    a, b = (f"xs:date({draft.layout.path(name)})" for name in (begin, end))
    draft.add_rule("stay", f"days-from-duration({b} - {a}) = number({draft.layout.path(stay)})")


def add_deadline(draft: Draft) -> None:
    """A date that lies a fixed time after another."""
    if draft.is_old:
        return
    begin, days = _begin(draft)
    term = draft.rng.choice((14, 30, 365))
    due = _day(draft, "Due", [day + timedelta(term) for day in days])
    a, b = (draft.layout.path(name) for name in (begin, due))
    draft.add_rule("deadline", f"xs:date({b}) = xs:date({a}) + xs:dayTimeDuration('P{term}D')")


def add_date_part(draft: Draft) -> None:
    """The year of a date, bounded or as a variable of its own; the month in some months only; an age in years."""
    if draft.is_old:
        return
    begin, days = _begin(draft)
    path = f"xs:date({draft.layout.path(begin)})"
    match draft.rng.randrange(4):
        case 0:
            draft.add_rule("date part", f"year-from-date({path}) >= {_FIRST.year + draft.rng.randrange(2)}")
        case 1:
            year = draft.add([str(day.year) for day in days])
            draft.add_rule("date part", f"year-from-date({path}) = number({draft.layout.path(year)})")
        case 2:
            draft.add_rule("date part", f"month-from-date({path}) != 2 or day-from-date({path}) <= 27")
        case _:
            end = _day(draft, "Grown", [day + timedelta(6575 + draft.rng.randrange(900)) for day in days])
            grown = f"xs:date({draft.layout.path(end)})"
            draft.add_rule("date part", f"{path} + xs:yearMonthDuration('P18Y') <= {grown}")


def add_date_code(draft: Draft) -> None:
    """Dates written YYYYMMDD, compared as numbers."""
    low = 19991101
    days = [_FIRST + timedelta(draft.rng.randrange(900)) for _ in range(draft.size)]
    first = draft.base(INTEGER, lambda _: 0)
    draft.columns[first] = [f"{day:%Y%m%d}" for day in days]
    second = draft.add([f"{day + timedelta(draft.rng.randrange(60)):%Y%m%d}" for day in days])
    a, b = (f"number({draft.layout.path(name)})" for name in (first, second))
    draft.add_rule("date code", f"{a} <= {b}")
    if draft.rng.random() < 0.5:
        draft.add_rule("date code", f"{a} >= {low} and number(substring({draft.layout.path(second)}, 1, 4)) <= 2003")
    draft.dates += (first, second)


DATES: tuple[tuple[Callable[[Draft], None], int], ...] = (
    (add_date_order, 2),
    (add_stay, 2),
    (add_deadline, 1),
    (add_date_part, 3),
    (add_date_code, 2),
)
