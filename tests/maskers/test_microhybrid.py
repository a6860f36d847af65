"""Microhybrid through files: moments that stay, rules that hold, and what the plan says of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from constraint_sdc.arrays import Rows
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.maskers.microhybrid.draws import ClusterDraws
from constraint_sdc.plan.plan import ExactStep, Why
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Treatment
from tests.maskers.extract import Extract, columns, extract, the_block

N = 90
Numbers = npt.NDArray[np.float64]
FREE = "variables: {A: {grid: free}, B: {grid: free}, C: {grid: free}}\n"
HYBRID = "mask: {masker: microhybrid, partition: mdav}\n"


def incomes(seed: int = 3) -> dict[str, list[str]]:
    """Two amounts and their total, with as many digits as doubles have."""
    rng = np.random.default_rng(seed)
    a = np.exp(rng.normal(8, 1, N))
    b = 0.3 * a + rng.normal(4000, 500, N)
    return {"A": list(map(repr, a.tolist())), "B": list(map(repr, b.tolist())), "C": list(map(repr, (a + b).tolist()))}


def numbers(given: Extract, *names: str, masked: bool = True) -> Numbers:
    rows = given.masked() if masked else given.original()
    return np.array([[float(row[name]) for name in names] for row in rows])


def differences(
    given: Extract, rows: npt.NDArray[np.int64], names: tuple[str, ...], others: tuple[str, ...] = ()
) -> float:
    """Return the largest relative difference of means and covariances among some records."""
    before, after = (numbers(given, *names, *others, masked=m)[rows] for m in (False, True))
    deviation = before.std(axis=0)
    size = np.maximum(np.abs(before.mean(axis=0)), deviation)
    means = np.abs(after.mean(axis=0) - before.mean(axis=0)) / size
    products = np.abs(np.cov(after.T, bias=True) - np.cov(before.T, bias=True)) / np.outer(deviation, deviation)
    return float(max(means.max(), products[: len(names)].max()))


class TestMoments:
    """Means and covariances of real numbers, over all records and in every cluster, read from the written file."""

    NAMES = ("A", "B", "C")

    @pytest.mark.parametrize("k", [4, 9, 30, N])
    def test_they_are_kept_exactly_under_a_sum(self, tmp_path: Path, k: int) -> None:
        given = extract(tmp_path, columns(**incomes()), {"sum": "number(A) + number(B) = number(C)"}, FREE + HYBRID)
        result = given.mask(k)
        given.requires_all_rules()
        assert differences(given, np.arange(N), self.NAMES) < 1e-9
        clusters = result.masked.blocks[0].groups
        assert int(clusters.sizes.min()) >= k
        assert max(differences(given, rows, self.NAMES) for rows in clusters.each()) < 1e-9
        (rule,) = result.plan.blocks[0].rules
        assert rule.why is Why.EXACT
        assert rule.because.code == "linear-equality-in-clusters"
        assert all(promise.is_exact for promise in result.masked.blocks[0].price.promises)

    def test_covariances_with_given_variables_are_kept_and_those_stay_as_they_are(self, tmp_path: Path) -> None:
        cells = {**incomes(), "Y": list(map(str, range(N)))}
        told = FREE + "mask: {masker: microhybrid, partition: mdav, given: [Y]}\n"
        given = extract(tmp_path, columns(**cells), {"sum": "number(A) + number(B) = number(C)"}, told)
        result = given.mask(6)
        given.requires_all_rules()
        assert given.column("Y") == cells["Y"]
        clusters = result.masked.blocks[0].groups
        assert max(differences(given, rows, self.NAMES, ("Y",)) for rows in clusters.each()) < 1e-9
        assert any("and with Y" in sentence(promise.what) for promise in result.masked.blocks[0].price.promises)

    def test_a_rule_that_ties_confidential_and_given_variables_survives(self, tmp_path: Path) -> None:
        cells = incomes(8)
        told = (
            "variables: {A: {grid: free}, C: {grid: free}}\nmask: {masker: microhybrid, partition: mdav, given: [B]}\n"
        )
        given = extract(tmp_path, columns(**cells), {"sum": "number(A) + number(B) = number(C)"}, told)
        given.mask(10)
        given.requires_all_rules()
        assert given.column("B") == cells["B"]
        assert given.column("A") != cells["A"]

    def test_whole_numbers_keep_their_means_and_nearly_their_covariances(self, tmp_path: Path) -> None:
        cells = {name: [str(round(float(text))) for text in texts] for name, texts in incomes().items() if name != "C"}
        cells["C"] = [str(int(a) + int(b)) for a, b in zip(cells["A"], cells["B"], strict=True)]
        given = extract(tmp_path, columns(**cells), {"sum": "number(A) + number(B) = number(C)"}, HYBRID)
        result = given.mask(9)
        given.requires_all_rules()
        assert (
            numbers(given, "A", "B", "C").sum(axis=0).tolist()
            == numbers(given, "A", "B", "C", masked=False).sum(axis=0).tolist()
        )
        means, nearly = (
            [p for p in result.masked.blocks[0].price.promises if p.is_exact is exact] for exact in (True, False)
        )
        assert [promise.what.code for promise in means] == ["means-kept", "means-kept"]
        assert nearly
        assert all(promise.what.code == "covariances-kept" and promise.difference < 1e-2 for promise in nearly)

    def test_one_record_to_a_cluster_is_the_original(self, tmp_path: Path) -> None:
        cells = incomes()
        given = extract(tmp_path, columns(**cells), {"sum": "number(A) + number(B) = number(C)"}, HYBRID)
        result = given.mask(1)
        assert given.masked() == given.original()
        assert result.plan.warnings[0] == because("masks-nothing")

    def test_all_records_in_one_cluster_is_plain_ipso(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**incomes()), None, FREE + HYBRID)
        result = given.mask(N)
        assert len(result.masked.blocks[0].groups) == 1
        assert len({row["A"] for row in given.masked()} & {row["A"] for row in given.original()}) == 0


class TestTooFewRecords:
    """k of at least |X| + 2|Y| + 1, or the message says what would do."""

    def test_three_variables_need_four(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**incomes()), None, HYBRID)
        with pytest.raises(PlanRefusedError) as refusal:
            given.mask(3)
        assert "needs k of at least |X| + 2|Y| + 1 = 3 + 2 * 0 + 1 = 4" in str(refusal.value)
        assert "use -k 4, or put fewer variables" in str(refusal.value)
        given.mask(4)

    def test_a_given_variable_counts_twice(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**incomes()), None, "mask: {masker: microhybrid, given: [C]}")
        with pytest.raises(
            PlanRefusedError, match=r"= 2 \+ 2 \* 1 \+ 1 = 5 for the 2 variables of a block \(A, B\) and 1"
        ):
            given.mask(4)
        given.mask(5)

    def test_fewer_variables_together_need_fewer_records(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**incomes()), None, HYBRID + "group_size: 1\n")
        result = given.mask(3)
        assert [block.names for block in result.plan.blocks] == [("A",), ("B",), ("C",)]


class TestRules:
    """Ranges, orders, products and sets: every record satisfies them, and the plan says what that costs."""

    def test_amounts_stay_positive_and_in_order(self, tmp_path: Path) -> None:
        rules = {"positive": "number(A) > 0 and number(B) > 0", "order": "number(A) <= number(C)"}
        given = extract(tmp_path, columns(**incomes()), rules, FREE + HYBRID)
        result = given.mask(9)
        given.requires_all_rules()
        assert {rule.why for rule in result.plan.blocks[0].rules} == {Why.CHECKED}
        (note,) = result.masked.blocks[0].price.notes
        assert (note.code, note["clusters"]) == ("clusters-drawn", 10)

    def test_clusters_whose_first_draw_breaks_no_rule_are_drawn_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        drawn: list[tuple[int, float]] = []
        draw = ClusterDraws.draw

        def counted(draws: ClusterDraws, which: Rows, number: int) -> Any:
            drawn.append((len(which), number))
            return draw(draws, which, number)

        monkeypatch.setattr(ClusterDraws, "draw", counted)
        extract(tmp_path, columns(**incomes()), {"small": "number(A) < 1e9"}, FREE + HYBRID).mask(9)
        assert drawn == [(10, 0)]

    def test_a_cluster_that_breaks_a_range_is_drawn_closer_and_keeps_its_moments(self, tmp_path: Path) -> None:
        """Values near the ends of a range: far draws leave it, near ones do not."""
        rng = np.random.default_rng(2)
        a = rng.uniform(0, 100, N)
        rows = columns(A=map(repr, a.tolist()), B=map(repr, rng.normal(0, 1, N).tolist()))
        told = "variables: {A: {grid: free}, B: {grid: free}}\n" + HYBRID
        given = extract(tmp_path, rows, {"range": "-10 <= number(A) and number(A) <= 110"}, told)
        result = given.mask(N)
        given.requires_all_rules()
        price = result.masked.blocks[0].price
        assert "drawn with closeness" in sentence(price.notes[0])
        assert "repaired" not in sentence(price.notes[0])
        assert all(promise.is_exact for promise in price.promises)
        clusters = result.masked.blocks[0].groups
        assert max(differences(given, members, ("A", "B")) for members in clusters.each()) < 1e-9

    def test_single_records_are_drawn_in_or_share_and_none_is_itself(self, tmp_path: Path) -> None:
        """Values lie at the two ends of a range that they fill: no draw stays within it."""
        rng = np.random.default_rng(2)
        a = rng.choice([0.0, 100.0], N)
        rows = columns(A=map(repr, a.tolist()), B=map(repr, rng.normal(0, 1, N).tolist()))
        told = "variables: {A: {grid: free}, B: {grid: free}}\n" + HYBRID
        rules = {"range": "0 <= number(A) and number(A) <= 100"}
        given = extract(tmp_path, rows, rules, told)
        result = given.mask(N)
        given.requires_all_rules()
        price = result.masked.blocks[0].price
        assert price.steps[ExactStep.DRAWN_IN] > 0
        assert "with repaired records" in sentence(price.notes[0])
        assert not any(before == after for before, after in zip(given.original(), given.masked(), strict=True))

    def test_clusters_with_differing_blanks_share_a_representative(self, tmp_path: Path) -> None:
        rows = columns(**incomes())
        for row in rows[::9]:
            row["B"] = "''"
        given = extract(tmp_path, rows, None, HYBRID)
        result = given.mask(30)
        price = result.masked.blocks[0].price
        shared = price.steps[ExactStep.SHARED]
        assert shared >= 30
        assert "with differing blanks, which share a representative" in sentence(price.notes[0])
        alike = [tuple(row.values()) for row in given.masked()]
        assert max(alike.count(row) for row in alike) >= 30

    def test_a_product_is_computed_and_said_to_keep_its_moments_only_nearly(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(4)
        a, b = rng.integers(10, 99, N), rng.integers(2, 9, N)
        rules = {"product": "number(A) * number(B) = number(P)"}
        given = extract(tmp_path, columns(A=a, B=b, P=a * b), rules, HYBRID)
        result = given.mask(15)
        given.requires_all_rules()
        near = [sentence(p.what) for p in result.masked.blocks[0].price.promises if not p.is_exact]
        assert any(what.startswith("means of") and "P" in what for what in near)

    def test_values_of_a_domain_are_shuffled_within_clusters(self, tmp_path: Path) -> None:
        cells = {**incomes(), "D": [str(7 * (i % 11)) for i in range(N)]}
        rules = {"domain": "exists(index-of(doc('data.xml')//Record/D, D))"}
        given = extract(tmp_path, columns(**cells), rules, HYBRID)
        result = given.mask(10)
        given.requires_all_rules()
        block = the_block(result.plan, "D")
        assert {v.name: v.treatment for v in block.variables}["D"] is Treatment.SHUFFLED
        after = given.column("D")
        for rows in result.masked.blocks[0].groups.each():
            assert sorted(after[row] for row in rows) == sorted(cells["D"][row] for row in rows)
        assert after != cells["D"]

    def test_rare_sides_of_a_condition_share_a_representative_rather_than_show_a_record(self, tmp_path: Path) -> None:
        cells = incomes()
        cells["E"] = [str(int(i < 3)) for i in range(N)]
        cells["F"] = [str(5000 + i) if i < 3 else "0" for i in range(N)]
        rules = {"if": "not(number(E) = 1) or number(F) >= 5000", "else": "number(E) = 1 or number(F) = 0"}
        given = extract(tmp_path, columns(**cells), rules, HYBRID)
        given.mask(12)
        given.requires_all_rules()
        for before, after in zip(given.original()[:3], given.masked()[:3], strict=True):
            assert before["F"] != after["F"]

    def test_blanks_stay_blank(self, tmp_path: Path) -> None:
        cells = incomes()
        rows = columns(**cells)
        for row in rows[:40]:
            row["B"] = "''"
        given = extract(tmp_path, rows, None, HYBRID)
        given.mask(8)
        blank = [not row["B"] for row in given.masked()]
        assert blank == [True] * 40 + [False] * (N - 40)

    def test_the_same_seed_makes_the_same_file(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(**incomes()), None, FREE + HYBRID)
        given.mask(6, seed=5)
        once = given.output.read_bytes()
        given.mask(6, seed=5, overwrite=True)
        assert given.output.read_bytes() == once
        given.mask(6, seed=6, overwrite=True)
        assert given.output.read_bytes() != once


class TestMistakes:
    """What cannot be given, and what has no meaning."""

    @pytest.mark.parametrize(
        ("recipe", "says"),
        [
            ("mask: {masker: microhybrid, given: [Town]}", "Town is in `given` but is not numeric"),
            ("mask: {masker: microhybrid, given: [Nobody]}", "the recipe names 'Nobody', which no record has"),
            (
                "mask: {masker: microhybrid, given: [A]}\nvariables: {A: {role: confidential}}",
                "A is in `given`, so it is not changed",
            ),
            (
                "mask: {masker: microhybrid, given: [A]}\ngroups: [[A, B]]",
                "A is in `given`, so it is not changed and cannot be in a",
            ),
            ("mask: {masker: microhybrid, m1: 2}", "m1 is a parameter of fuzzy-c-means, not of microhybrid"),
            ("mask: {masker: microhybrid}\nmethod: mdav", "`method` is the old spelling of an entry under `mask`"),
            ("mask: {masker: microhybrid, partition: guess}", "unknown partition method 'guess'"),
            (
                "mask: {masker: microhybrid}\nvariables: {A: {operator: geometric mean}}",
                "microhybrid does not support the geometric mean",
            ),
        ],
    )
    def test_they_are_refused_in_words(self, tmp_path: Path, recipe: str, says: str) -> None:
        cells = {**incomes(), "Town": ["Öst" if i % 2 else "Väst" for i in range(N)]}
        with pytest.raises(UsageError) as refusal:
            extract(tmp_path, columns(**cells), None, recipe).mask(12)
        assert says in str(refusal.value)
        assert not list(tmp_path.glob("masked*"))

    def test_a_given_variable_has_a_number_in_every_record(self, tmp_path: Path) -> None:
        rows = columns(**incomes())
        rows[4]["A"] = "''"
        given = extract(tmp_path, rows, None, "mask: {masker: microhybrid, given: [A]}")
        with pytest.raises(UsageError, match="A is in `given`, but record 5 has no value of it"):
            given.mask(12)
