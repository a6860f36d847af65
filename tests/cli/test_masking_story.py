"""The whole story on a census-like extract, with nothing made by hand: plan, mask by it, check, explain."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from lxml import etree

from tests.cli.conftest import TOP, Run
from tests.cli.test_certificate import under_schema

GOLDEN = TOP / "tests" / "reports" / "golden" / "plan-census.txt"
RULES = ("--rules", "census.sch")
INPUTS = ("extract.xml", *RULES, "--partition", "mdav")
CHECK = ("check", "masked.xml", *RULES, "--original", "extract.xml")
CERTIFICATE = ("--certificate", "masked.xml.certificate.json")


@pytest.fixture
def workplace(tmp_path: Path, census: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("extract.xml", "damaged.xml"):
        shutil.copy(census / name, tmp_path)
    for name in ("census.sch", "constraints.sch"):
        shutil.copy(TOP / "rules" / name, tmp_path)
    (tmp_path / "census.yml").write_text(
        "k: 4\nvariables:\n  V2: {role: identifier, remove: true}\n  V7: {role: untouched}\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("workplace")
def test_the_census_plan_reads_as_the_golden_file(run: Run) -> None:
    """Print it anew with `plan extract.xml --rules census.sch --partition mdav -k 5` after a change on purpose."""
    assert run("plan", *INPUTS, "-k", "5").out == GOLDEN.read_text("utf-8")


def test_plan_mask_check_explain(run: Run, workplace: Path) -> None:
    recipe = ("--recipe", "census.yml")
    assert run("plan", *INPUTS, *recipe, "--out", "plan.json").code == 0
    assert run("mask", *INPUTS, *recipe, "--plan", "plan.json", "-o", "masked.xml").code == 0

    checked = run(*CHECK, *CERTIFICATE)
    assert checked.code == 0
    assert "PASS: all 5 rules hold on 200 records" in checked.out
    assert "certificate agrees" in checked.out

    original, masked = (etree.parse(name).getroot() for name in ("extract.xml", "masked.xml"))
    assert not masked.findall(".//V2")
    assert [e.text for e in masked.iter("V7")] == [e.text for e in original.iter("V7")]
    certificate = json.loads((workplace / "masked.xml.certificate.json").read_text("utf-8"))
    under_schema(certificate, "certificate")
    assert {entry["role"] for entry in certificate["inputs"]} == {"data", "rules", "recipe"}
    assert str(workplace) not in json.dumps(certificate)

    explained = run("explain", "--record", "17", *CERTIFICATE)
    assert explained.code == 0
    shown = dict(re.findall(r"^  (V\d+) +.* (\S+)$", explained.out, re.MULTILINE))
    record = masked.findall("Record")[16]
    assert shown == {e.tag: e.text for e in record if e.tag != "V7"}
    with (workplace / "constraints.sch").open("a", encoding="utf-8") as file:
        file.write("\n")
    changed = run("explain", "--record", "17", *CERTIFICATE)
    assert changed.code == 3
    assert "changed since the plan was saved: rules: constraints.sch" in changed.err
    assert run("explain", "EC-GV", "--plan", "plan.json").out == run("explain", "EC-GV", *INPUTS, *recipe).out


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("extract.xml", "changed since the plan was saved: data"),
        ("census.sch", "changed since the plan was saved: rules"),
        ("constraints.sch", "changed since the plan was saved: rules: constraints.sch"),
        ("census.yml", "changed since the plan was saved: recipe"),
    ],
)
def test_a_saved_plan_refuses_changed_inputs(run: Run, workplace: Path, name: str, says: str) -> None:
    arguments = (*INPUTS, "--recipe", "census.yml")
    assert run("plan", *arguments, "--out", "plan.json").code == 0
    with (workplace / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    ran = run("mask", *arguments, "--plan", "plan.json", "-o", "masked.xml")
    assert ran.code == 3
    assert says in ran.err
    assert not list(workplace.glob("masked*"))


def test_broken_records_are_refused_or_kept_account_of(run: Run, workplace: Path) -> None:
    arguments = ("damaged.xml", *INPUTS[1:], "--original", "extract.xml", "-k", "3", "-o", "masked.xml")
    refused = run("mask", *arguments)
    assert refused.code == 3
    assert "EC-LC: 2 of 200" in refused.err
    assert not list(workplace.glob("masked*"))
    kept = run("mask", *arguments, "--on-broken", "keep", "--json")
    assert kept.code == 0
    for rule in json.loads(kept.out)["rules"]:
        assert (rule["broken_before"], rule["newly_broken"]) == (2, 0)
        assert rule["still_broken"] + rule["repaired"] == 2
    assert "certificate agrees" in run(*CHECK, *CERTIFICATE).out


def test_masking_without_rules(run: Run, workplace: Path) -> None:
    assert run("mask", "extract.xml", "--partition", "mdav", "-k", "3", "-o", "masked.xml").code == 0
    ran = run(*CHECK, *CERTIFICATE)
    assert ran.code == 1, "the means break the rules that nobody asked to keep"
    assert "the certificate names no rules (plain microaggregation)" in ran.out
    assert "certificate agrees" in ran.out
    assert (workplace / "masked.xml").stat().st_size


UNIQUE = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="Record">
<assert id="order" test="number(V1) &gt;= 0">negative</assert>
<assert id="unique" test="count(//Record[V16 = current()/V16]) = 1">somebody else has the same V16</assert>
</rule></pattern></schema>
"""


