"""Variables tied together by rules form blocks."""

from __future__ import annotations

from constraint_sdc.constraints.show import blocks
from constraint_sdc.constraints.understand import understand
from tests.constraints.pairs import let, pattern, rule, schema


def blocks_of(*tests: str) -> tuple[tuple[str, ...], ...]:
    return blocks(understand(schema(pattern(rule("Record", *tests))), record="Record", outside=("Data",)))


def test_each_rule_ties_its_variables() -> None:
    assert blocks_of("V9 + V10 = number(V14)", "number(V3) > 0") == (("V9", "V10", "V14"), ("V3",))


def test_rules_that_share_a_variable_make_one_block() -> None:
    assert blocks_of("V1 + V2 = number(V3)", "number(V4) > 0", "number(V3) <= number(V4)") == (
        ("V1", "V2", "V3", "V4"),
    )


def test_the_order_of_rules_does_not_change_which_variables_meet() -> None:
    tests = ["number(V1) <= number(V2)", "number(V3) <= number(V4)", "number(V2) <= number(V3)", "number(V5) > 0"]
    sets = {frozenset(map(frozenset, blocks_of(*order))) for order in (tests, tests[::-1], tests[2:] + tests[:2])}
    assert sets == {frozenset({frozenset({"V1", "V2", "V3", "V4"}), frozenset({"V5"})})}


def test_an_opaque_rule_ties_its_variables_and_a_cross_record_rule_does_not() -> None:
    assert blocks_of("upper-case(V1) = V2", "sum(//V3) = sum(//V4)") == (("V1", "V2"),)
    assert blocks_of("V1/text() = V2") == (("V1", "V2"),)


def test_the_condition_of_the_context_ties_too() -> None:
    edits = understand(schema(pattern(rule("Record[V8 < 1115]", "V13 > 0"))), record="Record", outside=("Data",))
    assert blocks(edits) == (("V8", "V13"),)


def test_no_rules_no_blocks() -> None:
    assert blocks(()) == ()


def test_an_opaque_rule_ties_what_its_variables_and_its_context_read() -> None:
    behind_a_let = rule("Record", "$x/text() = V2", lets=(let("x", "V1"),))
    in_the_context = rule("Record[V3/text() = '1']", "V4 > 0")
    edits = understand(schema(pattern(behind_a_let), pattern(in_the_context)), record="Record", outside=("Data",))
    assert all(edit.is_record_local and edit.constraint.kind.value == "opaque" for edit in edits)
    assert blocks(edits) == (("V1", "V2"), ("V3", "V4"))
