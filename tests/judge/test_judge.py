"""What the judge reports: counts, findings, records, lines, locations, messages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from constraint_sdc.errors import DataError, JudgeError, RulesError
from constraint_sdc.judge.judge import ChunkJudges, Judge
from constraint_sdc.judge.judge_report import JudgeReport
from constraint_sdc.judge.stylesheet.transpile import Stylesheet, make_stylesheet

if TYPE_CHECKING:
    from conftest import Desk

RULES = """
<pattern><rule context="Record">
  <assert id="small" test="number(V1) &lt; 3">V1 is <value-of select="V1"/></assert>
  <report id="one" test="V1 = 1">one</report>
</rule></pattern>"""
DATA = """<Data>
<Record><V1>1</V1></Record>
<Record><V1>5</V1></Record>
<Record><V1>7</V1></Record>
</Data>"""


def test_counts_tell_how_often_a_rule_was_asked_and_how_often_it_complained(desk: Desk) -> None:
    report = desk.report(RULES, DATA)
    assert [(c.assertion, c.fired, c.failed, c.errors) for c in report.counts] == [("small", 3, 2, 0), ("one", 3, 1, 0)]


def test_a_finding_names_record_line_location_and_shows_its_values(desk: Desk) -> None:
    report = desk.report(RULES, DATA, record="Record")
    found = [(f.assertion, f.record, f.line, f.location, f.text) for f in report.findings]
    assert found == [
        ("small", 2, 3, "/Q{}Data[1]/Q{}Record[2]", "V1 is 5"),
        ("small", 3, 4, "/Q{}Data[1]/Q{}Record[3]", "V1 is 7"),
        ("one", 1, 2, "/Q{}Data[1]/Q{}Record[1]", "one"),
    ]


def test_a_document_in_memory_is_judged_as_the_file_is_but_without_lines(desk: Desk) -> None:
    judge = desk.judge(RULES, record="Record")
    path = desk.write("data/data.xml", DATA)
    in_memory, on_disk = judge.judge_bytes(DATA.encode(), path), judge.judge_file(path)
    assert in_memory.counts == on_disk.counts
    assert [f.record for f in in_memory.findings] == [f.record for f in on_disk.findings]
    assert {f.line for f in in_memory.findings} == {None}


def test_one_judge_judges_many_documents(desk: Desk) -> None:
    judge = desk.judge(RULES)
    for number in range(5):
        document = f"<Data><Record><V1>{number}</V1></Record></Data>".encode()
        assert judge.judge_bytes(document, desk.data).count("small").failed == (number >= 3)


def test_variables_are_calculated_anew_for_each_document(desk: Desk) -> None:
    judge = desk.judge("""<let name="n" value="count(//b)"/><pattern><let name="p" value="count(//b)"/>
      <rule context="a"><assert id="a" test="$n = count(b) and $p = count(b)">x</assert></rule></pattern>""")
    for count in (1, 3, 0, 2):
        assert judge.judge_bytes(f"<a>{'<b/>' * count}</a>".encode(), desk.data).counts[0].failed == 0


def test_findings_are_capped_for_each_assertion_and_counts_are_not(desk: Desk) -> None:
    data = "<Data>" + "<Record><V1>9</V1></Record>" * 50 + "</Data>"
    report = desk.report(RULES, data, max_findings=3)
    assert (report.count("small").failed, len(report.findings)) == (50, 3)
    assert len(desk.report(RULES, data, max_findings=None).findings) == 50


def test_an_assertion_whose_rule_never_fires_is_counted_with_zero(desk: Desk) -> None:
    report = desk.report(RULES, "<Other/>")
    assert [(c.assertion, c.fired) for c in report.counts] == [("small", 0), ("one", 0)]


def test_records_are_numbered_across_nested_wrappers_and_found_from_inside(desk: Desk) -> None:
    rules = '<pattern><rule context="V1/@code"><assert id="a" test="false()">x</assert></rule></pattern>'
    data = '<D><Part><Record/><Record/></Part><Part><Record><V1 code="3"/></Record></Part></D>'
    (finding,) = desk.report(rules, data, record="Record").findings
    assert finding.record == 3
    assert finding.location == "/Q{}D[1]/Q{}Part[2]/Q{}Record[1]/Q{}V1[1]/@code"


def test_a_record_element_may_have_a_namespace(desk: Desk) -> None:
    rules = (
        '<ns prefix="d" uri="urn:d"/><pattern><rule context="d:R"><report id="a" test="d:V">x</report></rule></pattern>'
    )
    data = '<D xmlns="urn:d"><R/><R><V/></R></D>'
    (finding,) = desk.report(rules, data, record="{urn:d}R").findings
    assert (finding.record, finding.location) == (2, "/Q{urn:d}D[1]/Q{urn:d}R[2]")


def test_what_lies_outside_every_record_has_no_record_number(desk: Desk) -> None:
    rules = '<pattern><rule context="Data"><report id="a" test="true()">x</report></rule></pattern>'
    (finding,) = desk.report(rules, DATA, record="Record").findings
    assert finding.record is None


def test_diagnostics_come_with_their_values(desk: Desk) -> None:
    rules = """<pattern><rule context="V1"><assert id="a" test=". &lt; 3" diagnostics="d e">x</assert></rule></pattern>
    <diagnostics><diagnostic id="d">it is
      <value-of select="."/></diagnostic><diagnostic id="e">too much</diagnostic></diagnostics>"""
    report = desk.report(rules, "<V1>4</V1>")
    assert report.findings[0].diagnostics == (("d", "it is 4"), ("e", "too much"))


def test_a_rule_that_xpath_stops_on_is_an_error_on_that_node_and_the_others_are_judged(desk: Desk) -> None:
    rules = """<pattern><rule context="Record"><assert id="cast" test="xs:integer(V1) &lt; 6">x</assert>
      <assert id="plain" test="V1 != '5'">y</assert></rule></pattern>"""
    report = desk.report(
        '<ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>' + rules,
        DATA.replace("5", "five"),
        record="Record",
    )
    cast, plain = report.counts
    assert (cast.fired, cast.failed, cast.errors) == (3, 1, 1)
    assert (cast.error_record, cast.error_location) == (2, "/Q{}Data[1]/Q{}Record[2]")
    assert cast.error is not None
    assert "five" in cast.error
    assert cast.error.startswith("FORG0001: ")
    assert (plain.fired, plain.errors) == (3, 0)


@pytest.mark.parametrize(("value", "guarded"), [("9", False), ("nine", True)])
def test_errors_are_caught_node_by_node_only_where_xpath_stops(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, value: str, guarded: bool
) -> None:
    """A guarded stylesheet costs a second run."""
    made: list[bool] = []

    def noted(*args: Any, **options: Any) -> Stylesheet:
        made.append(options["guarded"])
        return make_stylesheet(*args, **options)

    monkeypatch.setattr("constraint_sdc.judge.judge.make_stylesheet", noted)
    rules = '<pattern><rule context="V1"><assert id="a" test="xs:integer(.) &lt; 6">x</assert></rule></pattern>'
    report = desk.report('<ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>' + rules, f"<V1>{value}</V1>")
    assert (report.count("a").failed, report.count("a").errors) == (int(not guarded), int(guarded))
    assert made == ([False, True] if guarded else [False])


def test_an_error_in_a_rule_variable_counts_only_for_the_tests_that_use_it(desk: Desk) -> None:
    rules = """<pattern><rule context="Record"><let name="n" value="xs:integer(V1)"/>
      <assert id="uses" test="$n &lt; 6">x</assert><assert id="ignores" test="V1 = 'five'">y</assert></rule>
      </pattern>"""
    report = desk.report(rules, "<Data><Record><V1>five</V1></Record></Data>")
    assert report.count("uses").errors == 1
    assert (report.count("ignores").errors, report.count("ignores").failed) == (0, 0)


def test_an_error_in_a_message_does_not_hide_the_finding(desk: Desk) -> None:
    rules = """<pattern><rule context="V1"><assert id="a" test="false()">n:
      <value-of select="xs:integer(.)"/></assert></rule></pattern>"""
    report = desk.report(rules, "<V1>five</V1>")
    assert (report.count("a").failed, report.count("a").errors) == (1, 0)
    assert "cannot be evaluated" in report.findings[0].text


def test_a_schema_variable_that_cannot_be_calculated_is_an_error_at_its_own_line(desk: Desk) -> None:
    rules = """<let name="n" value="xs:integer(/V1)"/>
    <pattern><rule context="V1"><assert id="a" test="$n = 1">x</assert></rule></pattern>"""
    with pytest.raises(RulesError, match=r"rules\.sch:1: let 'n': FORG0001"):
        desk.report(rules, "<V1>five</V1>")


def test_a_document_given_from_outside_takes_the_place_of_a_variable_at_any_level(desk: Desk) -> None:
    original = desk.write("elsewhere/original.xml", "<Data><Record><V1>5</V1></Record></Data>")
    test = '<assert id="known" test="V1 = $original//V1">x</assert>'
    let = "<let name='original' value=\"'nothing'\"/>"
    for body in (
        f'{let}<pattern><rule context="Record">{test}</rule></pattern>',
        f'<pattern>{let}<rule context="Record">{test}</rule></pattern>',
        f'<pattern><rule context="Record">{let}{test}</rule></pattern>',
        f'<pattern><rule context="Record">{test}</rule></pattern>',
    ):
        report = desk.report(body, DATA, parameters={"original": original})
        assert report.count("known").failed == 2, body


def test_a_time_limit_ends_a_rule_that_takes_for_ever_and_the_judge_still_works(desk: Desk) -> None:
    rules = '<pattern><rule context="V1"><assert id="a" test="%s">x</assert></rule></pattern>'
    slow = "fold-left(1 to 2000000000, 0, function($a, $b) { ($a + $b) mod 7 }) = 8"
    judge = desk.judge(rules % f". = 1 or {slow}", "xslt3")
    judge._time_limit = 0.5  # for the rule alone: on a busy machine, starting may take longer than any limit
    with pytest.raises(JudgeError, match="time limit"):
        judge.judge_bytes(b"<V1>2</V1>", desk.data)
    judge._time_limit = None
    assert judge.judge_bytes(b"<V1>1</V1>", desk.data).count("a").failed == 0


def test_a_time_limit_that_is_not_reached_changes_nothing(desk: Desk) -> None:
    assert desk.report(RULES, DATA, time_limit=600.0) == desk.report(RULES, DATA)


def test_a_closed_judge_can_judge_again(desk: Desk) -> None:
    judge = desk.judge(RULES)
    judge.close()
    assert judge.judge_bytes(DATA.encode(), desk.data).count("small").failed == 2


@pytest.mark.parametrize(
    ("data", "line", "phrase"),
    [
        ("<a>\n<b>\n</a>", 3, "b"),
        ("<a>\n", 2, "structures"),
        ("<!DOCTYPE a>\n<a/>", 1, "DOCTYPE"),
        ("", 1, "end of file"),
    ],
)
def test_data_that_is_not_xml_is_a_data_error_with_its_line(desk: Desk, data: str, line: int, phrase: str) -> None:
    with pytest.raises(DataError, match=phrase) as caught:
        desk.report(RULES, data)
    assert (caught.value.file, caught.value.line) == (str(desk.data), line)


def test_a_missing_data_file_is_a_data_error(desk: Desk) -> None:
    with pytest.raises(DataError, match="no such file"):
        desk.judge(RULES).judge_file(desk.folder / "nowhere.xml")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_data_may_have_any_encoding_that_xml_allows(desk: Desk, encoding: str) -> None:
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    data = f'<?xml version="1.0" encoding="{declared}"?><V1>é</V1>'.encode(encoding)
    rules = '<pattern><rule context="V1"><assert id="a" test=". = \'é\'">x</assert></rule></pattern>'
    assert desk.report(rules, data).counts[0].failed == 0


@pytest.mark.parametrize("encoding", ["unicode_escape", "utf-7", "rot13", "no-such"])
def test_an_encoding_that_xml_parsers_do_not_know_is_a_data_error(desk: Desk, encoding: str) -> None:
    with pytest.raises(DataError, match="is not read"):
        desk.report(RULES, f'<?xml version="1.0" encoding="{encoding}"?><V1/>')


def test_bytes_that_are_not_the_declared_encoding_are_a_data_error(desk: Desk) -> None:
    with pytest.raises(DataError, match="not UTF-8"):
        desk.report(RULES, b"<V1>\xe9</V1>")


def test_a_record_may_have_a_thousand_attributes_and_depth_is_bounded(desk: Desk) -> None:
    judge = desk.judge('<pattern><rule context="*"><assert id="a" test="true()">x</assert></rule></pattern>')
    wide = "<Obs " + " ".join(f'V{n}="1"' for n in range(1000)) + "/>"
    assert judge.judge_bytes(wide.encode(), desk.data).counts[0].fired == 1
    assert judge.judge_bytes(b"<a>" * 900 + b"</a>" * 900, desk.data).counts[0].fired == 900
    with pytest.raises(DataError, match="depth"):
        judge.judge_bytes(b"<a>" * 100_000 + b"</a>" * 100_000, desk.data)


ELEMENTS = st.recursive(
    st.sampled_from(
        ["<a/>", "<b x='1'/>", "text", "<!--c-->", "<?p q?>", "<a>t</a>", "<n:a xmlns:n='urn:n' n:x='2'/>"]
    ),
    lambda inner: st.lists(inner, min_size=1, max_size=5).map(lambda parts: "<a>" + "".join(parts) + "</a>"),
    max_leaves=25,
)


@pytest.fixture(scope="module")
def path_judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    from constraint_sdc.schematron.load import load_schema

    path = tmp_path_factory.mktemp("rules") / "paths.sch"
    path.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt3"><pattern>'
        '<rule context="/ | node() | @*"><report id="a" test="true()"><value-of select="path()"/></report></rule>'
        "</pattern></schema>"
    )
    return Judge(load_schema(path), max_findings=None)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ELEMENTS.map(lambda inner: f"<root>{inner}</root>"))
def test_locations_are_the_paths_that_xpath_itself_would_give(path_judge: Judge, document: str) -> None:
    report = path_judge.judge_bytes(document.encode(), Path("data.xml"))
    assert report.findings[0].location == "/"
    assert [f.location for f in report.findings] == [f.text for f in report.findings]
    nodes = etree.fromstring(document).getroottree().xpath("count(//node() | //@*)")
    assert report.counts[0].fired == nodes + 1


class PatientJudge:
    """Judges nothing, for the queue in front of it."""

    def judge_bytes(self, document: bytes, _: Path) -> bytes:
        return document

    def close(self) -> None:
        pass


def test_two_documents_for_each_worker_are_in_progress_before_an_answer_is_waited_for() -> None:
    judges: ChunkJudges[int, JudgeReport] = ChunkJudges(
        lambda _: cast(Any, PatientJudge()),
        Path("data.xml"),
        workers=3,
        question=lambda judge, document, base: judge.judge_bytes(document, base),
    )
    answered = [[label for label, _ in judges.ask(number, b"<a/>")] for number in range(8)]
    assert answered == [[]] * 6 + [[0], [1]]
    assert [label for label, _ in judges.answers()] == [2, 3, 4, 5, 6, 7]
    judges.close()
