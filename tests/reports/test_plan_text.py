"""The plan's text against golden files; rewrite them by hand when the wording changes on purpose."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from constraint_sdc.commands.masking.carrying_out import require_same_plan
from constraint_sdc.data.series import Grid
from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.files.json_file import json_text, shipped_file
from constraint_sdc.plan.plan import Formation, Plan, StratumPlan, Why
from constraint_sdc.plan.plan_json import plan_digest, plan_from_json, plan_to_json
from constraint_sdc.reports.masking.explain_text import rule_text
from constraint_sdc.reports.masking.plan_text import WHY_MEANING, plan_text
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Standardise
from tests.reports.plans import FULL, PLAIN, SUM, satisfies

HEAVY = replace(SUM.variables[0], weight=2.0)
BESIDE_WHOLE = replace(SUM.variables[0], grid=Grid(2, pads=True, plain_whole=True))
PADDED = replace(FULL, blocks=(replace(SUM, variables=(BESIDE_WHOLE, *SUM.variables[1:])),))
GOLDEN = Path(__file__).with_name("golden")


def golden(name: str) -> str:
    return (GOLDEN / name).read_text("utf-8")


def test_a_plan_tells_blocks_strata_operators_reasons_and_price() -> None:
    assert plan_text(FULL) == golden("plan.txt")


def test_a_plan_without_rules_is_plain_microaggregation() -> None:
    assert plan_text(PLAIN) == golden("plan-plain.txt")


def test_a_narrow_terminal_wraps_everything_but_tables() -> None:
    text = plan_text(FULL, columns=70)
    assert text == golden("plan-narrow.txt")
    assert max(map(len, text.splitlines())) <= 70


def test_colour_adds_escape_sequences_and_nothing_else() -> None:
    coloured = plan_text(FULL, colour=True)
    assert "\x1b[33mjudged\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plan_text(FULL)


def test_a_hostile_name_cannot_steer_the_terminal() -> None:
    named = replace(SUM.variables[0], name="\x1b]0;x\x07V9\n\x1b[31m")
    hostile = replace(SUM.block, names=(named.name,), because=because("values-exchanged", variable="\x1b[2Jtied"))
    text = plan_text(replace(FULL, blocks=(replace(SUM, block=hostile, variables=(named,)),)))
    assert "\x1b" not in text
    assert "block 1: V9\n" in text


def test_the_ordinary_unit_and_weights_of_one_are_not_mentioned() -> None:
    text = plan_text(PLAIN)
    assert "standardised" not in text
    assert "weight" not in text
    assert "effort" not in text


def test_many_strata_are_counted_not_listed() -> None:
    strata = tuple(StratumPlan((satisfies(f"V8 = {i}", "R"),), 10, Formation.MERGED, ()) for i in range(40))
    text = plan_text(replace(FULL, blocks=(replace(SUM, strata=strata),)))
    assert "V8 = 11" in text
    assert "V8 = 12" not in text
    assert "... and 28 more strata" in text


def test_broken_rules_of_a_plan_that_refuses_errors_do_not_stop_masking() -> None:
    text = plan_text(replace(FULL, on_broken="refuse"))
    assert "masked too; no other record may come to break a rule (on_broken: refuse)" in text
    assert "only broken rules of severity error stop masking" in text
    assert "only broken rules" not in plan_text(FULL)


def test_every_reason_has_its_meaning() -> None:
    assert set(WHY_MEANING) == set(Why)


def test_one_rule_is_explained_with_its_block() -> None:
    rule = FULL.blocks[1].rules[0]
    assert rule_text(FULL, rule) == golden("explain-rule.txt")


def test_a_rule_outside_the_blocks_says_what_is_masked_of_it() -> None:
    town, unique = FULL.rules
    assert "none of its variables is masked" in rule_text(FULL, town)
    assert "although masking changes V9" in rule_text(FULL, unique)


@pytest.mark.parametrize("plan", [FULL, PLAIN, PADDED])
def test_a_plan_survives_as_json_under_its_schema(plan: Plan) -> None:
    schema = json.loads(shipped_file("schemas", "plan.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    content = json.loads(json_text(plan_to_json(plan)))
    jsonschema.Draft202012Validator(schema).validate(content)
    again = plan_from_json(content)
    assert [block.variables for block in again.blocks] == [block.variables for block in plan.blocks]
    assert plan_digest(again) == plan_digest(plan)
    assert plan_to_json(again) == content
    assert plan_text(again) == plan_text(plan)


def test_the_digest_rests_on_decisions_not_on_prices() -> None:
    cheaper = replace(SUM, price=replace(SUM.price, loss=1.0)) if SUM.price else SUM
    assert plan_digest(replace(FULL, blocks=(cheaper, FULL.blocks[1]))) == plan_digest(FULL)
    other = replace(SUM, strategy=because("values-exchanged", variable="V9"))
    assert plan_digest(replace(FULL, blocks=(other, FULL.blocks[1]))) != plan_digest(FULL)
    assert plan_digest(replace(FULL, seed=1)) != plan_digest(FULL)


def test_a_saved_plan_meets_its_equal() -> None:
    require_same_plan(FULL, replace(FULL, blocks=tuple(replace(block, price=None) for block in FULL.blocks)))


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (replace(FULL, inputs=FULL.inputs | {"data": "0" * 64}), "changed since the plan was saved: data"),
        (replace(FULL, inputs=FULL.inputs | {"recipe": "0" * 64}), "changed since the plan was saved: recipe"),
        (
            replace(FULL, inputs={"data": "a" * 64, "rules": "0" * 64}),
            "changed since the plan was saved: rules, rules: constraints.sch",
        ),
        (
            replace(FULL, blocks=(SUM, replace(FULL.blocks[1], strategy=SUM.strategy))),
            "differ in: block 2 (V8, V12, V13)",
        ),
        (replace(FULL, blocks=(SUM,), records=9), "differ in: number of records, number of blocks"),
        (replace(FULL, kept=()), "differ in: variables that are not masked"),
        (replace(FULL, seed=3), "differ in: options"),
        (replace(FULL, division=replace(FULL.division, effort="best")), "differ in: options"),
        (replace(FULL, division=replace(FULL.division, standardise=Standardise.NONE)), "differ in: options"),
        (replace(FULL, division=replace(FULL.division, weights=None)), "differ in: options"),
        (
            replace(
                FULL, blocks=(replace(SUM, partition=because("partition-method", partition="rim")), FULL.blocks[1])
            ),
            "differ in: block 1 (V9, V10, V14)",
        ),
        (
            replace(FULL, blocks=(replace(SUM, variables=(HEAVY, *SUM.variables[1:])), FULL.blocks[1])),
            "differ in: block 1 (V9, V10, V14)",
        ),
        (replace(FULL, rules=()), "differ in: rules that no block decides"),
        (replace(FULL, assumptions=()), "differ in: assumptions"),
        (replace(FULL, broken={}), "differ in: records that break rules"),
    ],
)
def test_a_saved_plan_refuses_what_changed_and_says_what(now: Plan, says: str) -> None:
    with pytest.raises(PlanRefusedError) as refusal:
        require_same_plan(FULL, now)
    assert says in str(refusal.value)
    assert refusal.value.exit_code == 3
