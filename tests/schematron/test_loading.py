"""What `load_schema` hands to the rest: lines, files, messages, attributes, ids."""

from __future__ import annotations

import contextlib
import copy
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lxml import etree

from constraint_sdc.errors import ConstraintSdcError, RulesError
from constraint_sdc.schematron import abstract
from constraint_sdc.schematron.load import load_schema
from constraint_sdc.schematron.schema import MarkupPart, NamePart, Schema, TextPart, ValuePart
from tests.draws import draws

HEAD = '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"{}>\n'


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Schema]:
    def load(body: str, attributes: str = "", phase: str | None = None) -> Schema:
        path = tmp_path / "rules.sch"
        path.write_text(HEAD.format(attributes) + body + "</schema>", encoding="utf-8")
        return load_schema(path, phase=phase)

    return load


def test_every_element_knows_its_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "part.sch").write_text(
        '<rule xmlns="http://purl.oclc.org/dsdl/schematron"\n context="a">\n <let name="x" value="1"/>\n'
        ' <assert test="b">\n  <value-of select="c"/></assert></rule>'
    )
    main = tmp_path / "main.sch"
    main.write_text(HEAD.format("") + '<pattern>\n<include href="part.sch"/>\n</pattern></schema>')
    schema = load_schema(main)
    (pattern,) = schema.patterns
    (rule,) = pattern.rules
    (assertion,) = rule.assertions
    part = str(tmp_path / "part.sch")
    assert (pattern.origin.file, pattern.origin.line) == (str(main), 2)
    assert (rule.lets[0].origin.file, rule.lets[0].origin.line) == (part, 3)
    assert (assertion.origin.file, assertion.origin.line) == (part, 4)
    assert [p.origin.line for p in assertion.parts if isinstance(p, ValuePart)] == [5]
    assert schema.files == (str(main), part)


def test_an_error_names_the_file_and_line_of_the_included_element(tmp_path: Path) -> None:
    (tmp_path / "part.sch").write_text('<pattern xmlns="http://purl.oclc.org/dsdl/schematron">\n\n<rule/></pattern>')
    main = tmp_path / "main.sch"
    main.write_text(HEAD.format("") + '<include href="part.sch"/></schema>')
    with pytest.raises(RulesError, match="'context'") as caught:
        load_schema(main)
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "part.sch"), 3)


@pytest.mark.parametrize(("inclusions", "is_refused"), [(3, False), (4, True)])
def test_inclusions_are_counted_and_refused_beyond_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inclusions: int, is_refused: bool
) -> None:
    monkeypatch.setattr("constraint_sdc.schematron.load.INCLUSIONS", 3)
    (tmp_path / "part.sch").write_text('<pattern xmlns="http://purl.oclc.org/dsdl/schematron"/>')
    main = tmp_path / "main.sch"
    main.write_text(HEAD.format("") + '<include href="part.sch"/>' * inclusions + "</schema>")
    with pytest.raises(RulesError, match="more than 3") if is_refused else contextlib.nullcontext():
        assert len(load_schema(main).patterns) == inclusions


def test_a_missing_schema_is_a_rules_error(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="cannot read the file"):
        load_schema(tmp_path / "nowhere.sch")
    with pytest.raises(RulesError, match="cannot read the file"):
        load_schema(tmp_path)


def test_a_compressed_schema_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "rules.sch"
    path.write_bytes(gzip.compress((HEAD.format("") + "</schema>").encode()))
    with pytest.raises(RulesError, match="not well-formed"):
        load_schema(path)


