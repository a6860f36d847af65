"""How records are divided is what was asked for: methods, efforts, units and weights act, or are refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from constraint_sdc.arrays import Points
from constraint_sdc.commands.plan import plan_file
from constraint_sdc.errors import UsageError
from constraint_sdc.maskers.masked import MaskOptions, MaskResult
from constraint_sdc.partition.registry import METHODS
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.recipe import Division
from constraint_sdc.settings.words import Standardise
from tests.maskers.extract import Extract, columns, extract
from tests.partition.textbook import textbook_mdav

N = 40
K = 4
QUICK = {"partition": "auto", "effort": "fast"}
Cells = dict[str, list[str]]


def amounts(seed: int = 1) -> Cells:
    """Two skewed amounts in cents, unrelated, and what each record counts."""
    rng = np.random.default_rng(seed)
    skewed = np.exp(rng.normal(4, 1, (2, N)))
    cells = {name: [f"{x:.2f}" for x in column.tolist()] for name, column in zip("AB", skewed, strict=True)}
    return {**cells, "W": [str(w) for w in rng.choice([1, 2, 5, 30], N).tolist()]}


def numbers(cells: Sequence[str]) -> Points:
    return np.array([float(text) for text in cells])


def lost(given: Extract, name: str) -> float:
    """Return the squared error of a variable in the written file."""
    before = numbers([record[name] for record in given.original()])
    return float(np.square(numbers(given.column(name)) - before).sum())


def groups_of(result: MaskResult, block: int = 0) -> set[frozenset[int]]:
    return {frozenset(rows.tolist()) for rows in result.masked.blocks[block].groups.each()}


def textbook_groups(points: Points, k: int = K) -> set[frozenset[int]]:
    labels = np.asarray(textbook_mdav(points, k))
    return {frozenset(np.flatnonzero(labels == group).tolist()) for group in np.unique(labels)}


class TestMethods:
    """Every name that `--partition` takes."""

    RULES: ClassVar = {"total": "number(A) + number(B) = number(C)", "order": "number(A) <= number(C)"}
    REFUSED: ClassVar = {
        "k-modes": "k-modes takes no numeric or ordinal variables: A is numeric, B is numeric, C is numeric",
    }
    ONE_BY_ONE: ClassVar = ("optimal-univariate", "individual-ranking")
    CATEGORIES_REFUSED: ClassVar = {
        "optimal-univariate": "optimal-univariate masks each variable alone, but the recipe groups some",
        "individual-ranking": "individual-ranking masks each variable alone, but the recipe groups some",
        "pc1-projection": "pc1-projection takes no nominal variables: Sex is nominal",
        "z-sum-projection": "z-sum-projection takes no nominal variables: Sex is nominal",
        "ordinal-median": "ordinal-median takes no nominal variables: Sex is nominal",
        "k-modes": "k-modes takes no numeric or ordinal variables: A is numeric",
    }

    @staticmethod
    def household(folder: Path, recipe: str | None = None) -> Extract:
        rng = np.random.default_rng(5)
        a, b = rng.integers(0, 900, (2, N))
        cells = {"A": a.tolist(), "B": b.tolist(), "C": (a + b).tolist(), "Sex": rng.choice(["F", "M"], N).tolist()}
        return extract(folder, columns(**cells), TestMethods.RULES, recipe)

    @pytest.mark.parametrize("name", [*METHODS, *(f"{name}+refine" for name in METHODS[1:])])
    def test_every_method_keeps_the_rules_or_says_why_not(self, tmp_path: Path, name: str) -> None:
        given = self.household(tmp_path)
        effort = "fast" if name == "auto" or name.endswith("+refine") else None
        refused = self.REFUSED.get(name.removesuffix("+refine"))
        if refused is not None:
            with pytest.raises(UsageError) as refusal:
                given.mask(K, partition=name, effort=effort)
            assert str(refusal.value).startswith(f"{refused} (")
            assert not list(tmp_path.glob("masked*"))
            return
        result = given.mask(K, partition=name, effort=effort)
        assert sentence(result.plan.blocks[0].partition).startswith(name)
        given.requires_all_rules()
        if name.removesuffix("+refine") in self.ONE_BY_ONE:
            assert not result.plan.blocks[0].shares, "rules tie the three, and each is divided by itself"
            assert given.smallest_group("A") >= K
            assert given.smallest_group("B") >= K
        else:
            assert given.smallest_group("A", "B", "C") >= K

    @pytest.mark.parametrize("name", ONE_BY_ONE)
    def test_a_method_for_one_variable_takes_no_category(self, tmp_path: Path, name: str) -> None:
        given = self.household(tmp_path, "variables: {Sex: {type: nominal}}")
        with pytest.raises(UsageError, match=f"{name} takes no nominal variables: Sex is nominal"):
            given.mask(K, partition=name)

    @pytest.mark.parametrize("name", METHODS)
    def test_every_method_takes_categories_or_says_why_not(self, tmp_path: Path, name: str) -> None:
        given = self.household(tmp_path, "variables: {Sex: {type: nominal}}\ngroups: all\n")
        effort = "fast" if name == "auto" else None
        if name in self.CATEGORIES_REFUSED:
            with pytest.raises(UsageError) as refusal:
                given.mask(K, partition=name, effort=effort)
            assert str(refusal.value).startswith(self.CATEGORIES_REFUSED[name])
            return
        given.mask(K, partition=name, effort=effort)
        given.requires_all_rules()
        assert given.smallest_group("A", "B", "C", "Sex") >= K

    def test_auto_is_what_happens_if_nobody_says_anything(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(A=range(0, 90, 5)))
        plan = plan_file(given.data, None, MaskOptions(k=3))
        assert plan.division == Division("auto", "default", Standardise.Z_SCORE, None)

    def test_a_search_loses_less_than_mdav_and_keeps_the_rules(self, tmp_path: Path) -> None:
        given = self.household(tmp_path)
        (price,) = [block.price for block in given.mask(K, **QUICK).masked.blocks]
        (plain,) = [block.price for block in given.mask(K, overwrite=True).masked.blocks]
        given.requires_all_rules()
        assert price.plain_loss == plain.plain_loss, "plain MDAV whatever the method"
        assert price.loss < plain.loss

    def test_individual_ranking_masks_each_free_variable_alone(self, tmp_path: Path) -> None:
        cells = amounts()
        given = extract(tmp_path, columns(**cells), recipe="mask: {partition: individual-ranking}")
        result = given.mask(K)
        assert [block.names for block in result.plan.blocks] == [("A",), ("B",), ("W",)]
        for block, name in enumerate("AB"):
            ranked = np.argsort(numbers(cells[name]), kind="stable").tolist()
            expected = {frozenset(ranked[i : i + K]) for i in range(0, N, K)}
            assert groups_of(result, block) == expected, "consecutive in the order of the values"

    @pytest.mark.parametrize("recipe", ["groups: all", "groups: [[A, B]]", "group_size: 2"])
    def test_individual_ranking_obeys_no_groups(self, tmp_path: Path, recipe: str) -> None:
        given = extract(tmp_path, columns(**amounts()), recipe="mask: {partition: individual-ranking}\n" + recipe)
        with pytest.raises(
            UsageError,
            match=r"recipe.yml:2: individual-ranking masks each variable alone, so group(s|_size) has no meaning",
        ):
            given.plan(K)

    def test_individual_ranking_takes_rules_about_one_variable(self, tmp_path: Path) -> None:
        rules = {"bound": "number(A) >= 0", "other": "number(B) < 100000"}
        given = extract(tmp_path, columns(**amounts()), rules, "mask: {partition: individual-ranking}")
        given.mask(K)
        given.requires_all_rules()


class TestUnits:
    """Numbers enter distances in the unit that was asked for, stretched by their variable's weight."""

    @staticmethod
    def outlying() -> Cells:
        """A is smaller than B with a few outliers: its deviation is many times the distance of its quartiles."""
        rng = np.random.default_rng(3)
        a = rng.normal(100, 30, N)
        a[:3] += 4000
        return {"A": [f"{x:.3f}" for x in a.tolist()], "B": [f"{x:.3f}" for x in rng.normal(500, 90, N).tolist()]}

    @pytest.mark.parametrize("unit", ["z-score", "robust", "none"])
    def test_groups_are_those_of_the_textbook_in_that_unit(self, tmp_path: Path, unit: str) -> None:
        cells = self.outlying()
        given = extract(tmp_path, columns(**cells), recipe=f"standardise: {unit}")
        result = given.mask(K)
        values = np.array([numbers(column) for column in cells.values()]).T
        quartiles = np.quantile(values, (0.25, 0.75), axis=0)
        units = {"z-score": values.std(axis=0), "robust": (quartiles[1] - quartiles[0]) / 1.349, "none": 1.0}
        groups = {name: textbook_groups((values - values.mean(axis=0)) / one) for name, one in units.items()}
        assert groups_of(result) == groups[unit]
        assert all(groups[unit] != others for name, others in groups.items() if name != unit), "the unit matters here"
        assert result.plan.division.standardise.value == unit

    def test_without_a_unit_large_numbers_dominate(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**self.outlying()))
        given.mask(K, standardise=Standardise.NONE)
        raw = lost(given, "B")
        given.mask(K, standardise=Standardise.ROBUST, overwrite=True)
        assert raw < lost(given, "B") / 2

    def test_groups_are_those_of_the_textbook_on_stretched_points(self, tmp_path: Path) -> None:
        cells = self.outlying()
        given = extract(tmp_path, columns(**cells), recipe="variables: {A: {weight: 9}, B: {weight: 0.25}}")
        result = given.mask(K)
        values = np.array([numbers(column) for column in cells.values()]).T
        scores = (values - values.mean(axis=0)) / values.std(axis=0)
        assert groups_of(result) == textbook_groups(scores * [3.0, 0.5])
        assert groups_of(result) != textbook_groups(scores)
        assert [variable.weight for variable in result.plan.blocks[0].variables] == [9.0, 0.25]

    @pytest.mark.parametrize("method", ["mdav", "auto", "mixed"])
    def test_what_weighs_more_loses_less(self, tmp_path: Path, method: str) -> None:
        losses: dict[str, dict[str, float]] = {}
        for heavy in "AB":
            recipe = f"method: {method}\nvariables: {{{heavy}: {{weight: 50}}, W: {{role: untouched}}}}\n"
            given = extract(tmp_path / heavy, columns(**amounts()), recipe=recipe)
            given.mask(K, effort="fast" if method == "auto" else None)
            losses[heavy] = {name: lost(given, name) for name in "AB"}
        assert losses["A"]["A"] < losses["B"]["A"] / 3
        assert losses["B"]["B"] < losses["A"]["B"] / 3

    @pytest.mark.parametrize(
        ("recipe", "cell"), [("standardise: none", "{}e200"), ("variables: {A: {weight: 1e308}}", "{}")]
    )
    def test_numbers_without_distances_are_told(self, tmp_path: Path, recipe: str, cell: str) -> None:
        rows = columns(A=[cell.format(i * 7 % 20) for i in range(20)], B=[i * 3 % 20 for i in range(20)])
        with pytest.raises(UsageError, match="values of A are too large for distances between records"):
            extract(tmp_path, rows, recipe=recipe).plan(K)

    @pytest.mark.parametrize("entry", ["weight: 2", "grid: 2", "operator: mode"])
    def test_a_wish_for_what_is_not_masked_is_not_ignored(self, tmp_path: Path, entry: str) -> None:
        rows = columns(A=range(12), Town=["a", "b"] * 6)
        with pytest.raises(UsageError, match="the recipe has entries to mask Town, but its role is untouched"):
            extract(tmp_path, rows, recipe=f"variables: {{Town: {{{entry}}}}}").plan(K)


