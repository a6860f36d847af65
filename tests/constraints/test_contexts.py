"""A rule's context is a record or a variable of it, under a condition; earlier rules of the pattern come first."""

from __future__ import annotations

import pytest

from constraint_sdc.constraints.constraint import Context, EditRule
from constraint_sdc.constraints.contexts import guess_record
from constraint_sdc.constraints.show import show_constraint
from constraint_sdc.constraints.understand import understand
from constraint_sdc.evaluate.expression import And, Compare, Literal, Variable
from tests.constraints.pairs import pattern, rule, schema

V8_SMALL = Compare("<", Variable("V8"), Literal(1115))


def one(context: str, test: str = "true()", record: str | None = "Record") -> EditRule:
    outside = ("Data", "Part") if record else None
    return understand(schema(pattern(rule(context, test))), record=record, outside=outside)[0]


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("Record", Context(("Record",), False, None, None)),
        ("//Record", Context(("Record",), False, None, None)),
        ("/Data/Record", Context(("Data", "Record"), True, None, None)),
        ("Data/Record", Context(("Data", "Record"), False, None, None)),
        ("//Data/Record", Context(("Data", "Record"), False, None, None)),
        ("Record[V8 < 1115]", Context(("Record",), False, None, V8_SMALL)),
        ("Record[V8 < 1115][V1]", Context(("Record",), False, None, And((V8_SMALL, Variable("V1"))))),
        ("Record/V3", Context(("Record", "V3"), False, "V3", None)),
        ("V3", Context(("V3",), False, "V3", None)),
        ("//V3", Context(("V3",), False, "V3", None)),
        ("/Data/Record/V3", Context(("Data", "Record", "V3"), True, "V3", None)),
        ("Record/@V1", Context(("Record", "@V1"), False, "@V1", None)),
        ("Record[V8 < 1115]/V3", Context(("Record", "V3"), False, "V3", V8_SMALL)),
        ("Record/V8[. < 1115]", Context(("Record", "V8"), False, "V8", V8_SMALL)),
        ("V3[../V8 < 1115]", Context(("V3",), False, "V3", V8_SMALL)),
        ("V8[current() < 1115]", Context(("V8",), False, "V8", V8_SMALL)),
    ],
)
def test_contexts_that_are_a_record_or_a_variable(context: str, expected: Context) -> None:
    edit = one(context)
    assert edit.context == expected
    assert edit.context_text == context
    assert edit.is_record_local


@pytest.mark.parametrize("context", ["c:Record", "c:Record[c:V1]"])
def test_a_record_in_a_namespace_is_named_in_clark_notation(context: str) -> None:
    described = schema(pattern(rule(context, "c:V1 > 0")))
    (edit,) = understand(described, record="{urn:census}Record", outside=("{urn:census}Data",))
    assert edit.context.steps == ("{urn:census}Record",)
    assert edit.constraint.variables == ("{urn:census}V1",)
    assert "V1 > 0" in show_constraint(edit.constraint)


@pytest.mark.parametrize(
    "context",
    [
        "V3 | V4",
        "Record | Data",
        "*",
        "@*",
        "node()",
        "text()",
        "/",
        "Data//Record",
        "Record//V3",
        "Record[1]",
        "Record[last()]",
        "Record[number(V1)]",
        "Record[V1 + 1]",
        "Part/V3",
        "Data[@year = 2020]/Record",
        "Record[../@year = 2020]",
        "Record[preceding-sibling::Record]",
        "id('x')",
        "key('k', 'x')",
        "Record[V1/text() = 1]",
        "@V1",
        "Record[current()/V1 = 1]/V3",
    ],
)
def test_contexts_that_are_not_understood(context: str) -> None:
    edit = one(context, "V1 = 1")
    assert edit.context is None
    assert edit.constraint.kind.value in ("opaque", "cross-record")


@pytest.mark.parametrize(
    ("context", "is_local"),
    [
        ("Record/V3 | Record/V4", True),
        ("Record/*", True),
        ("Record/@*", True),
        ("Record//V3", True),
        ("Record/V3/text()", True),
        ("Record[V1/text() = '1']", True),
        ("Record[count(*) > 3]", True),
        ("Data/Record | Part/Record", True),
        ("Record/V3[1]", True),
        ("Record/V3[position() = 1]", True),
        ("Data", False),
        ("*", False),
        ("@V1", False),
        ("@*", False),
        ("node()", False),
        ("/", False),
        ("Record | Data", False),
        ("Record[1]", False),
        ("Record[position() > 2]", False),
        ("Record[last()]", False),
        ("Record[count(V1)]", False),
        ("Record[../@year]", False),
        ("Data[@year]/Record", False),
        ("Record[//x]", False),
        ("Part/V3", False),
        ("id('x')", False),
        ("key('k', 'x')", False),
        ("Record[key('k', V1)]", False),
        ("Record[. is (//Record)[1]]", False),
    ],
)
def test_matching_a_context_looks_at_the_record_alone_or_does_not(context: str, is_local: bool) -> None:
    assert one(context, "true()").is_record_local == is_local


@pytest.mark.parametrize(
    ("attributes", "kind"), [((), "possible values"), (("@year",), "possible values"), (("@V1",), "cross-record")]
)
def test_an_attribute_is_a_variable_if_the_data_has_it_on_records_alone(attributes: tuple[str, ...], kind: str) -> None:
    rules = schema(pattern(rule("@V1", "number(.) > 0")))
    (edit,) = understand(rules, record="Record", outside=("Data",), attributes=attributes)
    assert edit.constraint.kind.value == kind
    assert edit.is_record_local == (kind != "cross-record")


