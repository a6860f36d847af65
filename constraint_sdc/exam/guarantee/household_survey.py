"""An income and living-conditions survey: 36 variables of a household and the 35 rules that it is edited with.

Small counts with many conditions: who lives there decides which incomes there can be, tenure decides which housing
costs, and most incomes are zero for most households. Households with one pattern of zeros are often fewer than k.
"""

from __future__ import annotations

import random

from constraint_sdc.exam.guarantee.generator import ExamCase
from constraint_sdc.exam.guarantee.questionnaire import Amounts, Answers, Questionnaire, case_of

_YEAR = 2026

_BALANCES = {
    "members": "Adults + Children = Persons",
    "activity": "Workers + Unemployed + Retired + OtherAdults = Adults",
    "gross": "Labour + Business + Pension + JobBenefit + ChildBenefit + Capital = Gross",
    "net": "Gross - Tax - Contributions = Net",
    "housing": "Rent + Mortgage + Utilities = Housing",
    "spending": "Food + Housing + OtherSpending = Spending",
    "saving": "Net - Spending = Saving",
    "born": f"{_YEAR} - HeadAge = HeadBorn",
    "scale": "1 + 0.5 * (Adults - 1) + 0.25 * Children = Equivalents",
    "equivalent-income": "abs(EquivalentIncome * Equivalents - Net) <= Equivalents",
}
_BOUNDS = {
    "an-adult": "Adults >= 1",
    "a-room": "Rooms >= 1",
    "head-least": "HeadAge >= 16",
    "head-most": "HeadAge <= 105",
    "area-least": "Area >= 8 * Rooms",
    "area-most": "Area <= 80 * Rooms",
    "tax-most": "Tax <= 0.6 * Gross",
    "food-positive": "Food > 0",
    "cars": "Cars <= Adults + 2",
    "contributions": "Contributions <= 0.3 * (Labour + Business) + 1",
}
_CONDITIONS = {
    "spouse": "not(Couple = 'yes') or SpouseAge >= 16",
    "no-spouse": "not(Couple = 'no') or SpouseAge = 0",
    "two-adults": "not(Couple = 'yes') or Adults >= 2",
    "child-age": "not(Children > 0) or EldestChild <= HeadAge - 14",
    "no-child": "not(Children = 0) or EldestChild = 0",
    "child-benefit": "not(ChildBenefit > 0) or Children >= 1",
    "tenant": "not(Tenure = 'tenant') or (Rent > 0 and Mortgage = 0)",
    "owner": "not(Tenure = 'owner') or Rent = 0",
    "free": "not(Tenure = 'free') or Rent + Mortgage = 0",
    "worker": "not(Labour > 0) or Workers >= 1",
    "no-worker": "not(Workers = 0) or Labour + Business = 0",
    "pensioner": "not(Pension > 0) or Retired >= 1",
    "job-benefit": "not(JobBenefit > 0) or Unemployed >= 1",
}
_CODES = {
    "region": "Region = ('North', 'East', 'South', 'West')",
    "tenures": "Tenure = ('owner', 'tenant', 'free')",
}

_UNTOUCHED = ("Region", "Tenure", "Couple")
_COUNTS = (
    *("Persons", "Adults", "Children", "Workers", "Unemployed", "Retired", "OtherAdults"),
    *("HeadAge", "HeadBorn", "SpouseAge", "EldestChild", "Rooms", "Area", "Cars", "Equivalents"),
)
_AMOUNTS = (
    *("Labour", "Business", "Pension", "JobBenefit", "ChildBenefit", "Capital", "Gross", "Tax", "Contributions"),
    *("Net", "Rent", "Mortgage", "Utilities", "Housing", "Food", "OtherSpending", "Spending", "Saving"),
    "EquivalentIncome",
)
HOUSEHOLDS = Questionnaire(
    "Household", {**_BALANCES, **_BOUNDS, **_CONDITIONS, **_CODES}, _UNTOUCHED, _AMOUNTS, _COUNTS
)


def make_households(seed: int) -> ExamCase:
    """Return the case of a seed: 60 to 310 households, k from 3 to 8, amounts in whole units or with cents."""
    rng = random.Random(f"households {seed}")
    amounts = Amounts(rng, has_cents=rng.random() < 0.3)
    k = rng.choice((3, 5, 5, 8))
    households = [_household(rng, amounts) for _ in range(20 * k + rng.randint(0, 150))]
    return case_of(seed, HOUSEHOLDS, households, k, has_cents=amounts.has_cents)


