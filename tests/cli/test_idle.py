"""Rules that check nothing are no proof: every command that rests on rules says so and stops."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROWS = "".join(
    f"<Record><Age>{20 + n}</Age><Income>{100 * n}</Income><Taxes>{10 * n}</Taxes></Record>" for n in range(1, 13)
)
HELD = '<rule context="Record"><assert id="held" test="Taxes &lt;= Income">x</assert></rule>'
MISSPELT = '<rule context="record"><assert id="lost" test="Taxes &lt;= Income">x</assert></rule>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.xml").write_text(f"<Microdata>{ROWS}</Microdata>", encoding="utf-8")
    return tmp_path


def rules(folder: Path, *patterns: str, attributes: str = "") -> Path:
    path = folder / "rules.sch"
    body = "".join(f"<pattern>{pattern}</pattern>" for pattern in patterns)
    head = 'xmlns="http://purl.oclc.org/dsdl/schematron" xmlns:cs="urn:constraint-sdc:rules" queryBinding="xslt2"'
    path.write_text(f"<schema {head}{attributes}>{body}</schema>", encoding="utf-8")
    return path


def test_a_misspelt_context_fails_the_check_and_names_the_nearest(run: Run, folder: Path) -> None:
    ran = run("check", folder / "data.xml", "--rules", rules(folder, HELD, MISSPELT))
    assert ran.code == 2
    assert ran.out.startswith("ERROR: 1 of 2 rules is idle")
    assert "IDLE  lost  error" in ran.out
    assert "rules.sch:1" in ran.out
    assert "its context names record, which does not occur in the file (nearest name: Record)" in ran.out
    assert "all 2 rules hold" not in ran.out


@pytest.mark.parametrize("engine", ["auto", "saxon"])
@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        (MISSPELT, "idle-name"),
        ('<rule context="Record"><assert id="lost" test="not(Taxs &gt; Income)">x</assert></rule>', "idle-name"),
        ('<rule context="Record/Taxs"><assert id="lost" test=". &gt; 0">x</assert></rule>', "idle-name"),
        (
            '<rule context="Record[Age &gt; 99]"><assert id="lost" test="Income &gt; 0">x</assert></rule>',
            "idle-condition",
        ),
        (
            '<rule context="Record"><let name="x" value="Incom"/>'
            '<assert id="lost" test="not($x &lt; 0)">x</assert></rule>',
            "idle-name",
        ),
        (
            '<rule context="*"><assert id="held2" test="true()">x</assert></rule>'
            '<rule context="Record"><assert id="lost" test="Income &gt; 0">x</assert></rule>',
            "idle-taken",
        ),
    ],
)
def test_both_engines_find_the_same_idle_rules(run: Run, folder: Path, engine: str, pattern: str, code: str) -> None:
    path = rules(folder, HELD, pattern)
    ran = run("check", folder / "data.xml", "--rules", path, "--engine", engine, "--format", "json")
    assert ran.code == 2
    report = json.loads(ran.out)
    assert report["counts"]["idle"] == 1
    (lost,) = (rule for rule in report["results"] if rule["rule"] == "lost")
    assert lost["status"] == "idle"
    assert [reason["code"] for reason in lost["idle"]] == [code]


@pytest.mark.parametrize(
    "words",
    [
        ("plan", "{data}", "--rules", "{rules}", "-k", 3),
        ("mask", "{data}", "--rules", "{rules}", "-k", 3, "-o", "{out}"),
        ("sweep", "{data}", "--rules", "{rules}", "--k", "3", "-o", "{sweep}"),
        ("assess", "{data}", "{data}", "--rules", "{rules}"),
        ("explain", "held", "{data}", "--rules", "{rules}", "-k", 3),
    ],
)
def test_commands_that_rest_on_rules_refuse_idle_ones(run: Run, folder: Path, words: tuple[object, ...]) -> None:
    places = {"data": folder / "data.xml", "rules": rules(folder, HELD, MISSPELT)}
    places |= {"out": folder / "masked.xml", "sweep": folder / "sweep"}
    ran = run(*(str(word).format(**places) for word in words))
    assert ran.code == 2
    assert "rule lost is idle in data.xml: its context names record" in ran.err
    assert "nearest name: Record" in ran.err
    assert "rules.sch:1:" in ran.err
    assert not (folder / "masked.xml").exists()
    allowed = run(*(str(word).format(**places) for word in words), "--allow-idle", "lost")
    assert allowed.code == 0


def test_a_rule_that_is_allowed_to_be_idle_is_reported_and_certified(run: Run, folder: Path) -> None:
    path, out = rules(folder, HELD, MISSPELT), folder / "masked.xml"
    checked = run("check", folder / "data.xml", "--rules", path, "--allow-idle", "lost")
    assert checked.code == 0
    assert checked.out.startswith("PASS: 1 of 2 rules hold on 12 records, checked 12 times; 1 not applicable")
    assert "allowed  its context names record" in checked.out
    assert run("mask", folder / "data.xml", "--rules", path, "-k", 3, "-o", out, "--allow-idle", "lost").code == 0
    certificate = folder / "masked.xml.certificate.json"
    assert json.loads(certificate.read_text())["options"]["allow_idle"] == ["lost"]
    assert run("check", out, "--rules", path, "--certificate", certificate, "--allow-idle", "lost").code == 0
    assert run("check", out, "--rules", path, "--certificate", certificate).code == 2
    assert run("check", out, "--rules", path).code == 2


def test_a_rule_that_judges_no_record_ties_no_variables(run: Run, folder: Path) -> None:
    """A misspelt context once made one block of all variables, of actual records."""
    apart = '<rule context="Record"><assert id="held" test="number(Age) &gt; 0">x</assert></rule>'
    words = ("plan", folder / "data.xml", "-k", 3, "--partition", "mdav", "--json", "--rules")
    plain = json.loads(run(*words, rules(folder, apart)).out)
    ran = json.loads(run(*words, rules(folder, apart, MISSPELT), "--allow-idle", "lost").out)
    assert ran["blocks"] == plain["blocks"]
    (lost,) = (rule for rule in ran["rules"] if rule["rule"] == "lost")
    assert lost["reason"]["code"] == "never-fires"


def test_a_mark_in_the_rule_file_and_a_recipe_allow_it_too(run: Run, folder: Path) -> None:
    marked = MISSPELT.replace("<rule ", '<rule cs:may-be-idle="true" ')
    assert run("check", folder / "data.xml", "--rules", rules(folder, HELD, marked)).code == 0
    recipe = folder / "recipe.yml"
    recipe.write_text("allow_idle: [lost]\n", encoding="utf-8")
    path = rules(folder, HELD, MISSPELT)
    assert run("check", folder / "data.xml", "--rules", path, "--recipe", recipe).code == 0
    assert run("plan", folder / "data.xml", "--rules", path, "--recipe", recipe, "-k", 3).code == 0


def test_an_unknown_id_is_no_permission(run: Run, folder: Path) -> None:
    ran = run("check", folder / "data.xml", "--rules", rules(folder, HELD, MISSPELT), "--allow-idle", "losst")
    assert ran.code == 2
    assert "did you mean 'lost'?" in ran.err


def test_rules_with_data_marks_idle_rules(run: Run, folder: Path) -> None:
    path = rules(folder, HELD, MISSPELT)
    ran = run("rules", path, "--data", folder / "data.xml")
    assert ran.code == 0
    assert "idle         its context names record, which does not occur in the file (nearest name: Record)" in ran.out
    listed = json.loads(run("rules", path, "--data", folder / "data.xml", "--json").out)["rules"]
    assert [(rule["checked"], [why["code"] for why in rule["idle"]]) for rule in listed] == [
        (12, []),
        (0, ["idle-name"]),
    ]
    assert listed[1]["idle"][0]["params"]["nearest"] == "Record"
    assert [rule["checked"] for rule in json.loads(run("rules", path, "--json").out)["rules"]] == [None, None]


@pytest.mark.parametrize("data", ["<Microdata/>", "<Microdata>\n</Microdata>", "<Microdata><!-- none --></Microdata>"])
@pytest.mark.parametrize(
    "pattern",
    [
        HELD,
        '<rule context="Microdata"><assert id="held" test="every $r in Record satisfies $r/Age">x</assert></rule>',
        '<rule context="/"><assert id="held" test="not(//Record[Age = 3])">x</assert></rule>',
    ],
)
def test_an_empty_file_is_no_clean_file(run: Run, folder: Path, data: str, pattern: str) -> None:
    (folder / "data.xml").write_text(data, encoding="utf-8")
    ran = run("check", folder / "data.xml", "--rules", rules(folder, pattern))
    assert ran.code == 2
    assert ran.out.startswith("ERROR: the file has no records, 1 of 1 rule is idle")
    masked = run("mask", folder / "data.xml", "--rules", folder / "rules.sch", "-k", 3, "-o", folder / "masked.xml")
    assert masked.code == 2
    assert "the file has no records" in masked.err


def test_rules_for_the_root_element_alone_judge_a_document_without_children(run: Run, folder: Path) -> None:
    (folder / "data.xml").write_text('<config debug="true"/>', encoding="utf-8")
    pattern = '<rule context="config"><assert id="held" test="@debug = \'true\'">x</assert></rule>'
    assert run("check", folder / "data.xml", "--rules", rules(folder, pattern)).code == 0


INVOICE = "<Invoice><Line><Price>1</Price><Tax><Rate>2</Rate></Tax></Line><Line><Price>3</Price></Line></Invoice>"


def test_in_a_document_rules_without_a_node_are_not_applicable(run: Run, folder: Path) -> None:
    (folder / "data.xml").write_text(INVOICE, encoding="utf-8")
    some = '<rule context="Price"><assert id="price" test=". &gt; 0">x</assert></rule>'
    none = '<rule context="Discount"><assert id="discount" test=". &gt; 0">x</assert></rule>'
    ran = run("check", folder / "data.xml", "--rules", rules(folder, some, none))
    assert ran.code == 0
    assert ran.out.startswith("PASS: 1 of 2 rules hold, checked 2 times; 1 not applicable")
    ran = run("check", folder / "data.xml", "--rules", rules(folder, none))
    assert ran.code == 2
    assert ran.out.startswith("ERROR: none of 1 rule applied to anything in the data")
    assert run("check", folder / "data.xml", "--rules", rules(folder, none), "--allow-idle", "discount").code == 0


def test_rules_without_an_assertion_prove_nothing(run: Run, folder: Path) -> None:
    ran = run("check", folder / "data.xml", "--rules", rules(folder, '<rule context="Record"/>'))
    assert ran.code == 2
    assert "nothing was checked" in ran.out


def test_rules_of_other_phases_are_not_idle(run: Run, folder: Path) -> None:
    path = folder / "rules.sch"
    path.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">'
        f'<phase id="p"><active pattern="one"/></phase><pattern id="one">{HELD}</pattern><pattern>{MISSPELT}</pattern>'
        "</schema>",
        encoding="utf-8",
    )
    assert run("check", folder / "data.xml", "--rules", path, "--phase", "p").code == 0
    assert run("check", folder / "data.xml", "--rules", path).code == 2


def test_a_rule_that_masking_leaves_idle_is_not_published(run: Run, folder: Path) -> None:
    """What `mask` publishes passes `check`: the one record that the rule judged is averaged with others."""
    only = '<rule context="Record[Income &gt;= 1200]"><assert id="top" test="Taxes &gt; 0">x</assert></rule>'
    words = ("mask", folder / "data.xml", "--rules", rules(folder, only), "-k", 3, "-o", folder / "masked.xml")
    ran = run(*words)
    assert ran.code == 1
    assert "top: idle in the masked file: no node satisfies the condition of its context" in ran.err
    assert "--allow-idle top" in ran.err
    assert not (folder / "masked.xml").exists()
    assert run(*words, "--allow-idle", "top").code == 0


@pytest.mark.parametrize("format_", ["text", "json", "svrl", "junit", "sarif", "github", "html"])
def test_every_format_says_that_a_rule_is_idle(run: Run, folder: Path, format_: str) -> None:
    ran = run("check", folder / "data.xml", "--rules", rules(folder, HELD, MISSPELT), "--format", format_)
    assert ran.code == 2
    assert "its context names record" in ran.out
    assert "Record" in ran.out
