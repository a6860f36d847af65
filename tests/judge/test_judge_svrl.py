"""The validation report: SVRL as the standard's annex shapes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from conftest import Desk

SVRL = "{http://purl.oclc.org/dsdl/svrl}"


def svrl(desk: Desk, rules: str, data: str, binding: str = "xslt2") -> etree._Element:
    path = desk.write("data/data.xml", data)
    return etree.fromstring(desk.judge(rules, binding).svrl_file(path).encode())


def outline(report: etree._Element) -> list[tuple[str, dict[str, str]]]:
    """Return elements and attributes, without addresses of files, which are in a test's own folder."""
    return [
        (str(e.tag).replace(SVRL, ""), {k: v for k, v in e.attrib.items() if k not in ("document", "documents")})
        for e in report
        if e.tag != f"{SVRL}metadata"
    ]


def test_a_report_names_title_phase_and_namespaces(desk: Desk) -> None:
    rules = """<title>Edits</title><ns prefix="d" uri="urn:d"/>
      <phase id="quick"><active pattern="p"/></phase><pattern id="p"><rule context="a"/></pattern>"""
    report = svrl(desk, rules, "<a/>")
    assert report.tag == f"{SVRL}schematron-output"
    assert report.get("title") == "Edits"
    assert report.get("phase") is None  # SVRL asks for an XML name, which #ALL is not
    assert outline(report)[0] == ("ns-prefix-in-attribute-values", {"prefix": "d", "uri": "urn:d"})


def test_patterns_rules_and_complaints_come_in_the_order_of_judging(desk: Desk) -> None:
    rules = """<pattern id="p"><rule id="r" context="a" role="main"><assert id="x" test="b" role="warning" flag="f"
      see="http://example.org/x" xml:lang="en">no b</assert><report id="y" test="@c" icon="i.png">c</report></rule>
      </pattern><pattern id="q"><rule context="b"><assert id="z" test="true()">z</assert></rule></pattern>"""
    report = svrl(desk, rules, '<r><a c="1"/><a><b/></a></r>')
    assert outline(report) == [
        ("active-pattern", {"id": "p"}),
        ("fired-rule", {"id": "r", "context": "a", "role": "main"}),
        (
            "failed-assert",
            {"id": "x", "test": "b", "role": "warning", "flag": "f", "location": "/Q{}r[1]/Q{}a[1]"},
        ),
        ("successful-report", {"id": "y", "test": "@c", "location": "/Q{}r[1]/Q{}a[1]"}),
        ("fired-rule", {"id": "r", "context": "a", "role": "main"}),
        ("active-pattern", {"id": "q"}),
        ("fired-rule", {"context": "b"}),
    ]
    lang = "{http://www.w3.org/XML/1998/namespace}lang"
    said = [dict(text.attrib) for text in report.iterfind(f"*/{SVRL}text")]
    assert said == [{"see": "http://example.org/x", lang: "en"}, {"icon": "i.png"}]


def test_the_authors_ids_stand_as_written_and_made_ones_only_when_they_are_names(desk: Desk) -> None:
    rules = """<pattern abstract="true" id="p"><rule context="$e"><assert id="x" test="false()">m</assert></rule>
      </pattern>
      <pattern id="one" is-a="p"><param name="e" value="a"/></pattern>
      <pattern id="two" is-a="p"><param name="e" value="b"/></pattern>
      <pattern id="q"><rule context="a"><assert test="false()">m</assert><assert test="false()">m</assert></rule>
      </pattern>"""
    report = svrl(desk, rules, "<a><b/></a>")
    assert [e.get("id") for e in report.iterfind(f"{SVRL}failed-assert")] == ["x", "x", "q", None]


def test_a_level_that_names_a_variable_is_reported_by_its_value(desk: Desk) -> None:
    rules = """<let name="level" value="'warning'"/><pattern role="$own"><let name="own" value="concat($level, 's')"/>
      <rule context="a" flag="$own"><assert test="false()" role="$level" flag="$none">m</assert></rule></pattern>"""
    assert outline(svrl(desk, rules, "<a/>")) == [
        ("active-pattern", {"id": "pattern-1", "role": "warnings"}),
        ("fired-rule", {"context": "a", "flag": "warnings"}),
        (
            "failed-assert",
            {"id": "rule-1", "test": "false()", "role": "warning", "flag": "$none", "location": "/Q{}a[1]"},
        ),
    ]


def test_a_level_that_cannot_be_evaluated_hides_no_finding(desk: Desk) -> None:
    rules = """<pattern role="{error()}"><rule context="a" flag="{xs:integer(.)}"><let name="v" value="xs:integer(.)"/>
      <assert id="x" test="false()" role="{$v}" flag="f">m</assert></rule></pattern>"""
    stopped = "[cannot be evaluated]"
    assert outline(svrl(desk, rules, "<a>five</a>")) == [
        ("active-pattern", {"id": "pattern-1", "role": stopped}),
        ("fired-rule", {"context": "a", "flag": stopped}),
        ("failed-assert", {"id": "x", "test": "false()", "role": stopped, "flag": "f", "location": "/Q{}a[1]"}),
    ]


