"""Files of R's validate: what they become, and what is refused with its place and a way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.errors import RulesError
from constraint_sdc.judge.rule_set import load_rules
from constraint_sdc.languages.loading import read_book
from constraint_sdc.languages.registry import LANGUAGES
from constraint_sdc.languages.rule_book import UntranslatedRulesError
from constraint_sdc.schematron.schema import Assertion
from tests.languages.judged import failures, write_rows


def assertions(folder: Path, text: str, name: str = "rules.R") -> tuple[Assertion, ...]:
    (folder / name).write_text(text, encoding="utf-8")
    return load_rules(folder / name).schema.assertions()


def xpath_of(folder: Path, text: str) -> list[str]:
    return [one.test for one in assertions(folder, text)]


PAIRS = {
    "V9 + V10 == V14": "not($V9 + $V10 != $V14)",
    "V9 - (V10 - 2) * 3 >= 0": "not($V9 - ($V10 - 2) * 3 < 0)",
    "if (V8 < 1115) V13 <= V12": "not($V8 < 1115) or not($V13 > $V12)",
    "!(V8 < 1115) | V13 <= V12": "not($V8 < 1115) or not($V13 > $V12)",
    'Sex == "M"': "Sex = 'M' or normalize-space(Sex) = ''",
    'Sex != "M"': "not(Sex = 'M')",
    'Sex %in% c("M", "it\'s")': "Sex = ('M', 'it''s') or normalize-space(Sex) = ''",
    "V1 %in% c(1:5, 9)": "$V1 = (1 to 5, 9) or normalize-space(V1) = ''",
    "!is.na(V1)": "not(normalize-space(V1) = '')",
    "nchar(V1) == 4": "normalize-space(V1) = '' or string-length(V1) = 4",
    "in_range(V3, 0, 7500)": "not($V3 < 0) and not($V3 > 7500)",
    "V3 / V7 < 2": "not(xs:double(V3[normalize-space()]) div xs:double(V7[normalize-space()]) >= 2)",
    "V3 / 4 < 2": "not($V3 div 4 >= 2)",
    "V3 %% 5 == 0": "not($V3 mod 5 != 0)",
    "-V3^2 < 1e3": "not(-($V3 * $V3) >= 1000)",
    'field_format(V1, "X*.?")': "normalize-space(V1) != '' and matches(V1, '^X.*\\..$')",
}


@pytest.mark.parametrize("rule", PAIRS)
def test_a_rule_is_the_xpath_that_a_person_would_write(tmp_path: Path, rule: str) -> None:
    assert xpath_of(tmp_path, rule) == [PAIRS[rule]]


def test_macros_and_groups_are_written_out(tmp_path: Path) -> None:
    text = "parts := V9 + V10\nG := var_group(V1, V2)\nparts == V14\nG > 0\nvar_group(a, b) <= var_group(c, d)"
    found = assertions(tmp_path, text)
    assert [one.id for one in found] == ["V3", "V4.1", "V4.2", "V5.1", "V5.2", "V5.3", "V5.4"]
    assert [one.test for one in found][:3] == ["not($V9 + $V10 != $V14)", "not($V1 <= 0)", "not($V2 <= 0)"]
    assert [one.test for one in found][3:] == [f"not(${x} > ${y})" for x in "ab" for y in "cd"]


def test_the_arguments_of_validator_are_rules_with_names(tmp_path: Path) -> None:
    found = assertions(
        tmp_path, "library(validate)\nrules <- validator(\n  positive = x > 0, # always\n  x + y == z\n)"
    )
    assert [(one.id, one.origin.line) for one in found] == [("positive", 3), ("V2", 4)]


YAML = """---
options:
  na.value: FALSE
---
rules:
- expr: speed >= 0
  name: 'speed'
  label: 'Speed is positive'
  description: |
    Speed cannot be negative.
  meta:
    severity: warning
- expr: |
    if (type == "car")
      wheels == 4
  name: number of wheels
  meta: {na: passes}