def test_without_the_names_outside_records_a_bare_variable_is_not_proven_local() -> None:
    described = schema(pattern(rule("V3", ". >= 0")))
    assert not understand(described, record="Record")[0].is_record_local
    assert understand(described, record="Record", outside=("Data",))[0].is_record_local
    assert not understand(described, record="Record", outside=("Data", "V3"))[0].is_record_local


def test_the_condition_of_the_context_belongs_to_the_constraint() -> None:
    assert show_constraint(one("Record[V8 < 1115]", "number(V13) <= number(V12)").constraint) == (
        "if V8 < 1115 then V13 <= V12"
    )


def test_a_context_variable_is_judged_only_where_it_is_present() -> None:
    assert show_constraint(one("Record/V3", ". >= 0").constraint) == "if V3 is present then V3 >= 0"


def test_an_earlier_rule_of_the_pattern_takes_its_records_away() -> None:
    rules = rule("Record[V1 = 1]", "V2 = 0"), rule("Record", "V2 > 0", first=2)
    first, second = understand(schema(pattern(*rules)), record="Record", outside=("Data",))
    assert show_constraint(first.constraint) == "if V1 = 1 then V2 = 0"
    assert show_constraint(second.constraint) == "V1 = 1 or V2 > 0"
    assert second.context.condition is None


def test_in_a_group_every_rule_fires() -> None:
    rules = rule("Record[V1 = 1]", "V2 = 0"), rule("Record", "V2 > 0", first=2)
    _, second = understand(schema(pattern(*rules, is_group=True)), record="Record", outside=("Data",))
    assert show_constraint(second.constraint) == "V2 > 0"


def test_an_earlier_rule_on_other_nodes_takes_nothing() -> None:
    rules = rule("Record/V9", ". > 0"), rule("Data", "count(Record) > 1", first=2), rule("Record", "V2 > 0", first=3)
    third = understand(schema(pattern(*rules)), record="Record", outside=("Data",))[2]
    assert show_constraint(third.constraint) == "V2 > 0"
    assert third.is_record_local


def test_a_rule_after_one_that_takes_every_record_never_fires() -> None:
    rules = rule("Record", "V1 > 0"), rule("Record[V2]", "V2 > 0", first=2)
    second = understand(schema(pattern(*rules)), record="Record", outside=("Data",))[1]
    assert "always true" in second.constraint.reason


@pytest.mark.parametrize("earlier", ["Record[1]", "*", "Record[../@x]", "node()"])
def test_a_rule_after_one_that_looks_around_is_not_local(earlier: str) -> None:
    rules = rule(earlier, "true()"), rule("Record", "V2 > 0", first=2)
    second = understand(schema(pattern(*rules)), record="Record", outside=("Data",))[1]
    assert not second.is_record_local
    assert second.constraint.kind.value == "cross-record"


def test_a_rule_on_other_records_names_their_variables_and_nothing_around_them() -> None:
    edit = one("Record", "sum(/Data/Record/V1) = count(/Data/Record[V2]/*)")
    assert edit.constraint.kind.value == "cross-record"
    assert edit.constraint.variables == ("V1", "V2")


def test_a_pattern_on_other_documents_is_not_about_records() -> None:
    described = schema(pattern(rule("Record", "V1 > 0"), documents="'other.xml'"))
    (edit,) = understand(described, record="Record", outside=("Data",))
    assert edit.context is None
    assert not edit.is_record_local
    assert edit.constraint.reason == "the pattern judges other documents"


@pytest.mark.parametrize(
    ("contexts", "guess"),
    [
        ((("Record", "V1 > 0"),), "Record"),
        ((("Record/V3", ". > 0"),), "Record"),
        ((("Row", "@V1 > 0"),), "Row"),
        ((("Data", "count(Row) > 0"), ("Row", "V1 > 0"), ("Row", "V2 > 0")), "Row"),
        ((("Record[V1 = 1]", "true()"),), "Record"),
        ((("Record", "current()/V1 > 0"),), "Record"),
        ((("Record", "$x > 0"), ("Row", "number(V1) > 0")), "Row"),
    ],
)
def test_without_data_the_record_is_guessed_from_the_rules(contexts: tuple[tuple[str, str], ...], guess: str) -> None:
    described = schema(*(pattern(rule(context, test)) for context, test in contexts))
    assert guess_record(described, {})[0] == guess


def test_without_data_other_elements_with_children_enclose_the_records() -> None:
    described = schema(pattern(rule("Data", "count(Row) > 0")), pattern(rule("Row", "V1 > 0", "V2 > 0", first=2)))
    first, second, _ = understand(described)
    assert first.constraint.kind.value == "cross-record"
    assert second.constraint.kind.value == "possible values"


def test_without_data_a_lone_variable_is_taken_for_one() -> None:
    edit = one("V3", ". >= 0", record=None)
    assert edit.context.variable == "V3"
    assert show_constraint(edit.constraint) == "if V3 is present then V3 >= 0"


@pytest.mark.parametrize(
    ("context", "is_local"), [("Person[V1 = 1]/V3", True), ("V3[. = 1]", True), ("Data[V1 = 1]/Person/V3", False)]
)
def test_without_data_a_variable_may_be_of_another_record_than_the_guessed_one(context: str, is_local: bool) -> None:
    described = schema(pattern(rule("Row", "V1 > 0", "V2 > 0")), pattern(rule(context, ". > 0", first=3)))
    assert understand(described)[2].is_record_local == is_local
