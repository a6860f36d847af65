"""Rules as plain arithmetic text: what they become, and what is refused with its place and a way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.errors import RulesError
from constraint_sdc.judge.rule_set import load_rules
from constraint_sdc.schematron.schema import Assertion
from tests.languages.judged import failures, write_rows


def assertions(folder: Path, text: str) -> tuple[Assertion, ...]:
    (folder / "rules.txt").write_text(text, encoding="utf-8")
    return load_rules(folder / "rules.txt").schema.assertions()


PAIRS = {
    "V9 + V10 = V14": "not($V9 + $V10 != $V14)",
    "if V8 < 1115 then V13 <= V12": "not($V8 < 1115) or not($V13 > $V12)",
    "IF V8 < 1115 THEN V13 <= V12 ELSE V13 > 0": "(not($V8 < 1115) or not($V13 > $V12)) and "
    "(not($V8 >= 1115) or not($V13 <= 0))",
    "V8 < 1115 => V13 <= V12": "not($V8 < 1115) or not($V13 > $V12)",
    "V3 in [0, 7500]": "not($V3 < 0) and not($V3 > 7500)",
    "V3 in (0, inf)": "not($V3 <= 0)",
    "V3 not in [-2, V7)": "not($V3 >= -2) or not($V3 < $V7)",
    "0 <= V3 < 7500": "not(0 > $V3) and not($V3 >= 7500)",
    "Sex in {1, 2}": "$Sex = (1, 2) or normalize-space(Sex) = ''",
    "Sex in {1..4, 9}": "$Sex = (1 to 4, 9) or normalize-space(Sex) = ''",
    "Region in {'N', \"S\"}": "Region = ('N', 'S') or normalize-space(Region) = ''",
    "Region = 'N' and Region != Home": "(Region = 'N' or normalize-space(Region) = '') and "
    "not(Region[normalize-space()] = Home[normalize-space()])",
    "V1 is missing or V2 is not missing": "normalize-space(V1) = '' or not(normalize-space(V2) = '')",
    "not (V1 = 1 or V2 = 2)": "not($V1 = 1) and not($V2 = 2)",
    "V1 = 1 xor V2 = 2": "(not($V1 != 1) or not($V2 != 2)) and (not($V1 = 1) or not($V2 = 2))",
    "(V1 + 2) * 3 ≥ -V2^2": "not(($V1 + 2) * 3 < -($V2 * $V2))",
    "((V1) + 2) > 3 and (V2 > 1)": "not($V1 + 2 <= 3) and not($V2 <= 1)",
    "max(V1, abs(V2)) <= 10": "not((if (exists($V1) and exists(abs($V2))) then max(($V1, abs($V2))) else ()) > 10)",
    "length(Code) = 4": "normalize-space(Code) = '' or string-length(Code) = 4",
    "Code matches '^[A-Z]{2}@#'": "normalize-space(Code) = '' or matches(Code, '^[A-Z]{2}@#')",
    "V1 mod 5 = 0": "not($V1 mod 5 != 0)",
    "`if` > 0": "not($if <= 0)",
}


@pytest.mark.parametrize("rule", PAIRS)
def test_a_rule_is_the_xpath_that_a_person_would_write(tmp_path: Path, rule: str) -> None:
    assert [one.test for one in assertions(tmp_path, rule)] == [PAIRS[rule]]


def test_names_labels_severity_and_policy(tmp_path: Path) -> None:
    text = """# of the census
balance "Income adds up": V9 + V10
  = V14               # continued
V3 > 0                @warning @missing fails
@missing fails
r4: V3 < 10
r5: V3 < 20           @missing not applicable
"""
    found = assertions(tmp_path, text)
    assert [(one.id, one.severity, one.origin.line) for one in found] == [
        ("balance", "error", 2),
        ("rule-2", "warning", 4),
        ("r4", "error", 6),
        ("r5", "error", 7),
    ]
    assert [one.test for one in found] == ["not($V9 + $V10 != $V14)", "$V3 > 0", "$V3 < 10", "not($V3 >= 20)"]


REFUSED = {
    "V1 + = 3": "1:6: found '=' (expected a variable, a number, a text or '(')",
    "V1 > 0\nV2 >": "2:5: found the end of the rule (expected a variable, a number, a text or '(')",
    "V1": "1:3: found the end of the rule (expected a comparison such as '=' or '<=', 'in', 'is missing' or 'matches')",
    "if V1 > 0 V2 > 0": "1:11: found 'V2' (expected 'then' behind the condition)",
    "V1 in [0; 5]": "1:9: found ';' (expected ',' between the bounds)",
    "V1 in {a, b}": "1:8: found 'a' in a set (write \"a\" if it is a text)",
    "mix(V1, 2) > 0": "1:1: unknown function mix() (did you mean max()?)",
    "V1 < 'B'": "1:1: orders texts (compare numbers, or use '=' and 'in')",
    "V1 > 0 @severe": "1:8: unknown mark '@severe' (use one of: @error, @warning, @information, @missing)",
    "V1 > 0 @missing holds": "1:1: unknown policy 'holds' (use one of: not applicable, passes, fails)",
    "r: V1 > 0\nr: V2 > 0": "2: two rules are called 'r' (give each rule a name of its own)",
    "V1 = 'a": '1:6: "\'" is not part of a rule (close it)',
    "V1 ? 2": "1:4: '?' is not part of a rule (remove it)",
    "V1 > 1e400": "1:6: a number beyond all measure (write one of at most 300 digits)",
    "(" * 200 + "V1" + ")" * 200 + " > 0": "1:100: an expression is nested more than 100 deep (divide the rule)",
    "not " * 3000 + "V1 > 0": None,
    " + ".join(["V1"] * 150) + " > 0": "1:499: a sum or product of more than 100 terms (put some of them in brackets)",
    "# nothing": " the file has no rules (write rules of text)",
}


@pytest.mark.parametrize("rule", REFUSED)
def test_what_is_not_a_rule_is_named_with_its_place_and_a_way_out(tmp_path: Path, rule: str) -> None:
    with pytest.raises(RulesError) as refused:
        assertions(tmp_path, rule)
    wanted = REFUSED[rule] or "1:401: conditions are nested more than 100 deep"
    assert str(refused.value).startswith(f"{tmp_path}/rules.txt:{wanted}")


def test_missing_values_pass_or_fail_as_the_rule_says(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "data.xml", [{"V1": "5", "V2": None}, {"V1": "5", "V2": "1"}, {"V1": None, "V2": "9"}])
    (tmp_path / "rules.txt").write_text("a: V1 <= V2\nb: V1 <= V2 @missing fails\nc: V1 <= V2 @missing passes")
    assert failures(data, tmp_path / "rules.txt") == {"a": {2}, "b": {1, 2, 3}, "c": {2}}
