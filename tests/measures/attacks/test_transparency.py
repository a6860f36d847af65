"""The transparency attack: never a wrong certain link, and no possible world ruled out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.pair import MaskedTogether, Pair
from constraint_sdc.data.series import Grid
from constraint_sdc.errors import UsageError
from constraint_sdc.measures.attacks.transparency import KNOWLEDGE, AnonymitySets, Transparency, set_sizes
from constraint_sdc.measures.attacks.transparency_reach import (
    Knowledge,
    Reach,
    Use,
    keeps_order,
    mean_error,
    reach_of_means,
    reach_of_order,
    slack,
    uses_of,
)
from constraint_sdc.measures.risk.achieved_k import classes
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.operators.lower_median import LowerMedian
from constraint_sdc.partition.registry import partitioner
from constraint_sdc.reports.sentences import sentences, worded
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, group_means, pair_of

NAN = math.nan
MEAN, GEOMETRIC, MEDIAN = ArithmeticMean.name, GeometricMean.name, LowerMedian.name
ALONE = ("individual-ranking", "optimal-univariate", "auto")
LOST = "nothing: it would exclude the true record"


def possible(reaches: list[Reach], x: int) -> list[int]:
    """The masked records that an original can have become, pair by pair."""
    return [
        y
        for y in range(len(reaches[0].low_x))
        if all(r.low_y[y] <= r.high_x[x] and r.low_x[x] <= r.high_y[y] for r in reaches)
    ]


def reaches_of(uses: list[Use]) -> list[Reach]:
    return [use.reach for use in uses if use.reach is not None]


def assert_certain_links_are_right(pair: Pair) -> None:
    """What the attack promises, for both kinds of knowledge; sizes are recounted pair by pair."""
    for knowledge in KNOWLEDGE:
        uses = list(uses_of(pair, knowledge))
        assert LOST not in [use.how for use in uses]
        reaches = reaches_of(uses)
        sets = [possible(reaches, x) if reaches else list(range(len(pair))) for x in range(len(pair))]
        assert all(x in each for x, each in enumerate(sets))
        assert [min(len(each), 1_000) for each in sets] == set_sizes(reaches, len(pair), 1_000).tolist()
        found = Transparency(knowledge).measure(pair)
        certain = sum(each == [x] for x, each in enumerate(sets))
        assert found.value(f"certain-records-{knowledge}") == (certain if reaches else None)
        assert sum(row[1] for row in found.tables[0].rows) == len(pair)


def masked_by(method: str, original: np.ndarray, k: int, operator: str, decimals: int | None) -> np.ndarray:
    """Mask some variables together; blanks must be gone."""
    label = partitioner(method).partition(Cloud(original / np.abs(original).max()), k, 1)
    if operator is MEDIAN:
        middle = [np.sort(original[label == g], axis=0)[(np.sum(label == g) - 1) // 2] for g in range(label.max() + 1)]
        return np.array(middle)[label]
    means = np.exp(group_means(np.log(original), label)) if operator is GEOMETRIC else group_means(original, label)
    return means if decimals is None else np.round(means, decimals)


kinds = {
    "ties": lambda draw, n: draw.integers(1, 4, n).astype(float),
    "integers": lambda draw, n: draw.integers(1, 60, n).astype(float),
    "skewed": lambda draw, n: draw.lognormal(0, 2, n),
    "cents": lambda draw, n: draw.lognormal(3, 1, n).round(2) + 0.01,
    "huge": lambda draw, n: draw.lognormal(0, 1, n) * 10.0 ** draw.integers(0, 300),
    "far from zero": lambda draw, n: 1e15 + draw.integers(0, 9, n),
    "constant": lambda draw, n: np.full(n, draw.random()),
}


@settings(max_examples=120)
@given(st.data())
def test_certain_links_are_never_wrong(data: st.DataObject) -> None:
    """Any data, methods, operators and grids, with duplicated records; blocks of one to three variables."""
    draw = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    k = data.draw(st.integers(1, 4))
    n = data.draw(st.integers(k, 24))
    blocks, columns, masked = [], [], []
    for b in range(data.draw(st.integers(1, 3))):
        method = data.draw(st.sampled_from([*ALONE, "mdav", "random"]))
        width = 1 if method in ALONE else data.draw(st.integers(1, 3))
        operator = data.draw(st.sampled_from([MEAN, MEAN, GEOMETRIC, MEDIAN]))
        decimals = data.draw(st.sampled_from([None, None, 0, 1]))
        values = np.column_stack([kinds[data.draw(st.sampled_from(sorted(kinds)))](draw, n) for _ in range(width)])
        values = values[draw.integers(0, n, n)] if data.draw(st.booleans()) else values
        names = tuple(f"B{b}V{j}" for j in range(width))
        said = data.draw(st.booleans())
        blocks.append(MaskedTogether(names, method if said else None, dict.fromkeys(names, operator) if said else {}))
        columns.append(values)
        masked.append(masked_by(method, values, k, operator, decimals))
    names = [name for block in blocks for name in block.names]
    known = data.draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    original, after = np.concatenate(columns, axis=1), np.concatenate(masked, axis=1)
    assert_certain_links_are_right(pair_of(original, after, names, blocks=blocks, known=known, k=k))


@settings(max_examples=60)
@given(st.data())
def test_blanks_never_make_a_link_wrong(data: st.DataObject) -> None:
    """Blanks that stay, as masking leaves them, and blanks that appear or vanish, as nobody expects."""
    n = data.draw(st.integers(1, 10))
    cells = st.one_of(st.integers(0, 5).map(float), st.just(NAN))
    table = st.lists(cells, min_size=2 * n, max_size=2 * n).map(lambda v: np.array(v).reshape(n, 2))
    original, masked = data.draw(table), data.draw(table)
    if data.draw(st.booleans()):
        masked = np.where(np.isnan(original), NAN, np.nan_to_num(masked))
    if data.draw(st.booleans()):
        masked = np.sort(masked, axis=0)[np.argsort(np.argsort(original, axis=0), axis=0), [0, 1]]
    blocks = data.draw(
        st.sampled_from(
            [
                [MaskedTogether(("V1", "V2"), "mdav", {"V1": MEAN, "V2": MEDIAN})],
                [MaskedTogether((name,), "individual-ranking", {name: MEAN}) for name in ("V1", "V2")],
                [MaskedTogether(("V1", "V2"))],
                [MaskedTogether(("V1", "V2"), "auto", {"V1": MEAN, "V2": MEAN}, is_weighted=True)],
            ]
        )
    )
    assert_certain_links_are_right(pair_of(original, masked, blocks=blocks))


def consecutive_divisions(n: int) -> Iterator[np.ndarray]:
    """All ways to cut n sorted records into groups that follow each other."""
    for cuts in range(2 ** (n - 1)):
        yield np.cumsum([0, *((cuts >> i) & 1 for i in range(n - 1))])


def divisions(n: int) -> Iterator[np.ndarray]:
    """All divisions of n records into groups."""

    def extend(label: list[int]) -> Iterator[np.ndarray]:
        if len(label) == n:
            yield np.array(label)
            return
        for group in range(max(label, default=-1) + 2):
            yield from extend([*label, group])

    return extend([])


@settings(max_examples=30)
@given(st.lists(st.integers(0, 8), min_size=2, max_size=7), st.integers(0, 10**6))
def test_no_order_that_explains_the_release_is_ruled_out(values: list[int], which: int) -> None:
    """Whatever consecutive groups give the published values, each record keeps all it becomes in any of them."""
    original = np.sort(np.array(values, float))
    worlds = [group_means(original[:, None], label)[:, 0] for label in consecutive_divisions(len(original))]
    masked = worlds[which % len(worlds)]
    reach = reach_of_order(original, masked, slack(original, masked))
    for world in (w for w in worlds if np.allclose(np.sort(w), np.sort(masked))):
        for x, became in enumerate(world):
            y = int(np.abs(masked - became).argmin())
            assert y in possible([reach], x)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=2, max_size=6), st.integers(0, 10**6))
def test_no_groups_that_explain_the_release_are_ruled_out(records: list[tuple[int, int]], which: int) -> None:
    """The same for means of two variables, over all divisions of the records into groups."""
    original = np.array(records, float)
    worlds = [group_means(original, label) for label in divisions(len(original))]
    masked = worlds[which % len(worlds)]
    label = classes([np.unique(masked[:, j].round(9), return_inverse=True)[1] for j in range(2)])
    columns = [(original[:, j], masked[:, j]) for j in range(2)]
    reaches = [reach_of_means(x, c, label, mean_error(x, c, label)) for x, c in columns]
    released = Counter(map(tuple, masked.round(9)))
    for world in (w for w in worlds if Counter(map(tuple, w.round(9))) == released):
        for x, became in enumerate(world):
            y = int(np.abs(masked - became).sum(axis=1).argmin())
            assert y in possible(reaches, x)


def test_each_value_can_have_become_two_at_most() -> None:
    """As Torra has it, for values that do not repeat."""
    original = np.random.default_rng(1).lognormal(0, 1, 300)
    masked = masked_by("optimal-univariate", original[:, None], 3, MEAN, None)[:, 0]
    reach = reach_of_order(original, masked, 0.0)
    for x in range(300):
        values = set(masked[possible([reach], x)])
        assert len(values) <= 2
        assert values == {
            masked[masked < original[x]].max(initial=-1),
            masked[masked > original[x]].min(initial=99),
        } - {
            -1,
            99,
        }


def test_the_bound_on_a_mean_is_tight() -> None:
    """Values 0, 0, 9 and 90: a pair with mean 45 has one member of at least 0; with mean 49.5 one of at least 9."""
    original, label = np.array([0.0, 9.0, 0.0, 90.0]), np.array([0, 1, 0, 1])
    reach = reach_of_means(original, np.array([0.0, 49.5, 0.0, 49.5]), label, 0.0)
    assert [possible([reach], x) for x in range(4)] == [[0, 2], [1, 3], [0, 2], [1, 3]]


def skewed(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(7).lognormal(0, 1, size=(n, d))


def blocks_of(names: list[list[str]], method: str, operator: str = MEAN) -> list[MaskedTogether]:
    return [MaskedTogether(tuple(block), method, dict.fromkeys(block, operator)) for block in names]


@pytest.mark.parametrize("method", ALONE)
@pytest.mark.parametrize("k", [3, 10])
def test_variables_masked_alone_give_nearly_everybody_away_for_certain(method: str, k: int) -> None:
    original = skewed(1_000, 6)
    masked = np.concatenate([masked_by(method, original[:, [j]], k, MEAN, None) for j in range(6)], axis=1)
    found = Transparency().measure(
        pair_of(original, masked, blocks=blocks_of([[f"V{j + 1}"] for j in range(6)], method))
    )
    assert found.figures[0].name == "certain-links-published"
    assert found.value("certain-links-published") > 99.5
    assert found.value("median-set-published") == 1
    assert found.value("certain-links-rerun") == 100


def test_one_block_of_all_variables_gives_nobody_away() -> None:
    original = skewed(300, 3)
    masked = masked_by("mdav", original, 5, MEAN, None)
    found = Transparency().measure(pair_of(original, masked, blocks=blocks_of([["V1", "V2", "V3"]], "mdav"), k=5))
    assert found.value("certain-records-published") == 0
    assert found.value("certain-records-rerun") == 0
    assert found.value("median-set-rerun") == 5


def test_who_runs_the_method_finds_the_records_whose_masked_values_are_unique() -> None:
    original = skewed(90, 4).round(1)
    masked = np.concatenate([masked_by("mdav", original[:, two], 6, MEAN, None) for two in ([0, 1], [2, 3])], axis=1)
    pair = pair_of(original, masked, blocks=blocks_of([["V1", "V2"], ["V3", "V4"]], "mdav"))
    times = Counter(map(tuple, masked))
    found = Transparency("rerun").measure(pair)
    assert found.value("certain-records-rerun") == sum(times[tuple(row)] == 1 for row in masked)
    assert found.value("median-set-rerun") == np.median([times[tuple(row)] for row in masked])


def test_a_block_known_in_part_cannot_be_run() -> None:
    original = skewed(60, 3)
    masked = masked_by("mdav", original, 3, MEAN, None)
    pair = pair_of(original, masked, blocks=blocks_of([["V1", "V2", "V3"]], "mdav"), known=["V1", "V3"])
    assert [use.how for use in uses_of(pair, "rerun")] == ["mean of its group"] * 2


class NothingFollows(Transparency):
    """The attack on a file of which only who runs the method learns something, such as one with weighted means."""

    def carry_out(self, pair: Pair, knowledge: Knowledge) -> AnonymitySets:
        found = super().carry_out(pair, knowledge)
        uses = tuple(replace(use, reach=None) for use in found.uses)
        return found if knowledge == "rerun" else replace(found, uses=uses)


def test_what_could_not_be_run_is_said_beside_what_was_found() -> None:
    original = skewed(60, 2)
    masked = masked_by("mdav", original, 3, MEAN, None)
    found = NothingFollows().measure(pair_of(original, masked, blocks=blocks_of([["V1", "V2"]], "mdav")))
    assert found.figures[0].value is None
    assert "not run for an intruder who knows the method" in str(found.says)
    assert "0 of 60 records (0.0%) by an intruder who has the whole original file" in str(found.says)


def test_strata_make_groups_overlap_and_order_is_not_used() -> None:
    """Ranked within two strata: 1 and 10 became 5.5, though 5 lies between 1 and 5.5."""
    original = np.array([1.0, 10.0, 4.0, 6.0])[:, None]
    masked = np.array([5.5, 5.5, 5.0, 5.0])[:, None]
    pair = pair_of(original, masked, blocks=blocks_of([["V1"]], "individual-ranking"))
    assert not keeps_order(original[:, 0], masked[:, 0])
    assert [use.how for use in uses_of(pair, "published")] == ["mean of its group"]
    assert_certain_links_are_right(pair)


def test_equal_values_cut_in_two_keep_both_groups() -> None:
    original = np.array([1.0, 2.0, 2.0, 2.0, 2.0, 9.0])[:, None]
    masked = masked_by("individual-ranking", original, 3, MEAN, None)
    pair = pair_of(original, masked, blocks=blocks_of([["V1"]], "individual-ranking"))
    (use,) = uses_of(pair, "published")
    assert use.how == "groups of consecutive values"
    assert use.reach is not None
    assert possible([use.reach], 1) == [0, 1, 2, 3, 4, 5]
    assert possible([use.reach], 0) == [0, 1, 2]


def test_rounding_to_a_coarse_grid_is_slack() -> None:
    original, masked = np.array([0.2, 0.3, 0.4, 1.2, 1.3, 1.4]), np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    assert slack(original, masked) == pytest.approx(0.2)
    assert slack(original, masked) >= 0.2
    reach = reach_of_order(original, masked, slack(original, masked))
    assert reach.is_sound
    pair = pair_of(original[:, None], masked[:, None], blocks=blocks_of([["V1"]], "individual-ranking"))
    assert any("Slack" in note for note in sentences(Transparency().measure(pair).notes))


def test_methods_that_promise_no_order_are_not_taken_to_keep_it() -> None:
    original = np.arange(12.0)[:, None]
    masked = masked_by("individual-ranking", original, 3, MEAN, None)
    for method in ("mdav", "individual-ranking+refine"):
        pair = pair_of(original, masked, blocks=blocks_of([["V1"]], method))
        assert [use.how for use in uses_of(pair, "published")] == ["mean of its group"]


def how(pair: Pair) -> str:
    (use,) = uses_of(pair, "published")
    return use.how


def test_what_is_used_depends_on_the_operator() -> None:
    original = skewed(12, 1)[:, 0]
    label = np.arange(12) % 4
    masked = np.exp(group_means(np.log(original)[:, None], label))[:, 0]

    def block(operator: str, **more: bool) -> tuple[MaskedTogether, ...]:
        return (MaskedTogether(("V1",), "mdav", {"V1": operator}, **more),)

    variable = (compared("V1", original, masked),)
    assert how(Pair(variable, ("V1",), block(GEOMETRIC))).startswith("geometric mean")
    assert how(Pair((compared("V1", -original, -masked),), ("V1",), block(GEOMETRIC))).startswith("nothing")
    assert how(Pair(variable, ("V1",), block(MEDIAN))) == "nothing (lower median of a group)"
    assert how(Pair(variable, ("V1",), block(MEAN, is_weighted=True))) == "nothing (weighted)"
    assert how(Pair(variable, ("V1",), (MaskedTogether(("V1",), "mdav"),))) == "nothing (operator unknown)"


def test_means_are_recognised_where_nobody_said_so_up_to_the_grid() -> None:
    original = np.array([1.0, 8.0, 4.0, 2.0])
    exact, rounded = np.array([4.5, 4.5, 3.0, 3.0]), np.array([4.0, 4.0, 3.0, 3.0])
    assert how(Pair((compared("V", original, exact),), ("V",))) == "mean of its group"
    assert how(Pair((compared("V", original, rounded, grid=Grid(0)),), ("V",))) == "mean of its group"
    assert how(Pair((compared("V", original, rounded),), ("V",))) == "nothing (operator unknown)"


def test_a_category_that_is_not_masked_is_compared_for_equality() -> None:
    region = compared("region", [1, 1, 2, NAN], [1, 1, 2, NAN], scale=Scale.NOMINAL, is_masked=False)
    found = Transparency("published").measure(Pair((region,), ("region",)))
    assert found.value("certain-records-published") == 2
    changed = compared("region", [1, 1, 2, 2], [1, 1, 2, 1], scale=Scale.NOMINAL, is_masked=False)
    assert how(Pair((changed,), ("region",))) == "nothing: not masked but changed"


def test_blanks_that_stay_tell_who_has_a_value() -> None:
    income = compared("income", [5.0, 9.0, NAN], [5.0, 5.0, NAN])
    pair = Pair((income,), ("income",), (MaskedTogether(("income",), "mdav", {"income": MEDIAN}),))
    assert how(pair) == "only which records have a value (lower median of a group)"
    assert Transparency("published").measure(pair).value("certain-records-published") == 1
    moved = Pair((compared("income", [5.0, 9.0, NAN], [5.0, NAN, 5.0]),), ("income",), pair.blocks)
    assert how(moved) == "nothing: values appear or vanish"


def test_ordered_categories_masked_by_rank() -> None:
    level = compared("level", [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1], scale=Scale.ORDINAL)
    pair = Pair((level,), ("level",), (MaskedTogether(("level",), "individual-ranking", {"level": MEDIAN}),))
    assert how(pair) == "groups of consecutive values"
    assert_certain_links_are_right(pair)


def test_an_unmasked_file_is_known_for_certain() -> None:
    original = skewed(200, 4)
    found = Transparency().measure(pair_of(original, original.copy(), k=1))
    assert found.value("certain-links-published") == 100
    assert found.value("certain-links-rerun") == 100
    assert "200 of 200" in worded(found.says)


def test_a_shuffled_file_is_not_misread() -> None:
    original = skewed(80, 2)
    pair = pair_of(original, original[np.random.default_rng(1).permutation(80)])
    assert_certain_links_are_right(pair)
    found = Transparency("published").measure(pair)
    assert found.value("certain-records-published") is None, "an attack that cannot be run has no result, not 0"
    assert str(found.says) == "not-run(why=no-method-to-use)"


ODD = {
    "one record": np.array([[1.0, 2.0]]),
    "two records": np.array([[1.0, 2.0], [3.0, 1.0]]),
    "constant": np.full((5, 2), 7.0),
    "all blank": np.full((4, 2), NAN),
    "a blank column": np.column_stack([np.arange(5.0), np.full(5, NAN)]),
    "huge": np.array([[1e300, -1e15], [-1e300, 1e15], [1.7e308, 1e15 + 1], [-1.7e308, 0.0]]),
    "tiny": np.array([[5e-324, 0.0], [0.0, 5e-324], [1e-300, 1e-310]]),
}


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("method", [None, "mdav", "individual-ranking"])
def test_odd_files(case: str, method: str | None) -> None:
    original = ODD[case]
    for masked in (original.copy(), original[::-1].copy(), np.where(np.isnan(original), NAN, 1e15)):
        blocks = blocks_of([["V1", "V2"]], method) if method else [MaskedTogether(("V1", "V2"))]
        assert_certain_links_are_right(pair_of(original, masked, blocks=blocks))


def test_no_records() -> None:
    found = Transparency().measure(pair_of(np.zeros((0, 2)), np.zeros((0, 2))))
    assert found.value("certain-links-published") is None
    assert found.value("median-set-published") is None
    assert str(found.says) == "not-run(why=no-record-to-link)"


def test_sets_are_counted_up_to_the_cap() -> None:
    original = np.arange(40.0)[:, None]
    pair = pair_of(original, np.full((40, 1), 19.5), blocks=blocks_of([["V1"]], "mdav"))
    found = Transparency("published", cap=20).measure(pair)
    assert found.value("median-set-published") == 20
    assert found.tables[0].rows[-1] == ("more than 10", 40)


@pytest.mark.parametrize("wrong", [{"knowledge": "all"}, {"cap": 10}])
def test_what_cannot_be_obeyed_is_refused(wrong: dict) -> None:
    with pytest.raises(UsageError):
        Transparency(**wrong)


@settings(max_examples=40)
@given(st.data())
def test_compiled_counts_are_the_same(data: st.DataObject) -> None:
    n, columns = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 3))
    draw = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    reaches = []
    for _ in range(columns):
        x, y = draw.integers(0, 12, (2, n)).astype(float)
        width = draw.integers(0, 4, (2, n)) * data.draw(st.sampled_from([0.0, 1.0]))
        x[draw.random(n) < 0.1], y[draw.random(n) < 0.1] = -np.inf, -np.inf
        reaches.append(Reach(x, x + width[0], y, y + width[1]))
    plain, fast = (set_sizes(reaches, n, 15, compiled=compiled) for compiled in (False, True))
    assert plain.tolist() == fast.tolist()


@pytest.mark.parametrize("cap", [15, 400, 10_000])
def test_compiled_counts_of_many_candidates_are_the_same(cap: int) -> None:
    """Sets of hundreds are counted tile by tile; in 1,300 records the last tile is not full."""
    random = np.random.default_rng(cap)
    n = 1_300
    middle = random.normal(size=(4, n))
    reaches = [Reach(m, m, m - width, m + width) for m, width in zip(middle, (0.5, 3.0, 0.05, 9.0), strict=True)]
    for chosen in (reaches[:1], reaches[1:2], reaches[:2], reaches[2:], reaches):
        plain, fast = (set_sizes(chosen, n, cap, compiled=compiled) for compiled in (False, True))
        assert plain.tolist() == fast.tolist()
