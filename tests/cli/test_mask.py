"""`mask` as a user asks for it: what is printed, what a saved plan decides, and when nothing is published."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.errors import ConstraintSdcError, NotPublishedError, PlanRefusedError
from constraint_sdc.files.json_file import json_text
from constraint_sdc.maskers.masked import Masked, MaskOptions, MaskResult
from constraint_sdc.operators.medoid import Medoid
from constraint_sdc.plan.plan_json import plan_digest, plan_to_json
from constraint_sdc.reports.masking.mask_result import mask_text
from constraint_sdc.settings.recipe import Division
from constraint_sdc.settings.words import Standardise
from tests.cli.conftest import Run
from tests.cli.masking import Calls, HandMade, make_by_hand, stand_in, without_rules
from tests.cli.test_certificate import under_schema

MASK = ("mask", "data.xml", "--rules", "rules.sch", "-o", "new.xml")

PUBLISHED = """\
PUBLISHED: 4 records masked with k = 2, at least 2 share the values of a block; all 2 rules hold,
  each checked 4 times

rule      severity  checked  broken before  still broken  repaired  newly broken
total     error           4              0             0         0             0
positive  error           4              0             0         0             0

block 1: arithmetic mean of A, B, C

block  strata  groups  smallest   loss  plain MDAV  derived
    1       1       2         2  12.50       12.25        2
smallest: records that share a block's values, counted in the written file; loss: 100 * SSE / SST,
beside plain MDAV without rules; last columns: groups by the exact step that they took

everything in the file: 3 masked, 1 kept

output       masked.xml
certificate  masked.xml.certificate.json
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HandMade:
    monkeypatch.chdir(tmp_path)
    return make_by_hand()


@pytest.fixture
def calls(made: HandMade, monkeypatch: pytest.MonkeyPatch) -> Calls:
    return stand_in(monkeypatch, "mask_file", "mask", lambda: made.result)


@pytest.fixture
def saved(made: HandMade) -> Path:
    path = Path("plan.json")
    path.write_text(json_text(plan_to_json(made.plan)), encoding="utf-8")
    return path


def test_rules_blocks_and_files_are_printed(run: Run, calls: Calls) -> None:
    ran = run(*MASK, "-k", "2")
    assert (ran.code, ran.out) == (0, PUBLISHED)
    arguments, named = calls[0]
    assert arguments == (Path("data.xml"), Path("rules.sch"), Path("new.xml"), MaskOptions(k=2))
    assert (named["overwrite"], named["expected"]) == (False, None)


def test_json_follows_its_schema(run: Run, calls: Calls) -> None:
    content = json.loads(run(*MASK, "-k", "2", "--json").out)
    under_schema(content, "mask")
    assert content["rules"][0]["rule"] == "total"
    assert content["blocks"][0]["smallest"] == 2
    assert len(calls) == 1


def test_records_that_stay_broken_are_told(made: HandMade) -> None:
    total, positive = made.result.outcomes
    kept = replace(total, broken_before=3, still_broken=1, repaired=2)
    text = mask_text(replace(made.result, outcomes=(kept, positive)), columns=200)
    assert "1 of 2 rules still broken, as before masking" in text
    assert "total     error           4              3             1         2             0\n" in text


def test_each_operator_is_told_with_its_variables(made: HandMade) -> None:
    block = made.result.masked.blocks[0]
    a, b, c = block.plan.variables
    mixed = replace(block.plan, variables=(a, replace(b, operator=Medoid.name), c))
    text = mask_text(replace(made.result, masked=Masked((replace(block, plan=mixed),))))
    assert "block 1: arithmetic mean of A, C; medoid of B\n" in text


def test_a_file_in_which_nothing_was_masked_is_not_called_masked(made: HandMade) -> None:
    nothing = replace(without_rules(made), masked=Masked(()), smallest=())
    assert mask_text(nothing).startswith("PUBLISHED: 4 records, none of their variables masked; no rules were given\n")


def test_masking_without_rules_says_so(made: HandMade) -> None:
    text = mask_text(without_rules(made), columns=200)
    assert "; no rules were given" in text
    assert "severity" not in text


def test_a_saved_plan_decides(run: Run, made: HandMade, calls: Calls, saved: Path) -> None:
    assert run(*MASK, "--plan", saved).code == 0
    assert (
        run(*MASK, "--plan", saved, "-k", "2", "--partition", "mdav", "--seed", "0", "--on-broken", "refuse").code == 0
    )
    for arguments, named in calls:
        assert arguments[3] == MaskOptions(
            k=2,
            masker="microaggregation",
            partition="mdav",
            standardise=Standardise.Z_SCORE,
            seed=0,
            on_broken="refuse",
            totals="together",
            undecided="refuse",
        )
        assert plan_digest(named["expected"]) == plan_digest(made.plan)


def test_a_saved_division_decides_too(run: Run, made: HandMade, calls: Calls) -> None:
    division = Division("v-mdav+refine", "high", Standardise.NONE, "A")
    content = json_text(plan_to_json(replace(made.plan, division=division)))
    Path("plan.json").write_text(content, encoding="utf-8")
    said = ["--partition", "v-mdav+refine", "--effort", "high", "--standardise", "none", "--weights", "A"]
    assert run(*MASK, "--plan", "plan.json").code == 0
    assert run(*MASK, "--plan", "plan.json", *said).code == 0
    for arguments, _ in calls:
        asked = arguments[3]
        assert Division(asked.partition, asked.effort, asked.standardise, asked.weights) == division


