"""VTL: verdicts are those that vtlengine gave, record by record, null included; what is refused, and where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import constraint_sdc as cs
from constraint_sdc.errors import RulesError
from constraint_sdc.judge.rule_set import load_rules
from tests.languages.judged import failures, write_rows
from tests.languages.vtl_expectations import FIXTURE, RECORDS, RULES, VtlDraw, written_out

SIGNATURE = "variable a, b, x, y, t, u"


def ruleset(*rules: str) -> str:
    return f"define datapoint ruleset R ({SIGNATURE}) is\n" + ";\n".join(rules) + "\nend datapoint ruleset;\n"


def test_verdicts_are_those_of_vtlengine(tmp_path: Path) -> None:
    record = json.loads(FIXTURE.read_text())
    asked = VtlDraw(5).asked()
    assert asked == {name: record[name] for name in asked}, "record the expectations anew"
    data = write_rows(tmp_path / "data.xml", record["records"])
    rules = [written_out(rule, record["chosen"]) for rule in record["rules"]]
    (tmp_path / "known.vtl").write_text(ruleset(*rules))
    ours = failures(data, tmp_path / "known.vtl")
    # A null is told from true by the same rules with null as false.
    plain = [rule for rule in rules if not rule.startswith("when")]
    (tmp_path / "sure.vtl").write_text(ruleset(*(f"nvl({rule}, false)" for rule in plain)))
    sure = dict(zip(plain, failures(data, tmp_path / "sure.vtl").values(), strict=True))
    wrong = {}
    for rule, failed, verdicts in zip(rules, ours.values(), record["verdicts"], strict=True):
        theirs = {number for number, verdict in enumerate(verdicts, 1) if verdict == "F"}
        unsure = {number for number, verdict in enumerate(verdicts, 1) if verdict != "T"}
        if failed != theirs or sure.get(rule, unsure) != unsure:
            wrong[rule] = (sorted(failed ^ theirs), sorted(sure.get(rule, unsure) ^ unsure))
    assert not wrong, f"{len(wrong)}\n" + "\n".join(f"{a}: {b}" for a, b in wrong.items())
    together = "".join(record["verdicts"])
    assert (together.count("F") > 1000, together.count("?") > 1000, len(together)) == (True, True, RULES * RECORDS)


PERSONS = """/* rules of persons */
define datapoint ruleset persons (variable Age, Wage as W, Hours, 'V-1') is
  age: between(Age, 16, 110) errorcode "Age lies between 16 and 110";
  when W > 0 then Hours > 0 errorcode "Hours"  // wages
    errorlevel "Warning";
  'V-1' in {1, 2} errorlevel 4;
  nvl(not isnull(Age) and mod(Age, 2) = 0, false)
