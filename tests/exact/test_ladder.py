"""Every step of the ladder on a group that takes exactly that step, checked by Saxon on the written file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from constraint_sdc.plan.plan import ExactStep
from tests.maskers.extract import Extract, extract

GROUP = 3


def step_of(given: Extract) -> ExactStep:
    """Mask three records as one group; return the step of its only block, once Saxon has approved of every rule."""
    result = given.mask(GROUP)
    if given.rules:
        given.requires_all_rules()
    assert given.smallest_group(*result.plan.blocks[0].names) == GROUP
    (step,) = result.masked.blocks[0].step
    assert result.masked.blocks[0].price.steps == {step: 1}
    return step


def representative(given: Extract) -> dict[str, str]:
    first, *others = given.masked()
    assert all(record == first for record in others)
    return first


def test_rounded_when_the_means_satisfy_the_rules_as_they_are(tmp_path: Path) -> None:
    given = extract(
        tmp_path,
        """
        A  B
        1  4
        2  6
        4  10
        """,
        {"order": "number(A) <= number(B)"},
    )
    assert step_of(given) is ExactStep.ROUNDED
    assert representative(given) == {"A": "2", "B": "7"}


def test_derived_when_rounded_parts_do_not_add_up_to_the_rounded_total(tmp_path: Path) -> None:
    """Means 7/3, 16/3 and 23/3 round to 2, 5 and 8; the total becomes 7 by the rule's own sum."""
    given = extract(
        tmp_path,
        """
        V9  V10  V14
        1   5    6
        3   5    8
        3   6    9
        """,
        {"EC-LC": "number(V9) + number(V10) = number(V14)"},
    )
    assert step_of(given) is ExactStep.DERIVED
    assert representative(given) == {"V9": "2", "V10": "5", "V14": "7"}


def test_nudged_when_the_doubles_do_not_add_up(tmp_path: Path) -> None:
    """The means are 0.10 and 0.20, and in double arithmetic 0.1 + 0.2 is no number with two decimals."""
    given = extract(
        tmp_path,
        """
        A     B     C
        0.05  0.15  0.20
        0.10  0.10  0.20
        0.15  0.35  0.50
        """,
        {"total": "number(A) + number(B) = number(C)"},
    )
    assert 0.1 + 0.2 != 0.3
    assert step_of(given) is ExactStep.NUDGED
    found = representative(given)
    assert float(found["A"]) + float(found["B"]) == float(found["C"])
    assert {len(text) for text in found.values()} == {4}, "two decimals stay two decimals"
    assert abs(float(found["C"]) - 0.3) < 0.015


def test_the_same_sum_in_decimal_arithmetic_needs_no_nudge(tmp_path: Path) -> None:
    given = extract(
        tmp_path,
        """
        A     B     C
        0.05  0.15  0.20
        0.10  0.10  0.20
        0.15  0.35  0.50
        """,
        {"total": "xs:decimal(A) + xs:decimal(B) = xs:decimal(C)"},
    )
    assert step_of(given) is ExactStep.ROUNDED
    assert representative(given) == {"A": "0.10", "B": "0.20", "C": "0.30"}


def test_repaired_when_whole_numbers_satisfy_two_equalities_far_apart_only(tmp_path: Path) -> None:
    """47 A = 100 B leaves B the multiples of 47; the mean of B is 611/3, and 188 the nearest of them."""
    given = extract(
        tmp_path,
        """
        A    B    C   D
        100  47   10  57
        300  141  20  161
        900  423  40  463
        """,
        {"rate": "number(A) * 47 = number(B) * 100", "total": "number(B) + number(C) = number(D)"},
    )
    assert step_of(given) is ExactStep.REPAIRED
    assert representative(given) == {"A": "400", "B": "188", "C": "23", "D": "211"}


def test_a_variable_that_the_whole_group_lacks_does_not_hinder_the_repair(tmp_path: Path) -> None:
    records = """
        A    B    C   D    E
        100  47   10  57   ~
        300  141  20  161  ~
        900  423  40  463  ~
        7    3    1   4    5
        7    3    1   4    5
        7    3    1   4    5
        """
    rules = {"rate": "E or number(A) * 47 = number(B) * 100", "total": "number(B) + number(C) = number(D)"}
    given = extract(tmp_path, records, rules, recipe="groups: all")
    given.mask(GROUP)
    assert given.masked()[0] == {"A": "400", "B": "188", "C": "23", "D": "211"}


def test_anchored_when_a_rule_can_be_checked_but_not_solved(tmp_path: Path) -> None:
    """A check digit over A and B is taken from a record; C keeps its mean."""
    given = extract(
        tmp_path,
        """
        A    B   C
        50   47  10
        100  94  22
        180  14  40
        """,
        {"check": "(number(A) + number(B)) mod 97 = 0", "order": "number(C) <= number(A)"},
    )
    assert step_of(given) is ExactStep.ANCHORED
    found = representative(given)
    assert (found["A"], found["B"]) in {("50", "47"), ("100", "94"), ("180", "14")}
    assert found["C"] == "24"


