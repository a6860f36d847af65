"""Why a rule survives: every reason there is occurs, and its sentence names the operator that gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.plan.plan import Plan, Why
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.settings.reason import because
from tests.maskers.extract import columns, extract, schema, the_block, the_rule

N = 12
NUMBERS = {
    "A": [3 * i % 11 + 1 for i in range(N)],
    "B": [5 * i % 13 + 2 for i in range(N)],
}
RECORDS = columns(
    **NUMBERS,
    C=[a + b for a, b in zip(*NUMBERS.values(), strict=True)],
    P=[a * b for a, b in zip(*NUMBERS.values(), strict=True)],
    S=[(2, 5, 7)[i % 3] for i in range(N)],
    Sex=["F", "M"] * 6,
)


def planned(tmp_path: Path, test: str, recipe: str | None = None) -> Plan:
    return extract(tmp_path, RECORDS, {"R": test}, recipe).design(3).plan


@pytest.mark.parametrize(
    ("test", "why", "says"),
    [
        ("Sex = ('F', 'M')", Why.UNTOUCHED, "masking changes none of its variables"),
        ("number(S) = (2, 5, 7)", Why.PRESERVED, "lower median: the value is that of a member"),
        ("number(A) + number(B) = number(C)", Why.EXACT, "arithmetic mean: the solutions of a linear condition"),
        ("number(A) <= 100", Why.EXACT, "arithmetic mean: the solutions of a linear condition are convex"),
        ("number(A) * number(B) = number(P)", Why.EXACT, "geometric mean: a product of powers"),
        ("abs(number(A) * number(B) - number(P)) <= 0.5", Why.CHECKED, "arithmetic mean: A, B, P: a product of means"),
        ("round(number(A) div 3) <= number(B) + 4", Why.CHECKED, "every representative is evaluated"),
        ("string-length(string-join(for $x in (A, B) return $x, '-')) > 2", Why.CHECKED, "is checked by Saxon"),
        ("string-length(string(.)) > 2", Why.CHECKED, "it may read any variable, because of ."),
        ("count(filter((A, B), function($x) { $x != '' })) > 1", Why.MEDOID, "from one actual record"),
        ("count(//Record) = 12 and number(A) > 0", Why.JUDGED, "reads more than its own record"),
    ],
)
def test_every_reason_occurs_and_names_the_operator(tmp_path: Path, test: str, why: Why, says: str) -> None:
    rule = the_rule(planned(tmp_path, test), "R")
    assert (rule.why, says in sentence(rule.because)) == (why, True), rule.because


def test_a_derived_variable_is_part_of_the_reason(tmp_path: Path) -> None:
    plan = planned(tmp_path, "number(A) + number(B) = number(C)")
    assert "C computed by R, digit for digit" in sentence(the_rule(plan, "R").because)
    assert sentence(the_block(plan, "C").strategy) == "arithmetic mean of A, B, C; then C computed from the others"


def test_strata_are_part_of_the_reason(tmp_path: Path) -> None:
    rule = the_rule(planned(tmp_path, "if (number(A) < 6) then number(C) <= 19 else number(C) >= 8"), "R")
    assert rule.why is Why.EXACT
    assert (rule.because.code, rule.because["is_stratified"]) == ("made-exact", True)
    assert sentence(rule.because).startswith("within each stratum, arithmetic mean")


def test_a_wish_of_the_recipe_changes_the_reason(tmp_path: Path) -> None:
    recipe = "variables: {A: {operator: medoid}, B: {operator: medoid}, C: {operator: medoid}}"
    rule = the_rule(planned(tmp_path, "number(A) + number(B) = number(C)", recipe), "R")
    assert (rule.why, rule.because) == (Why.MEDOID, because("copied-together", reads_any=False))


def test_too_many_conditions_are_checked_one_by_one(tmp_path: Path) -> None:
    test = " and ".join(f"(number(A) != {i} + 50 or number(B) != {i})" for i in range(7))
    rule = the_rule(planned(tmp_path, test), "R")
    assert rule.why is Why.CHECKED
    assert rule.because == because("too-many-conditions")


def test_the_reason_of_a_rule_on_a_variable_itself(tmp_path: Path) -> None:
    rules = schema({"R": "number(.) >= 0"}, context="Record/A")
    rule = the_rule(extract(tmp_path, RECORDS, rules).design(3).plan, "R")
    assert (rule.variables, rule.why) == (("A",), Why.EXACT)


@pytest.mark.parametrize(
    ("test", "parts", "operators"),
    [
        ("number(S) = (2, 5, 7)", "kept", [("lower median",)]),
        ("number(A) + number(B) = number(C)", "beside", []),
        ("number(A) + number(B) = number(C) and number(S) = (2, 5, 7)", "beside", [("lower median",)]),
    ],
)
def test_a_reason_names_no_operator_that_masks_none_of_the_rules_variables(
    tmp_path: Path, test: str, parts: str, operators: list[tuple[str, ...]]
) -> None:
    reason = the_rule(planned(tmp_path, test), "R").because
    assert [part["operators"] for part in reason[parts]] == operators


def test_a_merged_stratum_has_a_say_in_the_reason(tmp_path: Path) -> None:
    """One record of three lacks C: the only stratum is merged, and the rule still needs the exact step."""
    rows = columns(A=(1, 2, 4), B=(4, 6, 9), C=(1, 2, 3))
    del rows[0]["C"]
    given = extract(tmp_path, rows, {"R": "number(A) <= number(B)"}, "groups: all")
    assert the_rule(given.design(3).plan, "R").why is Why.EXACT