end datapoint ruleset;
result <- check_datapoint(DS_1, persons all_measures);
young := check(DS_1#Age >= 16 errorcode "young" invalid);
sum := check(DS_1 [calc ok := Wage <= Hours * 100][keep ok]);
"""


def test_rulesets_and_checks_are_rules(tmp_path: Path) -> None:
    (tmp_path / "rules.vtl").write_text(PERSONS.replace("sum :=", "'sum' :="))
    found = load_rules(tmp_path / "rules.vtl").schema.assertions()
    assert [(one.id, one.origin.line, one.severity) for one in found] == [
        ("age", 3, "error"),
        ("persons_2", 4, "warning"),
        ("persons_3", 6, "error"),
        ("persons_4", 7, "error"),
        ("young", 10, "error"),
        ("sum", 11, "error"),
    ]
    tests = {one.id: one.test for one in found}
    assert tests["persons_2"] == "not($Wage > 0) or not($Hours <= 0)"
    rows = [{"Age": 17, "Wage": 5, "Hours": 0, "V-1": 3}, {"Age": None, "Wage": 900, "Hours": 4, "V-1": 2}]
    assert failures(write_rows(tmp_path / "data.xml", rows), tmp_path / "rules.vtl") == {
        "age": set(),
        "persons_2": {1},
        "persons_3": {1},
        "persons_4": {1, 2},
        "young": set(),
        "sum": {1, 2},
    }


def test_words_of_errors_reach_the_reports(tmp_path: Path) -> None:
    (tmp_path / "rules.vtl").write_text(PERSONS.replace("sum :=", "'sum' :="))
    cs.convert_rules(tmp_path / "rules.vtl", tmp_path / "rules.sch")
    text = (tmp_path / "rules.sch").read_text()
    assert "Hours: when W &gt; 0 then Hours &gt; 0<" in text
    assert "<p>errorlevel 4</p>" in text


HEAD = f"define datapoint ruleset R ({SIGNATURE}) is\n"
END = "\nend datapoint ruleset;"
REFUSED = {
    HEAD + "c > 0" + END: "2:1: 'c' is not a variable of the ruleset (did you mean 'a'?)",
    HEAD + "not a > 0" + END: "2:5: 'not' binds more tightly than a comparison (put the comparison in brackets",
    HEAD + "a + b" + END: "2:1: 'a' begins what is neither true nor false",
    HEAD + "a = null" + END: "2:5: compares with null (write isnull(...))",
    HEAD + 't < "B"' + END: "2:1: orders texts",
    HEAD + 't + 1 > 2 and t = "A"' + END: "computes with a text",
    HEAD + 't || u = "AB"' + END: "joins texts",
    HEAD + "a in numbers" + END: "found 'numbers' (expected a set such as {1, 2}; value domains have no translation)",
    HEAD + 'a in {1, "A"}' + END: "a set of texts and numbers",
    HEAD + "mod(a, b) = 0" + END: "2:1: mod(): its last value is not a constant",
    HEAD + "abs(a, b) = 0" + END: "abs(): 2 values (give it 1)",
    HEAD + "absolute(a) = 0" + END: "2:1: unknown function absolute()",
    HEAD + "random(a, 3) > 0" + END: "2:1: random() has no translation (use one of: abs",
    HEAD + "a > 0 errorcode x" + END: "found 'x' (expected a number or a text in double quotes behind 'errorcode')",
    HEAD + "a > 0 and (b > 0" + END: "found 'end' (expected ')')",
    HEAD + "a > 0 §" + END: "2:7: '§' is not part of VTL",
    HEAD + 'match_characters(t, "(?=a)")' + END: "the regular expression has '(?='",
    HEAD + "true" + END: "2:1: a rule that reads no variable",
    HEAD + "a > 0": "found the end of the file (expected 'end' behind the rules)",
    HEAD + "(" * 200 + "a" + ")" * 200 + " > 0" + END: "nested more than 100 deep",
    HEAD + "a > " + " + ".join(["b"] * 200) + END: "a sum or product of more than 100 terms",
    "define datapoint ruleset R (valuedomain a) is a > 0 end datapoint ruleset;": "rules about value domains",
    "define hierarchical ruleset H (variable rule a) is A = B + C end hierarchical ruleset;": (
        "1:8: 'define hierarchical' has no translation (rules are about one record"
    ),
    "define operator f (x integer) is x + 1 end operator;": "'define operator' has no translation",
    "DS_r := DS_1 + DS_2;": "1:9: 'DS_1' is no rule (rules are 'define datapoint ruleset', or NAME := check",
    "r := check_datapoint(DS_1, R);": "no ruleset is called 'R'",
    "r := check(DS_1#a >= DS_1#b);": "an operation on several measures of a data set (write check(DS_1 [calc ok",
    "r := check(DS_1#a >= 0 imbalance DS_1#a);": "'imbalance' has no translation",
    "r := check(DS_1#a >= 0); s := check(DS_2#a >= 0);": "rules of several data sets: DS_1, DS_2",
    "r := check(DS_1 [calc ok := a > 0][keep a]);": "keeps 'a' (keep 'ok')",
    "check(DS_1#a >= 0);": "found 'check' (expected a statement",
    "": "the file has no rules",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_translation_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "rules.vtl").write_text(text)
    with pytest.raises(RulesError) as refused:
        load_rules(tmp_path / "rules.vtl")
    assert str(refused.value).startswith(f"{tmp_path}/rules.vtl:")
    assert REFUSED[text] in str(refused.value)


def test_every_fault_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "rules.vtl").write_text(HEAD + "a > 0;\nc > 0;\nb > ;\nd = 1" + END + "\nx := y;")
    with pytest.raises(cs.UntranslatedRulesError) as refused:
        load_rules(tmp_path / "rules.vtl")
    assert [fault.line for fault in refused.value.faults] == [3, 4, 5, 7]


def test_the_way_back_to_vtl(tmp_path: Path) -> None:
    rules = (
        'total "Parts and total": V9 + V10 = V14 @missing fails\n'
        "set: Sex in {1, 2} or Region in {'N'} @warning\n"
        "form: Code matches '^[A-Z]' and length(Code) <= 3 and `@id` mod 5 != 0\n"
        "date: `date` is missing or not V9 > 3"
    )
    (tmp_path / "rules.txt").write_text(rules)
    cs.convert_rules(tmp_path / "rules.txt", tmp_path / "rules.vtl", record="Person")
    assert (tmp_path / "rules.vtl").read_text() == (
        "define datapoint ruleset Person_rules (variable V9, V10, V14, Sex, Region, Code, '@id', 'date') is\n"
        '  total: nvl(V9 + V10 = V14, false) errorcode "Parts and total";\n'
        '  \'set\': Sex in {1, 2} or Region in {"N"} errorlevel "warning";\n'
        "  form: match_characters(Code, \".*(^[A-Z]).*\") and length(Code) <= 3 and mod('@id', 5) <> 0;\n"
        "  'date': isnull('date') or not (V9 > 3)\n"
        "end datapoint ruleset;\n"
    )
    rows = [
        {"V9": 1, "V10": 2, "V14": 3, "Sex": 3, "Region": "S", "Code": "aB", "date": "x"},
        {"V9": 4, "V10": None, "V14": 3, "Sex": None, "Region": "S", "Code": "Ba", "date": 5},
        {"V9": 4, "V10": 0, "V14": 4, "Sex": 2, "Region": "N", "Code": "Baaa", "date": None},
    ]
    data = write_rows(tmp_path / "data.xml", rows)
    found = failures(data, tmp_path / "rules.vtl")
    assert found == failures(data, tmp_path / "rules.txt")
    assert found == {"total": {2}, "set": {1}, "form": {1, 3}, "date": {2}}
