"""What maskers must not do, each in its smallest form: show records as they were, overflow, say what is not so."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.commands.measuring.pairing import pair_tables
from constraint_sdc.data.pair import Pair
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.maskers.masked import MaskResult
from constraint_sdc.plan.plan import Why
from constraint_sdc.reports.masking.plan_text import plan_text
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Treatment
from tests.maskers.extract import Extract, columns, extract

N = 40
HYBRID = "mask: {masker: microhybrid, partition: mdav}\n"
FUZZY = "mask: {masker: fuzzy-c-means}\n"
RANKED = "mask: {partition: individual-ranking}\n"
COPIES = "protect: {verbatim: allowed}\n"
# Nothing tells that a call of a function item reads its own record alone: no candidate can be judged by it.
OPAQUE = {"o": "count(filter((A, B), function($x) { number($x) ge 0 })) ge 1"}


def amounts(*names: str, records: int = N) -> dict[str, list[str]]:
    rng = np.random.default_rng(5)
    return {name: list(map(str, rng.integers(0, 10_000, records))) for name in names}


def rows(records: list[dict[str, str]]) -> list[tuple[str, ...]]:
    return [tuple(record.values()) for record in records]


def paired(given: Extract, result: MaskResult) -> Pair:
    """Return both files as the attacks see them."""
    original, masked = (read_dataset(path).table for path in (given.data, given.output))
    return pair_tables(original, masked, Recipe(), result.plan).pair


def own_rows(given: Extract) -> int:
    """Count the records that were published with all their original values."""
    return sum(before == after for before, after in zip(given.original(), given.masked(), strict=True))


def alone_and_unchanged(given: Extract) -> int:
    shared = Counter(rows(given.masked()))
    both = zip(rows(given.original()), rows(given.masked()), strict=True)
    return sum(before == after and shared[after] == 1 for before, after in both)


class TestOriginalRecordsInPublishedFiles:
    """What a masker publishes as it was, and does not say so."""

    def test_microhybrid_does_not_publish_all_original_records_in_another_order(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**amounts("A", "B")), OPAQUE, HYBRID)
        result = given.mask(5, seed=1)
        is_permuted = sorted(rows(given.original())) == sorted(rows(given.masked()))
        assert not is_permuted or len(result.plan.warnings) > 1  # the one about the seed is there anyway

    def test_an_opaque_rule_of_uncertain_reach_lets_clusters_share_an_actual_record(self, tmp_path: Path) -> None:
        """Shuffled records would still be records; whoever shares one with others is hidden among them."""
        given = extract(tmp_path, columns(**amounts("A", "B")), OPAQUE, HYBRID)
        result = given.mask(5, seed=1)
        given.requires_all_rules()
        assert {v.treatment for v in result.plan.blocks[0].variables} == {Treatment.AGGREGATED}
        assert result.plan.blocks[0].shares
        assert given.smallest_group("A", "B") >= 5
        (block,) = paired(given, result).blocks
        assert (block.divided_by, block.is_drawn) == ("mdav", False), "nothing was drawn, and attacks may know"

    def test_variables_of_an_opaque_rule_that_saxon_judges_are_synthesised_too(self, tmp_path: Path) -> None:
        rules = {"o": "string-length(translate(A, B, '')) ge 0 and codepoint-equal(A, A)"}
        given = extract(tmp_path, columns(**amounts("A", "B", "D")), rules, HYBRID)
        result = given.mask(5, seed=1)
        given.requires_all_rules()
        (rule,) = result.plan.blocks[0].rules
        assert (rule.why, rule.kind) == (Why.CHECKED, "opaque")
        assert {v.treatment for v in result.plan.blocks[0].variables} == {Treatment.SYNTHESISED}

    def test_a_variable_that_the_given_ones_determine_is_refused(self, tmp_path: Path) -> None:
        cells = amounts("A")
        cells["Y"] = [str(2 * int(a) + 5) for a in cells["A"]]
        given = extract(tmp_path, columns(**cells), None, "mask: {masker: microhybrid, partition: mdav, given: [Y]}\n")
        with pytest.raises(PlanRefusedError, match=r"the variables in `given` \(Y\) determine A"):
            given.mask(10, seed=1)

    def test_two_records_to_a_cluster_are_too_few(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**amounts("A")), None, HYBRID)
        with pytest.raises(PlanRefusedError, match="= 2, and never fewer than 3, for the 1 variables"):
            given.mask(2, seed=1)

    def test_who_alone_drew_a_centre_is_moved_off(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**amounts("A", "B", records=100)), None, FUZZY)
        given.mask(3, seed=2)
        assert own_rows(given) == 0

    def test_who_alone_drew_a_centre_and_got_his_own_values_is_counted(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**amounts("A", "B", records=100)), None, FUZZY + COPIES)
        result = given.mask(3, seed=2)
        count = alone_and_unchanged(given)
        assert count > 0, "a centre lies on an outlier"
        assert result.masked.blocks[0].price.notes[-1] == because("alone-at-centre", records=count)
        assert "is published almost unchanged" in sentence(result.plan.warnings[0])

    def test_none_is_with_k_ensured(self, tmp_path: Path) -> None:
        given = extract(
            tmp_path, columns(**amounts("A", "B", records=100)), None, FUZZY.replace("}", ", ensure_k: true}")
        )
        given.mask(3, seed=2)
        assert alone_and_unchanged(given) == 0

    def test_the_record_that_stands_in_for_a_centre_is_not_one_of_those_that_drew_it(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**amounts("A", "B", records=100)), OPAQUE, FUZZY + COPIES)
        given.mask(3, seed=2)
        assert alone_and_unchanged(given) == 0

    def test_a_ranked_record_is_never_represented_by_itself(self, tmp_path: Path) -> None:
        cells = amounts("A", "B", records=100)
        cells["C"] = [str(int(a) + int(b)) for a, b in zip(cells["A"], cells["B"], strict=True)]
        rules = {**OPAQUE, "s": "number(A) + number(B) = number(C)"}
        given = extract(tmp_path, columns(**cells), rules, RANKED)
        given.mask(3, seed=2)
        assert alone_and_unchanged(given) == 0

    @pytest.mark.parametrize(
        "method",
        [
            {"partition": "mdav"},
            {"masker": "microhybrid"},
            {"masker": "fuzzy-c-means"},
            {"partition": "individual-ranking"},
        ],
        ids=str,
    )
    def test_markup_does_not_tell_which_values_are_still_the_original_ones(
        self, tmp_path: Path, method: dict[str, str]
    ) -> None:
        """Cells that changed lose a comment (or CDATA, or a character reference) within; those that did not keep it."""
        values = np.random.default_rng(5).integers(0, 6, (N, 2))
        records = "".join(f"<Record><A>{a}</A><B><!--as collected-->{b}</B></Record>" for a, b in values)
        (tmp_path / "data.xml").write_text(f"<Microdata>{records}</Microdata>", encoding="utf-8")
        given = Extract(tmp_path, has_rules=False, has_recipe=False)
        given.mask(6, **method, seed=3)
        assert given.output.read_text(encoding="utf-8").count("as collected") in (0, N)


class TestLargeNumbers:
    """Doubles that are numbers, with squares that are not."""

    def test_microhybrid_masks_numbers_whose_squares_overflow(self, tmp_path: Path) -> None:
        numbers = (np.random.default_rng(5).normal(0, 1, N) * 1e160).tolist()
        given = extract(tmp_path, columns(A=map(repr, numbers)), None, HYBRID)
        given.mask(5)

    @pytest.mark.parametrize("masker", [HYBRID, FUZZY])
    def test_numbers_whose_range_overflows(self, tmp_path: Path, masker: str) -> None:
        given = extract(tmp_path, columns(A=["0", "1e308", "-1e308"] * 10), None, masker)
        given.mask(5)


class TestMeansOfClusters:
    """Sums of whole numbers stay in every cluster, whatever other clusters look like."""

    def sums(self, given: Extract, name: str, k: int) -> list[tuple[int, int]]:
        result = given.mask(k, seed=1)
        before, after = given.original(), given.masked()
        clusters = [rows.tolist() for rows in result.masked.blocks[0].groups.each()]
        full = [members for members in clusters if all(name in before[row] for row in members)]
        return [tuple(sum(int(one[row][name]) for row in rows) for one in (before, after)) for rows in full]  # type: ignore[misc]

    def test_although_another_cluster_has_no_values(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(9)
        a = [3 * i + 30_000 * (i >= 30) for i in range(60)]
        records = columns(A=a, B=rng.integers(0, 50, 60))
        for record in records[:30]:
            del record["B"]
        given = extract(tmp_path, records, None, HYBRID)
        assert all(before == after for before, after in self.sums(given, "B", 10))

    def test_although_another_cluster_has_numbers_beyond_2_to_the_53(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(9)
        a = [7 * i for i in range(30)] + [2**53 + 2 + 4 * i for i in range(30)]
        given = extract(tmp_path, columns(A=a, B=rng.integers(0, 50, 60)), None, HYBRID)
        assert all(before == after for before, after in self.sums(given, "A", 10) if before < 2**53)


class TestWhatThePlanSays:
    """Sentences of the plan that are not true."""

    def test_fuzzy_c_means_without_ensure_k_has_no_least_group(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**amounts("A", "B", records=100)), None, FUZZY)
        plan = given.plan(3)
        price = plan.blocks[0].price
        assert price is not None
        assert price.smallest < 3
        assert "at least 3 records" not in " ".join(plan_text(plan).split())

    def test_without_a_recipe_no_recipe_groups_anything(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**amounts("A", "B")))
        assert "the recipe" not in plan_text(given.plan(5, masker="microhybrid"))

    def test_the_warning_of_individual_ranking_is_true_of_blocks_that_rules_tie(self, tmp_path: Path) -> None:
        cells = amounts("A", "B")
        cells["C"] = [str(int(a) + int(b)) for a, b in zip(cells["A"], cells["B"], strict=True)]
        given = extract(tmp_path, columns(**cells), {"s": "number(A) + number(B) = number(C)"}, RANKED)
        result = given.mask(5)
        assert given.smallest_group("C") < 5
        assert "5 records share each value" not in sentence(result.plan.warnings[0])


class TestMistakesInARecipe:
    """What a recipe gets wrong has its line, and what it asks for acts or is refused."""

    @pytest.mark.parametrize(
        "recipe",
        [
            "mask: {masker: microhybrid, given: [A]}\nvariables: {A: {grid: integer}}\n",
            "mask: {masker: microhybrid}\nweights: W\n",
            "mask: {masker: fuzzy-c-means}\nweights: W\n",
            "mask: {partition: individual-ranking}\nweights: W\n",
            "mask: {masker: microhybrid}\nvariables: {A: {operator: geometric mean}}\n",
            "mask: {masker: fuzzy-c-means}\nvariables: {A: {operator: geometric mean}}\n",
            "mask: {partition: individual-ranking}\ngroups: all\n",
            "mask: {partition: individual-ranking}\ngroup_size: 2\n",
        ],
    )
    def test_a_contradiction_has_its_line(self, tmp_path: Path, recipe: str) -> None:
        given = extract(tmp_path, columns(**amounts("A", "B"), W=[3] * N), None, recipe)
        with pytest.raises(UsageError, match=r"recipe\.yml:\d"):
            given.mask(8)

    @pytest.mark.parametrize("asked", ["standardise: none\n", "variables: {A: {weight: 50}}\n"])
    def test_individual_ranking_ignores_nothing_silently(self, tmp_path: Path, asked: str) -> None:
        given = extract(tmp_path, columns(**amounts("A", "B")), None, RANKED + asked)
        with pytest.raises(UsageError):
            given.mask(5)

    def test_a_nominal_variable_cannot_be_given(self, tmp_path: Path) -> None:
        recipe = "mask: {masker: microhybrid, given: [A]}\nvariables: {A: {type: nominal}}\n"
        given = extract(tmp_path, columns(**amounts("A", "B")), None, recipe)
        with pytest.raises(UsageError):
            given.mask(8)