def _household(rng: random.Random, amounts: Amounts) -> Answers:
    """Return a household that satisfies every rule."""
    head = min(105, max(18, int(rng.gauss(52, 18))))
    is_couple = rng.random() < 0.55
    adults = 1 + is_couple + (rng.random() < 0.15)
    children = rng.choice((1, 1, 2, 2, 3)) if 22 <= head <= 58 and rng.random() < 0.5 else 0
    activity = _activity(rng, adults, head)
    income = _income(rng, amounts, activity, children)
    net = income["Net"]
    spent = _spending(rng, amounts, net, tenure := rng.choices(("owner", "tenant", "free"), (0.55, 0.4, 0.05))[0])
    quarters = 4 + 2 * (adults - 1) + children
    rooms = min(12, max(1, adults + children + rng.randint(-1, 2)))
    return {
        "Region": rng.choice(("North", "East", "South", "West")),
        "Tenure": tenure,
        "Couple": "yes" if is_couple else "no",
        "Persons": adults + children,
        "Adults": adults,
        "Children": children,
        **activity,
        "HeadAge": head,
        "HeadBorn": _YEAR - head,
        "SpouseAge": min(105, max(18, head + rng.randint(-8, 8))) if is_couple else 0,
        "EldestChild": rng.randint(0, min(17, head - 18)) if children else 0,
        "Rooms": rooms,
        "Area": rooms * rng.randint(14, 40),
        "Cars": rng.randint(0, adults),
        "Equivalents": f"{quarters / 4:.2f}",
        **income,
        **spent,
        "Saving": net - spent["Spending"],
        "EquivalentIncome": amounts.rounded(4 * net / quarters),
    }


def _activity(rng: random.Random, adults: int, head: int) -> dict[str, int]:
    """Return how many adults work, look for work, are retired, or do something else."""
    likely = ("Workers", "Retired") if head < 63 else ("Retired", "Workers")
    shares = (0.75, 0.05) if head < 63 else (0.85, 0.08)
    kinds = [*likely, "Unemployed", "OtherAdults"]
    found = rng.choices(kinds, (*shares, 0.08, 0.1), k=adults)
    return {kind: found.count(kind) for kind in ("Workers", "Unemployed", "Retired", "OtherAdults")}


def _income(rng: random.Random, amounts: Amounts, activity: dict[str, int], children: int) -> dict[str, int]:
    workers = activity["Workers"]
    labour = amounts.between(12_000 * workers, 60_000 * workers) if workers and rng.random() < 0.9 else 0
    business = amounts.between(2_000, 40_000) if workers and rng.random() < 0.12 else 0
    parts = {
        "Labour": labour,
        "Business": business,
        "Pension": amounts.between(8_000, 30_000) * activity["Retired"],
        "JobBenefit": amounts.between(3_000, 15_000) if activity["Unemployed"] and rng.random() < 0.7 else 0,
        "ChildBenefit": amounts.between(1_500, 3_000) * children if rng.random() < 0.8 else 0,
        "Capital": amounts.between(10, 9_000) if rng.random() < 0.4 else 0,
    }
    gross = sum(parts.values())
    tax = amounts.share(gross, 0.0, 0.35)
    contributions = amounts.share(labour + business, 0.05, 0.2)
    return {
        **parts,
        "Gross": gross,
        "Tax": tax,
        "Contributions": contributions,
        "Net": gross - tax - contributions,
    }


def _spending(rng: random.Random, amounts: Amounts, net: int, tenure: str) -> dict[str, int]:
    rent = amounts.between(2_400, 15_000) if tenure == "tenant" else 0
    mortgage = amounts.between(1_000, 14_000) if tenure == "owner" and rng.random() < 0.5 else 0
    utilities = amounts.between(600, 4_000)
    food = amounts.between(1_500, 9_000)
    other = amounts.share(max(net, 0), 0.1, 0.5)
    housing = rent + mortgage + utilities
    return {
        "Rent": rent,
        "Mortgage": mortgage,
        "Utilities": utilities,
        "Housing": housing,
        "Food": food,
        "OtherSpending": other,
        "Spending": food + housing + other,
    }
