"""Files with few large firms: what can be masked is masked, and every way out that a refusal offers works."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from constraint_sdc.errors import PromiseChange, WayOut
from constraint_sdc.exam.guarantee.business_survey import make_survey
from constraint_sdc.exam.guarantee.exam import CaseOutcome, run_case
from constraint_sdc.exam.guarantee.following import changed_case, failing_ways
from constraint_sdc.exam.guarantee.judging import pooled_saxon

MERGED = (10, 19, 23, 26, 32, 44, 50, 58, 73, 84, 94, 98, 102, 103, 105, 106, 109, 115, 121, 123)
"""Seeds in which a few firms of a size satisfy another condition: refused if these join firms of another size."""
REFUSED = (15, 47)
"""Seeds with fewer than k members of groups of firms, and rules that leave them nothing to share with the others."""
WITHHELD = 35
"""A seed with a rule across records that means break."""


@pytest.fixture(autouse=True, scope="module")
def saxon() -> Iterator[None]:
    with pooled_saxon():
        yield


@pytest.mark.parametrize("seed", MERGED)
def test_a_file_with_a_solution_is_masked(seed: int, tmp_path: Path) -> None:
    outcome = run_case(make_survey(seed), tmp_path)
    assert (outcome.faults, outcome.refusal, outcome.withheld) == ((), None, None)


@pytest.mark.parametrize("seed", REFUSED)
def test_a_refusal_names_the_culprits_and_ways_out_that_work(seed: int, tmp_path: Path) -> None:
    outcome = run_case(make_survey(seed), tmp_path / "case")
    assert outcome.faults == ()
    assert outcome.refusal is not None
    assert "no values of Intra that satisfy member" in outcome.refusal
    assert " and alone were found" in outcome.refusal
    assert "differ in Group" in outcome.refusal
    assert outcome.ways
    assert list(failing_ways(outcome, tmp_path)) == []


def test_a_broken_rule_across_records_has_ways_out_that_work(tmp_path: Path) -> None:
    outcome = run_case(make_survey(WITHHELD), tmp_path / "case")
    assert outcome.faults == ()
    assert outcome.withheld is not None
    assert WayOut(without=("exporters",)) in outcome.ways
    assert list(failing_ways(outcome, tmp_path)) == []


def test_a_way_that_does_not_work_is_noticed(tmp_path: Path) -> None:
    """The follower can fail: leaving out a rule that has no part in the conflict changes nothing."""
    lying = CaseOutcome(REFUSED[0], case=make_survey(REFUSED[0]), ways=(WayOut(without=("size-L",)),))
    (wrong,) = failing_ways(lying, tmp_path)
    assert "leave out the rule size-L: no values of Intra" in wrong


def test_a_case_is_changed_as_a_user_would() -> None:
    case = make_survey(0)
    way = WayOut(k=2, without=("size-L",), roles=(("Size", "confidential"), ("Empl", "untouched")))
    changed = changed_case(case, way)
    assert (changed.k, changed.data) == (2, case.data)
    assert 'id="size-L"' in case.rules
    assert 'id="size-L"' not in changed.rules
    assert 'id="size-S"' in changed.rules
    assert "Empl:\n    role: untouched" in changed.recipe
    assert "Size:\n    role: confidential" in changed.recipe


def test_promises_of_a_case_are_weakened_or_left_out() -> None:
    case = replace(make_survey(0), recipe="k: 3\nprotect: {dominance: {p: 10}, diversity: {of: Size, l: 3}}\n")
    weaker = changed_case(case, WayOut(promises=(PromiseChange("dominance", entry="p", value=2.5),)))
    assert yaml.safe_load(weaker.recipe)["protect"]["dominance"] == {"p": "2.5"}
    without = changed_case(case, WayOut(promises=(PromiseChange("dominance"), PromiseChange("diversity", "Size"))))
    assert yaml.safe_load(without.recipe) == {"k": 3}


def test_the_same_seed_makes_the_same_survey() -> None:
    assert make_survey(3) == make_survey(3)
