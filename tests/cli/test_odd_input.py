"""Options that cannot act, output that cannot be written, and errors that would tell values."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from constraint_sdc.reports.check.render import FORMATS
from tests.cli.conftest import Run

DATA = "<D><R><K>k1</K><A>Smith</A></R>\n<R><K>k2</K><A>Jones 4711</A></R></D>"
SCHEMA = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>{top}
<pattern><rule context="R"><assert test="{test}">told</assert></rule></pattern></schema>"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "data.xml").write_text(DATA)
    (tmp_path / "rules.sch").write_text(SCHEMA.format(top="", test="A = 'Smith'"))
    return tmp_path


@pytest.mark.parametrize(
    ("option", "says"),
    [
        (("--key", ""), "is empty"),
        (("--record", " "), "is empty"),
        (("--allow", "nowhere"), "not a directory"),
        (("--time-limit", "nan"), "not a number of seconds"),
        (("--time-limit", "inf"), "not in the range"),
        (("--original", "nowhere.xml"), "no such file"),
        (("--domain", "nowhere.xml"), "no such file"),
        (("--output", "nowhere/report.txt"), "the directory does not exist"),
    ],
)
def test_an_option_that_cannot_act_is_refused_in_one_message(
    run: Run, files: Path, option: tuple[str, str], says: str
) -> None:
    ran = run("check", files / "data.xml", "--rules", files / "rules.sch", *option)
    assert ran.code == 2
    assert says in ran.err
    assert "report in" not in ran.err


def test_an_original_that_no_rule_asks_for_is_noted(run: Run, files: Path) -> None:
    ran = run("check", files / "data.xml", "--rules", files / "rules.sch", "--original", files / "data.xml")
    assert "no rule uses $original" in ran.out


def test_a_file_that_is_no_recipe_is_not_quoted(run: Run, files: Path) -> None:
    ran = run("check", files / "data.xml", "--rules", files / "rules.sch", "--recipe", files / "data.xml")
    assert ran.code == 2
    assert "Smith" not in ran.err


@pytest.mark.parametrize(
    ("top", "test"),
    [
        ("", "error((), concat('bad ', A))"),
        ("", "error(xs:QName('A1'), A)"),
        ("", "error(QName('urn:x', translate(A, ' ', '_')), 'x')"),
        ("", "xs:QName(A) = xs:QName('a')"),
        ("<let name='x' value='xs:integer((//A)[1])'/>", "$x = 1"),
        ("<let name='x' value='error((), string((//A)[2]))'/>", "$x = 1"),
        ("", "exists(doc(A))"),
        ("", "exists(unparsed-text(A))"),
    ],
)
def test_an_error_text_tells_no_value(run: Run, files: Path, top: str, test: str) -> None:
    (files / "rules.sch").write_text(SCHEMA.format(top=top, test=test))
    for format_ in FORMATS:
        output = ["-o", files / "report"] if FORMATS[format_].is_binary else []
        ran = run("check", files / "data.xml", "--rules", files / "rules.sch", "--format", format_, *output)
        assert ran.code == 2
        assert not output or not (files / "report").exists() or b"Smith" not in (files / "report").read_bytes()
        assert not {"Smith", "Jones", "4711"} & set(ran.out.replace("_", " ").split() + ran.err.split())
        assert "Smith" not in ran.out + ran.err
        if not ran.out:
            break
    shown = run("check", files / "data.xml", "--rules", files / "rules.sch", "--show-values")
    assert "Smith" in shown.out + shown.err or "4711" in shown.out + shown.err


def test_a_file_that_the_rules_name_is_told_by_name(run: Run, files: Path) -> None:
    (files / "rules.sch").write_text(SCHEMA.format(top="", test="exists(unparsed-text('codes/list.txt'))"))
    ran = run("check", files / "data.xml", "--rules", files / "rules.sch")
    assert ran.code == 2
    assert "list.txt" in ran.err


START = "import sys; from constraint_sdc.cli import main; sys.argv = sys.argv[:]; main()"


def exit_code(files: Path, redirect: str) -> tuple[int, str]:
    command = f'"$0" -c "$1" check data.xml --rules rules.sch {redirect}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, START], cwd=files, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_no_verdict(files: Path) -> None:
    code, told = exit_code(files, "> /dev/full")
    assert code == 2
    assert told == "constraint-sdc: No space left on device\n"


def test_a_closed_output_leaves_the_exit_code(files: Path) -> None:
    code, told = exit_code(files, ">&-")
    assert (code, told) == (1, "")


def test_a_reader_that_went_away_is_no_verdict(files: Path) -> None:
    command = '{ "$0" -c "$1" check data.xml --rules rules.sch; echo $? > code; } | true'
    told = subprocess.run(
        ["sh", "-c", command, sys.executable, START], cwd=files, capture_output=True, text=True, check=False
    ).stderr
    assert (files / "code").read_text().strip() == "141"
    assert told == ""


def test_a_value_list_does_not_mix_records_of_different_places(run: Run, tmp_path: Path) -> None:
    original = tmp_path / "original.xml"
    original.write_text("<D><G><R><A>1</A></R><R><A>2</A></R></G><K><R><A>3</A></R></K></D>")
    ran = run("domain", original, "--variables", "A", "--output", tmp_path / "domain.xml")
    assert ran.code == 2
    assert "different elements" in ran.err
    assert not (tmp_path / "domain.xml").exists()


def test_a_value_outside_the_records_is_noted_when_the_list_is_made(run: Run, tmp_path: Path) -> None:
    original = tmp_path / "original.xml"
    original.write_text("<D><R><A>1</A></R><R><A>2</A></R><T><A>3</A></T></D>")
    ran = run("domain", original, "--variables", "A", "--output", tmp_path / "domain.xml")
    assert ran.code == 0
    assert "note: <A> also stands outside the records" in ran.out
