"""A rule ties a masked variable to one that stays: divide the records by it, live with a bound, or refuse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.errors import PlanRefusedError
from tests.maskers.extract import columns, extract

N = 30
PINNED = "variables: {Type: {role: untouched}}"


def by_type(types: list[int]) -> list[dict[str, str]]:
    rng = np.random.default_rng(len(set(types)))
    parts = rng.integers(0, 50, len(types))
    return columns(A=parts.tolist(), B=[100 * t - a for t, a in zip(types, parts.tolist(), strict=True)], Type=types)


def test_a_pinned_code_divides_the_records(tmp_path: Path) -> None:
    """A + B = 100 * Type: within one type the sum is the same for all."""
    given = extract(
        tmp_path, by_type([1 + i % 4 for i in range(N)]), {"sum": "number(A) + number(B) = 100 * number(Type)"}, PINNED
    )
    result = given.mask(4)
    given.requires_all_rules()
    assert given.column("Type") == [record["Type"] for record in given.original()]
    for rows in result.masked.blocks[0].groups.each():
        assert len({given.original()[row]["Type"] for row in rows.tolist()}) == 1


def test_a_code_with_a_rare_value_is_merged_or_refused_but_never_broken(tmp_path: Path) -> None:
    given = extract(
        tmp_path, by_type([1] * (N - 1) + [2]), {"sum": "number(A) + number(B) = 100 * number(Type)"}, PINNED
    )
    with pytest.raises(PlanRefusedError, match="must share them"):
        given.mask(4)
    assert not given.output.exists()


def test_more_values_than_groups_are_refused_when_the_rule_needs_the_very_value(tmp_path: Path) -> None:
    given = extract(
        tmp_path, by_type(list(range(1, N + 1))), {"sum": "number(A) + number(B) = 100 * number(Type)"}, PINNED
    )
    with pytest.raises(PlanRefusedError, match="ties A, which is masked, to Type"):
        given.mask(4)


def test_an_inequality_with_a_pinned_number_is_satisfied(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    limit = rng.integers(500, 900, N)
    rows = columns(A=(limit - rng.integers(0, 400, N)).tolist(), Limit=limit.tolist())
    given = extract(tmp_path, rows, {"capped": "number(A) <= number(Limit)"}, "variables: {Limit: {role: untouched}}")
    given.mask(3)
    given.requires_all_rules()
    assert given.column("Limit") == [row["Limit"] for row in rows]
    assert given.smallest_group("A") >= 3


def test_a_category_in_a_condition_needs_no_masking(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    sex = rng.choice(["F", "M"], N).tolist()
    rows = columns(Sex=sex, Leave=[int(rng.integers(1, 50)) if s == "F" else 0 for s in sex])
    given = extract(tmp_path, rows, {"leave": "Sex = 'F' or number(Leave) = 0"})
    given.mask(4)
    given.requires_all_rules()
    assert given.column("Sex") == sex


def test_too_few_of_a_category_let_it_join_the_block(tmp_path: Path) -> None:
    """Two women with a leave, and every man must have none: nobody asked to keep Sex, so it may change."""
    rows = columns(Sex=["F", "F"] + ["M"] * 10, Leave=[20, 30] + [0] * 10)
    given = extract(tmp_path, rows, {"leave": "(Sex = 'F' and number(Leave) > 0) or (Sex = 'M' and number(Leave) = 0)"})
    result = given.mask(4)
    given.requires_all_rules()
    assert [block.names for block in result.plan.blocks] == [("Sex", "Leave")]
    assert given.smallest_group("Sex", "Leave") >= 4


def test_the_same_with_the_category_pinned_is_refused(tmp_path: Path) -> None:
    rows = columns(Sex=["F", "F"] + ["M"] * 10, Leave=[20, 30] + [0] * 10)
    rules = {"leave": "(Sex = 'F' and number(Leave) > 0) or (Sex = 'M' and number(Leave) = 0)"}
    with pytest.raises(PlanRefusedError, match="must share them"):
        extract(tmp_path, rows, rules, "variables: {Sex: {role: untouched}}").mask(4)


def test_a_copied_rule_asks_only_for_the_unmasked_values_that_it_reads(tmp_path: Path) -> None:
    """A code list that only Saxon can look up is kept by copying; that ages differ is another rule's business."""
    (tmp_path / "codes.xml").write_text("<codes><i>n</i></codes>", encoding="utf-8")
    rows = columns(Job=["s", "s", "r", "r"], Ind=["n"] * 4, Age=[20, 22, 70, 72])
    rules = {
        "list": "Ind = document('codes.xml')/codes/i",
        "idle": "not(Job = 's') or Ind = 'n'",
        "student": "not(Job = 's') or number(Age) <= 30",
    }
    masked = "{role: confidential, type: nominal}"
    recipe = f"variables: {{Job: {masked}, Ind: {masked}, Age: {{role: untouched}}}}"
    given = extract(tmp_path, rows, rules, recipe)
    given.mask(2)
    assert given.column("Job") == ["s", "s", "r", "r"]
    assert given.column("Age") == ["20", "22", "70", "72"]


