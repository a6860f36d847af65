"""Every other command, as a user tries it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
from lxml import etree

from constraint_sdc import __version__
from constraint_sdc.cli import _COMMANDS
from constraint_sdc.commands.demo import DemoStep
from tests.cli.conftest import TOP, Run

RULES = TOP / "rules" / "census.sch"


def schema(name: str) -> object:
    return json.loads((TOP / "schemas" / name).read_text("utf-8"))


def test_version_and_help(run: Run) -> None:
    assert __version__ in run("--version").out
    helped = run("--help").out
    assert "Examples:" in helped
    assert "Exit codes:" in helped
    assert all(name in helped for name in _COMMANDS)


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_command_has_help(run: Run, name: str) -> None:
    ran = run(name, "--help")
    assert ran.code == 0
    assert "Usage: constraint-sdc" in ran.out


def test_an_unknown_command_is_a_users_mistake(run: Run) -> None:
    assert run("chekc").code == 2


def test_help_needs_no_heavy_import() -> None:
    code = (
        "import sys\nfrom constraint_sdc.cli import main\nsys.argv = ['constraint-sdc', '--help']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = {*'numpy pandas lxml saxonche elementpath jinja2 pyarrow yaml'.split()} & {*sys.modules}\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_learn_our_options(run: Run, shell: str) -> None:
    assert "_CONSTRAINT_SDC_COMPLETE" in run("completion", shell).out


def test_completion_offers_commands() -> None:
    environment = os.environ | {
        "_CONSTRAINT_SDC_COMPLETE": "bash_complete",
        "COMP_WORDS": "constraint-sdc ch",
        "COMP_CWORD": "1",
    }
    program = Path(sys.executable).with_name("constraint-sdc")
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
    assert "check" in done.stdout


def test_the_five_census_rules_are_listed_with_their_kinds(run: Run) -> None:
    ran = run("rules", RULES)
    assert ran.code == 0
    for text in ("V9 + V10 = V14", "V5 * V15 = V16", "0 <= V3 <= 7500", "if V8 < 1115 then V13 <= V12", "EC-VD"):
        assert text in ran.out


def test_a_list_in_a_file_is_the_same_on_any_terminal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal the list is coloured and as wide as the window; in a file it is plain and 100 columns wide."""
    plain = run("rules", RULES).out
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    shown = run("rules", RULES).out
    assert "\x1b[" in shown
    assert max(map(len, shown.splitlines())) < max(map(len, plain.splitlines()))
    run("rules", RULES, "--output", tmp_path / "rules.txt")
    assert (tmp_path / "rules.txt").read_text("utf-8") == plain


def test_the_paper_style_is_understood_alike(run: Run) -> None:
    files = [TOP / "rules" / name for name in ("census.sch", "census-paper.sch")]
    styles = [json.loads(run("rules", file, "--json").out) for file in files]
    assert [r["kind"] for r in styles[0]["rules"]] == [r["kind"] for r in styles[1]["rules"]]
    for listed in styles:
        jsonschema.validate(listed, schema("rules.schema.json"))


def test_what_is_not_understood_is_listed_with_its_reason(run: Run, tmp_path: Path) -> None:
    rules = tmp_path / "r.sch"
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="Record">'
        '<assert id="once" test="not(V1 = preceding-sibling::Record/V1)">twice</assert>'
        "<assert id=\"odd\" test=\"tokenize(V1, ',')[2] = 'a'\">odd</assert></rule></pattern></schema>",
        encoding="utf-8",
    )
    listed = json.loads(run("rules", rules, "--json").out)["rules"]
    assert [rule["kind"] for rule in listed] == ["cross-record", "opaque"]
    assert all(rule["reason"] for rule in listed)


@pytest.mark.parametrize(
    "assertion", ['<assert test="A = ">bad</assert>', '<assert test="A = 1">bad <value-of select="nothing("/></assert>']
)
def test_rules_with_bad_xpath_name_file_and_line(run: Run, tmp_path: Path, assertion: str) -> None:
    rules, data = tmp_path / "r.sch", tmp_path / "d.xml"
    data.write_text("<D><R><A>1</A></R></D>", encoding="utf-8")
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron">\n<pattern>\n<rule context="R">\n'
        f"{assertion}\n</rule></pattern></schema>",
        encoding="utf-8",
    )
    for arguments in (("check", data, "--rules", rules), ("rules", rules)):
        ran = run(*arguments)
        assert ran.code == 2
        assert "r.sch:4" in ran.err


