"""`rules lint`: options, exit codes, exemptions and formats."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

import constraint_sdc as cs
from constraint_sdc.cli import main
from constraint_sdc.commands.lint import LintOptions
from constraint_sdc.errors import RulesError, UsageError
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.reports.lint.render import LINT_FORMATS, render_lint
from tests.in_process import run_in_process
from tests.lint.pages import lint_text

FAULTY = """<rule context="Record">
  <assert id="low" test="number(A) &lt;= 50">x</assert>
  <assert id="high" test="number(A) &lt;= 100">x</assert>
  <assert id="odd" test="number(B) + number(A) &lt;= 3 and position() = 1">x</assert>
</rule>"""


def exempting(mark: str) -> str:
    return FAULTY.replace('<assert id="high"', f'<assert cs:lint-ignore="{mark}" id="high"')


def lint(folder: Path, *words: str) -> tuple[int, str, str]:
    return run_in_process(main, ["constraint-sdc", "rules", "lint", *words], folder)


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    lint_text(FAULTY, tmp_path)
    return tmp_path


def test_the_exit_code_follows_the_gate(faulty: Path) -> None:
    code, text, _ = lint(faulty, "rules.sch")
    assert code == 1
    assert text.startswith("FAIL: 1 warning in 3 rules\n")
    assert "rules.sch:4: warning implied: high\n    can never fail where low holds: it follows from that\n" in text
    assert "1 rule is not understood and left out of logic: odd" in text
    assert lint(faulty, "rules.sch", "--fail-on", "error")[0] == 0
    assert lint(faulty, "rules.sch", "--ignore", "implied")[0] == 0
    assert "1 finding below the severity asked for" in lint(faulty, "rules.sch", "--severity", "error")[1]


def test_unknown_codes_are_refused_with_the_nearest(faulty: Path) -> None:
    code, _, complaint = lint(faulty, "rules.sch", "--ignore", "implid")
    assert code == 2
    assert "no finding has the code 'implid'" in complaint
    assert "'implied'" in complaint
    with pytest.raises(RulesError, match="lint-ignore names 'implyed'"):
        lint_text(exempting("implyed: it is clearer"), faulty)


def test_an_exemption_needs_a_reason_and_is_told(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="does not give a code and a reason"):
        lint_text(exempting("implied"), tmp_path)
    result = lint_text(exempting("implied: its message is clearer"), tmp_path)
    assert result.findings == ()
    assert [(one.finding.code, one.why) for one in result.exempted] == [("implied", "its message is clearer")]
    assert "note: exempted: high, implied: its message is clearer" in render_lint(result, "text")


def test_an_exemption_that_exempts_nothing_is_told(tmp_path: Path) -> None:
    result = lint_text(exempting("implied duplicate: both"), tmp_path)
    assert [place.id for place in result.unused] == ["high"]
    ignored = lint_text(exempting("implied duplicate: both"), tmp_path, options=LintOptions(ignore=("duplicate",)))
    assert ignored.unused == ()


def test_an_exemption_of_the_pattern_counts_for_its_rules(tmp_path: Path) -> None:
    inside = FAULTY.replace("<rule ", '<rule cs:lint-ignore="implied: kept" ')
    assert lint_text(inside, tmp_path).findings == ()


def test_every_format_names_code_rule_and_line(tmp_path: Path) -> None:
    result = lint_text(FAULTY, tmp_path)
    for name in LINT_FORMATS:
        text = render_lint(result, name)
        assert "implied" in text, name
        assert "high" in text, name
        assert "low" in text, name
    json_report = json.loads(render_lint(result, "json"))
    jsonschema.validate(json_report, json.loads(shipped_file("schemas", "lint.schema.json").read_text("utf-8")))
    (run,) = json.loads(render_lint(result, "sarif"))["runs"]
    (found,) = run["results"]
    assert run["tool"]["driver"]["rules"][found["ruleIndex"]]["id"] == found["ruleId"] == "implied"
    assert found["locations"][0]["physicalLocation"]["region"]["startLine"] == 4
    assert found["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 3
    assert render_lint(result, "github").startswith("::warning file=")
    suite = ElementTree.fromstring(render_lint(result, "junit"))
    assert suite.get("failures") == "1"
    assert suite.find(".//testcase[@name='implied']/failure") is not None


def test_github_gets_ten_annotations_at_most(tmp_path: Path) -> None:
    many = "".join(f'<assert id="r{n}" test="number(A) &lt;= {n}">x</assert>' for n in range(30))
    text = render_lint(lint_text(f'<rule context="Record">{many}</rule>', tmp_path), "github")
    assert text.count("::warning") == 10
    assert "20 more findings" in text


def test_hostile_ids_reach_no_terminal_and_no_command(tmp_path: Path) -> None:
    rules = FAULTY.replace('id="high"', 'id="a&#10;::error::b"')
    result = lint_text(rules, tmp_path)
    assert "\n::error::b" not in render_lint(result, "github")
    assert "\n::error::b" not in render_lint(result, "text")


def test_rules_that_do_not_compile_are_refused(tmp_path: Path) -> None:
    with pytest.raises(cs.ConstraintSdcError):
        lint_text('<rule context="Record"><assert test="unknown-function(A)">x</assert></rule>', tmp_path)


def test_the_library_gives_the_same(faulty: Path) -> None:
    result = cs.lint_rules(faulty / "rules.sch", ignore=("duplicate",))
    assert result.exit_code == 1
    assert repr(result) == "<LintResult of rules.sch: FAIL: 1 warning in 3 rules>"
    assert list(result.to_frame()["code"]) == ["implied"]
    with pytest.raises(UsageError, match="no finding has the code"):
        cs.lint_rules(faulty / "rules.sch", ignore=("nothing",))
