"""Variables are put in the place of their names, in the scope and at the node where XSLT evaluates them."""

from __future__ import annotations

import pytest

from constraint_sdc.constraints.constraint import EditRule, Kind
from constraint_sdc.constraints.show import show_constraint
from constraint_sdc.constraints.understand import understand
from constraint_sdc.evaluate.expression import Compare, Literal, Outside, Variable
from constraint_sdc.schematron.schema import Let, Parameter, Schema
from tests.constraints.pairs import HERE, let, pattern, rule, schema


def read(described: Schema, overridden: frozenset[str] = frozenset()) -> EditRule:
    return understand(described, record="Record", outside=("Data",), overridden=overridden)[0]


def one(test: str, *, own: tuple[Let, ...] = (), outer: tuple[Let, ...] = (), top: tuple[Let, ...] = ()) -> EditRule:
    return read(schema(pattern(rule("Record", test, lets=own), lets=outer), lets=top))


def test_a_rule_variable_is_its_expression_at_the_context_node() -> None:
    edit = one("$total = number(V14)", own=(let("total", "number(V9) + number(V10)"),))
    assert show_constraint(edit.constraint) == "V9 + V10 = V14"
    assert edit.is_record_local


def test_a_rule_variable_may_stand_for_the_record_or_for_a_variable_of_it() -> None:
    assert show_constraint(one("$r/V1 > 0", own=(let("r", "."),)).constraint) == "V1 > 0"
    assert show_constraint(one("$v > 0", own=(let("v", "V1"),)).constraint) == "V1 > 0"


def test_later_variables_see_earlier_ones() -> None:
    edit = one("$b <= 10", own=(let("a", "number(V1)"), let("b", "$a * 2")))
    assert show_constraint(edit.constraint) == "V1 <= 5"


def test_the_nearest_scope_wins() -> None:
    edit = one("number(V1) <= $x", own=(let("x", "3"),), outer=(let("x", "2"),), top=(let("x", "1"),))
    assert show_constraint(edit.constraint) == "V1 <= 3"
    edit = one("number(V1) <= $x", outer=(let("x", "2"),), top=(let("x", "1"),))
    assert show_constraint(edit.constraint) == "V1 <= 2"


def test_a_variable_may_be_built_from_the_outer_one_of_the_same_name() -> None:
    edit = one("number(V1) <= $x", own=(let("x", "$x + 1"),), top=(let("x", "1"),))
    assert show_constraint(edit.constraint) == "V1 <= 2"


def test_schema_variables_may_refer_to_each_other_in_any_order() -> None:
    edit = one("number(V1) <= $b", top=(let("b", "$a + 1"), let("a", "1")))
    assert show_constraint(edit.constraint) == "V1 <= 2"


def test_the_phase_has_the_last_word_among_global_variables() -> None:
    edit = one("number(V1) <= $x", top=(let("x", "1"), let("x", "7")))
    assert show_constraint(edit.constraint) == "V1 <= 7"


def test_a_phase_variable_may_be_built_from_the_schema_variable_of_the_same_name() -> None:
    edit = one("number(V1) <= $x", top=(let("x", "1"), let("y", "$x"), let("x", "$x + $y + 5")))
    assert show_constraint(edit.constraint) == "V1 <= 7"


def test_a_variable_without_value_is_the_empty_text() -> None:
    assert show_constraint(one("V1 != $x", top=(let("x"),)).constraint) == "V1 is filled"


@pytest.mark.parametrize("place", ["own", "outer", "top"])
def test_the_command_line_gives_the_original_wherever_it_is_declared(place: str) -> None:
    lets = {place: (let("original", "doc('o.xml')"),)}
    described = schema(
        pattern(rule("Record", "V1 = $original//V1", lets=lets.get("own", ())), lets=lets.get("outer", ())),
        lets=lets.get("top", ()),
    )
    assert read(described).expression.right == Outside("/rules/o.xml", ("V1",))
    assert read(described, frozenset({"original"})).expression.right == Outside(None, ("V1",))
    assert read(described, frozenset({"original"})).is_record_local


@pytest.mark.parametrize(
    ("variable", "word"),
    [
        (let("x", None, "<a>1</a>"), "XML content"),
        (let("x", "5", type_name="xs:double"), "its type is declared"),
        (let("x", "$x"), "refers to itself"),
        (let("x", "V1 +"), "parser stopped"),
    ],
)
def test_a_variable_that_is_not_understood_says_why(variable: Let, word: str) -> None:
    edit = one("number(V1) <= $x", top=(variable,))
    assert edit.expression is None
    assert word in edit.constraint.reason


