"""SDMX as users try it: the same commands, names and guarantees for every kind of message as for a CSV file."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import constraint_sdc as cs
from constraint_sdc.commands.masking import settings as masking_settings
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.json_file import shipped_file
from tests.cli.conftest import Ran, Run
from tests.sdmx_messages import MESSAGES, csv_1, csv_2, rows, specific

RULES = "OBS_VALUE = WAGES + OTHER\nOBS_VALUE > 0\nif OBS_STATUS = 'A' then WAGES >= 0\n"
VARIABLES = """\
variables:
  FREQ: {role: untouched}
  REF_AREA: {role: untouched}
  FIRM: {role: identifier, remove: true}
  TIME_PERIOD: {role: untouched}
  OBS_VALUE: {role: confidential}
  WAGES: {role: confidential}
  OTHER: {role: confidential}
  OBS_STATUS: {role: untouched}
"""
HEADER = "surroundings:\n  /Microdata/FileMetadata/Header: keep\n"
OPTIONS = ("--rules", "rules.txt", "--recipe", "recipe.yml", "-k", "3", "--partition", "mdav")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with rules and recipe, and refuse what nobody decided on, as users get it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(masking_settings, "DEFAULT_UNDECIDED", "refuse")
    Path("rules.txt").write_text(RULES)
    Path("recipe.yml").write_text(VARIABLES + HEADER)
    Path("data.csv").write_text(csv_1(rows()))
    Path("plain.yml").write_text(VARIABLES)
    return tmp_path


def _succeeds(ran: Ran) -> Ran:
    assert ran.code == 0, ran.err
    return ran


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_message_is_masked_like_its_csv_file_and_reproduced(kind: str, run: Run) -> None:
    Path("data.xml").write_text(MESSAGES[kind](rows()))
    _succeeds(run("mask", "data.xml", *OPTIONS, "-o", "masked.xml"))
    _succeeds(run("mask", "data.csv", *OPTIONS[:3], "plain.yml", *OPTIONS[4:], "-o", "masked.csv"))
    found, expected = (read_dataset(Path(name)).table.columns for name in ("masked.xml", "masked.csv"))
    assert set(found) == set(expected) - {"DATAFLOW"}
    assert {name: column.texts() for name, column in found.items()} == {n: expected[n].texts() for n in found}
    certificate = "masked.xml.certificate.json"
    checked = ("check", "masked.xml", "--rules", "rules.txt", "--certificate", certificate, "--original", "data.xml")
    assert "exit code 0" in _succeeds(run(*checked)).out
    assert "REPRODUCED" in _succeeds(run("reproduce", certificate, "--original", "data.xml", *OPTIONS[:2])).out
    assert json.loads(Path(certificate).read_text())["options"]["table"] == {"sdmx": "observations"}


def test_every_command_takes_a_message(run: Run) -> None:
    Path("data.xml").write_text(specific(rows(), by_series=True))
    _succeeds(run("mask", "data.xml", *OPTIONS, "-o", "masked.xml"))
    for words in (
        ("describe", "data.xml"),
        ("check", "data.xml", "--rules", "rules.txt"),
        ("check", "data.xml", "--rules", "rules.txt", "--engine", "saxon"),
        ("rules", "list", "rules.txt", "--data", "data.xml"),
        ("rules", "lint", "rules.txt", "--data", "data.xml"),
        ("rules", "graph", "rules.txt", "--data", "data.xml", "-o", "graph.svg"),
        ("init", "data.xml", "--rules", "rules.txt", "-o", "draft.yml"),
        ("plan", "data.xml", *OPTIONS),
        ("explain", "rule-1", "data.xml", *OPTIONS),
        ("partition", "data.xml", "-k", "3"),
        ("sweep", "data.xml", *OPTIONS[:4], "--k", "3", "--partitions", "mdav", "-o", "points"),
        ("assess", "data.xml", "masked.xml", "--rules", "rules.txt", "--attacks", "none"),
        ("attack", "single-ranking", "data.xml", "masked.xml"),
        ("domain", "data.xml", "--variables", "OBS_VALUE", "-o", "domain.xml"),
        ("convert", "data.xml", "copy.csv"),
        ("convert", "data.xml", "copy.xml"),
    ):
        _succeeds(run(*words))
    texts = {
        name: {n: c.texts() for n, c in read_dataset(Path(name)).table.columns.items()}
        for name in ("data.xml", "copy.csv", "copy.xml")
    }
    assert texts["data.xml"] == texts["copy.csv"] == texts["copy.xml"]


def test_violations_have_the_lines_of_the_message() -> None:
    found = rows()
    found[3]["WAGES"] = "-1"
    Path("data.xml").write_text(specific(found, by_series=True))
    lines = Path("data.xml").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, start=1) if 'WAGES="-1"' in text)
    result = cs.check_file("data.xml", "rules.txt")
    assert {(one.rule, v.record, v.line) for one in result.results for v in one.violations} == {
        ("rule-1", 4, line),
        ("rule-3", 4, line),
    }


def test_describe_and_init_name_the_standard(run: Run) -> None:
    Path("two.csv").write_text(csv_2(rows()))
    Path("data.xml").write_text(MESSAGES["compact"](rows()))
    said = {
        "data.csv": "SDMX-CSV 1.0, cells separated by commas",
        "two.csv": "SDMX-CSV 2.0, cells separated by semicolons",
        "data.xml": "SDMX-ML 2.0, compact data, rows are observations",
    }
    schema = json.loads(shipped_file("schemas", "describe.schema.json").read_text("utf-8"))
    for name, words in said.items():
        assert _succeeds(run("describe", name)).out.splitlines()[1].startswith(words)
        content = json.loads(_succeeds(run("describe", name, "--json")).out)
        jsonschema.validate(content, schema)
        assert words.startswith(content["table"]["standard"])
        draft = _succeeds(run("init", name)).out
        assert draft.startswith(f"# A recipe for {name}, {content['table']['standard']} (24 records")


def test_init_proposes_the_measure_the_period_and_codes() -> None:
    found_rows = rows(2, 12)
    for at, row in enumerate(found_rows):
        row["TIME_PERIOD"] = f"{2000 + at // 4}-Q{1 + at % 4}"
    Path("data.csv").write_text(csv_1(found_rows))
    draft = cs.init_recipe("data.csv")
    found = {one.name: one.looks for one in draft.variables}
    assert found["DATAFLOW"].is_certain
    assert found["DATAFLOW"].role.value == "untouched"
    assert (found["OBS_VALUE"].kind.value, found["OBS_VALUE"].role.value) == ("measurement", "confidential")
    assert found["TIME_PERIOD"].kind.value == "category"
    assert found["OBS_STATUS"].kind.value == "category"
    assert "its name suggests: period of SDMX" in draft.text


def test_init_proposes_to_keep_what_no_message_can_be_without(run: Run) -> None:
    Path("data.xml").write_text(specific(rows()))
    draft = cs.init_recipe("data.xml")
    demanded = [one.path for one in draft.surroundings if one.is_demanded]
    assert {path.rpartition("/Header/")[2] for path in demanded} >= {"ID", "Prepared", "Sender/@id"}
    proposed = {
        line.split('": ')[0].strip(' "') for line in draft.text.splitlines() if "decide: keep (proposed" in line
    }
    assert proposed == set(demanded)
    for path in demanded:
        Path("recipe.yml").write_text(f'surroundings: {{"{path}": remove}}')
        refused = run(
            "mask", "data.xml", *OPTIONS[:2], "--recipe", "recipe.yml", "--undecided", "guess", "-k", "3", "-o", "n.xml"
        )
        assert f"{path} cannot be removed" in refused.err


def test_columns_of_the_structure_are_kept_for_a_stated_reason_and_refused_otherwise(run: Run) -> None:
    options = (*OPTIONS[:3], "plain.yml", *OPTIONS[4:])
    assert "names the data structure (SDMX-CSV), the same in every" in _succeeds(run("plan", "data.csv", *options)).out
    content = csv_2(rows())
    Path("two.csv").write_text(content.replace(";I;A;AT;F000;2020", ";D;A;AT;F000;2020"))
    refused = run("mask", "two.csv", *options, "-o", "masked.csv")
    assert refused.code == 3
    assert "ACTION: names the data structure (SDMX-CSV), and is not the same in every record" in refused.err
    Path("two.csv").write_text(csv_2(rows(), "D"))
    refused = run("mask", "two.csv", *options, "-o", "masked.csv")
    assert refused.code == 3
    assert "ACTION: in the place where SDMX-CSV names the data structure, and no action that brings" in refused.err
    assert not Path("masked.csv").exists()


def test_the_header_of_a_message_needs_a_decision(run: Run) -> None:
    Path("data.xml").write_text(specific(rows()))
    refused = run("mask", "data.xml", *OPTIONS[:3], "plain.yml", *OPTIONS[4:], "-o", "masked.xml")
    assert refused.code == 3
    for path in ("ID", "Prepared", "Sender", "Sender/@id"):
        assert f"/Microdata/FileMetadata/Header/{path}" in refused.err
    assert "/Microdata/Structure" not in refused.err
    planned = _succeeds(run("plan", "data.xml", *OPTIONS)).out
    assert "references to the data structure are names and" in planned


def test_a_variable_of_the_series_that_differs_within_it_is_refused(run: Run) -> None:
    Path("data.xml").write_text(specific(rows(), by_series=True))
    masked = VARIABLES.replace("FIRM: {role: identifier, remove: true}", "FIRM: {role: confidential, type: nominal}")
    Path("recipe.yml").write_text(masked + HEADER)
    refused = run("mask", "data.xml", *OPTIONS, "-o", "masked.xml")
    assert refused.code == 2
    assert "FIRM stands in the series once" in refused.err
    assert not Path("masked.xml").exists()


# The XML of a message, as it was read before.

_SCHEMATRON = (
    '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="Obs">'
    '<assert id="positive" test="@OBS_VALUE &gt; 0">not positive</assert></rule></pattern></schema>'
)


def test_rules_about_the_xml_of_a_message_need_its_elements(run: Run) -> None:
    Path("data.xml").write_text(specific(rows()))
    Path("rules.sch").write_text(_SCHEMATRON)
    idle = run("check", "data.xml", "--rules", "rules.sch")
    assert idle.code == 2
    assert "--sdmx elements reads the elements of a message" in idle.out
    _succeeds(run("check", "data.xml", "--rules", "rules.sch", "--sdmx", "elements"))
    masking = ("mask", "data.xml", "--rules", "rules.sch", "-k", "3", "--undecided", "guess", "--sdmx", "elements")
    _succeeds(run(*masking, "-o", "masked.xml"))
    assert json.loads(Path("masked.xml.certificate.json").read_text())["options"]["table"] == {"sdmx": "elements"}
    checked = ("check", "masked.xml", "--rules", "rules.sch", "--certificate", "masked.xml.certificate.json")
    assert "say so yourself (--sdmx 'elements')" in run(*checked).err
    _succeeds(run(*checked, "--sdmx", "elements"))
    Path("elements.yml").write_text("table: {sdmx: elements}\nrecord: Obs\n")
    _succeeds(run("check", "data.xml", "--rules", "rules.sch", "--recipe", "elements.yml"))
    words = ("reproduce", "masked.xml.certificate.json", "--original", "data.xml", "--rules", "rules.sch")
    assert "REPRODUCED" in _succeeds(run(*words)).out


def test_the_recipe_that_init_proposes_says_that_elements_are_read(run: Run) -> None:
    Path("data.xml").write_text(specific(rows()))
    draft = _succeeds(run("init", "data.xml", "--sdmx", "elements")).out
    assert 'table: {sdmx: "elements"}' in draft
    assert "\nrecord: " in draft
    assert '"@OBS_VALUE":' in draft
    assert "table:" not in _succeeds(run("init", "data.xml")).out


def test_options_that_do_not_fit_are_refused(run: Run) -> None:
    Path("data.xml").write_text(specific(rows()))
    assert "`--sdmx elements` reads the XML elements" in run("describe", "data.xml", "--record", "Obs").err
    _succeeds(run("describe", "data.xml", "--record", "Obs", "--sdmx", "elements"))
    assert "it is about CSV and TSV files" in run("describe", "data.xml", "--delimiter", ";").err
    assert "it is about messages of SDMX-ML" in run("describe", "data.csv", "--sdmx", "elements").err
