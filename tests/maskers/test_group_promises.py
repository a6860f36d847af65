"""Dominance, diversity and closeness: kept on the written file, recounted here by other code, or refused with a way."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import yaml

from constraint_sdc.errors import NotPublishedError, PlanRefusedError, PromiseChange, UsageError
from constraint_sdc.maskers.microaggregation import mask_block
from tests.maskers.extract import Extract, columns, extract
from tests.partition import slow_demands

K = 5
TOWNS = "variables: {Town: {role: untouched}, Illness: {role: untouched}}\n"
PERSONS = """
variables:
  Age: {role: quasi-identifier}
  Income: {role: quasi-identifier}
  Debt: {role: confidential}
  Illness: {role: untouched}
  Town: {role: untouched}
"""


def firms(count: int = 60, giant: int = 40_000_000) -> list[dict[str, str]]:
    """Return firms of similar size and one that is a thousand times as large."""
    random = np.random.default_rng(4)
    turnover = random.integers(1_000, 40_000, count)
    turnover[7] = giant
    return columns(Turnover=turnover, Wages=np.rint(turnover * random.uniform(0.1, 0.3, count)).astype(int))


def persons(count: int = 120) -> list[dict[str, str]]:
    random = np.random.default_rng(9)
    return columns(
        Age=random.integers(16, 90, count),
        Income=np.rint(random.lognormal(7, 0.8, count)).astype(int),
        Debt=np.rint(random.lognormal(8, 1, count)).astype(int),
        Illness=random.choice(["flu", "cold", "gout", "none"], count, p=[0.5, 0.3, 0.1, 0.1]),
        Town=random.choice(["N", "S"], count),
    )


def written_classes(given: Extract, names: tuple[str, ...]) -> list[list[int]]:
    """Return the records that share the written values of some variables."""
    found: dict[tuple[str | None, ...], list[int]] = defaultdict(list)
    for row, record in enumerate(given.masked()):
        found[tuple(record.get(name) for name in names)].append(row)
    return list(found.values())


def estimates(given: Extract, names: tuple[str, ...], name: str) -> list[float]:
    """Return by how many percent the second largest member of each written group errs about the largest."""
    values = [Fraction(record[name]) for record in given.original()]
    errors: list[float] = []
    for rows in written_classes(given, names):
        largest, second, *_ = sorted((values[row] for row in rows), reverse=True)
        estimate = sum(values[row] for row in rows) - second
        errors.append(float(100 * (estimate - largest) / largest))
    return errors


def test_without_a_promise_one_firm_is_published_nearly_and_everybody_is_told(tmp_path: Path) -> None:
    """Size times mean gives the turnover of the giant to a fraction of a percent."""
    given = extract(tmp_path, firms())
    result = given.mask(K)
    assert min(estimates(given, ("Turnover", "Wages"), "Turnover")) < 0.5
    (counted,) = (one for one in result.people if one.promise == "dominance")
    assert (counted.is_kept, counted.found["dominated"]) == (None, 2)
    assert [note.code for note in result.plan.blocks[0].price.notes] == ["dominated"]  # type: ignore[union-attr]
    certified = json.loads(result.certificate.read_text("utf-8"))["people"]["dominance"]
    assert certified[0]["asked"] == {"p": 10.0}
    assert certified[0]["is_kept"] is None


@pytest.mark.parametrize("partition", ["mdav", "mdav+refine", "auto"])
def test_a_promise_about_dominance_is_kept_after_any_partition(tmp_path: Path, partition: str) -> None:
    records = firms(giant=4_000_000)
    given = extract(tmp_path, records, {"part": "number(Wages) <= number(Turnover)"}, "protect: {dominance: {p: 10}}")
    result = given.mask(K, partition=partition)
    for name in ("Turnover", "Wages"):
        assert min(estimates(given, ("Turnover", "Wages"), name)) >= 10
    given.requires_all_rules()
    (counted,) = (one for one in result.people if one.promise == "dominance")
    assert (counted.is_kept, counted.found["dominated"]) == (True, 0)
    (note,) = (note for note in result.plan.blocks[0].price.notes if note.code == "regrouped")  # type: ignore[union-attr]
    assert note["loss_after"] > note["loss"]  # type: ignore[operator]


def test_the_n_largest_have_at_most_their_share(tmp_path: Path) -> None:
    given = extract(tmp_path, firms(giant=4_000_000), None, "protect: {dominance: {n: 2, share: 90}}")
    given.mask(K)
    values = [int(record["Turnover"]) for record in given.original()]
    groups = written_classes(given, ("Turnover", "Wages"))
    assert all(slow_demands.n_share([values[row] for row in rows], 2, Fraction(90)) for rows in groups)


def test_a_firm_that_all_others_cannot_hide_is_refused_with_the_largest_p_that_was_tried(tmp_path: Path) -> None:
    """The giant has 40 million, all other 59 firms 1.2 million: 3 percent, whatever the groups are."""
    given = extract(tmp_path, firms(), None, "protect: {dominance: {p: 10}}")
    with pytest.raises(PlanRefusedError, match="60 records that are masked apart from all others") as refusal:
        given.mask(K)
    assert not given.output.exists()
    weaker, left_out = refusal.value.ways
    assert weaker.promises[0].entry == "p"
    assert 2 < weaker.promises[0].value < 10
    assert left_out.promises == (PromiseChange("dominance"),)
    assert weaker.loss is not None
    assert left_out.loss is not None
    assert weaker.loss > left_out.loss
    told = str(refusal.value)
    assert f"tried, and it works: `dominance: {{p: {weaker.promises[0].value:g}}}` in `protect` of the recipe" in told
    assert "leave the dominance out of `protect` (information loss" in told
    (tmp_path / "recipe.yml").write_text(f"protect: {{dominance: {{p: {weaker.promises[0].value:g}}}}}", "utf-8")
    given.mask(K)
    assert given.output.exists()


@pytest.mark.parametrize(
    "promise",
    [
        "diversity: {of: Illness, l: 2, kind: recursive, c: 0.1}",
        "diversity: {of: Illness, l: 3.9, kind: entropy}",
        "dominance: {p: 30000, n: 1, share: 95}",
        "linkage: {at most: 1%, known: [Debt]}",
    ],
)
def test_the_entry_that_a_refusal_offers_can_be_written_into_the_recipe(tmp_path: Path, promise: str) -> None:
    """It has everything that the entry had, so that nothing else changes its meaning."""
    recipe = f"k: {K}\n{PERSONS}protect: {{%s}}\n"
    given = extract(tmp_path, persons(40), None, recipe % promise)
    with pytest.raises((PlanRefusedError, NotPublishedError)) as refusal:
        given.mask(K)
    (offered,) = re.findall(r"it works: `(\w+: \{.*\})` in `protect` of the recipe", str(refusal.value))
    said, now = (yaml.safe_load(entry) for entry in (promise, offered))
    ((name, before),) = said.items()
    assert set(now[name]) == set(before)
    assert sum(str(now[name][entry]) != str(before[entry]) for entry in before) == 1
    (tmp_path / "recipe.yml").write_text(recipe % offered, "utf-8")
    given.mask(K)
    assert given.output.exists()


def test_a_promise_that_cannot_be_weakened_is_left_out_once(tmp_path: Path) -> None:
    given = extract(tmp_path, firms(20), None, "protect: {dominance: {n: 100, share: 50}}")
    with pytest.raises(PlanRefusedError) as refusal:
        given.mask(K)
    assert [way.promises for way in refusal.value.ways] == [(PromiseChange("dominance"),)]


@pytest.mark.parametrize(
    ("promise", "holds"),
    [
        ("{of: Illness, l: 3}", lambda values: slow_demands.distinct(values, 3)),
        ("{of: Illness, l: '2.2', kind: entropy}", lambda values: slow_demands.entropy(values, 2.2)),
        ("{of: Illness, l: 2, kind: recursive, c: 2}", lambda values: slow_demands.recursive(values, Fraction(2), 2)),
    ],
    ids=["distinct", "entropy", "recursive"],
)
def test_diversity_of_a_kept_variable_is_kept_in_every_class(tmp_path: Path, promise: str, holds) -> None:  # type: ignore[no-untyped-def]
    given = extract(tmp_path / "plain", persons(), None, PERSONS)
    given.mask(K)
    illness = [record["Illness"] for record in given.original()]
    broken = [rows for rows in written_classes(given, ("Age", "Income")) if not holds([illness[row] for row in rows])]
    assert broken  # the promise has something to do
    given = extract(tmp_path / "kept", persons(), None, f"{PERSONS}protect: {{diversity: {promise}}}")
    result = given.mask(K)
    for rows in written_classes(given, ("Age", "Income")):
        assert holds([illness[row] for row in rows])
    verdicts = {one.promise: one.is_kept for one in result.people}
    assert (verdicts["key"], verdicts["diversity"], verdicts["dominance"]) == (True, True, None)


def test_unmasked_variables_of_the_key_divide_the_classes(tmp_path: Path) -> None:
    key = "key: {variables: [Age, Income, Town]}, diversity: {of: Illness, l: 2}"
    given = extract(tmp_path, persons(), None, f"{PERSONS}protect: {{{key}}}")
    given.mask(K)
    illness = [record["Illness"] for record in given.original()]
    for rows in written_classes(given, ("Age", "Income", "Town")):
        assert len(rows) >= K
        assert slow_demands.distinct([illness[row] for row in rows], 2)


def test_closeness_of_a_masked_variable_counts_what_is_written(tmp_path: Path) -> None:
    """Debt is masked before the key, so that its written values decide."""
    given = extract(tmp_path, persons(), None, f"{PERSONS}protect: {{closeness: {{of: Debt, t: '0.2'}}}}")
    result = given.mask(K)
    debt = [int(text) for text in given.column("Debt")]
    distances = [
        slow_demands.ordered_distance([debt[row] for row in rows], debt)
        for rows in written_classes(given, ("Age", "Income"))
    ]
    assert max(distances) <= Fraction(1, 5)
    (counted,) = (one for one in result.people if one.promise == "closeness")
    assert counted.found["t"] == pytest.approx(float(max(distances)))
    assert [block.plan.number for block in result.masked.blocks] == [1, 2]


def test_strata_that_cannot_keep_a_promise_are_merged_where_the_rules_allow(tmp_path: Path) -> None:
    """Five firms without wages but one giant among them: alone they cannot hide it, with the others they can."""
    turnover = [900, 10, 20, 30, 40, *range(500, 560)]
    wages = [0] * 5 + [100 + i for i in range(60)]
    rules = {"some": "number(Wages) = 0 or number(Wages) >= 100"}
    plain = extract(tmp_path / "plain", columns(Turnover=turnover, Wages=wages), rules)
    assert sorted(len(s.rows) for s in plain.design(K).blocks[0].strata) == [5, 60]
    plain.mask(K)
    assert min(estimates(plain, ("Turnover", "Wages"), "Turnover")) < 10
    given = extract(tmp_path / "kept", columns(Turnover=turnover, Wages=wages), rules, "protect: {dominance: {p: 10}}")
    assert [len(s.rows) for s in given.design(K).blocks[0].strata] == [65]
    given.mask(K)
    assert min(estimates(given, ("Turnover", "Wages"), "Turnover")) >= 10
    given.requires_all_rules()


def test_a_diversity_that_no_group_has_offers_the_one_that_all_have(tmp_path: Path) -> None:
    given = extract(tmp_path, persons(), None, f"{PERSONS}protect: {{diversity: {{of: Illness, l: 9}}}}")
    with pytest.raises(PlanRefusedError, match="the diversity of Illness that `protect` promises cannot be kept") as no:
        given.mask(K)
    assert [way.promises for way in no.value.ways] == [
        (PromiseChange("diversity", "Illness", "l", 4.0),),
        (PromiseChange("diversity", "Illness"),),
    ]
    assert "`diversity: {of: Illness, l: 4}` in `protect` of the recipe" in str(no.value)


def test_categories_of_the_key_are_masked_where_sharing_them_would_break_a_promise(tmp_path: Path) -> None:
    """All sick people live in one town: groups within towns could never have two states of health."""
    rows = columns(Town=["N", "S"] * 20, Sex=["m", "m", "f", "f"] * 10, Health=["sick", "well"] * 20, Age=range(40))
    roles = "Town: {role: quasi-identifier}, Sex: {role: quasi-identifier}, Health: {role: untouched}"
    key = "key: {variables: [Town, Sex]}"
    shared = extract(tmp_path / "shared", rows, None, f"variables: {{{roles}}}\nprotect: {{{key}}}")
    shared.mask(K)
    assert shared.column("Town") == [record["Town"] for record in shared.original()]
    promise = f"protect: {{{key}, diversity: {{of: Health, l: 2}}}}"
    given = extract(tmp_path / "masked", rows, None, f"variables: {{{roles}}}\n{promise}")
    given.mask(K)
    health = given.column("Health")
    assert all(
        slow_demands.distinct([health[row] for row in rows], 2) for rows in written_classes(given, ("Town", "Sex"))
    )


def test_a_key_that_is_not_masked_is_refused_with_what_its_classes_keep(tmp_path: Path) -> None:
    age = [20 + 7 * i % 41 for i in range(40)]
    rows = columns(Town=["N", "S"] * 20, Health=["sick", "well"] * 20, Age=age)
    recipe = "variables: {Town: {role: untouched}, Health: {role: untouched}}\n"
    promise = "protect: {key: {variables: [Town]}, closeness: {of: Health, t: '0.2'}}"
    with pytest.raises(PlanRefusedError, match="the closeness of Health that `protect` promises cannot be kept") as no:
        extract(tmp_path, rows, None, recipe + promise).mask(K)
    assert no.value.ways[0].promises == (PromiseChange("closeness", "Health", "t", 0.5),)


def test_groups_that_are_not_regrouped_are_counted_and_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mask_block, "keep_promises", lambda _design, _inputs, groups, stratum: (groups, stratum, ()))
    given = extract(tmp_path, firms(giant=4_000_000), None, "protect: {dominance: {p: 10}}")
    with pytest.raises(NotPublishedError, match="does not keep what is promised about people") as refusal:
        given.mask(K)
    assert any("dominance" in line for line in refusal.value.details)
    assert not given.output.exists()


@pytest.mark.parametrize(
    ("recipe", "error", "told"),
    [
        (TOWNS + "protect: {diversity: {of: Illness, l: 2}}", UsageError, "there is no key"),
        (
            PERSONS + "protect: {key: {variables: [Age, Town]}, closeness: {of: Town, t: '0.5'}}",
            UsageError,
            "Town is in the key",
        ),
        (PERSONS + "protect: {dominance: {p: 10}}\nmask: {masker: microhybrid}", UsageError, "values of its own"),
        (
            PERSONS + "groups: [[Age, Income, Debt]]\nprotect: {diversity: {of: Debt, l: 2}}",
            PlanRefusedError,
            "together",
        ),
    ],
)
def test_a_promise_that_means_nothing_here_is_refused(tmp_path: Path, recipe: str, error: type, told: str) -> None:
    with pytest.raises(error, match=told):
        extract(tmp_path, persons(), None, recipe).plan(K)


def test_a_computed_total_has_no_diversity(tmp_path: Path) -> None:
    rows = [{**record, "Owed": str(2 * int(record["Debt"]))} for record in persons()]
    recipe = PERSONS + "totals: computed\nprotect: {diversity: {of: Owed, l: 2}}"
    with pytest.raises(PlanRefusedError, match="Owed is computed for every record"):
        extract(tmp_path, rows, {"owed": "number(Owed) = number(Debt) + number(Debt)"}, recipe).plan(K)


def test_the_same_promise_makes_the_same_groups(tmp_path: Path) -> None:
    given = extract(tmp_path, firms(giant=4_000_000), None, "protect: {dominance: {p: 10}}")
    given.mask(K)
    first = given.output.read_bytes()
    given.mask(K, overwrite=True)
    assert given.output.read_bytes() == first
