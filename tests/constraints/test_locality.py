"""A rule is called record-local only when nothing outside its record can change its verdict."""

from __future__ import annotations

from functools import cache

import pytest
from saxonche import PySaxonProcessor

from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.constraints.understand import understand
from constraint_sdc.schematron.element import XSLT_NAMESPACE
from constraint_sdc.schematron.schema import MarkupPart, NamePart, Note, ValuePart
from tests.constraints.pairs import HERE, assertion, let, pattern, rule, schema


def read(test: str, context: str = "Record", **more: object) -> EditRule:
    return understand(schema(pattern(rule(context, test, **more))), record="Record", outside=("Data",))[0]


SNEAKY = [
    "//V1",
    "/Data/Record/V1 = 1",
    "/",
    "..",
    "../V1",
    "../Record/V1 = V1",
    "../@year",
    "../../x",
    "V1/../../x",
    "V1/../..",
    "V1/parent::*/parent::*",
    "V1/ancestor::*",
    "V1/ancestor::Record",
    "V1/ancestor-or-self::*",
    "V1/following::V1",
    "V1/preceding::V1",
    "(.)/parent::*",
    "(., V1)/parent::*",
    "(V1 | .)/..",
    "(if (V1) then . else V1)/..",
    "self::*/..",
    "self::node()/parent::node()",
    "ancestor::Data",
    "ancestor-or-self::*[2]",
    "preceding-sibling::Record",
    "following-sibling::*[1]/V1 > V1",
    "preceding::V1 = V1",
    "following::V1",
    "current()/..",
    "current()/../Record",
    "V1[//V2]",
    "V1[../../Record]",
    "V1[current()/..]",
    "V1[/Data]",
    "V1[root()]",
    "V1/root()",
    "root()",
    "root(V1)",
    "root(.)/Data",
    "position() = 1",
    "last() = 1",
    "V1 = position()",
    "not(position() = last())",
    "key('by-V1', V1)",
    "key('by-V1', V1, .)",
    "key('by-V1', V1, root())",
    "id(V1)",
    "id(V1, .)",
    "idref(V1)",
    "element-with-id(V1)",
    "generate-id() = generate-id(V1)",
    "generate-id(V1)",
    "path() = 'x'",
    "path(V1)",
    "base-uri() = 'x'",
    "document-uri(.)",
    "lang('en')",
    "collection()",
    "collection('x')",
    "uri-collection()",
    "count(//Record) = 3",
    "sum(../Record/V1) > 0",
    "for $r in .. return $r/@year",
    "for $r in (V1, .) return $r/..",
    "some $r in //Record satisfies $r/V1 = V1",
    "let $d := / return $d//V1",
    "let $p := parent::* return $p/@year",
    "let $v := V1 return $v/../..",
    "let $a := ., $b := $a return $b/..",
    ". ! ..",
    ". ! (.) ! parent::*",
    "(.) => root()",
    "V1 => path()",
    "let $f := root#1 return $f(.)",
    "root#1(.)",
    "function($x) { $x/.. }(.)",
    "for-each(., function($x) { $x/.. })",
    "filter((V1, .), function($x) { exists($x/..) })",
    "fold-left(., (), function($a, $x) { $x/.. })",
    "apply(root#1, [.])",
    "function-lookup(xs:QName('fn:root'), 1)(.)",
    "map { 'a': /Data }?a",
    "[/Data]?1",
    "innermost(//V1)",
    "outermost(..)",
    "has-children(..)",
    "deep-equal(.., .)",
    "string(..)",
    "number(../@year) > 0",
    "name(..) = 'Data'",
    "local-name(parent::*)",
    "in-scope-prefixes(..)",
    "accumulator-before('n')",
    "document('x.xml', /)//x",
    "document('x.xml', .)//x",
    "current-group()",
    "unknown:function(.)",
    "$undeclared/..",
    "doc('x.xml')//x[current()/../@year = .]",
    "(doc('x.xml') | .)/..",
    "current-date() > xs:date('2000-01-01')",
    "random-number-generator()?number > 0.5",
    "unparsed-text('x.txt', /Data/@encoding)",
    "descendant-or-self::node()/..",
    "descendant::V1/../..",
    "namespace::*",
    "V1/namespace-node()/../..",
    "/descendant::V1",
    "fn:root()",
    "Q{http://www.w3.org/2005/xpath-functions}root()",
    "V1 is (//V1)[1]",
    ". << /Data/Record[2]",
    "exists(() | ..)",
    "V1 except //V1",
    "(//V1)[1]",
    "V1 = (1, //V2)",
    "if (/Data) then true() else false()",
    "if (V1) then true() else //V2",
    "every $x in (V1, ..) satisfies $x",
    "xs:integer(../@n) = 1",
    "../@n castable as xs:integer",
    "(..) instance of element(Data)",
    "- ../@n = 1",
    "(1 to ../@n) = V1",
    "concat('a', ../@n)",
    "V1 || ../@n",
    "saxon:line-number()",
    "sort(//V1)",
    "parse-xml(..)",
    "serialize(..)",
    "analyze-string(.., 'x')",
    "error((), 'x', ..)",
    "trace(.., 'x')",
    "head(..)",
    "environment-variable('HOME')",
    "static-base-uri()",
    "transform(map {})",
]


