"""Dividing a file: which variables take part, what options do, and whether the loss is what a slow sum says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, TypeAlias, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc import PartitionOptions, partition_file
from constraint_sdc.commands import partition
from constraint_sdc.commands.masking.settings import settle, settle_partition
from constraint_sdc.errors import UsageError
from constraint_sdc.maskers.masked import MaskOptions, Partitioned
from constraint_sdc.partition.registry import METHODS
from constraint_sdc.plan import blocks as categories
from constraint_sdc.settings.partition_settings import PartitionSettings
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.recipe import Division, Recipe
from constraint_sdc.settings.words import Role, Scale, Standardise, VariableWish

DOCS = Path(__file__).resolve().parents[2] / "docs" / "partition"
Rows: TypeAlias = Sequence[Sequence[object]]


def write_csv(path: Path, header: str, rows: Rows) -> Path:
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path


def write_xml(path: Path, header: str, rows: Rows) -> Path:
    names = header.split(",")
    records = [
        "".join(f"<{name}>{value}</{name}>" for name, value in zip(names, row, strict=True) if value != "")
        for row in rows
    ]
    content = "\n".join(f"<Record>{record}</Record>" for record in records)
    path.write_text(f"<Microdata>\n{content}\n</Microdata>\n", encoding="utf-8")
    return path


def names(found: Partitioned) -> list[str]:
    return [variable.name for variable in found.variables]


def members(found: Partitioned) -> set[frozenset[int]]:
    """The groups as sets of record numbers, the first record being 1."""
    return {frozenset((rows + 1).tolist()) for rows in found.groups.each()}


def slow_loss(rows: Sequence[Sequence[float]], groups: set[frozenset[int]], weights: Sequence[float]) -> float:
    """100 * SSE / SST over z-scores, by the words of its definition."""

    def around_mean(values: Sequence[float], records: Sequence[int]) -> float:
        mean = sum(weights[i] * values[i] for i in records) / sum(weights[i] for i in records)
        return sum(weights[i] * (values[i] - mean) ** 2 for i in records)

    error = total = 0.0
    for column in zip(*rows, strict=True):
        spread = pstdev(column) or 1.0
        scores = [(value - fmean(column)) / spread for value in column]
        error += sum(around_mean(scores, [record - 1 for record in group]) for group in groups)
        total += around_mean(scores, range(len(rows)))
    return 100 * error / total if total else 0.0


@settings(max_examples=30, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 3), st.integers(1, 9)), min_size=6, max_size=25),
    k=st.integers(2, 4),
    method=st.sampled_from(["mdav", "v-mdav", "z-sum-projection", "random", "mdav+refine", "auto"]),
)
def test_the_loss_is_that_of_its_definition(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, int, int]], k: int, method: str
) -> None:
    data = write_csv(tmp_path_factory.mktemp("loss") / "d.csv", "A,B,W", rows)
    searches = method == "auto" or method.endswith("+refine")
    options = PartitionOptions(
        k=k,
        variables=("A", "B"),
        partition=method,
        effort="0.001s" if searches else None,
        weights="W" if searches else None,
    )
    found = partition_file(data, options)
    values = [row[:2] for row in rows]
    weights = [row[2] if searches else 1 for row in rows]
    assert found.groups.sizes.min() >= k
    assert found.groups.sizes.sum() == found.records == len(rows)
    assert found.loss == pytest.approx(slow_loss(values, members(found), weights), abs=1e-9)
    plain = partition_file(data, PartitionOptions(k=k, variables=("A", "B"), partition="mdav"))
    assert found.mdav_loss == pytest.approx(slow_loss(values, members(plain), weights), abs=1e-9)
    if searches:
        assert found.mdav_loss is not None
        assert found.loss <= found.mdav_loss + 1e-9


def test_a_csv_file_and_its_xml_have_the_same_groups(tmp_path: Path) -> None:
    rows = [(i, i * i % 17, i % 5) for i in range(40)]
    options = PartitionOptions(k=3, variables=("A", "B", "C"), partition="mdav")
    by_csv = partition_file(write_csv(tmp_path / "d.csv", "A,B,C", rows), options)
    by_xml = partition_file(write_xml(tmp_path / "d.xml", "A,B,C", rows), options)
    tabs = tmp_path / "d.tsv"
    tabs.write_text((tmp_path / "d.csv").read_text("utf-8").replace(",", "\t"), encoding="utf-8")
    assert by_csv.groups.label.tolist() == by_xml.groups.label.tolist()
    assert by_csv.groups.label.tolist() == partition_file(tabs, options).groups.label.tolist()


def test_a_recipe_for_the_xml_serves_the_csv_too(tmp_path: Path) -> None:
    rows, recipe = [(i % 4,) for i in range(12)], Recipe(record="Record", k=3)
    for data in (write_csv(tmp_path / "d.csv", "A", rows), write_xml(tmp_path / "d", "A", rows)):
        assert partition_file(data, PartitionOptions(recipe=recipe)).loss == 0.0


def test_numbers_divide_and_identifiers_and_texts_do_not(tmp_path: Path) -> None:
    rows = [(i, 17 * i % 11, f"{i:03}", "north" if i % 2 else "south") for i in range(1, 13)]
    data = write_csv(tmp_path / "d.csv", "Id,Age,Code,Region", rows)
    found = partition_file(data, PartitionOptions(k=3))
    assert names(found) == ["Age"]
    assert {kept.name: kept.role for kept in found.left_out} == {
        "Id": Role.IDENTIFIER,
        "Code": Role.UNTOUCHED,
        "Region": Role.UNTOUCHED,
    }
    recipe = Recipe(variables={"Code": VariableWish(scale=Scale.ORDINAL), "Age": VariableWish(role=Role.UNTOUCHED)})
    by_recipe = partition_file(data, PartitionOptions(k=3, recipe=recipe))
    assert [(v.name, v.scale) for v in by_recipe.variables] == [("Code", Scale.ORDINAL)]


def test_a_named_variable_takes_part_whatever_its_role(tmp_path: Path) -> None:
    rows = [(i, "north" if i % 2 else "south") for i in range(1, 13)]
    data = write_csv(tmp_path / "d.csv", "Id,Region", rows)
    wishes = {"Id": VariableWish(role=Role.IDENTIFIER, is_removed=True), "Region": VariableWish(role=Role.UNTOUCHED)}
    options = PartitionOptions(k=3, variables=("Region", "Id"), partition="mixed", recipe=Recipe(variables=wishes))
    found = partition_file(data, options)
    assert [(v.name, v.scale) for v in found.variables] == [("Region", Scale.NOMINAL), ("Id", Scale.NUMERIC)]
    assert found.left_out == ()


def test_categories_alone_are_grouped_without_loss(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "d.csv", "Region", [("north",), ("south",), ("west",)] * 4)
    found = partition_file(data, PartitionOptions(k=4, variables=("Region",)))
    assert (found.chosen, found.why) == ("k-modes", because("only-categories"))
    assert members(found) == {frozenset(range(first, 13, 3)) for first in (1, 2, 3)}
    assert found.loss == 0.0


def test_a_header_may_be_named_as_it_stands(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "d.csv", "Total income,The weight", [(i % 7, 1 + i % 2) for i in range(12)])
    for spelt in ("Total income", "Total_x0020_income"):
        found = partition_file(data, PartitionOptions(k=2, variables=(spelt,), weights="The weight"))
        assert names(found) == ["Total_x0020_income"]
        assert found.division.weights == "The_x0020_weight"


def test_what_auto_chooses_is_said(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "d.csv", "A,B", [(i % 7, 4) for i in range(30)])
    found = partition_file(data, PartitionOptions(k=3))
    assert found.chosen == "optimal-univariate"
    assert found.why == because("one-variable-varies")
    assert found.division.effort == "default"
    mdav = partition_file(data, PartitionOptions(k=3, partition="mdav"))
    assert (mdav.chosen, mdav.why, mdav.division.effort) == (None, None, None)
    assert mdav.mdav_loss == mdav.loss


# Two pairs by A (1, 2 and 3, 4) or by B (1, 3 and 2, 4): what counts more decides.
CROSS = [(0, 0), (1, 30), (10, 1), (11, 31)]
BY_A, BY_B = {frozenset({1, 2}), frozenset({3, 4})}, {frozenset({1, 3}), frozenset({2, 4})}


def test_the_unit_of_distances_acts(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "d.csv", "A,B", CROSS)

    def divided(standardise: Standardise) -> set[frozenset[int]]:
        return members(partition_file(data, PartitionOptions(k=2, partition="mdav", standardise=standardise)))

    assert divided(Standardise.NONE) == BY_B
    outlier = write_csv(tmp_path / "o.csv", "A,B", [*((a, b) for a, b in CROSS for _ in range(3)), (11, 3000)])
    by_spread, robust = (
        partition_file(outlier, PartitionOptions(k=6, partition="mdav", standardise=how))
        for how in (Standardise.Z_SCORE, Standardise.ROBUST)
    )
    assert members(by_spread) != members(robust)


@pytest.mark.parametrize(("heavier", "groups"), [("A", BY_A), ("B", BY_B)])
def test_a_variables_weight_acts(tmp_path: Path, heavier: str, groups: set[frozenset[int]]) -> None:
    data = write_csv(tmp_path / "d.csv", "A,B", CROSS)
    recipe = Recipe(k=2, partition="mdav", variables={heavier: VariableWish(weight=4.0)})
    found = partition_file(data, PartitionOptions(recipe=recipe))
    assert members(found) == groups
    assert {v.name: v.weight for v in found.variables} == {"A": 1.0, "B": 1.0} | {heavier: 4.0}


def test_options_go_before_the_recipe(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "d.csv", "A,B,W", [(*row, 1) for row in CROSS])
    recipe = Recipe(k=4, partition="random", seed=5, standardise=Standardise.ROBUST, weights="B")
    asked = PartitionOptions(k=2, partition="mdav+refine", effort="fast", seed=6, weights="W", recipe=recipe)
    found = partition_file(data, asked)
    division = found.division
    assert (found.k, found.seed, division.partition, division.effort) == (2, 6, "mdav+refine", "fast")
    assert (division.weights, division.standardise) == ("W", Standardise.ROBUST)
    by_recipe = partition_file(data, PartitionOptions(recipe=Recipe(k=2, partition="mdav", seed=5)))
    assert (by_recipe.k, by_recipe.seed, by_recipe.division.partition) == (2, 5, "mdav")


def test_the_seed_acts(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "d.csv", "A", [(i * i % 13,) for i in range(30)])
    first, again, other = (
        members(partition_file(data, PartitionOptions(k=3, partition="random", seed=seed))) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_the_weights_do_not_divide(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "d.csv", "A,W", [(i % 7, 1 + i % 3) for i in range(20)])
    found = partition_file(data, PartitionOptions(k=2, weights="W"))
    assert names(found) == ["A"]
    assert found.left_out == ()


@pytest.mark.parametrize("ending", ["csv", "xml"])
def test_a_blank_is_refused_with_its_place(tmp_path: Path, ending: str) -> None:
    write = {"csv": write_csv, "xml": write_xml}[ending]
    data = write(tmp_path / f"d.{ending}", "A,B", [(1, 2), (3, 4), (5, ""), (7, ""), (8, -9)])
    with pytest.raises(UsageError, match=r"B has no value in record 3, and 1 more .*masking.*strata"):
        partition_file(data, PartitionOptions(k=2))
    coded = PartitionOptions(k=2, recipe=Recipe(missing={"B": ("-9",)}))
    with pytest.raises(UsageError, match="B has no value in record 3, and 2 more"):
        partition_file(data, coded)
    assert names(partition_file(data, PartitionOptions(k=2, variables=("A",)))) == ["A"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (PartitionOptions(), "k is not given"),
        (PartitionOptions(k=1), "k must be at least 2, not 1"),
        (PartitionOptions(k=cast(int, 2.5)), "k must be a whole number, not 2.5"),
        (PartitionOptions(k=2, seed=-1, partition="random"), "the seed must be a whole number from 0, not -1"),
        (PartitionOptions(k=2, standardise=cast(Standardise, "zz")), "numbers cannot be standardised by 'zz'"),
        (PartitionOptions(k=7), "6 records cannot form a group of 7 "),
        (PartitionOptions(k=2, record="Record"), "--record has no meaning here"),
        (PartitionOptions(k=2, partition="mda"), "unknown partition method 'mda'"),
        (PartitionOptions(k=2, partition="mdav", effort="high"), "mdav does not search"),
        (PartitionOptions(k=2, variables=("A", "Z")), "no record has a variable 'Z' .the file has: A, Big, W, T"),
        (PartitionOptions(k=2, variables=("A", "A")), "A is named twice"),
        (PartitionOptions(k=2, variables=("A", "W"), weights="W"), "W weighs the records and cannot divide them"),
        (PartitionOptions(k=2, weights="A"), "A of record 1 is not a positive number"),
        (PartitionOptions(k=2, weights="Z"), "the weights are to be 'Z', which no record has"),
        (PartitionOptions(k=2, weights="W", partition="mdav"), "mdav takes no weights"),
        (PartitionOptions(k=2, standardise=Standardise.NONE), "the records have no distances.*z-score"),
        (PartitionOptions(k=2, variables=("A", "T"), partition="individual-ranking"), "T"),
        (
            PartitionOptions(k=2, recipe=Recipe(variables={"T": VariableWish(scale=Scale.NUMERIC)})),
            "T must be numeric, but some of its values are not numbers",
        ),
        (
            PartitionOptions(k=2, weights="W", recipe=Recipe(variables={"W": VariableWish(role=Role.CONFIDENTIAL)})),
            "W weighs the records and cannot be masked too",
        ),
        (PartitionOptions(k=2, recipe=Recipe(variables={"Z": VariableWish()})), "the recipe names 'Z'"),
    ],
)
def test_what_cannot_be_done_is_refused(tmp_path: Path, options: PartitionOptions, says: str) -> None:
    rows = [(i, f"{i}e200", i + 1, "abc"[i % 3]) for i in range(6)]
    data = write_csv(tmp_path / "d.csv", "A,Big,W,T", rows)
    with pytest.raises(UsageError, match=says):
        partition_file(data, options)


def test_a_file_without_numbers_needs_names(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "d.csv", "T", [("a",), ("b",)])
    with pytest.raises(UsageError, match=r"no variable holds numbers .*--variables"):
        partition_file(data, PartitionOptions(k=2))


def test_too_many_categories_are_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_csv(tmp_path / "d.csv", "A,Street", [(i, f"street {i}") for i in range(30)])
    options = PartitionOptions(k=2, variables=("A", "Street"), partition="mixed")
    monkeypatch.setattr(categories, "_MOST_CELLS", 30 * 31)
    assert partition_file(data, options).records == 30
    monkeypatch.setattr(categories, "_MOST_CELLS", 30 * 31 - 1)
    with pytest.raises(UsageError, match="Street has 30 categories, too many for 30 records"):
        partition_file(data, options)


def test_mdav_is_not_computed_for_comparison_on_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_csv(tmp_path / "d.csv", "A", [(i % 7,) for i in range(30)])
    options = PartitionOptions(k=3, partition="random")
    assert partition_file(data, options).mdav_loss is not None
    monkeypatch.setattr(partition, "_DIVIDED_TWICE", 29)
    assert partition_file(data, options).mdav_loss is None


def test_the_overview_has_every_method_and_its_page() -> None:
    overview = (DOCS / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `([^`]+)` \|.*\| \[[^]]*\]\(([^)]+)\) \|$", overview, re.MULTILINE)
    assert {name for name, _ in rows} - {"NAME+refine"} == set(METHODS)
    assert [page for _, page in rows if not (DOCS / page).is_file()] == []


@pytest.mark.parametrize(
    "wrong", [{}, {"k": 1}, {"k": "5"}, {"k": 2, "seed": -1}, {"k": 2, "seed": 0.5}, {"k": 2, "partition": "x"}]
)
def test_mask_and_partition_refuse_the_same_settings_in_the_same_words(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as of_partition:
        settle_partition(PartitionOptions(**wrong))
    with pytest.raises(UsageError) as of_mask:
        settle(MaskOptions(**wrong))
    assert str(of_partition.value) == str(of_mask.value)


def test_what_the_options_and_the_recipe_say_is_settled_once() -> None:
    recipe = Recipe(k=4, seed=3, record="Row", partition="mdav", standardise=Standardise.ROBUST)
    settled = settle_partition(PartitionOptions(k=5, recipe=recipe, variables=("A",)))
    division = Division("mdav", None, Standardise.ROBUST, None)
    assert settled == PartitionSettings(5, division, 3, ("A",), "Row", recipe)
    assert settle_partition(settled) is settled