def test_another_spelling_of_a_saved_parameter_is_no_contradiction(run: Run, made: HandMade, calls: Calls) -> None:
    content = json_text(plan_to_json(replace(made.plan, division=Division("v-mdav:gamma=1.1"))))
    Path("plan.json").write_text(content, encoding="utf-8")
    assert run(*MASK, "--plan", "plan.json", "--partition", "v-mdav:gamma=1.10").code == 0
    assert calls[0][0][3].partition == "v-mdav:gamma=1.1"
    other = run(*MASK, "--plan", "plan.json", "--partition", "v-mdav:gamma=2")
    assert other.code == 2
    assert "contradicts the saved plan, which has v-mdav:gamma=1.1" in other.err


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("-k", "3", "-k 3 contradicts the saved plan, which has 2"),
        ("--partition", "other", "--partition other contradicts the saved plan, which has mdav"),
        ("--effort", "fast", "--effort fast contradicts the saved plan, which has none"),
        ("--standardise", "robust", "--standardise robust contradicts the saved plan, which has z-score"),
        ("--weights", "A", "--weights A contradicts the saved plan, which has none"),
        ("--seed", "1", "--seed 1 contradicts the saved plan, which has 0"),
        ("--on-broken", "keep", "--on-broken keep contradicts the saved plan, which has refuse"),
    ],
)
def test_an_option_may_not_contradict_the_saved_plan(
    run: Run, calls: Calls, saved: Path, option: str, value: str, says: str
) -> None:
    ran = run(*MASK, "--plan", saved, option, value)
    assert ran.code == 2
    assert says in ran.err
    assert not calls


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "not a saved plan: 'schema' is a required property"),
        ("x", "plan.json:1: not a saved plan: it is not JSON"),
    ],
)
def test_what_is_no_plan_is_a_users_mistake(run: Run, calls: Calls, text: str, says: str) -> None:
    Path("plan.json").write_text(text, encoding="utf-8")
    ran = run(*MASK, "--plan", "plan.json")
    assert ran.code == 2
    assert says in ran.err
    assert not calls


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("-k", "2", "-o", "."), "a directory cannot be the masked file"),
        (("-k", "2", "-o", "data.xml", "--overwrite"), "the output would overwrite an input"),
        (("-k", "2", "-o", "masked.xml"), "masked.xml: the file exists already (give another name, or --overwrite)"),
    ],
)
def test_a_mistake_is_told_before_anything_is_read(run: Run, calls: Calls, more: tuple[str, ...], says: str) -> None:
    ran = run(*MASK, *more)
    assert ran.code == 2
    assert says in ran.err
    assert not calls


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ((), "k is not given"),
        (("-k", "1"), "k must be at least 2"),
        (("-k", "2", "--partition", "nonsense"), "nonsense"),
    ],
)
def test_settings_that_do_not_fit_are_told_before_anything_is_read(
    run: Run, made: HandMade, more: tuple[str, ...], says: str
) -> None:
    del made  # rules are there, and the data are not
    ran = run("mask", "nowhere.xml", "--rules", "rules.sch", "-o", "new.xml", *more)
    assert ran.code == 2
    assert says in ran.err
    assert "nowhere.xml" not in ran.err


def test_an_old_certificate_is_not_overwritten_unasked(run: Run, calls: Calls) -> None:
    Path("new.xml.certificate.json").write_text("precious", encoding="utf-8")
    assert run(*MASK, "-k", "2").code == 2
    assert not calls
    assert run(*MASK, "-k", "2", "--overwrite").code == 0
    assert calls[0][1]["overwrite"] is True


def test_the_certificate_may_not_take_the_place_of_an_input(run: Run, calls: Calls) -> None:
    Path("new.xml.certificate.json").write_text("k: 2\n", encoding="utf-8")
    ran = run(*MASK, "--recipe", "new.xml.certificate.json", "--overwrite")
    assert ran.code == 2
    assert "would overwrite an input" in ran.err
    assert not calls


def failing(error: ConstraintSdcError) -> Callable[[], MaskResult]:
    def fail() -> Any:
        raise error

    return fail


@pytest.mark.usefixtures("made")
def test_a_file_that_fails_is_reported_with_code_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    details = ("rule total: record 4 newly broken", "block 1: 1 record shares values")
    stand_in(monkeypatch, "mask_file", "mask", failing(NotPublishedError("nothing was published", details=details)))
    ran = run(*MASK, "-k", "2")
    assert ran.code == 1
    assert ran.err == (
        "constraint-sdc: nothing was published\n"
        "  rule total: record 4 newly broken\n"
        "  block 1: 1 record shares values\n"
    )


@pytest.mark.usefixtures("made")
def test_a_refusal_ends_with_code_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "mask_file", "mask", failing(PlanRefusedError("no", hint="way out")))
    assert run(*MASK, "-k", "2").code == 3
