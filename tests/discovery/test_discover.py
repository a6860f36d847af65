"""`rules discover`: planted rules are found, noise gives none, and what is written holds as the judge says."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import constraint_sdc as cs
from constraint_sdc.census import generate_file
from constraint_sdc.cli import main
from constraint_sdc.discovery.proposal import ALONE, Discovery
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.reports.discovered_rules import proposal_label
from constraint_sdc.reports.discovery_text import render_discovery_json
from tests.discovery.files import noise_rows, planted_rows, write_rows
from tests.in_process import run_in_process


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rows(tmp_path_factory.mktemp("planted") / "planted.xml", planted_rows(400, 3))


@pytest.fixture(scope="module")
def found(planted: Path) -> Discovery:
    return cs.discover_rules(planted)


def said(discovery: Discovery, kind: str) -> set[str]:
    return {proposal_label(one) for one in discovery.proposals if one.kind == kind}


def test_planted_equations_are_found(found: Discovery) -> None:
    assert said(found, "sum") == {"Food + Rent + Other = Total"}
    assert said(found, "ratio") == {"30 * Months = Days"}
    assert said(found, "product") == {"Rooms * Price = Value"}


def test_planted_orders_tables_and_keys_are_found(found: Discovery) -> None:
    assert "Young <= Old" in said(found, "order")
    assert said(found, "dependency") == {"Town decides Region"}
    assert said(found, "key") == {"no value of Id occurs twice"}
    assert "Kind in {'farm', 'flat', 'house'}" in said(found, "set")
    assert "0 <= Wage <= 10000" in said(found, "interval")


def test_planted_conditions_are_found(found: Discovery) -> None:
    rules = said(found, "if-then")
    assert any("Kind = 'farm'" in rule and "Land > 0" in rule for rule in rules) or any(
        "Land > 0" in rule and "'farm'" in rule for rule in rules
    )
    assert any("Works" in rule and "Wage" in rule for rule in rules)


def test_what_is_written_holds_on_every_record(planted: Path, found: Discovery, tmp_path: Path) -> None:
    rules = tmp_path / "found.sch"
    rules.write_text(found.schema, encoding="utf-8")
    verdict = cs.check_file(planted, rules, engine="saxon")
    assert {result.rule: result.failed for result in verdict.results} == {one.id: 0 for one in found.proposals}


def test_what_is_written_is_a_sound_rule_set(found: Discovery, tmp_path: Path) -> None:
    rules = tmp_path / "found.sch"
    rules.write_text(found.schema, encoding="utf-8")
    codes = {finding.code for finding in cs.lint_rules(rules, severity="error").findings}
    assert codes == set()


@pytest.mark.parametrize("seed", range(4))
def test_noise_gives_no_rule_between_variables(seed: int, tmp_path: Path) -> None:
    file = write_rows(tmp_path / "noise.xml", noise_rows(300, seed))
    assert [proposal_label(one) for one in cs.discover_rules(file).proposals if one.kind not in ALONE] == []


def test_a_rule_that_fails_only_on_the_part_kept_aside_is_refuted(tmp_path: Path) -> None:
    """The searched part is chosen by the seed: break the sum in one record that is kept aside."""
    from constraint_sdc.discovery.discover import split

    rows = [dict(row) for row in planted_rows(400, 3)]
    rows[int(split(400, 0.5, 1).kept[0])]["Value"] = "1"
    broken = cs.discover_rules(write_rows(tmp_path / "broken.xml", rows))
    assert "product" not in {one.kind for one in broken.proposals}
    assert broken.refuted > 0


def test_the_same_seed_gives_the_same_bytes(planted: Path, found: Discovery) -> None:
    assert cs.discover_rules(planted).schema == found.schema
    assert cs.discover_rules(planted, seed=2).seed == 2


def test_ranges_and_thresholds_are_rounded_and_told(found: Discovery) -> None:
    assert "0 <= Food <= 1000" in said(found, "interval")
    stating = [one.id for one in found.proposals if one.states_values]
    assert {"interval-Food", "set-Kind"} <= set(stating)
    assert f"{len(stating)} rules with thresholds, rounded extremes or lists of values" in found.schema


def test_a_missing_value_is_not_spoken_of(found: Discovery) -> None:
    assert "Record[Wage != '']" in found.schema


def test_names_in_a_namespace_get_prefixes(tmp_path: Path) -> None:
    rows = [{f"h:{name}": text for name, text in row.items()} for row in planted_rows(80, 1)]
    file = write_rows(tmp_path / "spaced.xml", rows, '<Data xmlns:h="urn:h">')
    schema = cs.discover_rules(file).schema
    assert '<ns prefix="n1" uri="urn:h"/>' in schema
    assert 'value="(xs:decimal(n1:Food) + xs:decimal(n1:Rent)) + xs:decimal(n1:Other)"' in schema
    rules = tmp_path / "found.sch"
    rules.write_text(schema, encoding="utf-8")
    assert cs.check_file(file, rules).exit_code == 0


def test_hostile_codes_cannot_leave_their_place(tmp_path: Path) -> None:
    codes = ("a'b", 'c"d', "--><x>", "]]>&")
    rows = [{"A": codes[n % 4], "B": str(n % 4), "C": str(n)} for n in range(120)]
    file = write_rows(tmp_path / "hostile.xml", rows)
    found = cs.discover_rules(file)
    rules = tmp_path / "found.sch"
    rules.write_text(found.schema, encoding="utf-8")
    assert cs.check_file(file, rules).exit_code == 0
    assert "code table" in {one.kind for one in found.proposals}


def test_the_identities_of_the_generated_census_are_found(tmp_path: Path) -> None:
    file = tmp_path / "census.xml"
    generate_file(file, 300, 2009)
    found = cs.discover_rules(file)
    assert "V9 + V10 = V14" in said(found, "sum")
    assert "V5 * V15 = V16" in said(found, "product")


def test_the_command_writes_rules_and_prints_the_report(planted: Path, found: Discovery, tmp_path: Path) -> None:
    words = ["constraint-sdc", "rules", "discover", str(planted), "-o", "found.sch"]
    code, text, _ = run_in_process(main, words, tmp_path)
    assert code == 0
    assert (tmp_path / "found.sch").read_text("utf-8") == found.schema
    assert "note: searched in 200 records, tested on 200 records kept aside" in text
    assert run_in_process(main, words, tmp_path)[0] == 2  # the file exists
    assert run_in_process(main, [*words, "--overwrite"], tmp_path)[0] == 0
    code, text, _ = run_in_process(main, [*words[:4], "--json"], tmp_path)
    schema = json.loads(shipped_file("schemas", "discovery.schema.json").read_text("utf-8"))
    jsonschema.validate(json.loads(text), schema)
    assert text.strip() == render_discovery_json(found).strip()


@pytest.mark.parametrize(
    ("words", "says"),
    [(["--holdout", "1"], "holdout is 1"), (["--seed", "-1"], "seed is -1"), (["--record", "Nothing"], "Nothing")],
)
def test_what_cannot_be_done_is_refused(planted: Path, words: list[str], says: str, tmp_path: Path) -> None:
    code, _, complaint = run_in_process(main, ["constraint-sdc", "rules", "discover", str(planted), *words], tmp_path)
    assert code == 2
    assert says in complaint


def test_too_few_records_are_refused(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "few.xml", noise_rows(20, 1))
    with pytest.raises(cs.DataError, match="the file has 20 records"):
        cs.discover_rules(file)


def test_without_records_kept_aside_the_report_says_so(planted: Path) -> None:
    found = cs.discover_rules(planted, holdout=0)
    assert found.kept == 0
    assert "no record was kept aside" in cs.render(found)
