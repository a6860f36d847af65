"""Structural business statistics: 40 variables of a firm and the 45 rules that such a questionnaire is edited with.

Balance edits tie almost all amounts to each other; ratios bound them by the number of employees; conditions depend on
size, division and legal form, which are published as they are, and on masked amounts that are zero for most firms.
"""

from __future__ import annotations

import random

from constraint_sdc.exam.guarantee.generator import ExamCase
from constraint_sdc.exam.guarantee.questionnaire import Amounts, Answers, Questionnaire, case_of

_BALANCES = {
    "employed": "FullTime + PartTime = Empl",
    "sexes": "Female + Male = Empl",
    "activities": "Industry + Trade + Services = Turnover",
    "markets": "Domestic + Export = Turnover",
    "exports": "ExportEU + ExportOther = Export",
    "purchases": "Goods + Materials + Energy + Bought = Purchases",
    "staff-costs": "Wages + Social = StaffCosts",
    "costs": "Purchases + StaffCosts = Costs",
    "stocks": "StockEnd - StockStart = StockChange",
    "investment": "Land + Buildings + Machines + Software = Invest",
    "production": "Turnover + StockChange - Goods = Production",
    "value-added": "Production - Materials - Energy - Bought = ValueAdded",
    "surplus": "ValueAdded - StaffCosts = Surplus",
}
_BOUNDS = {
    "somebody": "Empl >= 1",
    "hours-positive": "Hours >= 1",
    "turnover-positive": "Turnover >= 0",
    "stock-start": "StockStart >= 0",
    "stock-end": "StockEnd >= 0",
    "invest-positive": "Invest >= 0",
    "energy-positive": "Energy > 0",
    "founded-from": "Founded >= 1850",
    "founded-to": "Founded <= 2025",
}
_RATIOS = {
    "social-most": "Social <= 0.5 * Wages",
    "social-least": "Social >= 0.1 * Wages",
    "wages-least": "Wages >= 10 * Empl",
    "wages-most": "Wages <= 100 * Empl",
    "hours-most": "Hours <= 2000 * Empl",
    "hours-least": "Hours >= 100 * Empl",
    "turnover-most": "Turnover <= 1000 * Empl",
    "export-most": "Export <= Turnover",
    "apprentices-most": "Apprentices <= Empl",
    "researchers-most": "Researchers <= Empl",
    "energy-most": "Energy <= 0.2 * Turnover + 1",
}
_CONDITIONS = {
    "research": "not(Research > 0) or Researchers >= 1",
    "no-research": "not(Research = 0) or Researchers = 0",
    "small": "not(Size = 'S') or Empl <= 9",
    "medium": "not(Size = 'M') or (Empl >= 10 and Empl <= 49)",
    "large": "not(Size = 'L') or Empl >= 50",
    "apprentices": "not(Apprentices > 0) or Empl >= 5",
    "manufacturer": "not(Division = ('10', '25')) or Industry >= 0.5 * Turnover",
    "trader": "not(Division = ('45', '47')) or Trade >= 0.5 * Turnover",
    "sole-owner": "not(Form = 'sole') or Dividends = 0",
    "dividends": "not(Dividends > 0) or Surplus > 0",
}
_CODES = {"division": "substring(Nace, 1, 2) = Division", "region": "Region = ('N', 'E', 'S', 'W')"}

_UNTOUCHED = ("Nace", "Division", "Region", "Size", "Form")
_COUNTS = ("Empl", "FullTime", "PartTime", "Female", "Male", "Apprentices", "Hours", "Researchers", "Founded")
_AMOUNTS = (
    *("Turnover", "Industry", "Trade", "Services", "Domestic", "Export", "ExportEU", "ExportOther"),
    *("Purchases", "Goods", "Materials", "Energy", "Bought", "Wages", "Social", "StaffCosts", "Costs"),
    *("StockStart", "StockEnd", "StockChange", "Land", "Buildings", "Machines", "Software", "Invest"),
    *("Production", "ValueAdded", "Surplus", "Research", "Dividends"),
)
BUSINESS = Questionnaire(
    "Firm", {**_BALANCES, **_BOUNDS, **_RATIOS, **_CONDITIONS, **_CODES}, _UNTOUCHED, _AMOUNTS, _COUNTS
)

_EMPLOYED = {"S": (1, 9), "M": (10, 49), "L": (50, 400)}
_MAIN = {"10": "Industry", "25": "Industry", "45": "Trade", "47": "Trade", "62": "Services"}
_LARGE_GROUPS = 4
_RESEARCHING = {"S": 0.05, "M": 0.15, "L": 0.4}


