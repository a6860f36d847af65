"""The shipped rules do what they say: the library kind by kind, and the census rules in both styles."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.constraints.constraint import Kind
from constraint_sdc.constraints.understand import understand
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.judge.judge import Judge
from constraint_sdc.schematron.load import load_schema

SCH = 'xmlns="http://purl.oclc.org/dsdl/schematron"'
LIBRARY = shipped_file("rules", "constraints.sch")
SOUND = {
    **{"V1": "12", "V3": "7500", "V5": "3", "V8": "900", "V9": "5", "V10": "7", "V12": "80", "V13": "80", "V14": "12"},
    **{"V15": "4", "V16": "12"},
}

# kind of pattern: parameters besides record, a record in order, records that are not
LIBRARY_EXAMPLES: dict[str, tuple[Kind, dict[str, str], str, list[str]]] = {
    "linear": (
        Kind.LINEAR,
        {"parts": "number(A) + number(B)", "total": "number(C)"},
        "<A>1</A><B>2</B><C>3</C>",
        ["<A>1</A><B>2</B><C>4</C>", "<A>1</A><C>1</C>"],
    ),
    "linear-at-most": (
        Kind.LINEAR,
        {"parts": "number(A) + number(B)", "bound": "10"},
        "<A>4</A><B>6</B>",
        ["<A>5</A><B>6</B>", "<A>x</A><B>1</B>"],
    ),
    "linear-within": (
        Kind.LINEAR,
        {"parts": "number(A) + number(B)", "total": "number(C)", "tolerance": "0.5"},
        "<A>1</A><B>2</B><C>3.5</C>",
        ["<A>1</A><B>2</B><C>3.75</C>", "<A>1</A><B>2</B><C>2.25</C>"],
    ),
    "product": (
        Kind.NON_LINEAR,
        {"factors": "number(A) * number(B)", "product": "number(C)"},
        "<A>2</A><B>3</B><C>6</C>",
        ["<A>2</A><B>3</B><C>7</C>", "<A>2</A><C>2</C>"],
    ),
    "interval": (
        Kind.POSSIBLE_VALUES,
        {"variable": "A", "low": "0", "high": "7500"},
        "<A>7500</A>",
        ["<A>-1</A>", "<A>7501</A>", "<A/>", "<B>1</B>"],
    ),
    "value-set": (
        Kind.POSSIBLE_VALUES,
        {"variable": "A", "values": "'car', 'truck'"},
        "<A>car</A>",
        ["<A>bus</A>", "<A>Car</A>", "<B>car</B>"],
    ),
    "whole-number": (Kind.POSSIBLE_VALUES, {"variable": "A"}, "<A>18</A>", ["<A>18.5</A>", "<A>x</A>", "<B>1</B>"]),
    "text-pattern": (
        Kind.POSSIBLE_VALUES,
        {"variable": "A", "regex": "'^[A-Z]{2}[0-9]+$'"},
        "<A>AB12</A>",
        ["<A>A12</A>", "<A>AB</A>", "<B>AB12</B>"],
    ),
    "governs": (
        Kind.GOVERNS,
        {"condition": "number(A) &lt; 10", "consequence": "number(B) &lt;= number(C)"},
        "<A>10</A><B>5</B><C>1</C>",
        ["<A>9</A><B>5</B><C>1</C>", "<A>9</A><B>5</B>"],
    ),
    "order": (Kind.GOVERNS, {"smaller": "A", "larger": "B"}, "<A>1</A><B>1</B>", ["<A>2</A><B>1</B>", "<A>2</A>"]),
    "domain": (
        Kind.VALUE_DOMAIN,
        {"variable": "A", "values": "$original//Record/A"},
        "<A>1</A>",
        ["<A>1.0</A>", "<A>3</A>", "<B>1</B>"],
    ),
    "domain-by-key": (
        Kind.VALUE_DOMAIN,
        {"variable": "A", "key": "'original-A'", "document": "$original"},
        "<A>1</A>",
        ["<A>1.0</A>", "<A>3</A>", "<B>1</B>"],
    ),
}


def test_every_abstract_pattern_of_the_library_has_an_example() -> None:
    written = LIBRARY.read_text(encoding="utf-8")
    assert written.count('abstract="true"') == len(LIBRARY_EXAMPLES)
    assert all(f'<pattern id="{name}" abstract="true">' in written for name in LIBRARY_EXAMPLES)


@pytest.mark.parametrize("name", LIBRARY_EXAMPLES)
def test_a_library_pattern_finds_what_it_should_and_is_understood(name: str, tmp_path: Path) -> None:
    kind, parameters, sound, broken = LIBRARY_EXAMPLES[name]
    given = "".join(f'<param name="{key}" value="{value}"/>' for key, value in parameters.items())
    rules = tmp_path / "rules.sch"
    rules.write_text(
        f'<schema {SCH} xmlns:xsl="http://www.w3.org/1999/XSL/Transform" queryBinding="xslt2">'
        '<xsl:key name="original-A" match="Record" use="A"/><let name="original" value="document(\'original.xml\')"/>'
        f'<include href="{LIBRARY.resolve().as_uri()}#{name}"/>'
        f'<pattern id="mine" is-a="{name}"><param name="record" value="Record"/>{given}</pattern></schema>'
    )
    (tmp_path / "original.xml").write_text("<D><Record><A>1</A></Record><Record><A>2</A></Record></D>")
    data = tmp_path / "data.xml"
    data.write_text(f"<D>{''.join(f'<Record>{record}</Record>' for record in (sound, *broken))}</D>")
    schema = load_schema(rules, allowed=(LIBRARY.resolve().parent,))
    with Judge(schema, record="Record") as judge:
        report = judge.judge_file(data)
    assert [finding.record for finding in report.findings] == list(range(2, len(broken) + 2))
    assert {finding.assertion for finding in report.findings} == {"mine"}
    (rule,) = understand(schema, record="Record")
    assert rule.constraint.kind == kind, rule.constraint.reason


def census_file(path: Path, *changes: dict[str, str]) -> Path:
    rows = ("".join(f"<{name}>{value}</{name}>" for name, value in (SOUND | change).items()) for change in changes)
    path.write_text(f"<Data>{''.join(f'<Record>{row}</Record>' for row in rows)}</Data>")
    return path


@pytest.mark.parametrize("name", ["census.sch", "census-paper.sch"])
def test_the_census_rules_find_each_broken_record(name: str, tmp_path: Path) -> None:
    original = census_file(tmp_path / "original.xml", {})
    data = census_file(
        tmp_path / "data.xml", {}, {"V14": "13"}, {"V16": "11"}, {"V3": "7501"}, {"V13": "81"}, {"V1": "12.0"}
    )
    schema = load_schema(shipped_file("rules", name))
    with Judge(schema, record="Record", parameters={"original": original}) as judge:
        report = judge.judge_file(data)
    found = [(finding.assertion.partition(":")[0], finding.record) for finding in report.findings]
    assert sorted(found) == sorted(zip(("EC-LC", "EC-NLC", "EC-PV", "EC-GV", "EC-VD"), range(2, 7), strict=True))


@pytest.mark.parametrize("name", ["census.sch", "census-paper.sch"])
def test_the_census_rules_are_understood_as_the_five_kinds(name: str) -> None:
    rules = understand(load_schema(shipped_file("rules", name)), record="Record", overridden=frozenset({"original"}))
    assert [rule.constraint.kind.paper_name for rule in rules] == ["EC-LC", "EC-NLC", "EC-PV", "EC-GV", "EC-VD"]


def test_both_census_files_name_their_rules_alike() -> None:
    library = load_schema(shipped_file("rules", "census.sch"))
    paper = load_schema(shipped_file("rules", "census-paper.sch"))
    assert [a.id for a in library.assertions()] == [a.id.partition(":")[0] for a in paper.assertions()]


def test_the_phase_edits_needs_no_original(tmp_path: Path) -> None:
    schema = load_schema(shipped_file("rules", "census.sch"), phase="edits")
    with Judge(schema) as judge:
        report = judge.judge_file(census_file(tmp_path / "data.xml", {}))
    assert [(count.fired, count.failed) for count in report.counts] == [(1, 0)] * 4


def test_the_library_alone_has_nothing_to_run() -> None:
    assert load_schema(LIBRARY).patterns == ()