@pytest.mark.parametrize("test", SNEAKY)
def test_an_expression_that_looks_around_is_not_called_local(test: str) -> None:
    edit = read(test)
    assert not edit.is_record_local
    assert edit.expression is None
    assert edit.constraint.reason


HARMLESS = [
    "V1 > 1",
    "./V1 = current()/V1",
    "V1/.. is .",
    "V1/../V2 = 2",
    "V1/parent::Record/V2 > 0",
    "count(*) = 2",
    "count(node()) > 1",
    "descendant::V1 = 1",
    ".//V1 = 1",
    "descendant-or-self::*/V1 = 1",
    "V1/following-sibling::V2 = 2",
    "V2/preceding-sibling::*[1]/self::V1",
    "V2[position() = 1]",
    "*[last()]/self::V2",
    "*[2] = 2",
    "(V1, V2)[2] = 2",
    "V1/position() = 1",
    "name(*[1]) = 'V1'",
    "local-name() = 'Record'",
    "sum(*) > 3",
    "string(.) != ''",
    "V1/text() = '1'",
    "V1 << V2",
    "V1 is V1",
    "count(V1 | V2) = 2",
    "count(* except V1) = 1",
    "(for $x in * return $x > 1) = true()",
    "some $x in *, $y in * satisfies $x > $y",
    "let $r := . return $r/V1 = $r/V2",
    "V1 ! (. + 1) = 2",
    "deep-equal(V1, V2)",
    "V1 instance of element()",
    "(V2 treat as element()) = 1",
    "tokenize(V1, ',') = '1'",
    "distinct-values(*) = '1'",
    "matches(V1, '1')",
    "@id = V1",
    "V1[../V2 = 2]",
    "if (V1 = 1) then V2 = 2 else true()",
    "format-number(number(V1), '0') = '1'",
    "math:sqrt(number(V1)) = 1",
    "reverse(*)[1] = 2",
    "has-children(V1)",
    "attribute::*[1] = 1",
]
RECORDS = [
    '<Record id="1"><V1>1</V1><V2>2</V2></Record>',
    '<Record id="2"><V1>2</V1><V2>1</V2></Record>',
    "<Record><V2>2</V2></Record>",
]


@cache
def processor() -> PySaxonProcessor:
    return PySaxonProcessor(license=False)


def verdicts(test: str, records: list[str]) -> list[bool]:
    document = processor().parse_xml(xml_text=f'<Data year="2020">{"".join(records)}</Data>')
    xpath = processor().new_xpath_processor()
    xpath.declare_namespace("math", "http://www.w3.org/2005/xpath-functions/math")
    xpath.set_context(xdm_item=document)
    found = xpath.evaluate(f"//Record ! (for $here in . return boolean({test.replace('current()', '$here')}))")
    return [item.boolean_value for item in found]


@pytest.mark.parametrize("test", HARMLESS)
def test_a_local_expression_has_the_same_verdict_on_a_record_alone(test: str) -> None:
    assert read(test).is_record_local
    assert verdicts(test, RECORDS) == [verdicts(test, [record])[0] for record in RECORDS]


@pytest.mark.parametrize(
    "test",
    [
        "doc('x.xml')//x = V1",
        "doc('x.xml')/a/..//b = V1",
        "document('x.xml')//x[ancestor::y] = V1",
        "doc('x.xml')//x[. = current()/V1]/..",
        "doc('x.xml')//x[/a]",
        "doc('x.xml')/x[. = //V1]",
        "document('')//x",
        "root(doc('x.xml')//x)//y",
        "key('by-V1', V1, doc('x.xml'))",
        "key('by-V1', V1, $original)",
        "doc(V1)//x",
        "$original//Record[position() = 1]/V1 = V1",
        "count($original//Record) > 3",
        "doc-available('x.xml')",
        "unparsed-text('x.txt') = V1",
        "doc('x.xml')//x ! (.. , V1)",
    ],
)
def test_other_documents_are_the_same_for_every_record(test: str) -> None:
    assert read(test).is_record_local


