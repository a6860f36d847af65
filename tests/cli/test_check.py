"""`check` as a gate: exit codes, formats, hidden values, and clear words for bad input."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from lxml import etree

from tests.cli.conftest import TOP, Run

RULES = TOP / "rules" / "census.sch"


def test_an_edited_extract_is_clean(run: Run, census: Path) -> None:
    ran = run("check", census / "extract.xml", "--rules", RULES, "--original", census / "extract.xml")
    assert ran.code == 0
    assert ran.out.startswith("PASS: all 5 rules hold on 200 records")


def test_a_damaged_extract_fails_with_its_records(run: Run, census: Path) -> None:
    ran = run("check", census / "damaged.xml", "--rules", RULES, "--original", census / "extract.xml")
    assert ran.code == 1
    assert ran.out.startswith("FAIL: 5 of 5 rules broken, 10 violations in ")
    assert len(re.findall(r"record +\d+ +line \d+", ran.out)) == 10


def test_both_engines_print_the_same_json(run: Run, census: Path) -> None:
    arguments = ("check", census / "damaged.xml", "--rules", RULES, "--original", census / "extract.xml")
    fast, judge = (
        json.loads(run(*arguments, "--format", "json", "--engine", engine, "--show-values", "--key", "V2").out)
        for engine in ("auto", "saxon")
    )
    assert {r["engine"] for r in fast["results"]} == {"vectorised"}
    for document in (fast, judge):
        for result in document["results"]:
            result.pop("engine")
    assert fast == judge


def test_values_stay_hidden_unless_asked_for(run: Run, tmp_path: Path) -> None:
    data, rules = tmp_path / "d.xml", tmp_path / "r.sch"
    data.write_text("<D><R><Income>987654</Income></R><R><Income>1</Income></R></D>", encoding="utf-8")
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron"><pattern><rule context="R">'
        '<assert id="cap" test="Income &lt; 10">income is <value-of select="Income"/></assert>'
        "</rule></pattern></schema>",
        encoding="utf-8",
    )
    for format_ in ("text", "json", "svrl", "junit", "sarif", "github", "html"):
        hidden = run("check", data, "--rules", rules, "--format", format_)
        shown = run("check", data, "--rules", rules, "--format", format_, "--show-values")
        assert (hidden.code, shown.code) == (1, 1)
        assert "987654" not in hidden.out, format_
        assert "987654" in shown.out, format_


def test_the_domain_file_replaces_the_original(run: Run, census: Path, tmp_path: Path) -> None:
    domain = tmp_path / "domain.xml"
    assert run("domain", census / "extract.xml", "--variables", "V1", "-o", domain).code == 0
    results = [
        run("check", census / "damaged.xml", "--rules", RULES, option, path, "--format", "json").out
        for option, path in (("--original", census / "extract.xml"), ("--domain", domain))
    ]
    assert results[0] == results[1]


def test_severity_decides_whether_the_gate_fails(run: Run, tmp_path: Path) -> None:
    data, rules = tmp_path / "d.xml", tmp_path / "r.sch"
    data.write_text("<D><R><A>1</A></R></D>", encoding="utf-8")
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron"><pattern><rule context="R">'
        '<assert role="warning" test="A = 2">two</assert></rule></pattern></schema>',
        encoding="utf-8",
    )
    assert run("check", data, "--rules", rules).code == 0
    assert run("check", data, "--rules", rules, "--fail-on", "warning").code == 1
    assert run("check", data, "--rules", rules, "--fail-on", "information").code == 1


def test_a_rule_that_xpath_cannot_evaluate_is_neither_pass_nor_fail(run: Run, tmp_path: Path) -> None:
    data, rules = tmp_path / "d.xml", tmp_path / "r.sch"
    data.write_text("<D><R><A>1</A></R><R><A>x</A></R></D>", encoding="utf-8")
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">'
        '<ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/><pattern><rule context="R">'
        '<assert id="cast" test="xs:decimal(A) &gt; 0">positive</assert><assert id="other" test="A != \'y\'">y</assert>'
        "</rule></pattern></schema>",
        encoding="utf-8",
    )
    ran = run("check", data, "--rules", rules, "--format", "json")
    cast, other = json.loads(ran.out)["results"]
    assert ran.code == 2
    assert (cast["status"], cast["errors"], cast["fired"]) == ("error", 1, 2)
    assert other["status"] == "pass"


def test_a_document_without_rows_gets_locations(run: Run, tmp_path: Path) -> None:
    data, rules = tmp_path / "d.xml", tmp_path / "r.sch"
    data.write_text("<book><chapter><title>One</title><p>a<b>c</b></p></chapter></book>", encoding="utf-8")
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron"><pattern><rule context="p">'
        '<report test="b">no bold</report></rule></pattern></schema>',
        encoding="utf-8",
    )
    ran = run("check", data, "--rules", rules)
    assert ran.code == 1
    assert "/Q{}book[1]/Q{}chapter[1]/Q{}p[1]" in ran.out
    assert "judged as a document" in ran.out


@pytest.mark.parametrize("format_", ["json", "svrl", "junit", "sarif", "html"])
def test_reports_go_to_a_file_whole_or_not_at_all(run: Run, census: Path, tmp_path: Path, format_: str) -> None:
    output = tmp_path / "report"
    ran = run("check", census / "damaged.xml", "--rules", RULES, "--original", census / "extract.xml",
              "--format", format_, "--output", output)  # fmt: skip
    assert ran.code == 1
    assert ran.out == ""
    text = output.read_text("utf-8")
    if format_ == "json":
        schema = json.loads((TOP / "schemas" / "check.schema.json").read_text("utf-8"))
        jsonschema.validate(json.loads(text), schema)
    elif format_ == "sarif":
        assert json.loads(text)["version"] == "2.1.0"
    elif format_ != "html":
        etree.fromstring(text.encode())


def test_svrl_lists_every_violation(run: Run, census: Path) -> None:
    ran = run("check", census / "damaged.xml", "--rules", RULES, "--original", census / "extract.xml",
              "--format", "svrl")  # fmt: skip
    assert ran.out.count("<svrl:failed-assert") == 10


BROKEN = {
    "not well-formed": (b"<D><R><A>1</A></R><R></D>", "d.xml:1"),
    "a doctype": (b'<!DOCTYPE D [<!ENTITY e "x">]><D><R><A>&e;</A></R></D>', "DOCTYPE"),
    "truncated": (b"<D>\n<R><A>1</A></R>\n<R><A>", "d.xml:3"),
    "empty": (b"", "empty"),
    "gzip": (b"\x1f\x8b\x08\x00rest", "gzip"),
    "wrong encoding": (b'<?xml version="1.0" encoding="UTF-8"?><D><R><A>\xff\xfe</A></R></D>', "d.xml:1"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("engine", ["auto", "saxon"])
def test_broken_data_is_exit_code_2_with_file_and_reason(run: Run, tmp_path: Path, name: str, engine: str) -> None:
    data = tmp_path / "d.xml"
    content, says = BROKEN[name]
    data.write_bytes(content)
    ran = run("check", data, "--rules", RULES, "--phase", "edits", "--engine", engine)
    assert ran.code == 2
    assert says in ran.err
    assert str(data.name) in ran.err
    assert len(ran.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--rules", "nothing.sch"], "nothing.sch"),
        (["--rules", str(RULES), "--phase", "winter"], "winter"),
        (["--rules", str(RULES), "--original", "nowhere.xml"], "nowhere.xml"),
        (["--rules", str(RULES), "--max-examples", "-1"], "max-examples"),
        (["--rules", str(RULES), "--original", "a", "--domain", "b"], "both stand for $original"),
        (["--rules", str(RULES), "--recipe", "none.yml"], "none.yml"),
        ([], "--rules"),
    ],
)
def test_a_users_mistake_is_named(run: Run, census: Path, arguments: list[str], says: str) -> None:
    ran = run("check", census / "extract.xml", *arguments)
    assert ran.code == 2
    assert says in ran.err


def test_a_missing_original_is_named_with_the_way_out(run: Run, census: Path) -> None:
    ran = run("check", census / "extract.xml", "--rules", RULES)
    assert ran.code == 2
    assert "original.xml" in ran.err
    assert "--original" in ran.err


def test_a_failed_check_leaves_no_report_behind(run: Run, tmp_path: Path) -> None:
    data, output = tmp_path / "d.xml", tmp_path / "report.html"
    data.write_text("<D><R>", encoding="utf-8")
    assert run("check", data, "--rules", RULES, "--format", "html", "--output", output).code == 2
    assert list(tmp_path.iterdir()) == [data]


def test_the_report_cannot_overwrite_an_input(run: Run, census: Path) -> None:
    data = census / "extract.xml"
    before = data.read_bytes()
    ran = run("check", data, "--rules", RULES, "--output", data)
    assert ran.code == 2
    assert data.read_bytes() == before


def test_a_recipe_names_record_and_key(run: Run, tmp_path: Path) -> None:
    data, rules, recipe = tmp_path / "d.xml", tmp_path / "r.sch", tmp_path / "r.yml"
    data.write_text("<D><P><N>a1</N><A>1</A></P><P><N>a2</N><A>3</A></P></D>", encoding="utf-8")
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron"><pattern><rule context="P">'
        '<assert test="A = 1">one</assert></rule></pattern></schema>',
        encoding="utf-8",
    )
    recipe.write_text("record: P\nkey: N\n", encoding="utf-8")
    ran = run("check", data, "--rules", rules, "--recipe", recipe)
    assert "key a2" in ran.out


def test_a_key_that_no_record_has_is_an_error(run: Run, census: Path) -> None:
    ran = run("check", census / "damaged.xml", "--rules", RULES, "--phase", "edits", "--key", "Nothing")
    assert ran.code == 2
    assert "Nothing" in ran.err


def test_several_files_are_checked_and_the_worst_counts(run: Run, census: Path) -> None:
    files = (census / "extract.xml", census / "damaged.xml")
    ran = run("check", *files, "--rules", RULES, "--original", census / "extract.xml")
    assert ran.code == 1
    assert "PASS" in ran.out
    assert "FAIL" in ran.out
    assert run("check", *files, "--rules", RULES, "--format", "json").code == 2


@pytest.mark.parametrize("option", ["--key", "--record"])
def test_an_option_about_records_is_refused_where_there_are_none(run: Run, tmp_path: Path, option: str) -> None:
    data = tmp_path / "d.xml"
    data.write_text("<book><p>a<b>c</b></p></book>", encoding="utf-8")
    ran = run("check", data, "--rules", RULES, "--phase", "edits", option, "Person")
    assert ran.code == 2
    assert "Person" in ran.err


def test_a_pattern_on_other_documents_names_them(run: Run, tmp_path: Path) -> None:
    data, rules = tmp_path / "d.xml", tmp_path / "r.sch"
    data.write_text("<D><R><A>1</A></R><R><A>2</A></R></D>", encoding="utf-8")
    (tmp_path / "codes.xml").write_text("<D><R><A>3</A></R></D>", encoding="utf-8")
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">'
        '<pattern documents="\'codes.xml\'"><rule context="R"><assert test="A = \'1\'">one</assert></rule></pattern>'
        "</schema>",
        encoding="utf-8",
    )
    (result,) = json.loads(run("check", data, "--rules", rules, "--format", "json").out)["results"]
    (violation,) = result["violations"]
    assert (violation["record"], violation["line"]) == (None, None)
    assert violation["location"].endswith("codes.xml')/Q{}D[1]/Q{}R[1]")


def test_saxon_with_values_writes_its_own_complete_svrl(run: Run, census: Path) -> None:
    arguments = ("check", census / "damaged.xml", "--rules", RULES, "--phase", "edits", "--format", "svrl")
    full = run(*arguments, "--engine", "saxon", "--show-values")
    compact = run(*arguments)
    assert (full.code, compact.code) == (1, 1)
    for text in (full.out, compact.out):
        assert text.count("<svrl:failed-assert") == 8
    assert full.out.count("<svrl:fired-rule") == 4 * 200
    assert compact.out.count("<svrl:fired-rule") < 10


def test_saxon_writes_its_complete_svrl_without_values_too(run: Run, census: Path) -> None:
    arguments = ("check", census / "damaged.xml", "--rules", RULES, "--phase", "edits", "--format", "svrl")
    hidden = run(*arguments, "--engine", "saxon")
    shown = run(*arguments, "--engine", "saxon", "--show-values")
    some = run(*arguments, "--engine", "saxon", "--max-examples", "1")
    for tag in ("<svrl:fired-rule", "<svrl:failed-assert", "<svrl:text", "<svrl:metadata"):
        assert hidden.out.count(tag) == shown.out.count(tag) > 0
    assert hidden.out != shown.out
    assert some.out.count("<svrl:fired-rule") < 10


def test_the_complete_svrl_tells_idle_rules_and_those_that_stopped(run: Run, tmp_path: Path) -> None:
    data, rules = tmp_path / "data.xml", tmp_path / "rules.sch"
    data.write_text("<Data><Record><A>secret</A></Record><Record><A>2</A></Record></Data>", encoding="utf-8")
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern id="p">'
        '<rule context="Record"><assert id="stops" test="xs:integer(A) = 2">no</assert></rule>'
        '<rule context="Recrod"><assert id="idle" test="A">no</assert></rule></pattern></schema>',
        encoding="utf-8",
    )
    ran = run("check", data, "--rules", rules, "--engine", "saxon", "--format", "svrl")
    assert ran.code == 2
    report = etree.fromstring(ran.out.encode())
    svrl = "{http://purl.oclc.org/dsdl/svrl}"
    assert [(e.get("id"), e.get("flag")) for e in report.iterfind(f"{svrl}failed-assert")] == [
        ("stops", "not-evaluated"),
        ("idle", "idle"),
    ]
    assert "secret" not in ran.out
    assert "FORG0001" in "".join(report.itertext())