def test_value_added_tax_is_computed_as_the_rule_rounds_it(tmp_path: Path) -> None:
    given = extract(
        tmp_path,
        """
        Net    Tax   Gross
        10.00  1.90  11.90
        20.10  3.82  23.92
        33.33  6.33  39.66
        """,
        {
            "tax": "round(number(Net) * 19) div 100 = number(Tax)",
            "gross": "xs:decimal(Net) + xs:decimal(Tax) = xs:decimal(Gross)",
        },
    )
    assert step_of(given) in (ExactStep.ROUNDED, ExactStep.DERIVED)
    assert representative(given) == {"Net": "21.14", "Tax": "4.02", "Gross": "25.16"}


def test_medoid_when_members_lack_different_values(tmp_path: Path) -> None:
    given = extract(
        tmp_path,
        """
        A  B
        1  2
        4  ~
        9  9
        """,
        recipe="groups: all\nprotect: {verbatim: allowed}",
    )
    assert step_of(given) is ExactStep.MEDOID
    assert representative(given) == {"A": "1", "B": "2"}


def test_moved_off_when_members_lack_different_values(tmp_path: Path) -> None:
    """The record (1, 2) moves to the mean of the values that there are: 14/3 and 11/2."""
    given = extract(
        tmp_path,
        """
        A  B
        1  2
        4  ~
        9  9
        """,
        recipe="groups: all",
    )
    assert step_of(given) is ExactStep.MOVED_OFF
    assert representative(given) == {"A": "5", "B": "6"}


THREE_PAIRS = """
    A  B
    1  2
    4  3
    9  9
    """


def test_a_rule_that_only_saxon_evaluates_lets_its_mean_pass(tmp_path: Path) -> None:
    rules = {"odd": "string-length(string-join(for $x in (A, B) return $x, '-')) = 3"}
    given = extract(tmp_path, THREE_PAIRS, rules)
    assert step_of(given) is ExactStep.ROUNDED
    assert representative(given) == {"A": "5", "B": "5"}


def test_a_rule_that_may_look_anywhere_copies_an_actual_record(tmp_path: Path) -> None:
    """Nothing tells that a call of a function item reads its own record alone: no candidate can be judged by it."""
    rules = {"odd": "count(filter((A, B), function($x) { string-length($x) = 1 })) = 2"}
    given = extract(tmp_path, THREE_PAIRS, rules, "protect: {verbatim: allowed}")
    step_of(given)
    assert representative(given) in given.original()


def test_every_step_has_its_case_above() -> None:
    """Forgetting a step fails here: add a case when a step is added.

    Two are for records with values of their own (tests/mask/test_microhybrid.py), two for swaps
    (tests/mask/test_group_anonymity.py).
    """
    above = {"rounded", "derived", "nudged", "repaired", "anchored", "medoid", "moved off"}
    assert {step.value for step in ExactStep} == {*above, "drawn in", "shared", "swapped", "kept"}


@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_merged_stratum_is_repaired_around_a_member(tmp_path: Path, k: int) -> None:
    """One record alone satisfies the other side of a condition: whoever shares its group satisfies some side."""
    rows = [{"A": str(a), "B": str(a * 2)} for a in range(10, 22)] + [{"A": "50", "B": "3"}]
    given = extract(tmp_path, rows, {"either": "number(B) = 2 * number(A) or number(A) = 50 and number(B) < 10"})
    result = given.mask(k)
    given.requires_all_rules()
    assert given.smallest_group("A", "B") >= k
    assert sum(Counter(result.masked.blocks[0].step).values()) == len(result.masked.blocks[0].groups)


def test_members_of_different_kinds_share_values_between_their_rules(tmp_path: Path) -> None:
    """`Kind` is published as it is, so one half of Total for each of them is all that both kinds can share."""
    given = extract(
        tmp_path,
        """
        Kind  Made  Sold  Total
        M     9013  1001  10014
        M     1404  602   2006
        T     507   1105  1612
        """,
        {
            "total": "number(Made) + number(Sold) = number(Total)",
            "maker": "not(Kind = 'M') or number(Made) >= 0.5 * number(Total)",
            "trader": "not(Kind = 'T') or number(Sold) >= 0.5 * number(Total)",
        },
        recipe="variables: {Kind: {role: untouched}}",
    )
    assert step_of(given) is ExactStep.REPAIRED
    (shared,) = {(record["Made"], record["Sold"], record["Total"]) for record in given.masked()}
    assert shared[0] == shared[1]
    assert 2 * int(shared[0]) == int(shared[2])


def test_values_are_repaired_to_the_unmasked_limits_of_all_members(tmp_path: Path) -> None:
    """The mean wage is 2003; the group must reach the highest floor of its members, which is published as it is."""
    given = extract(
        tmp_path,
        """
        Floor  Wage
        1000   1003
        1200   2002
        2511   3004
        """,
        {"floor": "number(Wage) >= number(Floor)"},
        recipe="variables: {Floor: {role: untouched}}",
    )
    assert step_of(given) is ExactStep.REPAIRED
    assert {record["Wage"] for record in given.masked()} == {"2511"}