def test_variables_that_go_round_in_a_circle_are_refused() -> None:
    edit = one("number(V1) <= $a", top=(let("a", "$b"), let("b", "$a")))
    assert edit.expression is None


@pytest.mark.parametrize("value", ["V1", "number(V1)", "Record/V1", "//Record/V1", "/", ".", "count(//Record)"])
def test_a_pattern_or_schema_variable_is_evaluated_at_the_root_and_so_looks_at_every_record(value: str) -> None:
    for edit in (one("number(V1) <= $x", outer=(let("x", value),)), one("number(V1) <= $x", top=(let("x", value),))):
        assert edit.expression is None
        assert not edit.is_record_local
        assert edit.constraint.kind is Kind.CROSS_RECORD


def test_lists_and_documents_in_schema_variables_are_the_same_for_every_record() -> None:
    edit = one("V1 = $codes", top=(let("codes", "('A', 'B')"),))
    assert show_constraint(edit.constraint) == "V1 in {'A', 'B'}"
    edit = one("V1 = $codes/code", top=(let("codes", "doc('codes.xml')/codes"),))
    source = Outside("/rules/codes.xml", ("codes", "code"), absolute=True)
    assert edit.expression == Compare("=", Variable("V1"), source)
    assert edit.is_record_local


@pytest.mark.parametrize(
    ("key", "is_plain"),
    [
        ('match="Record" use="V1"', True),
        ('match="//Record" use="./V1"', True),
        ('match="Data/Record" use="V1"', True),
        ('match="Record" use="V1" collation="urn:c"', False),
        ('match="Record" use="V1" composite="yes"', False),
        ('match="Record" use="number(V1)"', False),
        ('match="Record" use="V1 +"', False),
        ('match="Record[V2]" use="V1"', False),
        ('match="Record" use="*"', False),
    ],
)
@pytest.mark.parametrize("content", ["", "<xsl:sequence select='V1'/>"])
def test_only_a_key_of_plain_names_is_a_value_domain(key: str, content: str, is_plain: bool) -> None:
    xsl = 'xmlns:xsl="http://www.w3.org/1999/XSL/Transform"'
    foreign = ((f'<xsl:key {xsl} name="by-V1" {key}>{content}</xsl:key>', HERE),)
    described = schema(pattern(rule("Record", "exists(key('by-V1', V1, $original))")), foreign=foreign)
    kind = read(described, frozenset({"original"})).constraint.kind
    assert kind is (Kind.VALUE_DOMAIN if is_plain and not content else Kind.OPAQUE)


def test_the_original_is_the_document_that_its_let_names_unless_the_command_line_gives_one() -> None:
    described = schema(pattern(rule("Record", "V1 = $original//Record/V1")), lets=(let("original", "doc('o.xml')"),))
    assert read(described).expression.right == Outside("/rules/o.xml", ("Record", "V1"))
    assert read(described, frozenset({"original"})).expression.right == Outside(None, ("Record", "V1"))


def test_an_original_that_is_only_declared_waits_for_the_command_line() -> None:
    parameter = Parameter("original", None, None, HERE)
    described = schema(pattern(rule("Record", "V1 = $original//Record/V1")), parameters=(parameter,))
    assert read(described).expression.right == Outside(None, ("Record", "V1"))


def test_parameters_have_their_default_and_lose_it_when_overridden() -> None:
    parameter = Parameter("limit", "5", None, HERE)
    described = schema(pattern(rule("Record", "number(V1) <= $limit")), parameters=(parameter,))
    assert read(described).expression.right == Literal(5)
    given = read(described, frozenset({"limit"}))
    assert given.expression is None
    assert "command line" in given.constraint.reason
    assert given.is_record_local


def test_documents_are_found_beside_the_file_that_names_them() -> None:
    elsewhere = Let("codes", "doc('codes.xml')//code", None, None, type(HERE)("/shared/lib.sch", 3))
    edit = one("V1 = $codes", top=(elsewhere,))
    assert edit.expression.right == Outside("/shared/codes.xml", ("code",))


def test_content_that_computes_nothing_is_the_same_for_every_record() -> None:
    plain = one("V1 = $codes/c", top=(let("codes", None, "<c>A</c><c>B</c>"),))
    assert plain.is_record_local
    assert plain.expression is None
    computed = one("V1 = $codes/c", top=(let("codes", None, "<c>{//Record[1]/V1}</c>"),))
    assert not computed.is_record_local