def test_a_rule_whose_context_stopped_is_told_once_and_later_rules_are_asked(desk: Desk) -> None:
    rules = """<pattern><rule context="a[xs:integer(.) = 1]"><assert id="x" test="true()">m</assert></rule>
      <rule context="a"><assert id="y" test="true()">m</assert></rule><rule context="*"/></pattern>"""
    report = svrl(desk, rules, "<a>five</a>")
    assert [name for name, _ in outline(report)] == [
        "active-pattern", "{urn:constraint-sdc:judge}error", "fired-rule", "suppressed-rule",
    ]  # fmt: skip


def test_a_message_keeps_its_mark_up(desk: Desk) -> None:
    rules = """<pattern><rule context="a"><assert id="x" test="false()">say <emph>it</emph> <dir value="rtl">back</dir>
      <span class="k{1}">wide</span><b xmlns="urn:h" t="1">bold <sch:value-of
      xmlns:sch="http://purl.oclc.org/dsdl/schematron" select="@n"/></b></assert></rule></pattern>"""
    report = svrl(desk, rules, '<a n="7"/>')
    text = report.find(f".//{SVRL}failed-assert/{SVRL}text")
    assert text is not None
    assert " ".join("".join(text.itertext()).split()) == "say it back widebold 7"
    assert [(e.tag, dict(e.attrib)) for e in text] == [
        (f"{SVRL}emph", {}),
        (f"{SVRL}dir", {"dir": "rtl"}),
        (f"{SVRL}span", {"class": "k{1}"}),
        ("{urn:h}b", {"t": "1"}),
    ]


def test_diagnostics_and_properties_are_referred_to_with_their_text(desk: Desk) -> None:
    rules = """<pattern><rule context="a"><assert id="x" test="false()" diagnostics="d" properties="p">m</assert></rule>
      </pattern><diagnostics><diagnostic id="d" see="s">is <value-of select="@n"/></diagnostic></diagnostics>
      <properties><property id="p" role="unit" scheme="si">kg</property></properties>"""
    report = svrl(desk, rules, '<a n="7"/>')
    complaint = report.find(f"{SVRL}failed-assert")
    assert complaint is not None
    found = [(str(e.tag).replace(SVRL, ""), dict(e.attrib), "".join(e.itertext())) for e in complaint]
    assert found == [
        ("diagnostic-reference", {"diagnostic": "d"}, "is 7"),
        ("property-reference", {"property": "p", "role": "unit", "scheme": "si"}, "kg"),
        ("text", {}, "m"),
    ]
    assert [dict(text.attrib) for text in complaint.iterfind(f"*/{SVRL}text")] == [{"see": "s"}, {}]


def test_the_location_is_the_subjects(desk: Desk) -> None:
    rules = """<pattern><rule context="a" subject="b"><assert id="x" test="false()">m</assert>
      <assert id="y" test="false()" subject="@n">m</assert>
      <assert id="z" test="false()" subject="none">m</assert></rule></pattern>"""
    report = svrl(desk, rules, '<a n="7"><b/></a>')
    locations = [e.get("location") for e in report.iterfind(f"{SVRL}failed-assert")]
    assert locations == ["/Q{}a[1]/Q{}b[1]", "/Q{}a[1]/@n", "/Q{}a[1]"]


def test_a_group_fires_every_matching_rule_and_a_pattern_the_first(desk: Desk) -> None:
    rules = (
        """<{0} id="g"><rule id="one" context="a"/><rule id="two" context="*"/><rule id="three" context="a|b"/></{0}>"""
    )
    for kind, fired in (("pattern", ["one"]), ("group", ["one", "two", "three"])):
        report = svrl(desk, rules.format(kind), "<a/>", "xslt3")
        assert [e.get("id") for e in report.iterfind(f"{SVRL}fired-rule")] == fired
        assert outline(report)[0] == (f"active-{kind}", {"id": "g"})


def test_what_xpath_stopped_on_is_told_in_the_judges_own_namespace(desk: Desk) -> None:
    rules = """<pattern><rule context="a"><assert id="x" test="xs:integer(.) = 1">m</assert>
      <assert id="y" test=". = 'b'">m</assert></rule></pattern>"""
    report = svrl(desk, rules, "<a>five</a>")
    error = report.find("{urn:constraint-sdc:judge}error")
    assert error is not None
    assert (error.get("id"), error.get("location")) == ("x", "/Q{}a[1]")
    assert "five" in "".join(error.itertext())
    assert [e.get("id") for e in report.iterfind(f"{SVRL}failed-assert")] == ["y"]


def test_a_pattern_with_documents_reports_what_it_found_there(desk: Desk) -> None:
    desk.write("data/part.xml", "<part><a/></part>")
    rules = """<pattern documents="/list/@href"><rule context="a"><assert id="x" test="false()">m</assert></rule>
      </pattern>"""
    report = svrl(desk, rules, '<list href="part.xml"><a/></list>')
    assert [e.get("location") for e in report.iterfind(f"{SVRL}failed-assert")] == ["/Q{}part[1]/Q{}a[1]"]
    pattern = report.find(f"{SVRL}active-pattern")
    assert pattern is not None
    assert pattern.get("documents") == (desk.folder / "data" / "part.xml").as_uri()
    assert [e.get("document") for e in report.iterfind(f"{SVRL}fired-rule")] == [pattern.get("documents")]
