"""What data add: names, conditions that never hold, decimals, missing values, orders of texts."""

from __future__ import annotations

from pathlib import Path

import pytest

import constraint_sdc as cs
from tests.lint.pages import found_of, in_words, lint_text


def rows(*records: dict[str, str]) -> str:
    lines = ("".join(f"<{name}>{text}</{name}>" for name, text in record.items()) for record in records)
    return "<Data>" + "".join(f"<Record>{line}</Record>\n" for line in lines) + "</Data>"


def rule(test: str, name: str = "r", **marks: str) -> str:
    given = "".join(f' {key}="{text}"' for key, text in marks.items())
    return f'<rule context="Record"><assert id="{name}" test="{test}"{given}>x</assert></rule>'


def test_whole_numbers_add_up_in_double_arithmetic(tmp_path: Path) -> None:
    test = rule("number(A) + number(B) = number(C)")
    whole = lint_text(test, tmp_path, rows({"A": "1", "B": "2", "C": "3"}))
    cents = lint_text(test, tmp_path, rows({"A": "1.25", "B": "2.10", "C": "3.35"}))
    assert found_of("inexact-equality", whole) == []
    assert [finding.severity for finding in found_of("inexact-equality", cents)] == ["warning"]


def test_a_rule_that_declares_whole_numbers_counts_without_data(tmp_path: Path) -> None:
    whole = (f'</pattern><pattern id="p{name}">' + rule(f"number({name}) mod 1 = 0", name) for name in "AB")
    rules = rule("number(A) + 1 = number(B)") + "".join(whole)
    assert found_of("inexact-equality", lint_text(rules, tmp_path)) == []


def test_a_factor_that_is_no_binary_fraction_is_inexact_even_for_whole_numbers(tmp_path: Path) -> None:
    found = lint_text(
        rule("number(A) * 0.07 = number(B)"), tmp_path, rows({"A": "100", "B": "7.0"}, {"A": "5", "B": "0.35"})
    )
    (finding,) = found_of("inexact-equality", found)
    assert finding.severity == "warning"


def test_an_order_of_texts_is_counted_in_the_data(tmp_path: Path) -> None:
    test = rule("A &lt;= B")
    dates = lint_text(test, tmp_path, rows({"A": "2024-01-02", "B": "2024-11-01"}))
    numbers = lint_text(test, tmp_path, rows({"A": "9", "B": "10"}, {"A": "1", "B": "2"}))
    assert found_of("text-comparison", dates) == []
    assert in_words(found_of("text-comparison", numbers)).startswith(
        "r: error: A <= B compares texts, character by character: in 1 record the order as numbers is another"
    )


def test_a_missing_value_in_the_data_asks_for_a_guard(tmp_path: Path) -> None:
    test = rule("number(A) &lt;= 5")
    assert found_of("missing-guard", lint_text(test, tmp_path, rows({"A": "1"}, {"A": "2"}))) == []
    found = lint_text(test, tmp_path, rows({"A": "1", "B": "1"}, {"A": "", "B": "1"}, {"B": "1"}))
    assert in_words(found_of("missing-guard", found)).startswith("r: warning: A is missing in 2 records, and a missing")


def test_a_rule_may_be_marked_idle(tmp_path: Path) -> None:
    data = rows({"A": "1"})
    assert found_of("unknown-name", lint_text(rule("number(Z) &lt; 2"), tmp_path, data))
    marked = rule("number(Z) &lt; 2", **{"cs:may-be-idle": "true"})
    assert found_of("unknown-name", lint_text(marked, tmp_path, data)) == []


def test_findings_show_no_value_of_the_data(tmp_path: Path) -> None:
    secret = "48151623"
    data = rows(*({"A": secret, "B": "2"} for _ in range(25)))
    found = lint_text(rule("number(A) &lt;= 4815162.3 and A &lt;= B and number(Q) = 1"), tmp_path, data)
    assert found.findings
    assert secret not in in_words(list(found.findings))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rules.txt", "r: A <= 5 @missing fails\n"),
        ("rules.yml", "rules:\n- expr: A <= 5\n  name: r\n"),
        ("rules.sql", "ALTER TABLE t ADD CONSTRAINT r CHECK ((A <= 5) IS TRUE);\n"),
    ],
)
def test_the_policy_of_another_language_is_the_guard(tmp_path: Path, name: str, text: str) -> None:
    """What a missing value means is stated, or a default of the language; every other finding is as for Schematron."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    data = rows({"A": "1", "B": "1"}, {"A": "", "B": "1"}, {"B": "1"})
    (tmp_path / "data.xml").write_text(data, encoding="utf-8")
    found = cs.lint_rules(tmp_path / name, tmp_path / "data.xml")
    assert [finding.code for finding in found.findings] == []
    cs.convert_rules(tmp_path / name, tmp_path / "rules.sch")
    converted = cs.lint_rules(tmp_path / "rules.sch", tmp_path / "data.xml")
    assert "missing-guard" in {finding.code for finding in converted.findings}


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ("a: A > 5\nb: A < 3\nc: B > 2\n", ["b: no record in which all values are there can satisfy a and b together"]),
        ("a: A + B = C\nb: A + B = C + 1\nc: if K = 'x' then A is missing\n", ["b: "]),
        ("a: K in {'x', 'y'}\nb: K in {'z'}\n", ["b: "]),
        ("a: A > 5 and A < 3\n", ["a: no record in which all of its values are there can satisfy this rule"]),
        ("a: if K = 'x' then A is missing\nb: if K = 'x' then B is missing\nc: A + B = 3\n", []),
        ("a: A is missing\n", []),
        ("a: A > 5\nb: A > 3 or B > 2\n", []),
    ],
)
def test_rules_that_pass_over_missing_values_contradict_each_other_where_values_are_there(
    tmp_path: Path, rules: str, found: list[str]
) -> None:
    (tmp_path / "rules.txt").write_text(rules, encoding="utf-8")
    linted = cs.lint_rules(tmp_path / "rules.txt")
    said = [f"{one.rule.id}: {cs.sentence(one.reason)}" for one in linted.findings if one.code == "conflict"]
    assert [text[: len(start)] for text, start in zip(said, found, strict=True)] == found