@pytest.mark.parametrize("is_as_expected", [True, False])
def test_the_demo_shows_each_step_with_its_command(
    run: Run, monkeypatch: pytest.MonkeyPatch, is_as_expected: bool
) -> None:
    class Story:
        steps = staticmethod(
            lambda: [DemoStep("First", "generate a.xml", lambda: "made\n"), DemoStep("Second", None, lambda: "seen")]
        )
        result = staticmethod(lambda: SimpleNamespace(is_as_expected=is_as_expected))

    monkeypatch.setattr("constraint_sdc.commands.demo.Demo", lambda *_: Story())
    ran = run("demo")
    assert ran.out == "\nFirst\n$ constraint-sdc generate a.xml\nmade\n\nSecond\nseen\n"
    assert (ran.code == 0, "unexpected result" not in ran.err) == (is_as_expected, is_as_expected)


def test_a_file_is_described(run: Run, tmp_path: Path) -> None:
    data, recipe = tmp_path / "d.xml", tmp_path / "r.yml"
    data.write_text(
        '<D xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><R><A>1.25</A><B>-9</B></R>'
        '<R><A>3</A><B/></R><R><B xsi:nil="true"/></R></D>',
        encoding="utf-8",
    )
    recipe.write_text("missing: {B: [-9]}\n", encoding="utf-8")
    ran = run("describe", data, "--recipe", recipe, "--json")
    described = json.loads(ran.out)
    jsonschema.validate(described, schema("describe.schema.json"))
    a, b = described["variables"]
    assert (a["form"], a["decimals"], a["values"], a["absent"]) == ("decimal", 2, 2, 1)
    assert (b["form"], b["missing_codes"], b["empty"], b["nil"]) == (None, {"-9": 1}, 1, 1)
    assert (a["distinct"], a["looks_like"], a["is_certain"]) == (2, "measurement", False)
    assert (b["looks_like"], b["possible_missing_codes"]) == ("empty", {})
    assert "decimal, 2 places" in run("describe", data).out
    said = run("describe", data).out.splitlines()[5]
    assert said.split() == ["B", "integer", "constant", "?", "1", "1", "0", "1", "1"]
    recipe.write_text("missing: {Z: [-9]}\n", encoding="utf-8")
    assert run("describe", data, "--recipe", recipe).code == 2


def test_values_are_described_only_if_they_are_asked_for(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "d.xml"
    data.write_text("<D>" + "".join(f"<R><A>{70 + i}</A><B>b{i}</B></R>" for i in range(12)) + "</D>", encoding="utf-8")
    hidden, shown = (json.loads(run("describe", data, "--json", *more).out) for more in ((), ("--show-values",)))
    for content in (hidden, shown):
        jsonschema.validate(content, schema("describe.schema.json"))
    assert [(v["lowest"], v["highest"], v["examples"]) for v in hidden["variables"]] == [(None, None, [])] * 2
    a, b = shown["variables"]
    assert (a["lowest"], a["highest"], len(a["examples"])) == ("70", "81", 3)
    assert (b["lowest"], b["highest"], set(b["examples"]) <= {f"b{i}" for i in range(12)}) == (None, None, True)
    assert "70 to 81" in run("describe", data, "--show-values").out
    assert not any(text in run("describe", data).out for text in ("70", "81", "b1"))


def test_conversion_there_and_back_keeps_every_text(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text('id,money,name\n007,1.50,Ólafur\n8,,"a,b"\n', encoding="utf-8")
    for ending in ("xml", "parquet"):
        middle, back = tmp_path / f"m.{ending}", tmp_path / f"{ending}.csv"
        assert run("convert", source, middle).code == 0
        assert run("convert", middle, back).code == 0
        assert back.read_text("utf-8") == source.read_text("utf-8")
    schema = etree.XMLSchema(etree.parse(str(TOP / "schemas" / "microdata.xsd")))
    schema.assertValid(etree.parse(str(tmp_path / "m.xml")))


def test_an_existing_file_is_not_overwritten_unasked(run: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.xml"
    source.write_text("a\n1\n", encoding="utf-8")
    target.write_text("precious", encoding="utf-8")
    assert run("convert", source, target).code == 2
    assert target.read_text("utf-8") == "precious"
    assert run("convert", source, target, "--overwrite").code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("in.csv", "out.xlsx"), "xlsx"),
        (("in.csv", "out.xml", "--record", "R"), "--record"),
        (("in.csv", "out.parquet", "--spreadsheet-safe"), "--spreadsheet-safe"),
        (("none.csv", "out.xml"), "none.csv"),
        (("broken.csv", "out.xml"), "broken.csv:3"),
    ],
)
def test_a_conversion_that_cannot_be_done_says_why(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("a\n1\n", encoding="utf-8")
    Path("broken.csv").write_text("a,b\n1,2\n1\n", encoding="utf-8")
    ran = run("convert", *arguments)
    assert ran.code == 2
    assert says in ran.err
    assert not list(tmp_path.glob("out.*"))
