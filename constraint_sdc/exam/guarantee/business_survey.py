"""Business-survey files with few large firms: size classes that are published as they are, totals, if-then rules.

Most firms are small, a few are large, and the rules of a class bind its own firms. Records that satisfy another
condition are often fewer than k in a class: an exam of how small strata are brought to k records, and of refusals.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from constraint_sdc.exam.guarantee.generator import ExamCase
from constraint_sdc.exam.guarantee.questionnaire import data_xml, schema_xml

Firm = dict[str, int | str]

_EMPLOYED = {"S": (1, 9), "M": (10, 49), "L": (50, 400)}
_TOTALS = {
    "employed": "number(FullTime) + number(PartTime) = number(Empl)",
    "turnover": "number(Home) + number(Export) = number(Turnover)",
    "staff": "number(Wages) + number(Social) = number(Staff)",
    "costs": "number(Materials) + number(Staff) = number(Costs)",
    "result": "number(Turnover) - number(Costs) = number(Result)",
}
_BOUNDS = {
    "wages-positive": "number(Wages) > 0",
    "full-time": "number(FullTime) >= 1",
    "social": "number(Social) <= number(Wages)",
    "researchers": "number(Researchers) <= number(Empl)",
    "intra": "number(Intra) <= number(Turnover) + 100",
}
_CLASSES = {
    "size-L": "not(Size = 'L') or number(Empl) >= 50",
    "size-M": "not(Size = 'M') or (number(Empl) >= 10 and number(Empl) < 50)",
    "size-S": "not(Size = 'S') or number(Empl) < 10",
    "wages-L": "not(Size = 'L') or number(Wages) >= 1000",
    "wages-S": "not(Size = 'S') or number(Wages) <= 900",
}
# Conditions on masked variables: every firm that satisfies one side can stand for those of the other side.
_CONDITIONS = {
    "research": "not(number(Research) > 0) or number(Researchers) >= 1",
    "no-research": "not(number(Research) = 0) or number(Researchers) = 0",
    "exporter": "not(number(Export) > 0) or number(Turnover) >= 20",
    "loss": "not(number(Result) < 0) or number(Aid) > 0",
    "profit": "not(number(Result) >= 0) or number(Aid) = 0",
}
# Conditions on `Group`, which is published as it is: with the last one, members and others have nothing to share.
_MEMBERS = {
    "member": "not(Group = 'yes') or number(Intra) > 0",
    "member-aid": "not(Group = 'yes') or number(Aid) = 0",
    "member-L": "not(Group = 'yes' and Size = 'L') or number(Intra) >= 100",
    "alone": "not(Group = 'no') or number(Intra) = 0",
}


@dataclass
class _SurveyDraws:
    """The draws of one case."""

    rng: random.Random
    rules: dict[str, str] = field(default_factory=dict)

    def take(self, rules: dict[str, str], share: float) -> None:
        """Take each of these rules with this chance."""
        self.rules |= {name: test for name, test in rules.items() if self.rng.random() < share}

    def firm(self, size: str, *, is_member: bool, is_researcher: bool, has_loss: bool) -> Firm:
        """Return a firm that satisfies every rule."""
        rng = self.rng
        employed = rng.randint(*_EMPLOYED[size])
        full_time = rng.randint(1, employed)
        wages = min(employed * rng.randint(25, 60), 900) if size == "S" else max(employed * rng.randint(25, 60), 250)
        wages = max(wages, 1000) if size == "L" else wages
        social = wages // rng.randint(4, 7)
        materials = employed * rng.randint(5, 80)
        costs = materials + wages + social
        result = -rng.randint(1, costs // 4) if has_loss else rng.randint(0, costs // 2)
        turnover = costs + result
        export = rng.randint(1, turnover // 2) if rng.random() < 0.4 else 0
        research = rng.randint(5, 200) if is_researcher else 0
        return {
            "Size": size,
            "Group": "yes" if is_member else "no",
            "Empl": employed,
            "FullTime": full_time,
            "PartTime": employed - full_time,
            "Home": turnover - export,
            "Export": export,
            "Turnover": turnover,
            "Wages": wages,
            "Social": social,
            "Staff": wages + social,
            "Materials": materials,
            "Costs": costs,
            "Result": result,
            "Research": research,
            "Researchers": rng.randint(1, employed) if is_researcher else 0,
            "Aid": rng.randint(1, 90) if has_loss else 0,
            "Intra": rng.randint(100 if size == "L" else 1, max(turnover // 3, 100)) if is_member else 0,
        }


def make_survey(seed: int) -> ExamCase:
    """Return the case of a seed: 8 large, 22 medium and 30 small firms or about as many, k of 3 to 6."""
    rng = random.Random(seed)
    survey = _SurveyDraws(rng)
    k = rng.choice((3, 4, 5, 5, 5, 6))
    counts = {"L": rng.choice((8, 8, 7, 10)), "M": rng.choice((22, 18)), "S": 30}
    survey.rules |= _TOTALS if rng.random() < 0.7 else {}
    survey.take(_BOUNDS, 0.6)
    survey.rules |= {name: _CLASSES[name] for name in ("size-L", "size-S")}
    survey.take(_CLASSES, 0.6)
    survey.take(_CONDITIONS, 0.6)
    survey.take({name: _MEMBERS[name] for name in ("member", "member-aid", "member-L")}, 0.3)
    survey.take({"alone": _MEMBERS["alone"]}, 0.25)
    firms = [firm for size, count in counts.items() for firm in _firms(survey, size, count)]
    rng.shuffle(firms)
    across = _across(firms) if rng.random() < 0.1 else {}
    survey.rules |= across
    recipe = "variables: {Size: {role: untouched}, Group: {role: untouched}}\nmask: {partition: mdav}\n"
    return ExamCase(
        seed=seed,
        data=data_xml("Firm", firms),
        rules=schema_xml("Firm", survey.rules),
        recipe=recipe,
        k=k,
        records=len(firms),
        record="Firm",
        says=(f"{counts}", *(f"{name}: {test}" for name, test in survey.rules.items())),
        across=frozenset(across),
    )


def _across(firms: list[Firm]) -> dict[str, str]:
    """Return a rule across records that means of firms break: how many firms export."""
    exporters = sum(firm["Export"] != 0 for firm in firms)
    return {"exporters": f"count(../Firm[number(Export) > 0]) = {exporters}"}


def _firms(survey: _SurveyDraws, size: str, count: int) -> list[Firm]:
    """Return the firms of a size; about three of each satisfy one of the other conditions."""
    rng = survey.rng
    members = set(rng.sample(range(count), rng.randint(0, 2)))
    researchers, losing = (set(rng.sample(range(count), rng.randint(0, 4))) for _ in range(2))
    return [
        survey.firm(
            size, is_member=i in members, is_researcher=i in researchers, has_loss=i in losing and i not in members
        )
        for i in range(count)
    ]