def make_business(seed: int) -> ExamCase:
    """Return the case of a seed: 60 to 310 firms, k from 3 to 8, amounts in whole thousands or with cents.

    Large firms are all asked, so there are a few groups of them at least.
    """
    rng = random.Random(f"business {seed}")
    amounts = Amounts(rng, has_cents=rng.random() < 0.3)
    k = rng.choice((3, 5, 5, 8))
    count = 20 * k + rng.randint(0, 150)
    sizes = [*("L" * (_LARGE_GROUPS * k)), *rng.choices("SM", (2, 1), k=count - _LARGE_GROUPS * k)]
    rng.shuffle(sizes)
    return case_of(seed, BUSINESS, [_firm(rng, amounts, size) for size in sizes], k, has_cents=amounts.has_cents)


def _firm(rng: random.Random, amounts: Amounts, size: str) -> Answers:
    """Return a firm that satisfies every rule."""
    division = rng.choice(list(_MAIN))
    form = rng.choices(("sole", "limited", "public"), (0.4, 0.4, 0.2))[0]
    people = _people(rng, size)
    employed = people["Empl"]
    sold = _sales(rng, amounts, amounts.between(60 * employed, 400 * employed), _MAIN[division])
    bought = _purchases(amounts, sold)
    wages = amounts.between(20 * employed, 60 * employed)
    social = amounts.share(wages, 0.15, 0.35)
    stocks = [amounts.share(sold["Turnover"], 0.0, 0.1) for _ in range(2)]
    production = sold["Turnover"] + stocks[1] - stocks[0] - bought["Goods"]
    added = production - bought["Materials"] - bought["Energy"] - bought["Bought"]
    surplus = added - wages - social
    pays = form != "sole" and surplus > 0 and rng.random() < 0.3
    researches = rng.random() < _RESEARCHING[size]
    return {
        "Nace": division + rng.choice(("11", "12", "20", "90")),
        "Division": division,
        "Region": rng.choice("NESW"),
        "Size": size,
        "Form": form,
        **people,
        **sold,
        **bought,
        "Wages": wages,
        "Social": social,
        "StaffCosts": wages + social,
        "Costs": bought["Purchases"] + wages + social,
        "StockStart": stocks[0],
        "StockEnd": stocks[1],
        "StockChange": stocks[1] - stocks[0],
        **_investment(rng, amounts, sold["Turnover"]),
        "Production": production,
        "ValueAdded": added,
        "Surplus": surplus,
        "Research": amounts.rounded(100 + amounts.share(sold["Turnover"], 0.005, 0.05)) if researches else 0,
        "Researchers": rng.randint(1, max(1, employed // 10)) if researches else 0,
        "Dividends": amounts.share(surplus, 0.1, 0.5) if pays else 0,
        "Founded": 2025 - min(int(rng.expovariate(1 / 25)), 170),
    }


def _people(rng: random.Random, size: str) -> dict[str, int]:
    employed = rng.randint(*_EMPLOYED[size])
    full_time = rng.randint((employed + 1) // 2, employed)
    part_time = employed - full_time
    female = rng.randint(0, employed)
    return {
        "Empl": employed,
        "FullTime": full_time,
        "PartTime": part_time,
        "Female": female,
        "Male": employed - female,
        "Apprentices": rng.randint(0, employed // 5) if employed >= 5 else 0,
        "Hours": full_time * rng.randint(1400, 1900) + part_time * rng.randint(300, 1200),
    }


def _sales(rng: random.Random, amounts: Amounts, turnover: int, main: str) -> dict[str, int]:
    in_main = turnover if rng.random() < 0.3 else amounts.share(turnover, 0.6, 1.0)
    first, second = (name for name in ("Industry", "Trade", "Services") if name != main)
    aside = amounts.share(turnover - in_main, 0.0, 1.0)
    parts = {main: in_main, first: aside, second: turnover - in_main - aside}
    export = amounts.share(turnover, 0.05, 0.5) if rng.random() < 0.3 else 0
    inside = amounts.share(export, 0.2, 1.0)
    return {
        "Turnover": turnover,
        **{name: parts[name] for name in ("Industry", "Trade", "Services")},
        "Domestic": turnover - export,
        "Export": export,
        "ExportEU": inside,
        "ExportOther": export - inside,
    }


def _purchases(amounts: Amounts, sold: dict[str, int]) -> dict[str, int]:
    goods = amounts.share(sold["Trade"], 0.5, 0.8)
    materials = amounts.share(sold["Industry"], 0.2, 0.5)
    energy = amounts.rounded(100 + amounts.share(sold["Turnover"], 0.005, 0.04))
    services = amounts.share(sold["Turnover"], 0.05, 0.15)
    return {
        "Purchases": goods + materials + energy + services,
        "Goods": goods,
        "Materials": materials,
        "Energy": energy,
        "Bought": services,
    }


def _investment(rng: random.Random, amounts: Amounts, turnover: int) -> dict[str, int]:
    """Most firms buy machines, few buy land."""
    shares = {"Land": 0.05, "Buildings": 0.15, "Machines": 0.7, "Software": 0.4}
    parts = {name: amounts.share(turnover, 0.0, 0.08) if rng.random() < some else 0 for name, some in shares.items()}
    return {**parts, "Invest": sum(parts.values())}