class TestWeights:
    """Records count as the weights say, in groups and in their means; the weights themselves stay."""

    def test_weighted_totals_survive(self, tmp_path: Path) -> None:
        """Every group's weighted total is that of its records, up to the cents that rounding costs."""
        cells = amounts()
        weights = numbers(cells["W"])
        given = extract(tmp_path, columns(**cells), recipe="weights: W")
        weighed = given.mask(K, **QUICK)
        kept = {name: abs(float(weights @ (numbers(given.column(name)) - numbers(cells[name])))) for name in "AB"}
        assert max(kept.values()) <= 0.005 * weights.sum() + 1e-6
        assert given.column("W") == cells["W"]

        alike = extract(tmp_path / "alike", columns(**cells), recipe="variables: {W: {role: untouched}}")
        plain = alike.mask(K, **QUICK)
        missed = {name: abs(float(weights @ (numbers(alike.column(name)) - numbers(cells[name])))) for name in "AB"}
        assert min(missed.values()) > 10 * weights.sum() * 0.005, "without weights the totals are others"
        assert groups_of(weighed) != groups_of(plain), "groups weigh too"

    def test_weighted_totals_survive_rules(self, tmp_path: Path) -> None:
        cells = amounts()
        cells["C"] = [f"{float(a) + float(b):.2f}" for a, b in zip(cells["A"], cells["B"], strict=True)]
        rules = {"total": "xs:decimal(A) + xs:decimal(B) = xs:decimal(C)"}
        given = extract(tmp_path, columns(**cells), rules, "weights: W")
        given.mask(K, **QUICK)
        given.requires_all_rules()
        weights = numbers(cells["W"])
        for name in "ABC":
            missed = abs(float(weights @ (numbers(given.column(name)) - numbers(cells[name]))))
            assert missed <= 0.015 * weights.sum() + 1e-6

    def test_every_operator_weighs(self, tmp_path: Path) -> None:
        """One group of six records that count as ten."""
        rows = columns(
            Mean=[1, 2, 3, 9, 8, 7],
            Root=[2, 2, 2, 2, 32, 32],
            Code=[1, 2, 3, 4, 5, 6],
            Town=["x", "x", "y", "z", "z", "z"],
            W=[1, 2, 4, 1, 1, 1],
        )
        recipe = (
            "weights: W\nvariables:\n  Mean: {grid: 2}\n  Root: {operator: geometric mean, grid: 3}\n"
            "  Code: {type: ordinal}\n  Town: {type: nominal}\n"
        )
        given = extract(tmp_path, rows, recipe=recipe)
        given.mask(6, **QUICK)
        assert set(given.column("Mean")) == {"4.1"}, "(1 + 4 + 12 + 9 + 8 + 7) / 10"
        assert set(given.column("Root")) == {"3.482"}, "2 ** ((1 + 2 + 4 + 1 + 5 + 5) / 10)"
        assert set(given.column("Code")) == {"3"}, "the fifth of 1, 2, 2, 3, 3, 3, 3, 4, 5, 6"
        assert set(given.column("Town")) == {"y"}, "four against three"

    def test_the_medoid_weighs(self, tmp_path: Path) -> None:
        rows = columns(A=[0, 1, 2, 10, 11], B=[0, 1, 2, 10, 11], W=[1, 1, 1, 50, 50])
        wishes = "{A: {operator: medoid}, B: {operator: medoid}}"
        given = extract(tmp_path, rows, recipe=f"weights: W\nvariables: {wishes}\nprotect: {{verbatim: allowed}}")
        given.mask(5, **QUICK)
        assert set(given.column("A")) == {"10"}, "without weights it is 2"

    def test_equal_weights_are_no_weights(self, tmp_path: Path) -> None:
        cells = {**amounts(), "W": ["2.5"] * N}
        given = extract(tmp_path, columns(**cells), recipe="variables: {W: {role: untouched}}")
        given.mask(K, **QUICK)
        without = given.output.read_bytes()
        given.mask(K, weights="W", overwrite=True, **QUICK)
        assert given.output.read_bytes() == without

    @pytest.mark.parametrize("name", METHODS[1:])
    def test_a_published_method_takes_no_weights_but_its_refinement_does(self, tmp_path: Path, name: str) -> None:
        given = extract(tmp_path, columns(**amounts()), {"bound": "number(A) >= 0"})
        with pytest.raises(UsageError, match=f"{name} takes no weights of records"):
            given.mask(K, partition=name, weights="W")
        assert not list(tmp_path.glob("masked*"))
        if name != "k-modes":
            given.mask(K, partition=f"{name}+refine", effort="fast", weights="W")
            given.requires_all_rules()

    @pytest.mark.parametrize(
        ("cell", "says"),
        [
            ("", "W of record 3 is not a positive number, so not a weight"),
            ("0", "W of record 3 is not a positive number"),
            ("-2", "W of record 3 is not a positive number"),
            ("heavy", "W of record 3 is not a positive number"),
            ("INF", "W of record 3 is not a positive number"),
            ("NaN", "W of record 3 is not a positive number"),
        ],
    )
    def test_what_is_no_weight_is_told_with_its_record(self, tmp_path: Path, cell: str, says: str) -> None:
        cells = amounts()
        cells["W"][2] = cell
        given = extract(tmp_path, columns(**cells), recipe="weights: W")
        with pytest.raises(UsageError, match=says):
            given.mask(K, **QUICK)
        assert not list(tmp_path.glob("masked*"))

    @pytest.mark.parametrize("scale", ["e300", "e-300", "000"])
    def test_only_proportions_of_weights_count(self, tmp_path: Path, scale: str) -> None:
        cells = amounts()
        one = extract(tmp_path / "1", columns(**cells), recipe="weights: W")
        two = extract(tmp_path / "2", columns(**{**cells, "W": [w + scale for w in cells["W"]]}), recipe="weights: W")
        assert groups_of(one.mask(K, **QUICK)) == groups_of(two.mask(K, **QUICK))
        assert one.column("A") == two.column("A")

    def test_a_weight_that_counts_for_nothing_is_told(self, tmp_path: Path) -> None:
        cells = amounts()
        cells["W"][4] = "1e-13"
        with pytest.raises(UsageError, match=r"W of record 5 is less than 1e-12 of the largest weight"):
            extract(tmp_path, columns(**cells)).plan(K, weights="W", **QUICK)

    def test_an_absent_weight_is_told_with_its_record(self, tmp_path: Path) -> None:
        rows = columns(**amounts())
        del rows[6]["W"]
        with pytest.raises(UsageError, match="W of record 7 is not a positive number"):
            extract(tmp_path, rows).plan(K, weights="W", **QUICK)

    @pytest.mark.parametrize(
        ("recipe", "says"),
        [
            ("variables: {W: {role: confidential}}", "W weighs the records and cannot be masked too"),
            ("variables: {W: {role: quasi-identifier}}", "W weighs the records and cannot be masked too"),
            ("variables: {W: {operator: mode}}", "W weighs the records and cannot be masked too"),
            ("variables: {W: {grid: 2}}", "W weighs the records and cannot be masked too"),
            ("variables: {W: {weight: 3}}", "W weighs the records and cannot be masked too"),
            ("groups: [[A, W]]", "the recipe has entries to mask W, but its role is untouched"),
            ("missing: {W: [30]}", "W weighs the records, so that none of its values can be missing"),
        ],
    )
    def test_weights_are_not_masked(self, tmp_path: Path, recipe: str, says: str) -> None:
        given = extract(tmp_path, columns(**amounts()), recipe=recipe)
        with pytest.raises(UsageError, match=says):
            given.plan(K, weights="W", **QUICK)

    def test_a_weight_that_no_record_has_is_told(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**amounts()), recipe="weights: Weight")
        says = r"the weights are to be 'Weight', which no record has \(the file has: A, B, W\)"
        with pytest.raises(UsageError, match=says):
            given.plan(K)

    def test_the_plan_says_why_the_weights_stay(self, tmp_path: Path) -> None:
        plan = extract(tmp_path, columns(**amounts()), recipe="weights: W").plan(K, **QUICK)
        assert [(kept.name, kept.because) for kept in plan.kept] == [("W", because("weighs-records"))]

    def test_weights_may_be_removed_from_the_file_that_they_weighed(self, tmp_path: Path) -> None:
        cells = amounts()
        recipe = "weights: W\nvariables: {W: {role: identifier, remove: true}}\n"
        given = extract(tmp_path, columns(**cells), recipe=recipe)
        given.mask(K, **QUICK)
        assert "W" not in given.masked()[0]
        weights = numbers(cells["W"])
        missed = abs(float(weights @ (numbers(given.column("A")) - numbers(cells["A"]))))
        assert missed <= 0.005 * weights.sum() + 1e-6


