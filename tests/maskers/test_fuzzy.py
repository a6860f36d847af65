"""Fuzzy c-means through files: centres that satisfy every rule, drawn, and what came of k."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.commands.masking.preparation import prepared_file
from constraint_sdc.commands.measuring.pairing import pair_tables
from constraint_sdc.errors import UsageError
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.measures.attacks.transparency import Transparency
from constraint_sdc.settings.reason import because
from tests.maskers.extract import Extract, columns, extract

N = 120
RULES = {"sum": "number(A) + number(B) = number(C)", "order": "number(A) <= number(C)"}


def incomes(seed: int = 1) -> list[dict[str, str]]:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(100, 9000, N), rng.integers(0, 900, N)
    return columns(A=a, B=b, C=a + b, D=rng.integers(0, 99, N))


BROKEN_RULES = {"sum": RULES["sum"], "order": "number(B) <= number(A)"}


def broken_incomes() -> list[dict[str, str]]:
    """Return incomes of which every fifth record has a wrong total, and a B that is larger than A."""
    rows = incomes()
    for row in rows:
        row["B"] = str(min(int(row["A"]), int(row["B"])))
        row["C"] = str(int(row["A"]) + int(row["B"]))
    for place, row in enumerate(rows[::5]):
        row["B"] = str(int(row["A"]) + 40 + place)
    return rows


def fuzzy(**told: object) -> str:
    return (
        "mask: {masker: fuzzy-c-means"
        + "".join(f", {name}: {str(value).lower()}" for name, value in told.items())
        + "}"
    )


def distinct(given: Extract, *names: str) -> int:
    return len({tuple(row[name] for name in names) for row in given.masked()})


class TestK:
    """k says how many centres there are; whether k records share one is counted, and ensured on demand."""

    def test_it_is_counted_and_not_promised(self, tmp_path: Path) -> None:
        given = extract(tmp_path, incomes(), RULES, fuzzy())
        result = given.mask(5)
        given.requires_all_rules()
        assert not any(block.shares for block in result.plan.blocks)
        assert min(result.smallest) == min(given.smallest_group(*block.names) for block in result.plan.blocks)
        assert result.plan.warnings[0] == because("k-not-ensured", k=5)

    @pytest.mark.parametrize("seed", range(4))
    def test_it_is_ensured_on_demand(self, tmp_path: Path, seed: int) -> None:
        given = extract(tmp_path, incomes(), RULES, fuzzy(m1=1.2, m2=1.5, ensure_k=True))
        result = given.mask(5, seed=seed)
        given.requires_all_rules()
        assert all(block.shares for block in result.plan.blocks)
        assert all(given.smallest_group(*block.names) >= 5 for block in result.plan.blocks)


class TestLimits:
    """What the paper says of very small and very large m."""

    def test_very_fuzzy_centres_are_the_mean(self, tmp_path: Path) -> None:
        """Where no direction outweighs the others, as the page of the masker says."""
        rng = np.random.default_rng(1)
        rows = columns(**{name: rng.normal(500, 50, N).round().astype(int) for name in "ABDE"})
        given = extract(tmp_path, rows, None, fuzzy(m1=50, m2=50) + "\ngroups: all")
        given.mask(4)
        for name in "ABDE":
            mean = np.mean([int(row[name]) for row in given.original()])
            assert all(abs(int(value) - mean) <= 1 for value in given.column(name))

    def test_crisp_centres_drawn_crisply_lose_less_than_crisp_ones_drawn_at_random(self, tmp_path: Path) -> None:
        losses = []
        for m2 in (1, 1000):
            given = extract(tmp_path / str(m2), incomes(), None, fuzzy(m1=1, m2=m2) + "\ngroups: all")
            losses.append(given.mask(4).masked.blocks[0].price.loss)
        assert losses[0] < 20
        assert losses[1] > 150, "a centre by lot is farther away than the overall mean"

    def test_many_centres_are_near_their_records(self, tmp_path: Path) -> None:
        """That takes k = 1, which only the kernel has (tests/fuzzy); with k = 2 half as many centres are near."""
        given = extract(
            tmp_path, incomes(), None, fuzzy(m1=1, m2=1) + "\ngroups: [[D]]\nvariables: {A: {role: untouched}}"
        )
        assert given.mask(2).masked.blocks[0].price.loss < 1


class TestRules:
    """Centres satisfy the rules exactly, in every stratum."""

    @pytest.mark.parametrize("constrained", [False, True])
    def test_sums_orders_and_conditions_hold(self, tmp_path: Path, constrained: bool) -> None:
        rules = {**RULES, "if": "not(number(D) < 30) or number(B) <= 950"}
        given = extract(tmp_path, incomes(), rules, fuzzy(constrained=constrained))
        given.mask(4)
        given.requires_all_rules()

    def test_records_that_break_a_rule_draw_no_clean_record_along(self, tmp_path: Path) -> None:
        rows = incomes()
        for row in rows[:7]:
            row["C"] = str(int(row["C"]) + 1)
        given = extract(tmp_path, rows, {"sum": RULES["sum"]}, fuzzy(constrained=True))
        given.mask(5, on_broken="keep")
        assert given.broken()["sum"] <= set(range(1, 8))

    @pytest.mark.parametrize("ensure_k", [False, True])
    @pytest.mark.parametrize("rules", [("sum",), ("order",), ("sum", "order")], ids="+".join)
    def test_constrained_centres_repair_records_that_break_a_linear_rule(
        self, tmp_path: Path, rules: tuple[str, ...], ensure_k: bool
    ) -> None:
        asked = {name: BROKEN_RULES[name] for name in rules}
        given = extract(tmp_path, broken_incomes(), asked, fuzzy(constrained=True, ensure_k=ensure_k))
        before = given.broken(given.data)
        assert all(len(records) == 24 for records in before.values())
        result = given.mask(5, on_broken="keep")
        given.requires_all_rules()
        assert {
            outcome.rule: (outcome.broken_before, outcome.repaired) for outcome in result.outcomes
        } == dict.fromkeys(rules, (24, 24))
        notes = [note for block in result.plan.blocks if block.price for note in block.price.notes]
        assert {because("rule-repaired", rule=name, records=24) for name in rules} <= set(notes)

    def test_without_constrained_they_are_masked_apart_and_stay_broken(self, tmp_path: Path) -> None:
        given = extract(tmp_path, broken_incomes(), {"sum": BROKEN_RULES["sum"]}, fuzzy(ensure_k=True))
        given.mask(5, on_broken="keep")
        assert given.broken()["sum"] == given.broken(given.data)["sum"]

    def test_a_record_without_a_value_is_not_repaired_and_harms_no_other(self, tmp_path: Path) -> None:
        rows = broken_incomes()
        for row in rows[:6]:
            row["A"] = "''"
        given = extract(tmp_path, rows, {"sum": BROKEN_RULES["sum"]}, fuzzy(constrained=True))
        given.mask(5, on_broken="keep")
        assert given.broken()["sum"] == set(range(1, 7))

    def test_a_rule_over_an_unmasked_variable_or_with_a_condition_is_not_repaired(self, tmp_path: Path) -> None:
        rules = {"order": "number(A) <= number(D)", "if": "not(number(B) < 500) or number(A) <= 90"}
        recipe = fuzzy(constrained=True) + "\nvariables: {D: {role: untouched}}"
        given = extract(tmp_path, incomes(), rules, recipe)
        result = given.mask(5, on_broken="keep")
        assert not any(outcome.newly_broken for outcome in result.outcomes)
        assert not [n for b in result.plan.blocks if b.price for n in b.price.notes if n.code == "rule-repaired"]

    def test_the_same_seed_makes_the_same_file(self, tmp_path: Path) -> None:
        given = extract(tmp_path, incomes(), RULES, fuzzy())
        files = []
        for seed in (1, 1, 2):
            given.mask(5, seed=seed, overwrite=True)
            files.append(given.output.read_bytes())
        assert files[0] == files[1] != files[2]


def certain_links(given: Extract, **options: object) -> dict[str, int]:
    """Mask, and count what the transparency attack finds for certain, by what the intruder knows."""
    result = given.mask(5, overwrite=True, **options)
    with prepared_file(given.data, given.rules, given.options(5, **options)) as prepared:
        original = prepared.plan_inputs
    masked = read_dataset(given.output).table
    pair = pair_tables(original.table, masked, original.recipe, result.plan).pair
    attack = Transparency()
    return {knowledge: attack.carry_out(pair, knowledge).certain for knowledge in ("published", "rerun")}


def test_certain_links_fall_to_none_compared_with_mdav(tmp_path: Path) -> None:
    """Who runs MDAV himself knows every group; who does not know the seed knows of no draw."""
    rows = [{name: row[name] for name in ("A", "B", "D")} for row in incomes()]
    mdav = extract(tmp_path / "mdav", rows, None, "mask: {partition: mdav}\ngroup_size: 1\n")
    drawn = extract(tmp_path / "fuzzy", rows, None, fuzzy() + "\ngroup_size: 1\n")
    before, after = certain_links(mdav), certain_links(drawn)
    assert before["rerun"] > N / 2
    assert after == {"published": 0, "rerun": 0}


@pytest.mark.parametrize(
    ("recipe", "says"),
    [
        ("mask: {masker: fuzzy-c-means, m1: 0.9}", "m1 must be a number of at least 1"),
        ("mask: {masker: fuzzy-c-means, m2: 0}", "m2 must be a number of at least 1"),
        ("mask: {masker: fuzzy-c-means, m1: many}", "does not match"),
        ("mask: {masker: fuzzy-c-means, given: [A]}", "given is a parameter of microhybrid, not of fuzzy-c-means"),
        ("mask: {masker: fuzzy-c-means}\neffort: high", "fuzzy-c-means does not search, so it has no effort"),
        ("mask: {masker: fuzzy-c-means}\nweights: D", "fuzzy-c-means takes no weights of records"),
        (
            "mask: {masker: fuzzy-c-means}\nvariables: {A: {operator: geometric mean}}",
            "does not support the geometric mean",
        ),
    ],
)
def test_mistakes_are_refused_in_words(tmp_path: Path, recipe: str, says: str) -> None:
    with pytest.raises(UsageError) as refusal:
        extract(tmp_path, incomes(), None, recipe).mask(5)
    assert says in str(refusal.value)
    assert not list(tmp_path.glob("masked*"))
