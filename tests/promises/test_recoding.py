"""Categories of the key: left for groups to share, made coarser or emptied, whatever loses least; k is never missed."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

import constraint_sdc as cs
from constraint_sdc.data.table import Table, column_of
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.plan.recoding import _KeySearch, _KeyVariable, recode_key
from constraint_sdc.settings.hierarchy import Hierarchy
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Role, Scale, VariableWish

QUASI = Role.QUASI_IDENTIFIER


def table_of(**columns: list[str]) -> Table:
    return Table({n: column_of(n, texts) for n, texts in columns.items()}, len(next(iter(columns.values()))))


def classes(table: Table, names: list[str]) -> Counter[tuple[str | None, ...]]:
    return Counter(zip(*(table.columns[name].texts() for name in names), strict=True))


def nominal(**more: object) -> VariableWish:
    return VariableWish(role=QUASI, scale=Scale.NOMINAL, **more)  # type: ignore[arg-type]


def test_codes_of_which_each_has_few_records_are_published_by_their_prefix() -> None:
    """40 regions of 3 records each: masked by mode most would change; the first character stays true for all."""
    codes = [f"{'NSEW'[i % 4]}{i % 40:02d}" for i in range(120)]
    recipe = Recipe(variables={"Region": nominal(hierarchy=Hierarchy(prefixes=(1,)))})
    recoding = recode_key(table_of(Region=codes), recipe, ["Region"], 5, ())
    (coarser,) = recoding.recoded
    assert (coarser.name, coarser.level, coarser.emptied) == ("Region", 1, 0)
    assert recoding.columns["Region"].texts() == [f"{code[0]}*" for code in codes]
    assert coarser.loss == pytest.approx(100 * 9 / 39)


def test_a_few_rare_values_are_emptied_and_one_more_keeps_them_company() -> None:
    table = table_of(A=["a"] * 50 + ["b"] * 40 + ["rare"] * 2)
    variable = _KeyVariable.of(table.columns["A"], Recipe(variables={"A": nominal()}), is_read=False)
    way = _KeySearch([variable], 92, 3)._try((0,))
    assert way is not None
    written = way.recoding().table(table)
    assert classes(written, ["A"]) == {("a",): 49, ("b",): 40, ("",): 3}
    assert way.loss == pytest.approx(3 / 92)


def test_what_rules_read_is_neither_made_coarser_nor_emptied() -> None:
    values = [f"N{i % 30}" for i in range(60)]
    recipe = Recipe(variables={"A": nominal(hierarchy=Hierarchy(prefixes=(1,)))})
    assert recode_key(table_of(A=values), recipe, ["A"], 5, {"A"}).columns == {}


def test_untouched_variables_with_rare_values_are_refused() -> None:
    recipe = Recipe(variables={"A": VariableWish(role=Role.UNTOUCHED)})
    with pytest.raises(PlanRefusedError, match="values of A are too rare"):
        recode_key(table_of(A=["x"] * 20 + ["y"]), recipe, ["A"], 3, ())


def test_a_value_that_the_hierarchy_lacks_is_an_error_that_shows_no_value() -> None:
    recipe = Recipe(variables={"A": nominal(hierarchy=Hierarchy(table=(("x", "low"),)))})
    with pytest.raises(UsageError, match="lacks 1 of its values") as refused:
        recode_key(table_of(A=["x"] * 20 + ["secret"]), recipe, ["A"], 3, ())
    assert "secret" not in str(refused.value)


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 12), st.sampled_from(["", "a", "b", "c"])), min_size=6, max_size=40
    ),
    st.integers(2, 6),
    st.booleans(),
)
def test_k_records_share_what_is_not_masked(rows: list[tuple[int, int, str]], k: int, has_levels: bool) -> None:
    if len(rows) < k:
        return
    table = table_of(A=[f"r{a}" for a, _, _ in rows], B=[f"{b:02d}" for _, b, _ in rows], C=[c for _, _, c in rows])
    hierarchy = Hierarchy(prefixes=(1, 0)) if has_levels else None
    recipe = Recipe(variables={"A": nominal(), "B": nominal(hierarchy=hierarchy), "C": nominal()})
    recoding = recode_key(table, recipe, ["A", "B", "C"], k, ())
    shown = [*recoding.within, *(one.name for one in recoding.recoded)]
    written = recoding.table(table)
    assert not shown or min(classes(written, shown).values()) >= k
    for one in recoding.recoded:
        old, new = table.columns[one.name].texts(), written.columns[one.name].texts()
        emptied = sum(a != "" and b == "" for a, b in zip(old, new, strict=True))
        assert emptied <= one.emptied <= emptied + old.count("")
        assert 0 <= one.loss <= 100


def test_a_masked_file_has_coarser_codes_that_k_records_share(tmp_path: Path) -> None:
    draw = random.Random(3)
    rows = [
        (f"{draw.choice('NS')}{draw.randint(0, 40):02d}", draw.choice("FM"), draw.randint(10, 99)) for _ in range(150)
    ]
    body = "".join(f"<P><Town>{t}</Town><Sex>{s}</Sex><Wage>{w}</Wage><Rent>{w // 3}</Rent></P>" for t, s, w in rows)
    (tmp_path / "p.xml").write_text(f"<D>{body}</D>", "utf-8")
    levels = "".join(f"{town},{town[0]},all\n" for town in sorted({town for town, _, _ in rows}))
    (tmp_path / "towns.csv").write_text(levels, "utf-8")
    (tmp_path / "recipe.yml").write_text(
        "k: 6\nvariables:\n  Town: {role: quasi-identifier, type: nominal, hierarchy: {levels: towns.csv}}\n"
        "  Sex: {role: untouched}\n  Wage: {role: confidential}\n  Rent: {role: confidential}\n"
        "protect: {key: {variables: [Town, Sex]}}\n",
        "utf-8",
    )
    result = cs.mask_file(tmp_path / "p.xml", None, tmp_path / "m.xml", recipe=tmp_path / "recipe.yml")
    written = [(one.findtext("Town"), one.findtext("Sex")) for one in etree.parse(str(result.output)).getroot()]
    assert min(Counter(written).values()) >= 6
    assert {town for town, _ in written} == {"N", "S"}
    assert [sex for _, sex in written] == [sex for _, sex, _ in rows]
    assert result.plan.recoded[0].level == 1
    assert "towns.csv" not in result.certificate.read_text("utf-8"), "the rows of the levels are in the recipe"
    again = cs.reproduce(result.certificate, tmp_path / "p.xml")
    assert again.is_same


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{role: confidential, hierarchy: {bands: [5]}}", "needs the role quasi-identifier"),
        ("{role: quasi-identifier, hierarchy: {bands: [10, 5]}}", "must become wider"),
        ("{role: quasi-identifier, hierarchy: {prefix: [1, 2]}}", "must become shorter"),
        ("{role: quasi-identifier, type: numeric, hierarchy: {prefix: [1]}}", "can only have bands"),
        ("{role: quasi-identifier, hierarchy: {levels: [[a, x], [a, y]]}}", "list a twice"),
        ("{role: quasi-identifier, hierarchy: {levels: [[a, x], [b, x, y]]}}", "different lengths"),
        ("{role: quasi-identifier, hierarchy: {levels: [[a, x, t], [b, x, u]]}}", "level 2 of V divides a value"),
        ("{role: quasi-identifier, hierarchy: {levels: nowhere.csv}}", "cannot read nowhere.csv"),
        ("{role: quasi-identifier, hierarchy: {}}", "non-empty"),
    ],
)
def test_what_is_no_hierarchy_is_refused_with_its_line(tmp_path: Path, entry: str, message: str) -> None:
    path = tmp_path / "recipe.yml"
    path.write_text(f"k: 5\nvariables:\n  V: {entry}\n", "utf-8")
    with pytest.raises(UsageError, match=message) as refused:
        read_recipe(path)
    assert refused.value.line == 3


def test_bands_and_prefixes() -> None:
    bands, codes = Hierarchy(bands=(10, 50)), Hierarchy(prefixes=(2, 0))
    assert [bands.coarser(v, 1) for v in ("34", "-3", "30.5", "x")] == ["30-39", "-10--1", "[30, 40)", None]
    assert [codes.coarser("NL32", level) for level in (0, 1, 2)] == ["NL32", "NL*", "*"]
    assert np.array_equal([bands.levels, codes.levels, Hierarchy(table=(("a", "x", "all"),)).levels], [2, 2, 2])