def by_size(large: int, medium: int, small: int, researching: int) -> list[dict[str, str]]:
    """Firms of three sizes; so many of the large ones do research, which only they do."""
    rng = np.random.default_rng(5)
    size = ["L"] * large + ["M"] * medium + ["S"] * small
    low, high = {"L": 50, "M": 10, "S": 1}, {"L": 90, "M": 50, "S": 10}
    staff = [int(rng.integers(low[s], high[s])) for s in size]
    researchers = [2] * researching + [0] * (len(size) - researching)
    return columns(Size=size, Empl=staff, Research=[40 * r for r in researchers], Researchers=researchers)


SIZES = {
    "size-L": "not(Size = 'L') or number(Empl) >= 50",
    "size-M": "not(Size = 'M') or (number(Empl) >= 10 and number(Empl) < 50)",
    "size-S": "not(Size = 'S') or number(Empl) < 10",
    "research": "not(number(Research) > 0) or number(Researchers) >= 1",
    "no-research": "number(Research) > 0 or number(Researchers) = 0",
    "employed": "number(Researchers) <= number(Empl)",
}


@pytest.mark.parametrize(("k", "researching"), [(5, 3), (4, 2), (8, 3)])
def test_three_of_a_pinned_class_under_another_condition_are_merged_inside_it(
    tmp_path: Path, k: int, researching: int
) -> None:
    """Three large firms do research: they share values with large firms, which are 8 in all."""
    given = extract(tmp_path, by_size(8, 22, 30, researching), SIZES, "variables: {Size: {role: untouched}}")
    result = given.mask(k)
    given.requires_all_rules()
    assert given.smallest_group("Empl", "Research", "Researchers") >= k
    sizes = [record["Size"] for record in given.original()]
    for rows in result.masked.blocks[0].groups.each():
        assert len({sizes[row] for row in rows.tolist()}) == 1


def test_a_pinned_class_below_k_shares_values_with_a_class_whose_rules_allow_it(tmp_path: Path) -> None:
    """Three large firms of k = 5: medium ones may have 50 or more, small ones may not."""
    rules = {**SIZES, "size-M": "not(Size = 'M') or number(Empl) >= 10"}
    given = extract(tmp_path, by_size(3, 22, 30, 0), rules, "variables: {Size: {role: untouched}}")
    result = given.mask(5, allow_idle=("all",))
    given.requires_all_rules()
    sizes = [record["Size"] for record in given.original()]
    (shared,) = [rows for rows in result.masked.blocks[0].groups.each() if 0 in rows]
    assert {sizes[row] for row in shared.tolist()} == {"L", "M"}


def test_a_rule_of_unknown_meaning_is_tried_with_values_that_differ_from_record_to_record(tmp_path: Path) -> None:
    """No group can share the numbers of Type, and the rule does not need it to."""
    rows = columns(A=range(10, 10 + N), B=range(N), Type=range(500, 500 + N))
    given = extract(tmp_path, rows, {"texts": "not(starts-with(concat(Type, A), concat(A, A)))"}, PINNED)
    given.mask(4)
    given.requires_all_rules()
    assert given.column("Type") == [record["Type"] for record in given.original()]