def test_a_deeply_nested_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.sch"
    path.write_text(HEAD.format("") + '<x xmlns="">' * 150 + "</x>" * 150 + "</schema>")
    with pytest.raises(RulesError, match="nested more than"):
        load_schema(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_a_schema_may_have_any_encoding_of_xml(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "rules.sch"
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    text = f'<?xml version="1.0" encoding="{declared}"?>' + HEAD.format("") + "<title>Größe</title></schema>"
    path.write_bytes(text.encode(encoding))
    assert load_schema(path).title == "Größe"


def test_comments_do_not_split_or_hide_anything(load: Callable[..., Schema]) -> None:
    schema = load(
        '<title>a<!-- x -->b</title><pattern><!-- <rule/> --><rule context="a"><assert test="b">c<!-- d -->e</assert>'
        "</rule></pattern>"
    )
    assert schema.title == "ab"
    assert "".join(p.text for p in schema.assertions()[0].parts if isinstance(p, TextPart)) == "ce"


def test_message_parts_keep_their_order_and_markup(load: Callable[..., Schema]) -> None:
    schema = load(
        '<pattern><rule context="a"><assert test="b">x <emph>y <value-of select="c"/></emph><name/>'
        '<name path="d"/><i xmlns="urn:h" class="k">z</i> end</assert></rule></pattern>'
    )
    parts = schema.assertions()[0].parts
    assert [type(part).__name__ for part in parts] == [
        *("TextPart", "MarkupPart", "NamePart", "NamePart", "MarkupPart", "TextPart")
    ]
    emph, foreign = parts[1], parts[4]
    assert isinstance(emph, MarkupPart)
    assert emph.name == "{http://purl.oclc.org/dsdl/schematron}emph"
    assert isinstance(emph.parts[1], ValuePart)
    assert isinstance(parts[2], NamePart)
    assert parts[2].path is None
    assert isinstance(foreign, MarkupPart)
    assert (foreign.name, foreign.attributes) == ("{urn:h}i", (("class", "k"),))
    assert isinstance(parts[3], NamePart)
    assert parts[3].path == "d"


def test_attributes_are_kept_as_written(load: Callable[..., Schema]) -> None:
    schema = load(
        '<pattern id="p" see="s.html" icon="i.png"><rule context="a" role="r" visit-each="x">'
        '<assert id="q" test="b" role="odd" flag="f" see="t" fpi="u" xml:lang="de" subject="c"/></rule></pattern>',
        ' schemaVersion="7" schematronEdition="2025"',
    )
    (pattern,) = schema.patterns
    (rule,) = pattern.rules
    (assertion,) = rule.assertions
    assert dict(schema.attributes)["schemaVersion"] == "7"
    assert dict(pattern.attributes)["see"] == "s.html"
    assert rule.attribute("visit-each") == "x"
    assert [assertion.attribute(n) for n in ("id", "role", "flag", "see", "fpi", "xml:lang", "subject", "icon")] == [
        *("q", "odd", "f", "t", "u", "de", "c", None)
    ]
    assert assertion.has_own_id


def test_a_let_keeps_value_content_and_type(load: Callable[..., Schema]) -> None:
    schema = load(
        '<let name="a" value="1" as="xs:integer"/><let name="b"><x xmlns:k="urn:k" k:y="&lt;"/> t &amp; u</let>'
        '<let name="c"/><let name="f:d" value="2"/>'
    )
    typed, content, empty, prefixed = schema.lets
    assert (typed.value, typed.content, typed.type) == ("1", None, "xs:integer")
    assert content.value is None
    assert content.content is not None
    assert 'k:y="&lt;"' in content.content
    assert content.content.endswith(" t &amp; u")
    assert (empty.value, empty.content) == (None, "")
    assert prefixed.name == "f:d"


def test_the_phase_adds_its_variables_after_the_schemas(load: Callable[..., Schema]) -> None:
    body = (
        '<let name="a" value="1"/><phase id="p"><let name="b" value="2"/><active pattern="q"/></phase><pattern id="q"/>'
    )
    assert [let.name for let in load(body, phase="p").lets] == ["a", "b"]
    assert [let.name for let in load(body).lets] == ["a"]
    assert load(body, phase="p").phase == "p"
    assert load(body).phase == "#ALL"
    assert [phase.active for phase in load(body).phases] == [("q",)]


def test_a_part_of_the_assertions_keeps_every_rule_of_its_patterns(load: Callable[..., Schema]) -> None:
    schema = load(
        '<pattern id="p"><rule context="a"><assert id="a" test="b"/><assert id="b" test="c"/></rule>'
        '<rule context="d"><assert id="c" test="e"/></rule></pattern>'
        '<pattern id="q"><rule context="f"><assert id="d" test="g"/></rule></pattern>'
    )
    part = schema.only(frozenset({"b"}))
    assert [assertion.id for assertion in part.assertions()] == ["b"]
    assert [[rule.context for rule in pattern.rules] for pattern in part.patterns] == [["a", "d"]]


def test_foreign_declarations_carry_the_namespaces_they_use(load: Callable[..., Schema]) -> None:
    schema = load(
        '<xsl:function name="f:one"><xsl:sequence select="1"/></xsl:function>',
        ' xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:f"',
    )
    ((text, origin),) = schema.foreign
    assert 'xmlns:f="urn:f"' in text
    assert origin.line == 2


def test_an_instance_keeps_its_own_title_or_the_abstract_one(load: Callable[..., Schema]) -> None:
    schema = load(
        '<pattern id="p" abstract="true"><title>general</title><rule context="$r"><assert test="b"/></rule></pattern>'
        '<pattern id="q" is-a="p"><title>special</title><param name="r" value="a"/></pattern>'
        '<pattern id="s" is-a="p"><param name="r" value="c"/></pattern>'
    )
    assert [pattern.name for pattern in schema.patterns] == ["special", "general"]
    assert [pattern.rules[0].context for pattern in schema.patterns] == ["a", "c"]


def test_embedded_schematron_inside_documentation_is_not_read(load: Callable[..., Schema]) -> None:
    schema = load(
        '<doc xmlns="urn:doc"><pattern xmlns="http://purl.oclc.org/dsdl/schematron" id="p"/></doc><pattern id="p"/>'
    )
    assert [pattern.id for pattern in schema.patterns] == ["p"]


def test_a_rule_can_be_taken_from_a_grammar_that_embeds_schematron(tmp_path: Path) -> None:
    (tmp_path / "grammar.xsd").write_text(
        '<schema xmlns="http://www.w3.org/2001/XMLSchema"><annotation><appinfo>'
        '<pattern xmlns="http://purl.oclc.org/dsdl/schematron" id="p"><rule context="a">'
        '<assert test="b"/></rule></pattern>'
        "</appinfo></annotation></schema>"
    )
    main = tmp_path / "main.sch"
    main.write_text(HEAD.format("") + '<include href="grammar.xsd#p"/></schema>')
    assert [assertion.id for assertion in load_schema(main).assertions()] == ["p"]


names = st.sampled_from(["a", "b", "c", None])


@given(st.lists(st.tuples(names, names, st.lists(names, max_size=4)), max_size=6))
def test_assertion_ids_are_unique_and_an_authors_unique_id_is_kept(
    tmp_path_factory: pytest.TempPathFactory, shapes: list[tuple[str | None, str | None, list[str | None]]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "ids.sch"
    body = ""
    used_patterns: set[str] = set()
    used_rules: set[str] = set()
    for pattern, rule, assertions in shapes:
        tests = "".join(f"<assert{_id(name)} test='x'/>" for name in assertions)
        body += (
            f"<pattern{_id(pattern, used_patterns)}><rule{_id(rule, used_rules)} context='y'>{tests}</rule></pattern>"
        )
    path.write_text(HEAD.format("") + body + "</schema>")
    schema = load_schema(path)
    ids = [assertion.id for assertion in schema.assertions()]
    assert len(set(ids)) == len(ids)
    written = [name for _, _, assertions in shapes for name in assertions if name]
    assert {name for name in written if written.count(name) == 1} <= set(ids)
    assert len({pattern.id for pattern in schema.patterns}) == len(schema.patterns)


def _id(name: str | None, used: set[str] | None = None) -> str:
    if name is None or (used is not None and name in used):
        return ""
    if used is not None:
        used.add(name)
    return f' id="{name}"'


@given(
    st.dictionaries(st.text("ab-", min_size=1, max_size=4).filter(lambda n: n[0] != "-"), st.text("xy$ ", max_size=3)),
    st.lists(
        st.tuples(st.text("ab-", min_size=1, max_size=4).filter(lambda n: n[0] != "-"), st.sampled_from(" +=)")),
        max_size=8,
    ),
)
def test_parameters_are_replaced_name_by_name_in_one_pass(
    values: dict[str, str], tokens: list[tuple[str, str]]
) -> None:
    text = "".join(f"${name}{end}" for name, end in tokens)
    expected = "".join(values.get(name, f"${name}") + end for name, end in tokens)
    assert abstract._replace(text, values) == expected


CASES = sorted((Path(__file__).parent / "cases").glob("*.xml"))


@settings(max_examples=draws(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_schema_loads_or_is_refused_politely(tmp_path: Path, data: st.DataObject) -> None:
    """Take any case's schema, damage it in one to three places, and expect a schema or one of our own errors."""
    case = etree.fromstring(data.draw(st.sampled_from(CASES)).read_bytes())
    schema = case.find("{urn:constraint-sdc:case}schema/*")
    assume(schema is not None)
    assert schema is not None
    for _ in range(data.draw(st.integers(1, 3))):
        _damage(data.draw(st.sampled_from([node for node in schema.iter() if isinstance(node.tag, str)])), data)
    path = tmp_path / "damaged.sch"
    path.write_bytes(etree.tostring(schema, with_tail=False))
    with contextlib.suppress(ConstraintSdcError):
        assert isinstance(load_schema(path), Schema)


def _damage(node: etree._Element, data: st.DataObject) -> None:
    names = sorted(str(name) for name in node.attrib)
    match data.draw(st.sampled_from(["attribute", "value", "tag", "twin", "child"])):
        case "attribute" if names:
            del node.attrib[data.draw(st.sampled_from(names))]
        case "value" if names:
            values = ["", " ", "$", "x", "$x:y", "#", "a b", "true", "\u00e9", "(:"]
            node.set(data.draw(st.sampled_from(names)), data.draw(st.sampled_from(values)))
        case "tag":
            kinds = ["schema", "pattern", "rule", "assert", "let", "phase", "param", "extends", "key", "name", "x"]
            node.tag = f"{{http://purl.oclc.org/dsdl/schematron}}{data.draw(st.sampled_from(kinds))}"
        case "twin":
            node.append(copy.deepcopy(node))
        case "child" if len(node):
            node.remove(node[0])


@pytest.mark.parametrize(
    ("test", "is_mentioned"),
    [("b = $x", True), ("b = $ x", True), ("b = '$x'", True), ("b = $xy", False), ("b = $x-y", False), ("x", False)],
)
def test_a_schema_knows_which_variables_it_mentions(load: Callable[..., Schema], test: str, is_mentioned: bool) -> None:
    body = f'<pattern><rule context="a"><assert test="{test}"/></rule></pattern>'
    assert load(body).mentions("x") is is_mentioned
