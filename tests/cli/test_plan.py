"""`plan` as a user asks for it: what the options become, what is printed and saved, and how refusals end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.commands.masking.carrying_out import read_plan
from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.plan.plan_json import plan_digest
from constraint_sdc.reports.sentences import with_sentences
from constraint_sdc.settings.words import Role, Standardise
from tests.cli.conftest import Run
from tests.cli.masking import Calls, HandMade, make_by_hand, stand_in

PLAN = ("plan", "data.xml", "--rules", "rules.sch")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HandMade:
    monkeypatch.chdir(tmp_path)
    return make_by_hand()


@pytest.fixture
def calls(made: HandMade, monkeypatch: pytest.MonkeyPatch) -> Calls:
    return stand_in(monkeypatch, "plan_file", "plan", lambda: made.plan)


def asked(calls: Calls) -> MaskOptions:
    options = calls[-1][0][2]
    assert isinstance(options, MaskOptions)
    return options


def test_the_plan_is_printed(run: Run, calls: Calls) -> None:
    ran = run(*PLAN, "-k", "2")
    assert ran.code == 0
    assert ran.out.startswith("PLAN: mask 3 variables of 4 records in 1 block, at least 2 records to a group\n")
    assert calls[0][0][:2] == (Path("data.xml"), Path("rules.sch"))
    assert asked(calls) == MaskOptions(k=2)


def test_rules_may_be_absent(run: Run, calls: Calls) -> None:
    assert run("plan", "data.xml", "-k", "2").code == 0
    assert calls[0][0][1] is None


def test_every_option_arrives(run: Run, calls: Calls, tmp_path: Path) -> None:
    Path("r.yml").write_text("k: 9\nvariables: {Id: {role: identifier}}\n", encoding="utf-8")
    options = (
        "-k 3 --partition mdav --seed 4 --on-broken keep --phase p --original data.xml --record Record --time-limit 600"
        " --effort 30s --standardise robust --weights A"
    )
    assert run(*PLAN, *options.split(), "--recipe", "r.yml", "--allow", tmp_path).code == 0
    said = asked(calls)
    assert (said.effort, said.standardise, said.weights) == ("30s", Standardise.ROBUST, "A")
    assert (said.k, said.partition, said.seed, said.on_broken, said.phase) == (3, "mdav", 4, "keep", "p")
    assert (said.original, said.record, said.allow) == (Path("data.xml"), "Record", (tmp_path,))
    assert said.recipe_file == Path("r.yml")
    assert said.recipe.variables["Id"].role is Role.IDENTIFIER


def test_json_is_printed_with_sentences_and_saved_without(run: Run, made: HandMade, calls: Calls) -> None:
    Path("plan.json").write_text("an old plan", encoding="utf-8")
    ran = run(*PLAN, "-k", "2", "--json", "--out", "plan.json")
    assert ran.code == 0
    assert "plan saved: plan.json" in ran.err
    saved = json.loads(Path("plan.json").read_text("utf-8"))
    assert json.loads(ran.out) == with_sentences(saved)
    assert "because" not in saved["blocks"][0]
    assert json.loads(ran.out)["blocks"][0]["because"] == "rules tie them"
    assert plan_digest(read_plan(Path("plan.json"))) == plan_digest(made.plan)
    assert len(calls) == 1


def test_k_may_stand_in_the_recipe(run: Run, calls: Calls) -> None:
    Path("r.yml").write_text("k: 9\n", encoding="utf-8")
    assert run(*PLAN, "--recipe", "r.yml").code == 0
    assert (asked(calls).k, asked(calls).recipe.k) == (None, 9)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ((), "k is not given"),
        (("-k", "1"), "k must be at least 2, not 1"),
        (("-k", "-5"), "k must be at least 2, not -5"),
    ],
)
def test_settings_that_do_not_fit_are_told_before_anything_is_read(
    run: Run, made: HandMade, more: tuple[str, ...], says: str
) -> None:
    del made  # rules are there, and the data are not
    ran = run("plan", "nowhere.xml", "--rules", "rules.sch", *more)
    assert ran.code == 2
    assert says in ran.err
    assert "nowhere.xml" not in ran.err


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("-k", "few"), "not a valid integer"),
        (("-k", "2", "--seed", "-1"), "--seed"),
        (("-k", "2", "--on-broken", "ignore"), "--on-broken"),
        (("-k", "2", "--out", "data.xml"), "the output would overwrite an input"),
        (("-k", "2", "--out", "rules.sch"), "the output would overwrite an input"),
        (("-k", "2", "--recipe", "none.yml"), "none.yml: cannot read the recipe"),
        (("-k", "2", "--record", ""), "is empty"),
        (("-k", "2", "--partition", ""), "is empty"),
        (("-k", "2", "--effort", " "), "is empty"),
        (("-k", "2", "--weights", ""), "is empty"),
        (("-k", "2", "--standardise", "zscore"), "--standardise"),
    ],
)
def test_a_mistake_is_told_before_anything_is_read(run: Run, calls: Calls, more: tuple[str, ...], says: str) -> None:
    ran = run(*PLAN, *more)
    assert ran.code == 2
    assert says in ran.err
    assert not calls


@pytest.mark.parametrize("option", ["--on-broken keep", "--phase p", "--original data.xml", "--allow ."])
def test_what_concerns_rules_needs_rules(run: Run, calls: Calls, option: str) -> None:
    ran = run("plan", "data.xml", "-k", "2", *option.split())
    assert ran.code == 2
    assert f"{option.split()[0]} has no meaning here (it belongs to rules, and there is no --rules)" in ran.err
    assert not calls


def test_a_refusal_ends_with_code_3_and_the_way_out(run: Run, made: HandMade, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Any:
        raise PlanRefusedError("rule total ties A to C, which the recipe pins", hint="let C be masked too")

    assert made.plan.blocks
    stand_in(monkeypatch, "plan_file", "plan", refuse)
    ran = run(*PLAN, "-k", "2", "--out", "plan.json")
    assert ran.code == 3
    assert ran.err == "constraint-sdc: rule total ties A to C, which the recipe pins (let C be masked too)\n"
    assert not Path("plan.json").exists()


@pytest.mark.parametrize("command", ["plan", "mask", "explain"])
def test_help_tells_exit_code_3(run: Run, command: str) -> None:
    assert "3 the plan refuses" in run(command, "--help").out.replace("\n", " ")
    assert "3  the plan refuses to mask" in run("--help").out
