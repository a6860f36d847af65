"""Random persons and firms: identifiers, codes, quasi-identifiers, amounts with outliers, weights, missing codes.

Every record satisfies every rule that its file may be edited with, by the way in which it is made.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Wish = dict[str, Any]


@dataclass(frozen=True)
class DrawnRule:
    """A rule as an editor writes it, and the variables that it reads."""

    id: str
    test: str
    names: tuple[str, ...]


@dataclass
class Population:
    """Columns of texts by name, what a recipe says of each variable, its missing codes, and rules that hold.

    `weights` names the sampling weight, if there is one.
    """

    rng: random.Random
    size: int
    record: str
    columns: dict[str, list[str]] = field(default_factory=dict)
    wishes: dict[str, Wish] = field(default_factory=dict)
    missing: dict[str, list[str]] = field(default_factory=dict)
    rules: list[DrawnRule] = field(default_factory=list)
    weights: str | None = None

    def add(self, name: str, cells: list[Any], **wish: Any) -> None:
        """Add a variable with what the recipe says of it."""
        self.columns[name] = [str(cell) for cell in cells]
        self.wishes[name] = wish

    def edit(self, rule: str, test: str, *names: str) -> None:
        """Add a rule that every record satisfies."""
        self.rules.append(DrawnRule(rule, test, names))

    def chance(self, share: float) -> bool:
        """Draw whether something happens in this file."""
        return self.rng.random() < share

    def cells(self, draw: Callable[[], Any]) -> list[Any]:
        """Draw a cell for every record."""
        return [draw() for _ in range(self.size)]

    def classes(self, names: tuple[str, ...]) -> dict[tuple[str, ...], list[int]]:
        """Return the records by their values of these variables."""
        found: dict[tuple[str, ...], list[int]] = {}
        for row in range(self.size):
            found.setdefault(tuple(self.columns[name][row] for name in names), []).append(row)
        return found

    def with_role(self, role: str) -> list[str]:
        """Return the variables of a role."""
        return [name for name, wish in self.wishes.items() if wish.get("role") == role]


def draw_population(rng: random.Random, size: int) -> Population:
    """Return a file of persons or of firms."""
    draw = rng.choice((_persons, _persons, _firms))
    people = draw(rng, size)
    _surround(people)
    names = list(people.columns)
    rng.shuffle(names)
    people.columns = {name: people.columns[name] for name in names}
    return people


# Persons.

_REGIONS = ("A11", "A12", "A21", "B11", "B12", "B31", "C11")
_ILLNESSES = ("flu", "asthma", "angina", "ulcer", "migraine", "cancer")


def _persons(rng: random.Random, size: int) -> Population:
    people = Population(rng, size, rng.choice(("Person", "P", "Record")))
    ages = people.cells(lambda: min(95, max(16, int(rng.gauss(45, 17)))))
    people.add("Age", ages, role="quasi-identifier", **_hierarchy(people, bands=[5, 20]))
    people.edit("adult", "number(Age) >= 16", "Age")
    _code(people, "Sex", ("F", "M"), (1, 1))
    _code(people, "Region", _REGIONS, [1] * 6 + [rng.choice((1, 0.05))], prefix=[2, 1])
    if people.chance(0.5):
        levels = [["1", "alone"], ["2", "couple"], ["3", "couple"], ["4", "alone"]]
        _code(people, "Marital", ("1", "2", "3", "4"), (5, 4, 2, 1), levels=levels)
    if people.chance(0.4):
        births = [_born(rng, age) for age in ages]
        people.add("Born", births, role="quasi-identifier")
    _illness(people)
    _earnings(people, ages)
    _wealth(people)
    return people


def _born(rng: random.Random, age: int) -> str:
    return (datetime.date(2026, 1, 1) - datetime.timedelta(days=365 * age + rng.randrange(365))).isoformat()


def _illness(people: Population) -> None:
    some = _ILLNESSES[: people.rng.randint(3, len(_ILLNESSES))]
    shares = [people.rng.uniform(0.4, 2) for _ in some]
    people.add("Diagnosis", people.rng.choices(some, shares, k=people.size), role="untouched")


def _earnings(people: Population, ages: list[int]) -> None:
    rng = people.rng
    wages = [0 if age < 20 or rng.random() < 0.15 else int(rng.lognormvariate(10, 0.7)) for age in ages]
    other = people.cells(lambda: int(rng.lognormvariate(7, 1.2)))
    income = [a + b for a, b in zip(wages, other, strict=True)]
    tax = [int(amount * rng.uniform(0, 0.45)) for amount in income]
    people.add("Wages", wages, role="confidential")
    people.add("Other", other, role="confidential")
    people.add("Income", income, role=rng.choice(("confidential", "confidential", "quasi-identifier")))
    people.add("Tax", tax, role="confidential")
    people.edit("income", "number(Wages) + number(Other) = number(Income)", "Wages", "Other", "Income")
    people.edit("tax", "number(Tax) <= number(Income)", "Tax", "Income")
    people.edit("tax-share", "number(Tax) <= 0.5 * number(Income)", "Tax", "Income")
    people.edit("young", "not(number(Age) < 20) or number(Wages) = 0", "Age", "Wages")
    people.edit("other-positive", "number(Other) >= 0", "Other")


def _wealth(people: Population) -> None:
    """Amounts with cents and large outliers; some are missing."""
    rng = people.rng
    wealth = people.cells(lambda: f"{rng.paretovariate(1.1) * 1000:.2f}")
    _lose(people, "Wealth", wealth)
    people.add("Wealth", wealth, role="confidential")
    guarded = " or ".join([*(f"Wealth = '{code}'" for code in people.missing.get("Wealth", ())), "number(Wealth) >= 0"])
    people.edit("wealth", guarded, "Wealth")
    if people.chance(0.5):
        hours = people.cells(lambda: round(rng.gauss(36, 9)))
        people.add("Hours", [max(0, hour) for hour in hours], role="confidential")
        people.edit("week", "number(Hours) <= 168", "Hours")


# Firms.

_BRANCHES = ("1011", "1012", "1020", "4711", "4719", "4721", "6201")


def _firms(rng: random.Random, size: int) -> Population:
    people = Population(rng, size, rng.choice(("Firm", "Unit")))
    staff = people.cells(lambda: 1 + int(rng.paretovariate(0.9) * 3))
    people.add("Staff", staff, role="quasi-identifier")
    people.edit("staff", "number(Staff) >= 1", "Staff")
    _code(people, "Branch", _BRANCHES, [1] * 6 + [rng.choice((1, 0.05))], prefix=[3, 2])
    _code(people, "Form", ("AG", "GmbH", "KG"), (1, 3, 2))
    if people.chance(0.4):
        _code(people, "Size", ("small", "medium", "large"), (5, 3, 2))
    _rating(people)
    turnover = [int(number * rng.lognormvariate(11, 1)) for number in staff]
    costs = [int(amount * rng.uniform(0.5, 1.2)) for amount in turnover]
    wages = [int(amount * rng.uniform(0, 0.6)) for amount in costs]
    people.add("Turnover", turnover, role=rng.choice(("confidential", "quasi-identifier")))
    people.add("Costs", costs, role="confidential")
    people.add("Profit", [a - b for a, b in zip(turnover, costs, strict=True)], role="confidential")
    people.add("Payroll", wages, role="confidential")
    people.edit("profit", "number(Turnover) - number(Costs) = number(Profit)", "Turnover", "Costs", "Profit")
    people.edit("payroll", "number(Payroll) <= number(Costs)", "Payroll", "Costs")
    people.edit("turnover", "number(Turnover) >= 0", "Turnover")
    if people.chance(0.5):
        export = people.cells(lambda: int(rng.paretovariate(1) * 100) if rng.random() < 0.6 else 0)
        _lose(people, "Export", export)
        people.add("Export", export, role="confidential")
    return people


def _rating(people: Population) -> None:
    people.add("Rating", people.rng.choices("ABCDE", (3, 4, 3, 2, 1), k=people.size), role="untouched")


# Both.

_MISSING = ("NA", "n/a", ".", "-9", "99998")
_SYLLABLES = ("ka", "lo", "mi", "re", "su", "to", "va", "ze", "dri", "fen")


def _code(people: Population, name: str, values: tuple[str, ...], shares: Any, **levels: Any) -> None:
    """Add a category, to be masked as a quasi-identifier, with coarser levels, or kept; a rule lists its values."""
    cells = people.rng.choices(values, shares, k=people.size)
    is_masked = people.chance(0.5)
    if is_masked:
        people.add(name, cells, role="quasi-identifier", type="nominal", **_hierarchy(people, **levels))
    else:
        people.add(name, cells, role="untouched", type="nominal")
    listed = ", ".join(f"'{value}'" for value in sorted(values))
    people.edit(f"{name.lower()}-code", f"{name} = ({listed})", name)


def _hierarchy(people: Population, **levels: Any) -> Wish:
    """Return the entry of a hierarchy, in half of the files."""
    return {"hierarchy": levels} if levels and people.chance(0.5) else {}


def _lose(people: Population, name: str, cells: list[Any]) -> None:
    """Write missing codes over some cells."""
    if not people.chance(0.6):
        return
    codes = people.rng.sample(_MISSING, people.rng.choice((1, 1, 2)))
    share = people.rng.choice((0.03, 0.1, 0.25))
    for row in range(people.size):
        if people.rng.random() < share:
            cells[row] = people.rng.choice(codes)
    used = [code for code in codes if code in cells]
    if used:
        people.missing[name] = used


def _surround(people: Population) -> None:
    """Add what every file has besides: identifiers, household numbers, names, years, sampling weights."""
    rng = people.rng
    number = rng.choice(("@id", "UnitNr", "UnitNr"))
    people.add(number, rng.sample([f"ID{i:07d}" for i in range(3 * people.size)], people.size), **_REMOVED)
    if people.chance(0.5):
        people.add("FullName", people.cells(lambda: _name(rng)), **_REMOVED)
    if people.chance(0.3):
        people.add("HouseholdNr", people.cells(lambda: f"HH{rng.randrange(people.size // 2):05d}"), **_REMOVED)
    if people.chance(0.4):
        people.add("SurveyYear", people.cells(lambda: rng.choice((2024, 2025))), role="untouched")
    if people.chance(0.4):
        people.add("Weight", people.cells(lambda: f"{rng.uniform(1, 30):.1f}"), role="untouched")
        people.weights = "Weight"


_REMOVED: Mapping[str, Any] = {"role": "identifier", "remove": True}


def _name(rng: random.Random) -> str:
    first, last = ("".join(rng.choices(_SYLLABLES, k=n)).capitalize() for n in (3, 4))
    return f"{first} {last}"
