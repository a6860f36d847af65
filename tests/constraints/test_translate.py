"""The translation keeps what XPath computes, in its order, or says why it does not translate."""

from __future__ import annotations

from decimal import Decimal

import pytest

from constraint_sdc.evaluate.expression import (
    EMPTY,
    FALSE,
    TRUE,
    And,
    Arithmetic,
    Call,
    Castable,
    Compare,
    If,
    Literal,
    Negate,
    Not,
    Or,
    Outside,
    Sequence,
    Variable,
)
from constraint_sdc.xpath.scope import Document, record_scope
from constraint_sdc.xpath.syntax import NotUnderstood
from constraint_sdc.xpath.translate import translate

V1, V2, V3 = Variable("V1"), Variable("V2"), Variable("V3")
NAMESPACES = {"c": "urn:census"}
SCOPE = record_scope("/rules").bind("original", Document(None))
IN_V3 = record_scope("/rules", variable="V3")


def exists(variable: Variable) -> Call:
    return Call("exists", (variable,))


@pytest.mark.parametrize(
    "text", ["V1", "./V1", "child::V1", "(V1)", "current()/V1", "self::node()/V1", "V1[1]", "V1/."]
)
def test_every_way_to_name_a_child_is_the_same_variable(text: str) -> None:
    assert translate(text, SCOPE, NAMESPACES) == V1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("@V1", "@V1"),
        ("attribute::V1", "@V1"),
        ("c:V1", "{urn:census}V1"),
        ("@c:V1", "@{urn:census}V1"),
        ("c:size", "{urn:census}size"),
        ("@c:size", "@{urn:census}size"),
    ],
)
def test_attributes_and_namespaces_are_part_of_the_name(text: str, name: str) -> None:
    assert translate(text, SCOPE, NAMESPACES) == Variable(name)


def test_the_empty_prefix_names_the_namespace_of_elements_but_not_of_attributes() -> None:
    names = {"": "urn:census"}
    assert translate("V1", SCOPE, names) == Variable("{urn:census}V1")
    assert translate("child::V1", SCOPE, names) == Variable("{urn:census}V1")
    assert translate("@V1", SCOPE, names) == Variable("@V1")
    assert translate("Q{}V1", SCOPE, names) == V1
    assert translate("let $x := 1 return $x", SCOPE, names) == Literal(1)


@pytest.mark.parametrize("text", [".", "self::node()", "current()", "../V3"])
def test_in_the_context_of_a_variable_the_dot_is_that_variable(text: str) -> None:
    assert translate(text, IN_V3, NAMESPACES) == V3


def test_siblings_of_a_context_variable_are_variables_too() -> None:
    assert translate("../V4", IN_V3, NAMESPACES) == Variable("V4")
    assert translate("current()/../@V4", IN_V3, NAMESPACES) == Variable("@V4")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("V1 + V2 - V3", Arithmetic("-", Arithmetic("+", V1, V2), V3)),
        ("V1 - (V2 - V3)", Arithmetic("-", V1, Arithmetic("-", V2, V3))),
        ("-V1 * 2", Arithmetic("*", Negate(V1), Literal(2))),
        ("+V1", Negate(Negate(V1))),
        ("V1 idiv 2 mod 3", Arithmetic("mod", Arithmetic("idiv", V1, Literal(2)), Literal(3))),
        ("1.50", Literal(Decimal("1.50"))),
        ("1e3", Literal(1000.0)),
        ("'a''b'", Literal("a'b")),
        ("true()", TRUE),
        ("V1 eq 2", Compare("=", V1, Literal(2), value=True)),
        ("V1 >= 2", Compare(">=", V1, Literal(2))),
        ("V1 and V2 and V3", And((V1, V2, V3))),
        ("V1 or V2 and V3", Or((V1, And((V2, V3))))),
        ("not(V1)", Not(V1)),
        ("if (V1) then 1 else ()", If(V1, Literal(1), EMPTY)),
        ("(1, (V1, 2))", Sequence((Literal(1), V1, Literal(2)))),
        ("1 to 3", Sequence((Literal(1), Literal(2), Literal(3)))),
        ("3 to 1", EMPTY),
        ("xs:decimal(V1)", Call("xs:decimal", (V1,))),
        ("V1 cast as xs:integer?", Call("xs:integer", (V1,))),
        ("V1 castable as xs:integer", Castable(V1, "xs:integer")),
        ("V1 castable as xs:date?", Castable(V1, "xs:date", optional=True)),
        ("fn:sum((V1, V2))", Call("sum", (Sequence((V1, V2)),))),
        ("math:pow(V1, 2)", Call("math:pow", (V1, Literal(2)))),
        ("V1 || 'x'", Call("concat", (V1, Literal("x")))),
        ("V1 => string()", Call("string", (V1,))),
        ("V1 => concat('a', 'b')", Call("concat", (V1, Literal("a"), Literal("b")))),
        ("(V1, V2) => sum()", Call("sum", (Sequence((V1, V2)),))),
        ("let $x := V1 return $x + $x", Arithmetic("+", V1, V1)),
        ("exists(V1 | V2 | V1)", Call("exists", (Sequence((V1, V2)),))),
        ("1 div 0", Arithmetic("div", Literal(1), Literal(0))),
        ("V1(: a remark :)+ 1", Arithmetic("+", V1, Literal(1))),
    ],
)
def test_operations_keep_their_order(text: str, expected: object) -> None:
    assert translate(text, SCOPE, NAMESPACES) == expected


