"""Files in the wrong place: each is named as what it is, with the nearest thing that works, and nothing is written."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from tests.cli.conftest import Run

_SAS = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011") + bytes(500)
_TABLE = b"a,b\n1,2\n3,4\n"
_WORKBOOK = b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml" + bytes(50)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a table in several formats."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"a": [1.0, 3.0], "b": [2.0, 4.0]})
    frame.to_parquet("data.parquet")
    pyreadstat.write_sav(frame, "data.sav")
    pyreadstat.write_dta(frame, "data.dta")
    Path("data.csv").write_bytes(_TABLE)
    Path("rules.txt").write_text("a > 0\n")
    Path("folder.csv").mkdir()
    return tmp_path


def _content(name: str) -> bytes:
    return Path(name).read_bytes()


# name of the file: its bytes or the file that it is a copy of, what is said, and what to do
_DATA: dict[str, tuple[bytes | str, str]] = {
    "sheet.xlsx": (_WORKBOOK, r"is an Excel file, not XML \(save the sheet as CSV UTF-8 first\)"),
    "sheet.csv": (_WORKBOOK, r"is an Excel file, not CSV \(save the sheet"),
    "sheet.ods": (b"PK\x03\x04" + bytes(30), r"is a spreadsheet of OpenDocument, not XML \(save"),
    "old.xls": (
        bytes.fromhex("d0cf11e0a1b11ae1") + bytes(500),
        r"is an Excel file \(\.xls\), not XML \(save the sheet",
    ),
    "data.sas7bdat": (_SAS, r"is a SAS data set, not XML \(.*pandas\.read_sas\(FILE"),
    "data.xpt": (b"HEADER RECORD*******LIBRARY HEADER", r"is a SAS transport file, not XML \(save it as CSV"),
    "data.rds": (b"\x1f\x8b" + bytes(50), r"is a file of R, not XML \(.*arrow::write_parquet"),
    "data.orc": (b"ORC" + bytes(50), r"is an ORC file, not XML \(save it as CSV or Parquet first"),
    "data.json": (b'[{"a": 1}]', r"data\.json:1: is no XML: it looks like JSON \(write it as CSV first"),
    "data.txt": (_TABLE, r"data\.txt:1: is no XML: .* \(if it is a table, let its name end in \.csv\)"),
    "tabs": (b"a\tb\n1\t2\n", r"tabs:1: is no XML: .* \(if it is a table, let its name end in \.tsv\)"),
    "words.xml": (b"hello\n", r"words\.xml:1: is no XML: .*\(the name of a file says its format: CSV, Parquet"),
    "table.xml": ("data.parquet", r"is a Parquet file, not XML \(let its name end in \.parquet\)"),
    "parquet.csv": ("data.parquet", r"is a Parquet file, not CSV \(let its name end in \.parquet\)"),
    "text.parquet": (_TABLE, r"is not a Parquet file \(.*if it is a text, let it end in \.csv\)"),
    "text.feather": (_TABLE, r"is not an Arrow file \(expected the Arrow file format"),
    "spss.dta": ("data.sav", r"is an SPSS file, not a Stata file \(let its name end in \.sav\)"),
    "stata.sav": ("data.dta", r"is a Stata file, not an SPSS file \(let its name end in \.dta\)"),
    "text.sav": (_TABLE, r"cannot read SPSS: .*\(it is cut off, damaged or no SPSS file"),
    "empty.csv": (b"", r"the file is empty \(expected CSV\)"),
    "empty.parquet": (b"", r"the file is empty \(expected a Parquet file\)"),
    "empty.arrow": (b"", r"the file is empty \(expected an Arrow file\)"),
    "empty.sav": (b"", r"the file is empty \(expected an SPSS file\)"),
    "empty.xml": (b"", r"the file is empty \(expected XML rows\)"),
    "header.csv": (
        b"a,b\n",
        r"the file has no records: .*\(it needs at least one: a table has a row below its header\)",
    ),
    "mixed.csv": (b"a,b\n\xc3\xb6,1\n\xfc,2\n", r"mixed\.csv:3: the text is not utf-8 \(.*--encoding cp1252\)"),
}


@pytest.mark.parametrize("name", _DATA)
@pytest.mark.parametrize("command", ["describe", "init", "check"])
def test_a_file_is_named_as_what_it_is(name: str, command: str, run: Run) -> None:
    content, message = _DATA[name]
    Path(name).write_bytes(content if isinstance(content, bytes) else _content(content))
    ran = run(command, name, *(("--rules", "rules.txt") if command == "check" else ()))
    assert ran.code == 2
    if not (command == "check" and name == "header.csv"):  # judged as a document, where the rule is idle
        assert re.search(rf"^constraint-sdc: (?=.*{re.escape(name)})", ran.err)
        assert re.search(message, ran.err)


@pytest.mark.parametrize("ending", ["parquet", "sav", "dta"])
def test_a_file_that_is_cut_off_is_said_to_be(ending: str, run: Run) -> None:
    content = _content(f"data.{ending}")
    Path(f"cut.{ending}").write_bytes(content[: len(content) // 2])
    ran = run("describe", f"cut.{ending}")
    assert ran.code == 2
    assert re.search(r"cannot read (Parquet|SPSS|Stata): .*cut off.* write or copy it again\)", ran.err)


def test_a_directory_and_a_missing_file_are_named(run: Run) -> None:
    assert "folder.csv: is a directory, not a file" in run("describe", "folder.csv").err
    assert "none.parquet: no such file (check the path)" in run("describe", "none.parquet").err


def test_an_encoding_that_the_bytes_contradict_is_refused(run: Run) -> None:
    ran = run("describe", "data.csv", "--encoding", "utf-16")
    assert "data.csv:1: the text is not utf-16-le (name its encoding, such as --encoding utf-8)" in ran.err


@pytest.mark.parametrize("output", ["masked.parquet", "masked.tsv", "masked.xml", "masked", "masked.sav"])
def test_an_output_of_another_format_is_refused_before_anything_is_read(output: str, run: Run) -> None:
    ran = run("mask", "data.csv", "--rules", "rules.txt", "-k", "2", "--undecided", "guess", "-o", output)
    assert ran.code == 2
    assert f"the masked file has the format of the original, and {output} says another" in ran.err
    assert "name it masked.csv; `constraint-sdc convert` writes the original in another format" in ran.err
    assert not Path(output).exists()


def test_two_endings_of_one_format_are_one_format(run: Run) -> None:
    run("convert", "data.csv", "data.feather")
    options = ("--rules", "rules.txt", "-k", "2", "--undecided", "guess")
    assert run("mask", "data.feather", *options, "-o", "masked.arrow").code == 0
    assert run("mask", "data.sav", *options, "-o", "masked.zsav").code == 0


# Rules.

_RULES = {
    "data.parquet": r"is a Parquet file, not rules \(a file of rules ends in \.sch",
    "data.sav": r"is an SPSS file, not rules \(a file of rules ends in \.sch",
    "folder.csv": r"cannot read the file: Is a directory \(name one file of rules\)",
    "none.sql": r"cannot read the file: No such file or directory \(check the path of the file of rules\)",
    "data.csv": r"data\.csv:1: is no list of rules: .*\(if this is the data, --rules is to name the rules",
}


@pytest.mark.parametrize("name", _RULES)
def test_data_in_the_place_of_rules_is_named(name: str, run: Run) -> None:
    ran = run("check", "data.csv", "--rules", name)
    assert ran.code == 2
    assert re.search(_RULES[name], ran.err)


# A slip of the pen in each language: where it stands, what was expected, what is near.
_SLIPS: dict[str, tuple[str, str]] = {
    "rules.txt": ("a > 0\nmedian(a) > 0\n", r"rules\.txt:2:1: unknown function median\(\) \(did you mean min\(\)\?\)"),
    "rules.R": ("a > 0\nb >\n", r"rules\.R:3:1: found the end of the rules .*\(expected a variable, a number"),
    "rules.yml": ("rules:\n- expr: a > > 0\n", r"rules\.yml:2:13: .*\(expected"),
    "rules.sql": (
        "CHECK (a > 0);\nCHECK (b >)\n",
        r"rules\.sql:2:11: not SQL: an operand is missing \(rules are CREATE",
    ),
    "rules.csv": ("rule\na > 0\nmedian(a) > 0\n", r"rules\.csv:3:1: unknown function median\(\) \(did you mean min"),
    "rules.json": ('{"properties": {"a": {"minimun": 0}}}', r"rules\.json:1:\d+: .*'minimun'.*\(.*minimum"),
    "rules.vtl": (
        "define datapoint ruleset r (variable a) is\n  r1: median(a) > 0\nend datapoint ruleset;\n",
        r"rules\.vtl:2:7: median\(\) has no translation \(use one of: abs",
    ),
    "rules.sch": (
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="Record">\n'
        '<assert id="one" test="median(a) > 0">x</assert></rule></pattern></schema>',
        r"rules\.sch:2: test of assert 'one': .*median\(\)",
    ),
}


@pytest.mark.parametrize("name", _SLIPS)
def test_a_slip_in_a_rule_has_its_place(name: str, run: Run) -> None:
    text, message = _SLIPS[name]
    Path(name).write_text(text)
    ran = run("check", "data.csv", "--rules", name)
    assert ran.code == 2
    assert re.search(message, ran.err), ran.err


_MISSPELT = {
    "misspelt.txt": "income > 0\n",
    "misspelt.R": "income > 0\n",
    "misspelt.yml": "rules:\n- expr: income > 0\n",
    "misspelt.sql": "CHECK (income > 0)\n",
    "misspelt.csv": "rule\nincome > 0\n",
    "misspelt.json": '{"properties": {"income": {"minimum": 0}}}',
    "misspelt.vtl": "define datapoint ruleset r (variable income) is r1: income > 0 end datapoint ruleset;\n",
    "misspelt.sch": _SLIPS["rules.sch"][0].replace("median(a) > 0", "income > 0"),
}


@pytest.mark.parametrize("name", _MISSPELT)
def test_a_misspelt_variable_is_named_with_the_nearest_one(name: str, run: Run) -> None:
    Path("incomes.csv").write_text("incomes,b\n1,2\n")
    Path(name).write_text(_MISSPELT[name])
    ran = run("check", "incomes.csv", "--rules", name)
    assert ran.code == 2
    assert "names income, which does not occur in the file (nearest name: incomes)" in ran.out
    assert f"{name}:" in ran.out
