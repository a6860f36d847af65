"""Documents that rules read while they judge: found, confined, refused, missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from constraint_sdc.errors import DataError, ResourceRefusedError, RulesError
from constraint_sdc.judge.worker.bench import Bench

if TYPE_CHECKING:
    from conftest import Desk

RULE = '<pattern><rule context="V1"><assert id="a" test="%s">x</assert></rule></pattern>'


def failed(desk: Desk, test: str, data: str = "<V1>5</V1>", binding: str = "xslt3") -> int:
    return desk.report(RULE % test.replace('"', "&quot;").replace("<", "&lt;"), data, binding).counts[0].failed


@pytest.mark.parametrize(
    "test",
    [
        "doc('codes.xml')/codes/c = .",
        "document('codes.xml')/codes/c = .",
        "document(('codes.xml', 'more.xml'))//c = 6",
        "fn:doc('codes.xml')/codes/c = .",
        "Q{http://www.w3.org/2005/xpath-functions}doc('codes.xml')/codes/c = .",
        "doc (: doc('x') :) ( 'codes.xml' )//c = .",
        "doc(concat('co', 'des.xml'))//c = .",
        "'codes.xml' => doc() => count() = 1",
        "count(('codes.xml', 'more.xml') ! doc(.)) = 2",
        "count(for-each(('codes.xml', 'more.xml'), doc#1)//c) = 2",
        "doc-available('codes.xml')",
        "not(doc-available('nothing.xml'))",
        "not(doc-available('codes.txt'))",
        "unparsed-text('codes.txt') = 'a&#10;b&#10;'",
        "unparsed-text('codes.txt', 'iso-8859-1') = 'a&#10;b&#10;'",
        "unparsed-text-lines('codes.txt')[2] = 'b'",
        "count(unparsed-text-lines('codes.txt')) = 2",
        "unparsed-text-available('codes.txt')",
        "not(unparsed-text-available('nothing.txt'))",
        "json-doc('codes.json')?five = 5",
        "document('')//*:assert/@id = 'a'",
        "document('', /)//V1 = 5",
        "document('beside.xml', /)//c = 7",
        "empty(doc(()))",
        "ends-with(document-uri(/), 'data/data.xml')",
        "/document-uri() = document-uri(/)",
        "empty(document-uri(.))",
        "'doc(' = 'doc('",
        "not(doc)",
        "let $doc := function($x) { $x } return $doc(1) = 1",
    ],
)
def test_rules_read_what_lies_beside_them(desk: Desk, test: str) -> None:
    desk.write("rules/codes.xml", "<codes><c>5</c></codes>")
    desk.write("rules/more.xml", "<codes><c>6</c></codes>")
    desk.write("rules/codes.txt", "a\nb\n")
    desk.write("rules/codes.json", '{"five": 5}')
    desk.write("data/beside.xml", "<codes><c>7</c></codes>")
    assert failed(desk, test) == 0


def test_a_uri_from_the_data_is_relative_to_the_data(desk: Desk) -> None:
    desk.write("data/more/part.xml", "<c>5</c>")
    rules = '<pattern><rule context="V1"><assert id="a" test="document(@href)/c = 5">x</assert></rule></pattern>'
    assert desk.report(rules, '<V1 href="more/part.xml"/>').counts[0].failed == 0


def test_a_uri_in_an_included_file_is_relative_to_that_file(desk: Desk) -> None:
    desk.write("rules/lib/codes.xml", "<c>5</c>")
    namespace = "http://purl.oclc.org/dsdl/schematron"
    desk.write(
        "rules/lib/part.sch",
        f"<pattern xmlns='{namespace}'><rule context='V1'><assert id='a' test=\"doc('codes.xml')/c = .\">x</assert>"
        "<assert id='b' test=\"ends-with(static-base-uri(), 'lib/part.sch')\">x</assert></rule></pattern>",
    )
    report = desk.report('<include href="lib/part.sch"/>', "<V1>5</V1>")
    assert [count.failed for count in report.counts] == [0, 0]


def test_a_document_named_only_in_a_match_pattern_is_found_too(desk: Desk) -> None:
    desk.write("rules/codes.xml", "<c>5</c>")
    for name in ("'codes.xml'", "concat('codes', '.xml')"):
        rules = (
            f'<pattern><rule context="V1[. = doc({name})/c]"><report id="a" test="true()">x</report></rule></pattern>'
        )
        assert desk.report(rules, "<V1>5</V1>").counts[0].failed == 1


def test_many_documents_are_gathered_in_few_runs(desk: Desk) -> None:
    for number in range(40):
        desk.write(f"data/d{number}.xml", f"<n>{number}</n>")
    rows = "".join(f'<V1 n="{n}"/>' for n in range(40))
    judge = desk.judge(RULE % "doc(concat(base-uri(.), '/../d', @n, '.xml'))/n = @n")
    path = desk.write("data/data.xml", f"<Data>{rows}</Data>")
    runs = 0
    bench = judge._own._bench
    assert bench is not None
    plain = bench.run

    def counted(key: str) -> dict[str, object]:
        nonlocal runs
        runs += 1
        return plain(key)

    bench.run = counted  # type: ignore[method-assign]
    assert judge.judge_file(path).counts[0].failed == 0
    assert runs < 8


def test_a_document_that_rules_name_is_read_once_for_many_documents(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("rules/codes.xml", "<codes><c>5</c></codes>")
    judge = desk.judge(RULE % "doc('codes.xml')//c = .")
    read: list[Path] = []
    send = Bench._send_file
    monkeypatch.setattr(Bench, "_send_file", lambda bench, *what: (read.append(what[1]), send(bench, *what)))
    for value in (5, 6, 7):
        assert judge.judge_bytes(f"<V1>{value}</V1>".encode(), desk.data).counts[0].failed == (value != 5)
    assert [path.name for path in read] == ["codes.xml"]


def test_a_key_and_a_function_of_the_author_read_documents_too(desk: Desk) -> None:
    desk.write("rules/codes.xml", "<codes><c>5</c></codes>")
    rules = """<ns prefix="f" uri="urn:f"/><xsl:key name="k" match="c" use="."/>
      <xsl:function name="f:codes" xmlns:f="urn:f"><xsl:sequence select="doc('codes.xml')"/></xsl:function>
      <pattern><rule context="V1"><assert id="a" test="key('k', ., f:codes())">x</assert></rule></pattern>"""
    assert desk.report(rules, "<V1>5</V1>").counts[0].failed == 0
    assert desk.report(rules, "<V1>6</V1>").counts[0].failed == 1


@pytest.mark.parametrize("function", ["doc", "doc-available", "document", "unparsed-text", "json-doc"])
def test_a_file_outside_is_refused_by_name_with_the_way_out(desk: Desk, function: str) -> None:
    outside = desk.write("secret/secret.xml", "<c>5</c>")
    test = f"string({function}('../secret/secret.xml')) = 'x'"
    with pytest.raises(ResourceRefusedError) as caught:
        failed(desk, test)
    assert f"--allow {outside.parent}" in str(caught.value)
    assert outside.as_uri() in str(caught.value)
    assert (caught.value.file, caught.value.line) == (str(desk.rules), 1)


def test_a_file_outside_is_read_when_the_user_allows_its_directory(desk: Desk) -> None:
    outside = desk.write("secret/secret.xml", "<c>5</c>")
    report = desk.report(RULE % "doc('../secret/secret.xml')/c = .", "<V1>5</V1>", allowed=(outside.parent,))
    assert report.counts[0].failed == 0


def test_a_link_inside_cannot_lead_outside(desk: Desk) -> None:
    outside = desk.write("secret/secret.xml", "<c>5</c>")
    desk.write("rules/rules.sch", "")
    (desk.folder / "rules" / "link.xml").symlink_to(outside)
    (desk.folder / "rules" / "folder").symlink_to(outside.parent)
    for name in ("link.xml", "folder/secret.xml"):
        with pytest.raises(ResourceRefusedError):
            failed(desk, f"doc('{name}')/c = .")


def test_a_refusal_cannot_be_swallowed_by_the_rule(desk: Desk) -> None:
    desk.write("secret/secret.xml", "<c>5</c>")
    rules = """<pattern><rule context="V1[doc('../secret/secret.xml')/c = 5]">
      <report id="a" test="true()">x</report></rule></pattern>"""
    with pytest.raises(ResourceRefusedError):
        desk.report(rules, "<V1>5</V1>")


@pytest.mark.parametrize(
    "uri", ["http://127.0.0.1:9/x.xml", "ftp://x/y", "jar:file:/x!/y", "data:text/xml,x", "//host/x"]
)
def test_only_files_may_be_read(desk: Desk, uri: str) -> None:
    with pytest.raises(ResourceRefusedError, match="only files"):
        failed(desk, f"exists(doc('{uri}'))")


def test_a_missing_file_is_a_rules_error_that_names_file_and_rule(desk: Desk) -> None:
    with pytest.raises(RulesError, match=r"test of assert 'a': a rule asks for .*nothing\.xml") as caught:
        failed(desk, "doc('nothing.xml')/c = .")
    assert (caught.value.file, caught.value.line) == (str(desk.rules), 1)


@pytest.mark.parametrize("content", ["<c>", '<!DOCTYPE c [<!ENTITY x "5">]><c>&x;</c>'])
def test_a_document_that_a_rule_reads_is_as_hardened_as_the_data(desk: Desk, content: str) -> None:
    path = desk.write("rules/codes.xml", content)
    with pytest.raises(DataError) as caught:
        failed(desk, "doc('codes.xml')/c = .")
    assert caught.value.file == str(path)
