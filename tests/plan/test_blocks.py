"""Blocks: what rules tie is masked together, the rest three by three, most correlated together, or as asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.operators.mode import Mode
from constraint_sdc.plan.plan import Plan
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Role, Scale
from tests.maskers.extract import columns, extract, the_block, the_rule

RECORDS = 30


def numbers(seed: int, *names: str) -> dict[str, list[int]]:
    rng = np.random.default_rng(seed)
    return {name: rng.integers(0, 1000, RECORDS).tolist() for name in names}


def blocks(plan: Plan) -> list[tuple[str, ...]]:
    return [block.names for block in plan.blocks]


def test_rules_that_share_a_variable_share_a_block(tmp_path: Path) -> None:
    rules = {
        "one": "number(A) <= number(C) + 1000",
        "two": "number(C) <= number(E) + 1000",
        "apart": "number(B) <= number(D) + 1000",
    }
    plan = extract(tmp_path, columns(**numbers(1, *"ABCDEF")), rules).design(3).plan
    assert blocks(plan) == [("A", "C", "E"), ("B", "D"), ("F",)]
    assert the_block(plan, "A").block.because == the_block(plan, "B").block.because == because("tied-by-rules")
    assert {rule.rule for rule in the_block(plan, "A").rules} == {"one", "two"}


def test_a_rule_about_one_variable_ties_nothing(tmp_path: Path) -> None:
    plan = extract(tmp_path, columns(**numbers(2, *"ABC")), {"positive": "number(B) >= 0"}).design(3).plan
    assert blocks(plan) == [("A", "B", "C")]
    assert [rule.rule for rule in plan.blocks[0].rules] == ["positive"]


def test_the_rest_is_grouped_three_by_three_most_correlated_together(tmp_path: Path) -> None:
    base = numbers(3, "A", "B", "C")
    rng = np.random.default_rng(4)
    near = {f"{name}{i}": [value + int(rng.integers(0, 40)) for value in base[name]] for i in (1, 2) for name in base}
    mixed = {name: (base | near)[name] for name in ("A", "B1", "C", "B", "A2", "C1", "A1", "C2", "B2")}
    plan = extract(tmp_path, columns(**mixed)).design(3).plan
    assert {frozenset(names) for names in blocks(plan)} == {frozenset((n, n + "1", n + "2")) for n in "ABC"}
    assert blocks(plan)[0][0] == "A", "blocks come in the order of the file"


def test_negative_correlation_counts_as_well(tmp_path: Path) -> None:
    own = numbers(5, *"ABC")
    own["D"] = [1000 - value for value in own["A"]]
    plan = extract(tmp_path, columns(**own), recipe="group_size: 2").design(3).plan
    assert ("A", "D") in blocks(plan)


@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        ("group_size: 2", [3, 2]),  # one left over by itself would give its ranks away: it joins its nearest
        ("group_size: 1", [1, 1, 1, 1, 1]),
        ("group_size: 10", [5]),
        ("groups: all", [5]),
        ("groups: [[A, E], [B, C]]", [2, 2, 1]),
    ],
)
def test_the_recipe_says_how_many_share_a_block(tmp_path: Path, recipe: str, expected: list[int]) -> None:
    plan = extract(tmp_path, columns(**numbers(6, *"ABCDE")), recipe=recipe).design(3).plan
    assert sorted(map(len, blocks(plan)), reverse=True) == expected
    assert sorted(name for names in blocks(plan) for name in names) == list("ABCDE")


def test_explicit_groups_join_what_rules_tie(tmp_path: Path) -> None:
    rules = {"order": "number(A) <= number(C) + 1000"}
    plan = extract(tmp_path, columns(**numbers(7, *"ABCDE")), rules, "groups: [[C, D], [E]]").design(3).plan
    assert blocks(plan) == [("A", "C", "D"), ("B",), ("E",)]
    assert the_block(plan, "A").block.because == because("tied-by-rules-and-recipe")
    assert the_block(plan, "E").block.because == because("grouped-by-recipe")


def test_quasi_identifiers_and_confidential_variables_do_not_mix_unless_asked(tmp_path: Path) -> None:
    roles = "variables: {A: {role: quasi-identifier}, B: {role: quasi-identifier}}"
    records = columns(**numbers(8, *"ABCD"))
    assert blocks(extract(tmp_path / "1", records, recipe=roles).design(3).plan) == [("A", "B"), ("C", "D")]
    asked = roles + "\ngroups: [[A, C]]"
    assert ("A", "B", "C") in blocks(extract(tmp_path / "2", records, recipe=asked).design(3).plan)


def test_categories_are_grouped_apart_from_numbers(tmp_path: Path) -> None:
    records = columns(**numbers(9, "A", "B"), Sex=["F", "M", "M"] * 10, Region=["N", "S"] * 15)
    roles = "variables: {Sex: {type: nominal}, Region: {type: nominal}}"
    plan = extract(tmp_path, records, recipe=roles).design(3).plan
    assert blocks(plan) == [("A", "B"), ("Sex", "Region")]
    assert {v.operator for v in the_block(plan, "Sex").variables} == {Mode.name}


def test_a_text_that_a_rule_ties_to_a_number_stays_and_divides_the_records(tmp_path: Path) -> None:
    """`Sex = 'F' or A <= 500`: its part about Sex alone does not change, so nothing needs to join."""
    records = columns(A=[100 + i for i in range(RECORDS)], Sex=["F", "M"] * 15)
    plan = extract(tmp_path, records, {"capped": "Sex = 'F' or number(A) <= 500"}).design(3).plan
    assert blocks(plan) == [("A",)]
    assert [one.name for one in plan.kept] == ["Sex"]


def test_a_text_compared_with_a_masked_variable_joins_its_block(tmp_path: Path) -> None:
    digits = [str(i % 4) for i in range(RECORDS)]
    records = columns(A=digits, Code=[f"c{digit}" for digit in digits])
    plan = extract(tmp_path, records, {"same": "concat('c', A) = Code"}).design(3).plan
    assert blocks(plan) == [("A", "Code")]
    code = plan.blocks[0].variables[1]
    assert (code.role, code.scale) == (Role.CONFIDENTIAL, Scale.NOMINAL)
    assert because("joins-block", variable="Code") in plan.assumptions
    assert plan.kept == ()


def test_rules_across_records_tie_nothing_and_are_judged(tmp_path: Path) -> None:
    rules = {"all": "sum(//Record/A) >= 0 and sum(//Record/B) >= 0"}
    plan = extract(tmp_path, columns(**numbers(10, *"AB")), rules, "group_size: 1").design(3).plan
    assert blocks(plan) == [("A",), ("B",)]
    assert the_rule(plan, "all").why.value == "judged"


def test_a_small_stratum_gets_companions_if_less_is_lost_with_them(tmp_path: Path) -> None:
    """Three records with only a condition in common lie far apart, each with near neighbours that satisfy it too."""
    lonely = (7, 22, 37)
    gaps = [min(abs(i - one) for one in lonely) for i in range(45)]
    rows = columns(
        W=[1000 * (i // 15) + i % 15 for i in range(45)],
        X=[50 if gap == 0 else 51 if gap < 3 else 90 for gap in gaps],
        Z=[int(gap < 3 or i % 5 > 0) for i, gap in enumerate(gaps)],
    )
    given = extract(tmp_path, rows, {"R": "number(X) > 50 or number(Z) >= 1"}, "groups: all")
    _, small = given.design(3).blocks[0].strata
    assert small.rows.tolist() == [6, 7, 8, 21, 22, 23, 36, 37, 38]


@pytest.mark.parametrize(
    ("wish", "error", "says"),
    [
        ("", PlanRefusedError, "Code is nominal; rules draw Code into a block"),
        ("variables: {Code: {role: confidential}}", UsageError, "Code is nominal"),
    ],
)
def test_a_category_that_a_method_cannot_group_is_the_plans_refusal_unless_it_is_asked_for(
    tmp_path: Path, wish: str, error: type[Exception], says: str
) -> None:
    digits = [str(i % 4) for i in range(RECORDS)]
    records = columns(A=digits, Code=[f"c{digit}" for digit in digits])
    recipe = f"mask: {{partition: pc1-projection}}\n{wish}"
    with pytest.raises(error, match=says) as refusal:
        extract(tmp_path, records, {"same": "concat('c', A) = Code"}, recipe).plan(3)
    assert type(refusal.value) is error


@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        ("", [("A", "B", "C", "D")]),
        ("group_size: 2", [("A", "B"), ("C", "D")]),
        ("groups: [[A, B]]", [("A", "B"), ("C", "D")]),
    ],
)
def test_a_masker_puts_all_variables_together_unless_the_recipe_groups_them(
    tmp_path: Path, recipe: str, expected: list[tuple[str, ...]]
) -> None:
    own = numbers(7, "A", "C")
    cells = {"A": own["A"], "B": [2 * a for a in own["A"]], "C": own["C"], "D": [3 * c for c in own["C"]]}
    given = extract(tmp_path, columns(**cells), recipe=f"mask: {{masker: microhybrid, partition: mdav}}\n{recipe}")
    assert blocks(given.design(6).plan) == expected
