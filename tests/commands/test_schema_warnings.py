"""What is doubtful in a rule file reaches everybody who uses it: in `rules`, `check`, `plan` and `mask`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import constraint_sdc as cs
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.settings.reason import because
from tests.maskers.extract import Extract, columns, extract

TWICE = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<pattern abstract="true" id="bounded"><rule context="Record"><assert id="most" test="number(A) &lt;= $most"/></rule>
</pattern>
<pattern is-a="bounded">
  <param name="most" value="1"/>
  <param name="most" value="{last}"/>
</pattern>
</schema>
"""
AGAIN = because("param-again", parameter="most", file="rules.sch", line=6)
SAID = "param most is given again in rules.sch, line 6: the last value in the pattern counts"


@pytest.fixture
def given(tmp_path: Path) -> Extract:
    return extract(tmp_path, columns(A=[*range(20)] * 2), TWICE.format(last=19))


def test_the_rule_list_warns(given: Extract) -> None:
    assert given.rules is not None
    listed = cs.list_rules(given.rules)
    assert listed.warnings == (AGAIN,)
    assert listed.rows[0].normal_form == "A <= 19"
    assert f"WARNING: {SAID}" in " ".join(cs.render(listed, "text").split())
    content = json.loads(cs.render(listed, "json"))
    assert [one["sentence"] for one in content["warnings"]] == [SAID]
    jsonschema.validate(content, json.loads(shipped_file("schemas", "rules.schema.json").read_text("utf-8")))


@pytest.mark.parametrize(("last", "broken"), [(19, 0), (9, 20)])
def test_a_check_warns_and_takes_the_last_value(tmp_path: Path, last: int, broken: int) -> None:
    given = extract(tmp_path, columns(A=[*range(20)] * 2), TWICE.format(last=last))
    assert given.rules is not None
    for engine in ("auto", "saxon"):
        result = cs.check_file(given.data, given.rules, engine=engine)
        assert result.notes == (AGAIN,)
        assert result.results[0].failed == broken
        assert f"note: {SAID}" in cs.render(result, "text")


def test_masking_warns_in_plan_and_report_once(given: Extract) -> None:
    result = given.mask(3)
    assert result.plan.warnings[:1] == (AGAIN,)
    assert AGAIN not in result.plan.assumptions
    for text in (cs.plan_text(result.plan), cs.render(result, "text")):
        assert " ".join(text.split()).count(SAID) == 1
    certificate = json.loads(result.certificate.read_text("utf-8"))
    assert certificate["plan"]["warnings"][:1] == [SAID]


def test_swapped_values_come_with_the_warning_too(tmp_path: Path) -> None:
    goal = "{parameter: Area, vital: \"Job = 'soldier'\", change: [{move: {from: N, to: S}}]}"
    recipe = f"mask: {{masker: group-anonymity, goals: [{goal}]}}"
    rows = columns(A=[5] * 8, Area=["N"] * 4 + ["S"] * 4, Job=["soldier"] * 3 + ["other"] * 4 + ["soldier"])
    assert AGAIN in extract(tmp_path, rows, TWICE.format(last=19), recipe).plan(1).warnings
