"""`explain` as a user asks: one rule, or one record, and never a confidential value unasked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from constraint_sdc.files.json_file import json_text
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.plan.plan_json import plan_to_json
from constraint_sdc.settings.words import Standardise
from tests.cli.conftest import Run
from tests.cli.masking import SECRET, Calls, HandMade, make_by_hand, stand_in

RECORD = ("explain", "--record", "4", "--certificate", "masked.xml.certificate.json")

EXPLAINED = """\
record 4 of 4, k = 2

block 1: A, B, C
  group        2 records share these values
  stratum      1 of 1, 4 records, whole
  condition    A > 0 (positive)
  exact step   derived: dependent variables were computed by the rules' own expressions
  derivation   C computed by total
  rules        total, positive
  variable  operator         grid     masked
  A         arithmetic mean  integer       7
  B         arithmetic mean  integer  493828
  C         arithmetic mean  integer  493835

not masked: Id

the original's values are hidden; --show-values shows them
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HandMade:
    monkeypatch.chdir(tmp_path)
    made = make_by_hand()
    Path("plan.json").write_text(json_text(plan_to_json(made.plan)), encoding="utf-8")
    return made


@pytest.fixture
def plans(made: HandMade, monkeypatch: pytest.MonkeyPatch) -> Calls:
    return stand_in(monkeypatch, "plan_file", "plan", lambda: made.plan)


@pytest.fixture
def maskings(made: HandMade, monkeypatch: pytest.MonkeyPatch) -> Calls:
    return stand_in(monkeypatch, "explain_record", "explain", lambda: made.explanation)


def test_a_rule_is_explained_alike_from_data_and_from_a_saved_plan(run: Run, plans: Calls) -> None:
    planned = run("explain", "total", "data.xml", "--rules", "rules.sch", "-k", "2")
    saved = run("explain", "total", "--plan", "plan.json")
    assert planned == saved
    assert planned.code == 0
    assert planned.out.startswith("rule total: exact, the operator preserves the rule in real arithmetic")
    for said in ("are convex, so they contain", "derived: C computed by total", "arithmetic mean", "block 1: A, B, C"):
        assert said in planned.out
    assert plans[0][0][:3] == (Path("data.xml"), Path("rules.sch"), MaskOptions(k=2))
    assert len(plans) == 1


def test_an_unknown_rule_is_answered_with_the_known_ones(run: Run, made: HandMade) -> None:
    assert made.plan.blocks
    ran = run("explain", "totl", "--plan", "plan.json")
    assert ran.code == 2
    assert "no rule has the id 'totl' (the rules are: total, positive)" in ran.err


def test_a_record_is_explained_from_the_certificate(run: Run, maskings: Calls) -> None:
    ran = run(*RECORD)
    assert (ran.code, ran.out) == (0, EXPLAINED)
    data, rules, options, number = maskings[0][0]
    assert (data, rules, number) == (Path("data.xml"), Path("rules.sch"), 4)
    assert (options.k, options.partition, options.seed, options.on_broken) == (2, "mdav", 0, "refuse")
    assert (options.effort, options.standardise, options.weights) == (None, Standardise.Z_SCORE, None)


def test_original_values_are_shown_only_when_asked_for(run: Run, maskings: Calls) -> None:
    assert SECRET not in run(*RECORD).out
    shown = run(*RECORD, "--show-values").out
    assert f"B         arithmetic mean  integer  493828    {SECRET}\n" in shown
    assert "are hidden" not in shown
    assert len(maskings) == 2


def test_inputs_are_found_beside_the_certificate(
    run: Run, maskings: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run("explain", "--record", "4", "--certificate", "../masked.xml.certificate.json").code == 0
    assert maskings[0][0][0] == Path("../data.xml")


def test_inputs_may_be_given_anew(run: Run, maskings: Calls) -> None:
    Path("data.xml").rename("moved.xml")
    ran = run(*RECORD)
    assert ran.code == 2
    assert "the data of the certificate cannot be found (give the file itself as DATA)" in ran.err
    ran = run("explain", "moved.xml", *RECORD[1:], "--rules", "rules.sch")
    assert ran.code == 0
    assert maskings[0][0][0] == Path("moved.xml")


@pytest.mark.parametrize(("name", "role"), [("data.xml", "data"), ("rules.sch", "rules")])
def test_changed_inputs_are_refused(run: Run, maskings: Calls, name: str, role: str) -> None:
    with Path(name).open("a", encoding="utf-8") as file:
        file.write("\n")
    ran = run(*RECORD)
    assert ran.code == 2
    assert f"{name}: this is not the {role} that the certificate names: the SHA-256 differs" in ran.err
    assert not maskings


def test_a_plan_that_came_out_otherwise_is_refused(run: Run, made: HandMade, maskings: Calls) -> None:
    content = json.loads(made.certificate.read_text("utf-8"))
    content["plan"]["blocks"][0]["strategy_reason"] = {"code": "no-partition", "params": {}}
    made.certificate.write_text(json.dumps(content), encoding="utf-8")
    ran = run(*RECORD)
    assert ran.code == 3
    assert "they differ in: block 1 (A, B, C)" in ran.err
    assert len(maskings) == 1


def test_a_record_can_be_explained_before_masking(run: Run, maskings: Calls) -> None:
    assert run("explain", "data.xml", "--record", "4", "--rules", "rules.sch", "-k", "2").code == 0
    assert maskings[0][0] == (Path("data.xml"), Path("rules.sch"), MaskOptions(k=2), 4)


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "nothing to explain (give the id of a rule, or --record N)"),
        (("total",), "no data to plan for"),
        (("total", "data.xml"), "k is not given"),
        (("total", "data.xml", "more", "-k", "2"), "3 arguments given"),
        (("total", "data.xml", "--plan", "plan.json"), "a saved plan needs neither DATA nor rules"),
        (("total", "--plan", "plan.json", "--rules", "rules.sch"), "a saved plan needs neither DATA nor rules"),
        (("total", "--plan", "plan.json", "--record-element", "R"), "a saved plan needs neither DATA nor rules"),
        (("total", "--plan", "plan.json", "-k", "3"), "-k has no meaning here"),
        (("total", "--plan", "plan.json", "--on-broken", "keep"), "--on-broken has no meaning here"),
        (("total", "--plan", "plan.json", "--show-values"), "--show-values belongs to --record"),
        (("total", "--plan", "plan.json", "--certificate", "c"), "--certificate belongs to --record"),
        (("--record", "4"), "nothing says where record 4 is"),
        (("--record", "0"), "--record"),
        (("--record", "4", "--plan", "plan.json"), "--record explains a record, not a rule"),
        (("total", "data.xml", "--record", "4"), "--record explains a record, not a rule"),
        ((*RECORD[1:], "-k", "3"), "-k has no meaning here"),
        ((*RECORD[1:], "--recipe", "r.yml"), "--recipe has no meaning here"),
        ((*RECORD[1:], "--effort", "fast"), "--effort has no meaning here"),
        ((*RECORD[1:], "--weights", "A"), "--weights has no meaning here"),
        (("total", "--plan", "plan.json", "--standardise", "none"), "--standardise has no meaning here"),
        ((*RECORD[1:], "--record-element", "Record"), "the certificate says what a record is"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(run: Run, arguments: tuple[str, ...], says: str) -> None:
    ran = run("explain", *arguments)
    assert ran.code == 2
    assert says in ran.err