"""


def test_yaml_keeps_name_label_description_severity_line_and_policy(tmp_path: Path) -> None:
    speed, wheels = assertions(tmp_path, YAML, "rules.yaml")
    assert (speed.id, speed.severity, speed.origin.line) == ("speed", "warning", 6)
    assert (speed.test, wheels.test) == ("$speed >= 0", "not(type = 'car') or not($wheels != 4)")
    assert (wheels.id, wheels.severity, wheels.origin.line) == ("number-of-wheels", "error", 14)
    book = read_book(tmp_path / "rules.yaml", LANGUAGES["R validate"])
    assert (book.rules[0].label, book.rules[0].description) == ("Speed is positive", "Speed cannot be negative.")


def test_included_files_come_first_and_are_certified(tmp_path: Path) -> None:
    (tmp_path / "general.R").write_text("x >= 0\n")
    (tmp_path / "main.yml").write_text("---\ninclude:\n  - general.R\n---\nx <= 10\n")
    rule_set = load_rules(tmp_path / "main.yml")
    assert [(one.id, Path(one.origin.file).name) for one in rule_set.schema.assertions()] == [
        ("V1", "general.R"),
        ("V1.2", "main.yml"),
    ]
    assert sorted(rule_set.digests()) == ["rules", "rules: general.R"]


def test_a_tolerance_that_the_author_chose_is_kept(tmp_path: Path) -> None:
    text = "---\noptions:\n  lin.eq.eps: 0.01\n  lin.ineq.eps: 0.5\n---\nx + y == z\nx <= y\nx * y == z"
    assert xpath_of(tmp_path, text) == [
        "not($x + $y - $z <= -0.01) and not($x + $y - $z >= 0.01)",
        "not($x - $y > 0.5)",
        "not($x * $y != $z)",
    ]


def test_exact_sums_of_decimals_hold(tmp_path: Path) -> None:
    """0.1 + 0.2 differs from 0.3 in double arithmetic; R forgives it by a tolerance, exact decimals need none."""
    data = write_rows(
        tmp_path / "data.xml", [{"x": "0.1", "y": "0.2", "z": "0.3"}, {"x": "0.1", "y": "0.2", "z": "0.31"}]
    )
    (tmp_path / "rules.R").write_text("x + y == z")
    assert failures(data, tmp_path / "rules.R") == {"V1": {2}}


def test_missing_codes_of_the_recipe_are_missing(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "data.xml", [{"x": "-9", "t": "9"}, {"x": "-1", "t": "1"}, {"x": "5", "t": "2"}])
    (tmp_path / "rules.R").write_text('x >= 0\nt %in% c("1", "2")\nt == "9"\nis.na(x)')
    codes = {"x": ("-9",), "t": ("9",)}
    assert failures(data, tmp_path / "rules.R", missing_codes=codes) == {
        "V1": {2},
        "V2": set(),
        "V3": {2, 3},
        "V4": {2, 3},
    }
    assert failures(data, tmp_path / "rules.R")["V1"] == {1, 2}


def test_a_text_where_a_number_is_meant_is_an_error_and_no_verdict(tmp_path: Path) -> None:
    from constraint_sdc.commands.check import check_file

    data = write_rows(tmp_path / "data.xml", [{"x": "many"}, {"x": "1"}])
    (tmp_path / "rules.R").write_text("x >= 0")
    result = check_file(data, tmp_path / "rules.R")
    assert (result.results[0].status, result.exit_code) == ("error", 2)


def test_a_variable_that_the_file_lacks_is_named(tmp_path: Path) -> None:
    from constraint_sdc.commands.check import check_file

    data = write_rows(tmp_path / "data.xml", [{"income": "5", "tax": "1"}])
    (tmp_path / "rules.R").write_text("incomes >= tax")
    result = check_file(data, tmp_path / "rules.R")
    assert (result.results[0].status, result.exit_code) == ("idle", 2)


REFUSED = {
    "x > 0 &": "1:8: found the end of the rules where R does not have it",
    "x > 0\ny >> 1": "2:4: found '>' where R does not have it (expected a variable, a number, a text or '(')",
    "sd(x) < 3": "1:1: sd() is a statistic over records that XPath lacks (leave the rule to R, or write a bound)",
    "x + is_uniqe(y) > 1": "1:5: is_uniqe() has no translation (did you mean is_unique()?)",
    "x": "1:1: the expression is neither true nor false (compare it with something)",
    't < "B"': "1:3: orders texts, whose order depends on the language of the machine",
    "x == NA": "1:6: a comparison with TRUE, FALSE or NA (compare with the text or number that stands in the file; "
    "a missing value is asked by is.na())",
    'grepl("a\\\\b", t)': "1:1: the regular expression has '\\b' (write it with characters",
    "a ~ b": "1:3: a functional dependency '~' compares records with each other (leave this rule to R)",
    "x %in% codes": '1:8: a set that is not written out (write the values: c("a", "b"))',
    "x$y > 1": "1:2: a column of a data frame by '$' (name the variable alone)",
    "for (i in x) y": "1:1: 'for' is a programme, not a rule (write a condition)",
    't == "a': '1:6: a text that does not end (close it with ")',
    "x > 1e999": "1:5: a number beyond all measure (write one of at most 300 digits)",
    "x < y < z": "1:7: found '<' where R does not have it (expected '&' between two comparisons)",
    "(" * 101 + "x" + ")" * 101 + " > 0": "1:101: brackets are nested more than 100 deep (divide the rule)",
}


@pytest.mark.parametrize("rule", REFUSED)
def test_what_has_no_translation_is_named_with_its_place_and_a_way_out(tmp_path: Path, rule: str) -> None:
    with pytest.raises(RulesError) as refused:
        assertions(tmp_path, rule)
    wanted = REFUSED[rule]
    assert str(refused.value).startswith(f"{tmp_path}/rules.R:{wanted}")


def test_every_fault_of_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UntranslatedRulesError) as refused:
        assertions(tmp_path, "x > 0\nsd(x) < 1\nvar(x) < 1")
    assert [(one.line, one.column) for one in refused.value.faults] == [(2, 1), (3, 1)]


def test_macros_that_explode_are_stopped(tmp_path: Path) -> None:
    lines = ["a0 := x + x", *(f"a{n} := a{n - 1} + a{n - 1}" for n in range(1, 60)), "a59 > 0"]
    with pytest.raises(RulesError, match="more than 10000 parts"):
        assertions(tmp_path, "\n".join(lines))


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("rules.yml", "rules:\n- name: a\n", "2:3: a rule without 'expr'"),
        ("rules.yml", "rules:\n- expr: x > 0\n  nam: a\n", "3:3: unknown entry 'nam'"),
        ("rules.yml", "rules:\n- expr: x > 0 +\n", "2:16: found the end of the rules"),
        ("rules.yml", "rules: {a: [", "1:13: not valid YAML"),
        ("rules.yml", "---\noptions:\n  lin.eps: 1\n---\nx > 0", "3:1: unknown option 'lin.eps'"),
        ("rules.yml", "---\ninclude: rules.yml\n---\nx > 0", "2: include forms a cycle"),
        ("rules.yml", "---\ninclude: ../../other.R\n---\nx > 0", "2: include '../../other.R': is outside"),
        ("rules.yml", "# nothing\n", " the file has no rules"),
    ],
)
def test_bad_files_are_refused_with_their_place(tmp_path: Path, name: str, text: str, wanted: str) -> None:
    with pytest.raises(RulesError) as refused:
        assertions(tmp_path, text, name)
    assert str(refused.value).startswith(f"{tmp_path}/{name}:{wanted}")


@pytest.mark.parametrize("content", [b"x > \xff0", b"x > 0\x00", b"x \x1b > 0"])
def test_bytes_that_are_not_text_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "rules.R").write_bytes(content)
    with pytest.raises(RulesError, match=r"not UTF-8|control character"):
        load_rules(tmp_path / "rules.R")


def test_xml_is_schematron_whatever_its_name(tmp_path: Path) -> None:
    schema = '<schema xmlns="http://purl.oclc.org/dsdl/schematron"><pattern><rule context="R"><assert test="A" id="a"/>'
    assert assertions(tmp_path, schema + "</rule></pattern></schema>")[0].id == "a"
