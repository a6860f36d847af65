"""Cutting XPath into tokens, and what rests on it: renaming variables, confining calls, reading contexts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.judge.stylesheet import access
from constraint_sdc.judge.stylesheet.access import confine_expression
from constraint_sdc.judge.stylesheet.foreign import confine_attribute
from constraint_sdc.judge.stylesheet.xpath1_numbers import TEXT, with_xpath1_numbers
from constraint_sdc.schematron.schema import Origin
from constraint_sdc.schematron.xslt import JUDGE
from constraint_sdc.xpath.tokens import rename_variables, target_names, tokenize

HERE = Origin("/rules/a.sch", 1)
PIECES = st.sampled_from(
    ["doc", "(", ")", "'", '"', "''", "$x", "$", "x", ":", "::", "(:", ":)", "/", "//", "[", "]", "1.5e3", ".", "..",
     " ", "\n", "-", "a-b", "my:doc", "document", "=>", "#1", "Q{urn:x}", "é", "*", "@", ",", "+", "!", "|", "{", "}"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=40))
def test_tokens_joined_are_the_expression_again(expression: str) -> None:
    assert "".join(token.text for token in tokenize(expression)) == expression


@given(st.lists(PIECES, max_size=30).map("".join))
def test_renaming_to_the_same_name_changes_nothing(expression: str) -> None:
    assert rename_variables(expression, {"x": "x"}) == expression


@given(st.lists(PIECES, max_size=30).map("".join))
def test_renaming_touches_variables_only(expression: str) -> None:
    renamed = [t.text for t in tokenize(rename_variables(expression, {"x": "Q{urn:new}x"}))]
    assert [("x" if t == "Q{urn:new}x" else t) for t in renamed] == [t.text for t in tokenize(expression)]


@pytest.mark.parametrize(
    "expression",
    [
        "my:doc('x')", "doc/x", "$doc('x')", "'doc(1)'", '"it''s doc(1)"', "(: doc('x') :) 1", "document-node()",
        "@doc", "child::doc", "doc-x('a')", "x-doc('a')", "collections(1)", "(: (: doc( :) doc( :) 1", "element(doc)",
        "a.doc(1)",
    ],
)  # fmt: skip
def test_what_is_no_call_for_a_file_is_left_alone(expression: str) -> None:
    assert confine_expression(expression, HERE).text == expression


def test_an_expression_without_the_name_of_such_a_function_is_not_cut_into_tokens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def tokenize(expression: str) -> None:
        raise AssertionError(expression)

    monkeypatch.setattr(access, "tokenize", tokenize)
    assert confine_expression("number(V1) + number(V2) = number(V3)", HERE).text == (
        "number(V1) + number(V2) = number(V3)"
    )


@pytest.mark.parametrize(
    ("expression", "rewritten"),
    [
        ("doc('x')", "J:doc(B, 'x')"),
        ("doc ( 'x' )", "J:doc (B,  'x' )"),
        ("doc()", "J:doc(B)"),
        ("fn:doc(doc('x')/@h)", "J:doc(B, J:doc(B, 'x')/@h)"),
        ("'x' => doc()", "'x' => J:arrow-doc(B)"),
        ("doc#1", "function($p0) { J:doc(B, $p0) }"),
        ("unparsed-text#2('x', 'y')", "function($p0, $p1) { J:unparsed-text(B, $p0, $p1) }('x', 'y')"),
        ("'doc(' = doc('x')", "'doc(' = J:doc(B, 'x')"),
        ("document-uri(/)", "J:document-uri(/)"),
        ("document-uri()", "J:document-uri(.)"),
    ],
)
def test_a_call_for_a_file_goes_through_the_judge(expression: str, rewritten: str) -> None:
    expected = rewritten.replace("J:", f"Q{{{JUDGE}}}").replace("(B", "('file:///rules/a.sch'")
    assert confine_expression(expression, HERE).text == expected


@pytest.mark.parametrize(
    ("value", "rewritten"),
    [
        ("doc('x') {doc('x')}", "doc('x') {J:doc(B, 'x')}"),
        ("{{doc('x')}} {doc('x')}", "{{doc('x')}} {J:doc(B, 'x')}"),
        ("{map{'a': 1}?a} it's {doc('x')}", "{map{'a': 1}?a} it's {J:doc(B, 'x')}"),
        ("{map{'a': map{'}': 1}}} it's {doc('x')} doc('x')", "{map{'a': map{'}': 1}}} it's {J:doc(B, 'x')} doc('x')"),
        ("doc('x')", "doc('x')"),
    ],
)
def test_in_an_attribute_of_a_literal_element_only_what_braces_hold_is_an_expression(
    value: str, rewritten: str
) -> None:
    expected = rewritten.replace("J:", f"Q{{{JUDGE}}}").replace("(B", "('file:///rules/a.sch'")
    assert confine_attribute("", "a", value, HERE, {}).text == expected


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [("doc('x.xml')/a", ["x.xml"]), ("document(\"it''s\")", ["it''s"]), ("document('it''s')", ["it's"]),
     ("doc(concat('a', 'b'))", []), ("document('x', /)", []), ("unparsed-text('x')", [])],
)  # fmt: skip
def test_documents_named_literally_are_noticed(expression: str, wanted: list[str]) -> None:
    assert [w.href for w in confine_expression(expression, HERE).wanted] == wanted


@pytest.mark.parametrize(
    ("context", "names"),
    [
        ("Record", {"Record"}), ("/Data/Record", {"Record"}), ("//d:Record", {"d:Record"}),
        ("a | b[@x] | c/d", {"a", "b", "d"}), ("*", {"*"}), ("d:*", {"*"}), ("*:a", {"*"}),
        ("a[text()]/b", {"b"}), ("Q{urn:x}a", {"Q{urn:x}a"}),
        ("@x", None), ("a/text()", None), ("/", None), ("node()", None), ("a | /", None), ("$x", None),
        ("key('k', 1)", None), ("a union b", None), ("a except b", None), ("(a)", None), (".", None),
        ("child::a", None), ("", None), ("a//", None),
    ],
)  # fmt: skip
def test_the_elements_that_a_context_can_match_are_known_or_not(context: str, names: set[str] | None) -> None:
    assert target_names(context) == names


@pytest.mark.parametrize(
    ("argument", "is_wrapped"),
    [("1", True), ("a + b", True), ("a/1", True), ("a", False), ("../@b", False), ("a//b", False), ("'1'", False)],
)
def test_in_xpath_1_an_argument_that_may_be_a_number_is_written_as_one(argument: str, is_wrapped: bool) -> None:
    assert (TEXT in with_xpath1_numbers(f"concat({argument}, 'x')")) == is_wrapped
