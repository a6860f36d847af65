"""Categories in a plan: which go together whatever they are called, and how many there may be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats.contingency import association as scipy_association

from constraint_sdc.data.series import Series
from constraint_sdc.data.table import column_of
from constraint_sdc.errors import UsageError
from constraint_sdc.plan import blocks as categories
from constraint_sdc.plan.blocks import association
from constraint_sdc.plan.read_series import make_series
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Scale, VariableWish
from tests.maskers.extract import columns, extract

pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=40)


def nominal(name: str, texts: list[str | None]) -> Series:
    return make_series(column_of(name, texts), Scale.NOMINAL, VariableWish(), ())


@given(pairs)
def test_association_is_cramers_v(cells: list[tuple[int, int]]) -> None:
    table = np.zeros((4, 5), np.int64)
    for one, other in cells:
        table[one, other] += 1
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    found = association([nominal("A", [f"a{a}" for a, _ in cells]), nominal("B", [f"b{b}" for _, b in cells])])
    expected = scipy_association(table) if min(table.shape) > 1 else 0.0
    assert found[0, 1] == found[1, 0] == pytest.approx(expected, abs=1e-9)


@given(pairs, st.permutations("abcde"))
def test_other_names_for_the_categories_change_no_association(cells: list[tuple[int, int]], names: list[str]) -> None:
    plain, renamed = (
        association([nominal("A", [called[a] for a, _ in cells]), nominal("B", [called[b] for _, b in cells])])
        for called in ("abcde", names)
    )
    assert plain[0, 1] == pytest.approx(renamed[0, 1], abs=1e-12)


def test_a_blank_is_a_category_of_its_own() -> None:
    one, other = nominal("A", ["a", None, "a", None]), nominal("B", ["x", "y", "x", "y"])
    assert association([one, other])[0, 1] == pytest.approx(1.0)


def test_associated_categories_share_a_block(tmp_path: Path) -> None:
    first = ["a", "b", "c", "d", "e"] * 6
    apart = [str(i // 5 % 3) for i in range(30)]
    rows = columns(A=first, P=apart, B=[f"x{t}" for t in first], Q=[f"y{t}" for t in apart], C=first[::-1], R=apart)
    wishes = ", ".join(f"{name}: {{type: nominal}}" for name in "APBQCR")
    plan = extract(tmp_path, rows, recipe=f"variables: {{{wishes}}}").design(3).plan
    assert {block.names for block in plan.blocks} == {("A", "B", "C"), ("P", "Q", "R")}


def test_what_has_no_room_in_memory_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(categories, "_MOST_CELLS", 100)
    rows = columns(Name=[f"n{i}" for i in range(20)], Sex=["F", "M"] * 10)
    extracted = extract(tmp_path, rows, recipe="variables: {Name: {type: nominal}, Sex: {type: nominal}}")
    with pytest.raises(UsageError, match="Name has 20 categories, too many for 20 records"):
        extracted.design(3)


def test_a_type_of_the_recipe_is_not_called_a_number(tmp_path: Path) -> None:
    rows = columns(Sex=["F", "M"] * 5, Size=[1, 2] * 5, Age=range(20, 30))
    extracted = extract(tmp_path, rows, recipe="variables: {Sex: {type: nominal}, Size: {type: ordinal}}")
    assert extracted.design(3).plan.assumptions == (
        because("assumed-numbers", variables=("Age",)),
        because("assumed-categories", variables=("Sex", "Size")),
    )