def test_a_cast_without_question_mark_refuses_an_absent_value() -> None:
    assert translate("V1 cast as xs:integer", SCOPE, {}) == Call("xs:integer", (Call("exactly-one", (V1,)),))
    assert translate(". cast as xs:integer", IN_V3, {}) == Call("xs:integer", (V3,))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "every $x in (V1, 3) satisfies $x > 0",
            And((If(exists(V1), Compare(">", V1, Literal(0)), TRUE), Compare(">", Literal(3), Literal(0)))),
        ),
        ("some $x in V1 satisfies $x > 0", Or((If(exists(V1), Compare(">", V1, Literal(0)), FALSE),))),
        (
            "for $x in (V1, number(V2)) return $x * 2",
            Sequence(
                (
                    If(exists(V1), Arithmetic("*", V1, Literal(2)), EMPTY),
                    Arithmetic("*", Call("number", (V2,)), Literal(2)),
                )
            ),
        ),
        ("V1 ! number(.)", If(exists(V1), Call("number", (V1,)), EMPTY)),
        ("V1/string()", If(exists(V1), Call("string", (V1,)), EMPTY)),
        ("V1[. = V2]", NotUnderstood),
        ("V1[number(.) > 3]", If(exists(V1), If(Compare(">", Call("number", (V1,)), Literal(3)), V1, EMPTY), EMPTY)),
        ("V1[exists(../V2)]", If(exists(V2), V1, EMPTY)),
        ("V1[2]", EMPTY),
    ],
)
def test_what_is_absent_is_not_gone_through(text: str, expected: object) -> None:
    found = translate(text, SCOPE, NAMESPACES)
    if expected is NotUnderstood:
        assert isinstance(found, NotUnderstood)
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$original//Record/V1", Outside(None, ("Record", "V1"))),
        ("$original//V1", Outside(None, ("V1",))),
        ("doc('x.xml')//Record/V1", Outside("/rules/x.xml", ("Record", "V1"))),
        ("document('../data/x.xml')/Data/Record/V1", Outside("/data/x.xml", ("Data", "Record", "V1"), absolute=True)),
        ("doc('file:///d/x%20y.xml')//c:R/@V1", Outside("/d/x y.xml", ("{urn:census}R", "@V1"))),
        ("let $r := $original//Record return $r/V1", Outside(None, ("Record", "V1"))),
    ],
)
def test_paths_into_other_documents_are_resolved(text: str, expected: Outside) -> None:
    assert translate(text, SCOPE, NAMESPACES) == expected


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("V1/text()", "write V1 alone"),
        ("*:V1", "with a plain name are variables"),
        ("*", "plain name"),
        (".", "whole element"),
        ("//V1", "outside its own record"),
        ("/Data/@x", "outside its own record"),
        ("../V1", "encloses the record"),
        ("preceding-sibling::Record/V1", "other records"),
        ("V1/../V2", "may be absent"),
        ("V1 | V2", "operator |"),
        ("sum(V1 | V2)", "operator |"),
        ("V1 instance of xs:integer", "instance"),
        ("1 to 100000", "range"),
        ("1 to count(V1)", "range"),
        ("for $x in tokenize(V1, ' ') return $x", "not fixed"),
        ("position()", "position()"),
        ("current-date()", "current-date()"),
        ("$unknown", "not declared"),
        ("doc(V1)//x", "one literal text"),
        ("document('')//x", "rule file itself"),
        ("doc('http://example.org/x.xml')//x", "plain file names"),
        ("doc('x.xml')//a//b", "// only at its beginning"),
        ("doc('x.xml')//a[@k = 1] = 'b'", "predicate"),
        ("number#1", "is not supported"),
        ("function($x) { $x }", "inline function"),
        ("map { 'a': V1 }", "map"),
        ("V1 +", "parser stopped"),
        ("p:V1", "not declared"),
        ("V1[number(.)]", "position"),
        ("key('k', V1, $original) = 1", "key()"),
    ],
)
def test_what_lies_outside_has_a_reason(text: str, word: str) -> None:
    found = translate(text, SCOPE, NAMESPACES)
    assert isinstance(found, NotUnderstood)
    assert word in str(found)


def test_nesting_beyond_reason_is_a_value_and_not_a_crash() -> None:
    assert isinstance(translate("(" * 5000 + "1" + ")" * 5000, SCOPE, {}), NotUnderstood)
    assert isinstance(translate("not(" * 3000 + "V1" + ")" * 3000, SCOPE, {}), NotUnderstood)


def test_a_long_list_of_codes_is_long_and_not_deep() -> None:
    found = translate(" or ".join(f"V1 = {code}" for code in range(500)), SCOPE, {})
    assert isinstance(found, Or)
    assert [item.right.value for item in found.items] == list(range(500))


def test_a_sum_of_a_hundred_variables_is_understood_and_one_of_a_thousand_is_not() -> None:
    assert isinstance(translate(" + ".join(f"V{i}" for i in range(100)), SCOPE, {}), Arithmetic)
    for count in (150, 300, 1000, 5000):
        assert isinstance(translate(" + ".join(f"V{i}" for i in range(count)), SCOPE, {}), NotUnderstood)