@pytest.mark.parametrize(
    "test", ["../V4 > 0", "../*[1] = 1", ".. [V1]", "current()/../V2", ". = following-sibling::V4"]
)
def test_from_a_variable_the_record_is_within_reach(test: str) -> None:
    assert read(test, "Record/V3").is_record_local


@pytest.mark.parametrize(
    "test", ["../.. = 1", "../../@year", "ancestor::*", "/", "../preceding-sibling::Record", "root()"]
)
def test_from_a_variable_what_encloses_the_record_is_not(test: str) -> None:
    assert not read(test, "Record/V3").is_record_local


@pytest.mark.parametrize(
    ("value", "test", "is_local"),
    [
        ("V1", "$x > 0", True),
        (".", "$x/V1 > 0", True),
        (".", "$x/.. = 1", False),
        ("..", "$x = 1", False),
        ("..", "V1 = 1", True),
        ("//V1", "$x = 1", False),
        ("position()", "$x = 1", False),
    ],
)
def test_a_rule_variable_counts_where_it_is_used(value: str, test: str, is_local: bool) -> None:
    assert read(test, lets=(let("x", value),)).is_record_local == is_local


def with_message(**more: object) -> EditRule:
    described = rule("Record", "V1 > 0")
    changed = type(described)(None, "Record", (), (assertion("V1 > 0", **more),), (), HERE)
    notes = (Note("d", (ValuePart("../@year", HERE),), (), HERE), Note("n", (ValuePart("V1", HERE),), (), HERE))
    return understand(schema(pattern(changed), diagnostics=notes), record="Record", outside=("Data",))[0]


def instruction(name: str, **attributes: str) -> MarkupPart:
    return MarkupPart(f"{{{XSLT_NAMESPACE}}}{name}", tuple(attributes.items()), ())


@pytest.mark.parametrize(
    ("more", "is_local"),
    [
        ({}, True),
        ({"parts": (ValuePart("V1", HERE), NamePart(None, HERE))}, True),
        ({"parts": (ValuePart("../@year", HERE),)}, False),
        ({"parts": (NamePart("..", HERE),)}, False),
        ({"parts": (ValuePart("position()", HERE),)}, False),
        ({"parts": (instruction("copy-of", select="V1"),)}, True),
        ({"parts": (instruction("copy-of", select="count(//Record)"),)}, False),
        ({"parts": (instruction("value-of", select="V1", separator="{../@year}"),)}, False),
        ({"parts": (MarkupPart("{urn:h}b", (("k", "../@year"),), (ValuePart("V1", HERE),)),)}, True),
        ({"attributes": (("subject", ".."),)}, False),
        ({"attributes": (("subject", "V1"),)}, True),
        ({"diagnostics": ("d",)}, False),
        ({"diagnostics": ("n",)}, True),
    ],
)
def test_messages_diagnostics_and_subjects_count_too(more: dict[str, object], is_local: bool) -> None:
    edit = with_message(**more)
    assert edit.is_record_local == is_local
    assert edit.constraint.kind.value == "possible values"


def test_an_expression_that_cannot_be_parsed_is_not_called_local() -> None:
    assert not read("V1 +").is_record_local
    assert not read("my:function(V1)").is_record_local


@pytest.mark.parametrize(
    ("test", "variables"),
    [
        ("exists(tokenize(V1, ',')[. = doc('x.xml')//V2])", ("V1",)),
        ("exists(tokenize(V1, ',')[. = doc('x.xml')/x/@y])", ("V1",)),
        ("string-join(*/V3, '') = 'x'", ()),
        ("exists(tokenize(@V1, ',')[. = 'x'])", ("@V1",)),
        ("name(*[1]) = 'V1' and tokenize(V2, '-')[1] = 'x'", ("V2",)),
        ("exists(tokenize(descendant::V1, ',')[. = self::node()])", ("V1",)),
    ],
)
def test_what_is_not_understood_names_the_variables_that_it_reads_in_its_own_record(
    test: str, variables: tuple[str, ...]
) -> None:
    found = read(test)
    assert found.is_record_local
    assert found.constraint.variables == variables
