"""The exam of protection: drawn cases keep every promise on the written bytes, and the recount finds planted faults."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from constraint_sdc.exam import protection
from constraint_sdc.exam.guarantee.judging import pooled_saxon
from constraint_sdc.exam.protection.exam import run_protected
from constraint_sdc.exam.protection.generator import make_protected
from constraint_sdc.exam.protection.recount import recount
from constraint_sdc.exam.protection.written import Published

SEEDS = (37, 138, 195)


@pytest.fixture(scope="module", autouse=True)
def one_saxon() -> Iterator[None]:
    with pooled_saxon():
        yield


@pytest.mark.parametrize("seed", SEEDS)
def test_a_drawn_case_keeps_what_it_promises(seed: int, tmp_path: Path) -> None:
    outcome = run_protected(make_protected(seed), tmp_path)
    assert outcome.refusal is None, outcome.refusal
    assert outcome.found is not None
    assert not outcome.broken, outcome.story()


def test_the_generator_draws_every_promise_and_the_same_case_twice() -> None:
    cases = [make_protected(seed) for seed in range(60)]
    assert cases[7] == make_protected(7)
    recipes = [yaml.safe_load(case.recipe) for case in cases]
    promised = {word for recipe in recipes for word in recipe.get("protect", {})}
    assert promised == {"key", "diversity", "closeness", "dominance", "verbatim", "linkage"}
    wishes = [wish for recipe in recipes for wish in recipe["variables"].values()]
    assert {level for wish in wishes for level in wish.get("hierarchy", {})} == {"prefix", "bands", "levels"}
    assert any("weights" in recipe for recipe in recipes)
    assert any("surroundings" in recipe for recipe in recipes)
    assert any("missing" in recipe for recipe in recipes)
    assert all(any(wish.get("remove") for wish in recipe["variables"].values()) for recipe in recipes)


def test_the_recount_shares_no_code_with_the_engine() -> None:
    room = "from constraint_sdc.exam.protection."
    own = {f"{room}{name}" for name in ("fates", "written")}
    for name in ("recount", "fates", "written"):
        text = Path(protection.__file__).with_name(f"{name}.py").read_text("utf-8")
        assert set(re.findall(r"^ *(?:from|import) +constraint_sdc[\w.]*", text, re.MULTILINE)) <= own


# Planted faults: a published file that keeps everything, and one change for each promise.

ORIGINAL = [
    (20, 100, "A1", "flu", 7, "ID00001"),
    (24, 130, "A2", "ulcer", 8, "ID00002"),
    (22, 160, "A2", "angina", 9, "ID00003"),
    (50, 300, "B1", "flu", 7, "ID00004"),
    (52, 330, "B1", "ulcer", 8, "ID00005"),
    (57, 390, "B2", "ulcer", 9, "ID00006"),
]
COLUMNS = ("Age", "Wage", "Region", "Diagnosis", "Year", "UnitNr")
RECIPE: Mapping[str, Any] = {
    "variables": {
        "Age": {"role": "quasi-identifier"},
        "Wage": {"role": "confidential"},
        "Region": {"role": "quasi-identifier", "type": "nominal", "hierarchy": {"prefix": [1]}},
        "Diagnosis": {"role": "untouched"},
        "Year": {"role": "untouched"},
        "UnitNr": {"role": "identifier", "remove": True},
    },
    "protect": {
        "key": {"variables": ["Age", "Region"]},
        "diversity": [{"of": "Diagnosis", "l": 2}, {"of": "Diagnosis", "l": 1.8, "kind": "entropy"}],
        "closeness": [{"of": "Diagnosis", "t": 0.4}, {"of": "Year", "t": 0.3}],
        "dominance": {"p": 10, "n": 1, "share": 60},
    },
}


def document(rows: list[tuple[Any, ...]], names: tuple[str, ...]) -> str:
    cells = ("".join(f"<{n}>{v}</{n}>" for n, v in zip(names, row, strict=True)) for row in rows)
    return "<D>" + "".join(f"<P>{one}</P>" for one in cells) + "</D>"


MASKED = [(22, 130, "A*", *row[3:5]) for row in ORIGINAL[:3]] + [(53, 340, "B*", *row[3:5]) for row in ORIGINAL[3:]]
GOOD = document(MASKED, COLUMNS[:5])


BLOCKS = (("Age", "Wage"),)


def recounted(
    masked: str, original: str | None = None, blocks: Sequence[Sequence[str]] = BLOCKS, **protect: Any
) -> dict[str, str]:
    recipe = {**RECIPE, "protect": {**RECIPE["protect"], **protect}}
    before = (original or document(ORIGINAL, COLUMNS)).encode()
    given = Published(before, masked.encode(), "P", recipe, 3, blocks, frozenset({"Age", "Wage"}))
    return dict(recount(given).broken)


def test_a_file_that_keeps_every_promise_has_no_fault() -> None:
    assert recounted(GOOD) == {}


def changed(old: str, new: str, times: int = -1) -> str:
    text = GOOD.replace(old, new, times)
    assert text != GOOD
    return text


@pytest.mark.parametrize(
    ("masked", "promise", "says"),
    [
        (changed("<Age>22</Age><Wage>130", "<Age>53</Age><Wage>340", 1), "key", "1 records share ('53', 'A*')"),
        (changed("<Region>A*", "<Region>B*", 1), "key", "1 records share ('22', 'B*')"),
        (changed("A*", "A1", 1), "kept", "Region is not masked"),
        (changed("<Region>A*", "<Region>C*"), "kept", "Region is not masked"),
        (changed("<Year>7", "<Year>8", 1), "kept", "Year is not masked"),
        (changed("<P><Age>22", "<P><UnitNr>x</UnitNr><Age>22", 1), "removed", "UnitNr should be gone"),
        (changed("<D>", "<D><!-- ID00004 -->"), "removed", "1 values of UnitNr stand in the file"),
        (changed("<D>", "<D><!-- UnitNr -->"), "removed", "the name UnitNr stands somewhere"),
        (changed("<D>", "<D><!-- SECRET -->"), "removed", "1 attributes, comments or values around"),
        (changed("<D>", "<D><!-- PUBLIC -->"), "kept", "0 things around the variables are kept, yet 1"),
        (changed("<Age>22</Age><Wage>130", "<Age>24</Age><Wage>130"), "verbatim", "3 records have the values"),
        (changed("<Age>22</Age><Wage>130", "<Age>24.0</Age><Wage>1.3e2"), "verbatim", "3 records have the values"),
        (changed(GOOD[3 : GOOD.index("</P>") + 4], "", 1), "records", "6 became 5"),
    ],
)
def test_a_planted_fault_is_found(masked: str, promise: str, says: str) -> None:
    assert says in recounted(masked)[promise]


@pytest.mark.parametrize(
    ("protect", "promise", "says"),
    [
        ({"key": {"variables": ["Age", "Region"], "k": 4}}, "key", "2 classes of (Age, Region) are below 4"),
        ({"key": {"variables": ["Age", "Year"]}}, "key", "1 records share"),
        ({"diversity": {"of": "Diagnosis", "l": 3}}, "diversity", "not diverse (distinct, l = 3.0)"),
        ({"diversity": {"of": "Diagnosis", "l": 2, "kind": "entropy"}}, "diversity", "(entropy, l = 2.0)"),
        ({"diversity": {"of": "Diagnosis", "l": 2, "kind": "recursive", "c": 2}}, "diversity", "(recursive, l = 2.0)"),
        ({"closeness": {"of": "Diagnosis", "t": 0.1}}, "closeness", "distance of 0.1667, above t = 0.1"),
        ({"linkage": {"at most": "30%", "known": ["Wage"]}}, "linkage", "33.33% of the records are linked by Wage"),
        ({"dominance": {"p": 70}}, "dominance", "Wage: a group of 3 is dominated"),
        ({"dominance": {"n": 2, "share": 70}}, "dominance", "Wage: a group of 3 is dominated"),
    ],
)
def test_a_promise_that_the_file_does_not_keep_is_found(protect: dict[str, Any], promise: str, says: str) -> None:
    assert says in recounted(GOOD, **protect)[promise]


def test_an_outlier_in_the_original_dominates_its_group() -> None:
    original = document([*ORIGINAL[:5], (57, 90_000, *ORIGINAL[5][2:])], COLUMNS)
    assert "its largest are 90000, 330, 300" in recounted(GOOD, original)["dominance"]


def test_verbatim_records_may_be_allowed_and_what_k_records_share_is_nobodys() -> None:
    masked = changed("<Age>22</Age><Wage>130", "<Age>24</Age><Wage>130")
    assert recounted(masked, verbatim="allowed") == recounted(masked, verbatim=3) == {}
    shared = document([(24, 130, *row[2:]) for row in ORIGINAL[:3]] + ORIGINAL[3:], COLUMNS)
    assert "verbatim" not in recounted(masked, shared)


def test_records_that_no_block_changed_are_verbatim_if_they_are_a_tenth_of_those_that_stand_alone() -> None:
    """Twelve records, all of which stand alone: one unchanged is chance, two are not."""
    before, after = ([*rows, *((200 + age, *rest) for age, *rest in rows)] for rows in (ORIGINAL, MASKED))

    def broken(count: int, **protect: Any) -> str:
        rows = [(*was[:2], *now[2:]) for was, now in zip(before[:count], after, strict=False)]
        masked = document([*rows, *after[count:]], COLUMNS[:5])
        return recounted(masked, document(before, COLUMNS), [["Age"], ["Wage"]], **protect).get("verbatim", "")

    assert "2 records have the values" in broken(2)
    assert broken(1) == broken(0) == ""
    every = {"at most": 0, "count": "every"}
    assert "1 records have the values" in broken(1, verbatim=every)
    assert broken(1, verbatim={**every, "at most": 1}) == broken(0, verbatim=every) == ""
