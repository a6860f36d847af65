"""Realistic questionnaires: their records satisfy their rules, every condition occurs, and they can be masked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from constraint_sdc.exam.guarantee.business_questionnaire import BUSINESS, make_business
from constraint_sdc.exam.guarantee.exam import run_case
from constraint_sdc.exam.guarantee.generator import ExamCase, write_case
from constraint_sdc.exam.guarantee.household_survey import HOUSEHOLDS, make_households
from constraint_sdc.exam.guarantee.judging import judge, pooled_saxon
from constraint_sdc.exam.guarantee.questionnaire import Questionnaire, schema_xml, spelt
from constraint_sdc.plan.plan import ExactStep

MakeCase = Callable[[int], ExamCase]
SURVEYS = pytest.mark.parametrize(
    ("survey", "make", "rules"), [(BUSINESS, make_business, 45), (HOUSEHOLDS, make_households, 35)]
)


@pytest.fixture(autouse=True, scope="module")
def saxon() -> Iterator[None]:
    with pooled_saxon():
        yield


@SURVEYS
@pytest.mark.parametrize("seed", range(4))
def test_every_record_satisfies_every_rule(
    survey: Questionnaire, make: MakeCase, rules: int, seed: int, tmp_path: Path
) -> None:
    case = make(seed)
    files = write_case(case, tmp_path)
    report = judge(files.data, files.rules, survey.record)
    assert {count.assertion: (count.failed, count.errors) for count in report.counts} == dict.fromkeys(
        survey.rules, (0, 0)
    )
    assert len(survey.rules) == rules


@SURVEYS
def test_every_condition_occurs(survey: Questionnaire, make: MakeCase, rules: int, tmp_path: Path) -> None:
    """The premise of each if-then rule is true for some records of a file, so that masking could break the rule."""
    del rules
    numeric = {*survey.amounts, *survey.counts}
    premises = {
        name: spelt(test.partition(") or ")[0] + ")", numeric, "number")
        for name, test in survey.rules.items()
        if test.startswith("not(")
    }
    files = write_case(make(1), tmp_path)
    files.rules.write_text(schema_xml(survey.record, premises), encoding="utf-8")
    report = judge(files.data, files.rules, survey.record)
    assert {count.assertion for count in report.counts if count.failed} == set(premises)


@pytest.mark.parametrize(("make", "seed"), [(make_business, 28), (make_households, 3)])
def test_a_questionnaire_is_masked_with_few_actual_records(make: MakeCase, seed: int, tmp_path: Path) -> None:
    outcome = run_case(make(seed), tmp_path)
    assert (outcome.faults, outcome.refusal, outcome.withheld) == ((), None, None)
    groups = sum(outcome.steps.values())
    actual = outcome.steps.get(ExactStep.ANCHORED, 0) + outcome.steps.get(ExactStep.MEDOID, 0)
    assert actual <= 0.02 * groups


def test_the_same_seed_makes_the_same_questionnaire() -> None:
    assert make_business(3) == make_business(3)
    assert make_households(3) == make_households(3)


def test_names_in_quotes_are_texts() -> None:
    assert spelt("Size = 'Size' or Size > 1", {"Size"}, "number") == "number(Size) = 'Size' or number(Size) > 1"
