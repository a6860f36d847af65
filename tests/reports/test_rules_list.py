from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from constraint_sdc.constraints.constraint import Kind
from constraint_sdc.constraints.show import RuleList
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.reports.rules_list import render_rules_json, render_rules_text

GOLDEN = Path(__file__).with_name("golden")


def schema() -> Any:
    return json.loads(shipped_file("schemas", "rules.schema.json").read_text("utf-8"))


def test_the_list_is_a_table_where_it_fits(typed_rules: RuleList) -> None:
    assert render_rules_text(typed_rules, columns=100) == (GOLDEN / "rules.txt").read_text("utf-8")


def test_the_list_is_a_paragraph_per_rule_on_a_narrow_terminal(typed_rules: RuleList) -> None:
    text = render_rules_text(typed_rules, columns=60)
    assert text == (GOLDEN / "rules-narrow.txt").read_text("utf-8")
    assert max(map(len, text.splitlines())) <= 60


@pytest.mark.parametrize("columns", [60, 100])
def test_the_reason_why_a_rule_is_opaque_is_told(typed_rules: RuleList, columns: int) -> None:
    text = render_rules_text(typed_rules, columns=columns)
    assert "translate() has no place in a constraint" in text
    assert "Saxon, the whole file at once" in text


def test_an_empty_list_says_so(typed_rules: RuleList) -> None:
    assert render_rules_text(replace(typed_rules, rows=(), blocks=())) == (
        "0 rules\nrules/census.sch, Census edits, phase #ALL, xslt2\n"
    )


def test_colour_is_off_unless_asked_for(typed_rules: RuleList) -> None:
    assert "\x1b" not in render_rules_text(typed_rules)
    assert "\x1b[1mc1\x1b[0m: linear" in render_rules_text(typed_rules, columns=60, colour=True)


def test_the_json_follows_its_schema(typed_rules: RuleList) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    report = json.loads(render_rules_json(typed_rules))
    jsonschema.validate(report, schema())
    assert report["rules"][0]["paper_name"] == "EC-LC"
    assert report["rules"][5]["paper_name"] is None
    assert [row["is_understood"] for row in report["rules"]] == [True] * 5 + [False] * 2
    assert report["blocks"][0] == ["V9", "V10", "V14"]


def test_the_schema_knows_every_kind_and_its_name_in_the_paper() -> None:
    properties = schema()["$defs"]["rule"]["properties"]
    assert properties["kind"]["enum"] == [kind.value for kind in Kind]
    named = [kind.paper_name for kind in Kind if kind.paper_name != "-"]
    assert properties["paper_name"]["enum"] == [*named, None]