SAID: list[tuple[str, dict[str, Any], Division]] = [
    ("", {}, Division("mdav")),
    ("mask: {partition: rim}\nstandardise: none", {}, Division("rim", None, Standardise.NONE)),
    ("mask: {partition: rim}", {"partition": "v-mdav"}, Division("v-mdav")),
    ("effort: best\nmask: {partition: auto}", {"effort": "fast"}, Division("auto", "fast")),
    ("effort: fast", {"partition": "auto"}, Division("auto", "fast")),
    ("effort: best", {"partition": "mdav"}, Division("mdav")),
    ('mask: {partition: "v-mdav:gamma=1.10"}', {}, Division("v-mdav:gamma=1.1")),
    ('mask: {partition: "v-mdav:gamma=1.1"}', {"partition": "v-mdav"}, Division("v-mdav")),
    (
        "effort: best\nmask: {partition: auto}",
        {"partition": "mdav+refine", "effort": "fast"},
        Division("mdav+refine", "fast"),
    ),
    (
        "mask: {partition: auto}\nstandardise: none\nweights: A",
        {"effort": "fast", "standardise": Standardise.ROBUST, "weights": "W"},
        Division("auto", "fast", Standardise.ROBUST, "W"),
    ),
]


@pytest.mark.parametrize(("recipe", "options", "division"), SAID)
def test_an_option_goes_before_the_recipe(
    tmp_path: Path, recipe: str, options: dict[str, Any], division: Division
) -> None:
    given = extract(tmp_path, columns(**amounts()), recipe=recipe)
    assert given.plan(K, **options).division == division


def test_an_effort_that_nothing_can_use_is_told(tmp_path: Path) -> None:
    given = extract(tmp_path, columns(**amounts()), recipe="mask: {partition: mdav}")
    with pytest.raises(UsageError, match=r"mdav does not search, so it has no effort \(use auto or mdav\+refine\)"):
        given.plan(K, effort="fast")
    with pytest.raises(UsageError, match="unknown effort 'hard'"):
        given.plan(K, partition="auto", effort="hard")