def test_a_rule_across_records_that_masking_breaks_publishes_nothing(run: Run, workplace: Path) -> None:
    (workplace / "unique.sch").write_text(UNIQUE, encoding="utf-8")
    arguments = ("extract.xml", "--rules", "unique.sch", "-k", "3", "--partition", "mdav")
    assert run("check", *arguments[:3]).code == 0
    planned = run("plan", *arguments)
    assert planned.code == 0
    assert re.search(r"rule unique: judged", planned.out)
    before = sorted(workplace.iterdir())
    ran = run("mask", *arguments, "-o", "masked.xml")
    assert (ran.code, ran.out) == (1, "")
    assert "unique: 200 newly broken of 200 (record 1, record 2, record 3, ...)" in ran.err
    assert sorted(workplace.iterdir()) == before, "no file, no certificate, no staged file"
    recipe = "variables: {V16: {role: untouched}}\n"
    (workplace / "keep.yml").write_text(recipe, encoding="utf-8")
    assert run("mask", *arguments, "--recipe", "keep.yml", "-o", "masked.xml").code == 0


def test_an_input_is_never_overwritten(run: Run, workplace: Path) -> None:
    original = (workplace / "extract.xml").read_bytes()
    for output in ("extract.xml", "./extract.xml", "census.sch"):
        ran = run("mask", *INPUTS, "-k", "3", "-o", output, "--overwrite")
        assert (ran.code, ran.out) == (2, "")
    (workplace / "link.xml").symlink_to("extract.xml")
    assert run("mask", *INPUTS, "-k", "3", "-o", "link.xml", "--overwrite").code == 2
    assert (workplace / "extract.xml").read_bytes() == original


def test_overwrite_replaces_file_and_certificate(run: Run, workplace: Path) -> None:
    output = workplace / "masked.xml"
    assert run("mask", *INPUTS, "-k", "3", "-o", "masked.xml").code == 0
    first = output.read_bytes()
    refused = run("mask", *INPUTS, "-k", "6", "-o", "masked.xml")
    assert (refused.code, output.read_bytes()) == (2, first)
    assert "--overwrite" in refused.err
    assert run("mask", *INPUTS, "-k", "6", "-o", "masked.xml", "--overwrite").code == 0
    assert output.read_bytes() != first
    assert "certificate agrees" in run(*CHECK, *CERTIFICATE).out
