"""What the twists of a case do to its recipe."""

from __future__ import annotations

from random import Random

import pytest
import yaml

from constraint_sdc.exam.guarantee.drafting import WRITINGS, Draft
from constraint_sdc.exam.guarantee.layouts import NIL, random_layout
from constraint_sdc.exam.guarantee.recipes import _numeric_wish
from constraint_sdc.exam.guarantee.twists import Twist, several_groups, spell_oddly

GROUPS = Twist(frozenset({"several groups"}), Random(1))


def draft_of(variables: int) -> Draft:
    draft = Draft(Random(1), 30, random_layout(Random(1)), "xslt2", WRITINGS[0])
    for _ in range(variables):
        draft.base()
    return draft


@pytest.mark.parametrize("variables", [4, 5, 12])
def test_variables_are_divided_among_two_or_three_groups(variables: int) -> None:
    draft = draft_of(variables)
    groups = yaml.safe_load(several_groups(GROUPS, draft, None) or "")["groups"]
    assert len(groups) in (2, 3)
    assert sorted(name for group in groups for name in group) == sorted(map(draft.layout.variable, draft.numeric))


def test_fewer_than_four_variables_are_not_divided() -> None:
    assert several_groups(GROUPS, draft_of(3), "group_size: 2\n") == "group_size: 2\n"


def test_the_grid_of_a_recipe_is_that_of_the_cells_with_a_number() -> None:
    """Absent, empty and nil cells have no digits; the draws that wish for a grid lie between 0.5 and 0.7."""
    draft = draft_of(0)
    name = draft.add([None, "", NIL, "1.5", "2.25", "3"])
    drawn = [_numeric_wish(draft, name, Random(seed), is_tied=True) for seed in range(40)]
    assert {wish["grid"] for wish in drawn if "grid" in wish} == {2}


def test_odd_spelling_is_for_some_numbers_and_never_for_a_missing_value() -> None:
    cells = [None, "", NIL, *map(str, range(27))]
    spelt: list[list[str | None]] = []
    for seed in range(300):
        draft = Draft(Random(seed), 30, random_layout(Random(1)), "xslt2", WRITINGS[0])
        name = draft.add(cells)
        spell_oddly(draft)
        if draft.ideas:
            spelt.append(draft.columns[name])
    assert spelt, "one in 25 is spelt oddly"
    assert all(after[:3] == cells[:3] for after in spelt)
    changes = [sum(a != b for a, b in zip(after, cells, strict=True)) for after in spelt]
    assert 0 < max(changes) < 20
