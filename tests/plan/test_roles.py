"""Who is masked: numbers are, texts and identifiers are not, and a recipe may say otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.errors import ConstraintSdcError, PlanRefusedError, UsageError
from constraint_sdc.plan.plan import Plan
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Role, Scale
from tests.maskers.extract import Extract, columns, extract

TEN = range(10)


def people(tmp_path: Path, recipe: str | None = None, rules: dict[str, str] | None = None) -> Extract:
    """Ten people: a serial number, a code, a sex, an age (some unknown), an income."""
    return extract(
        tmp_path,
        columns(
            Serial=[i + 1 for i in TEN],
            Postcode=[f"0{i % 3}12" for i in TEN],
            Sex=["F" if i % 2 else "M" for i in TEN],
            Age=["unknown" if i % 5 == 3 else 20 + i for i in TEN],
            Income=[100 * i + 7 for i in TEN],
        ),
        rules,
        recipe,
    )


def planned(tmp_path: Path, recipe: str | None = None, rules: dict[str, str] | None = None) -> Plan:
    return people(tmp_path, recipe, rules).design(2).plan


def kept(plan: Plan) -> dict[str, Role]:
    return {one.name: one.role for one in plan.kept}


def masked(plan: Plan) -> dict[str, tuple[Role, Scale]]:
    return {v.name: (v.role, v.scale) for block in plan.blocks for v in block.variables}


def test_without_a_recipe_only_numbers_are_masked_and_the_plan_says_what_it_assumed(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    assert masked(plan) == {"Income": (Role.CONFIDENTIAL, Scale.NUMERIC)}
    assert kept(plan) == {
        "Serial": Role.IDENTIFIER,
        "Postcode": Role.UNTOUCHED,
        "Sex": Role.UNTOUCHED,
        "Age": Role.UNTOUCHED,
    }
    assert plan.assumptions == (
        because("assumed-numbers", variables=("Income",)),
        because("assumed-texts", variables=("Postcode", "Sex", "Age")),
        because("assumed-identifiers", variables=("Serial",)),
    )


def test_a_missing_code_makes_a_number_of_a_text(tmp_path: Path) -> None:
    plan = planned(tmp_path, "missing: {Age: [unknown]}")
    assert masked(plan).keys() == {"Age", "Income"}


def test_a_code_with_leading_zeros_is_a_text_however_digital(tmp_path: Path) -> None:
    plan = planned(tmp_path, "variables: {Postcode: {role: quasi-identifier}}")
    assert masked(plan)["Postcode"] == (Role.QUASI_IDENTIFIER, Scale.NOMINAL)


def test_the_recipe_gives_roles_and_what_it_said_is_not_assumed(tmp_path: Path) -> None:
    recipe = """
    variables:
      Serial: {role: identifier, remove: true}
      Sex: {role: quasi-identifier, type: nominal}
      Postcode: {type: ordinal}
      Income: {role: untouched}
    """
    plan = planned(tmp_path, recipe)
    assert masked(plan) == {
        "Sex": (Role.QUASI_IDENTIFIER, Scale.NOMINAL),
        "Postcode": (Role.CONFIDENTIAL, Scale.ORDINAL),
    }
    assert {one.name: one.is_removed for one in plan.kept} == {"Serial": True, "Age": False, "Income": False}
    assert not any("Sex" in said or "Income" in said or "Serial" in said for said in sentences(plan.assumptions))


def test_the_recipes_key_is_an_identifier(tmp_path: Path) -> None:
    assert (
        kept(planned(tmp_path, "{key: Income, variables: {Serial: {role: confidential}}}"))["Income"] is Role.IDENTIFIER
    )


@pytest.mark.parametrize(
    ("name", "values", "is_identifier"),
    [
        ("Id", [4711, 12, 99, 5, 1, 77, 81, 23, 54, 60], True),
        ("person_id", [4711, 12, 99, 5, 1, 77, 81, 23, 54, 60], True),
        ("Id", [4711, 12, 99, 5, 1, 77, 81, 23, 54, 54], False),  # two people have the same
        ("Weight", [4711, 12, 99, 5, 1, 77, 81, 23, 54, 60], False),  # all differ, but so do weights
        ("Row", list(range(10)), True),  # counts the records
        ("Year", list(range(1990, 2000)), False),  # does not start at 0 or 1
        ("Paid", [4711, 12, 99, 5, 1, 77, 81, 23, 54, 60], False),  # ends in id, but is another word
    ],
)
def test_an_identifier_is_guessed_by_its_name_or_because_it_counts(
    tmp_path: Path, name: str, values: list[int], is_identifier: bool
) -> None:
    plan = extract(tmp_path, columns(**{name: values, "V": list(TEN)[::-1]})).design(2).plan
    assert (kept(plan).get(name) is Role.IDENTIFIER) == is_identifier


def test_what_a_rule_computes_with_is_no_identifier(tmp_path: Path) -> None:
    rules = {"less": "number(Serial) <= number(Income) + 100"}
    assert "Serial" in masked(planned(tmp_path, rules=rules))


@pytest.mark.parametrize(
    ("recipe", "refusal", "says"),
    [
        (
            "variables: {Serial: {role: identifier, operator: arithmetic mean}}",
            PlanRefusedError,
            "Serial is an identifier",
        ),
        ("groups: [[Serial, Income]]", PlanRefusedError, "Serial is an identifier and cannot be averaged"),
        ("{key: Income, groups: [[Income]]}", PlanRefusedError, "Income is an identifier and cannot be averaged"),
        ("variables: {Salary: {role: confidential}}", UsageError, "names 'Salary', which no record has"),
        ("groups: [[Income, Salary]]", UsageError, "names 'Salary', which no record has"),
        ("missing: {Salary: ['-9']}", UsageError, "names 'Salary', which no record has"),
        ("variables: {Sex: {type: numeric}}", UsageError, "Sex must be numeric, but some of its values are not"),
        ("groups: [[Sex, Income]]", UsageError, "entries to mask Sex, but its role is untouched"),
        ("variables: {Sex: {role: confidential, operator: arithmetic mean}}", UsageError, "the arithmetic mean of Sex"),
        ("variables: {Income: {role: untouched}}", UsageError, "no variable can be masked"),
    ],
)
def test_a_recipe_that_cannot_be_followed_is_refused_with_the_way_out(
    tmp_path: Path, recipe: str, refusal: type[ConstraintSdcError], says: str
) -> None:
    with pytest.raises(refusal) as refused:
        planned(tmp_path, recipe)
    assert says in str(refused.value)
    assert refused.value.hint
    assert refused.value.exit_code == (3 if refusal is PlanRefusedError else 2)
