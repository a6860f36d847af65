"""Every one-file case in cases/ is loaded, judged by Saxon and compared with what it expects.

<c:case xmlns:c="urn:constraint-sdc:case">
  <c:about>One sentence on what the case shows.</c:about>
  <c:schema> ... </c:schema>                     one element, or text with as="text"
  <c:file name="lib/codes.xml"> ... </c:file>    any number of further files, written beside the schema
  <c:document> ... </c:document>
  <c:phase>quick</c:phase>                       optional
  <c:expect verdict="valid | invalid | error">
    <c:fails id="rule" times="2"/>               every assertion that finds something, and on how many nodes
    <c:says>a phrase of the error</c:says>
    <c:severity id="rule" is="warning"/>
    <c:message id="rule">text of its first finding</c:message>
    <c:diagnostic id="rule" of="note">text of the note at its first finding</c:diagnostic>
    <c:at id="rule" node="V1"/>                  name of the node that its first finding points at
    <c:svrl select="//svrl:text">a text</c:svrl> value of an XPath on the complete SVRL report, as a string
  </c:expect>
</c:case>
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from lxml import etree

from constraint_sdc.errors import ConstraintSdcError
from constraint_sdc.judge.judge import Judge
from constraint_sdc.judge.judge_report import JudgeReport
from constraint_sdc.schematron.load import load_schema
from constraint_sdc.schematron.schema import Schema

CASES = sorted((Path(__file__).parent / "cases").glob("*.xml"))
_CASE = "{urn:constraint-sdc:case}"
_EXPECTATIONS = {f"{_CASE}{name}" for name in ("fails", "says", "severity", "message", "diagnostic", "at", "svrl")}
_SVRL = {"svrl": "http://purl.oclc.org/dsdl/svrl"}


@dataclass(frozen=True, slots=True)
class Case:
    about: str
    files: dict[str, bytes]
    phase: str | None
    verdict: str
    fails: dict[str, int]
    says: tuple[str, ...]
    severities: dict[str, str]
    messages: dict[str, str]
    diagnostics: dict[tuple[str, str], str]
    subjects: dict[str, str]
    svrl: dict[str, str]

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write the files and return the paths of the schema and of the document."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder / "main.sch", folder / "document.xml"


def read_case(path: Path) -> Case:
    root = etree.fromstring(path.read_bytes())
    expect = root.find(f"{_CASE}expect")
    about = root.findtext(f"{_CASE}about")
    assert expect is not None, "a case needs an expectation"
    assert about, "a case says what it shows"
    verdict = expect.get("verdict")
    assert verdict in ("valid", "invalid", "error")
    unknown = [child.tag for child in expect if child.tag not in _EXPECTATIONS]
    assert not unknown, f"unknown expectations: {unknown}"
    files = {"main.sch": _content(root, "schema"), "document.xml": _content(root, "document")}
    files |= {element.get("name", ""): _text_of(element) for element in root.iterfind(f"{_CASE}file")}
    return Case(
        about=about,
        files=files,
        phase=root.findtext(f"{_CASE}phase"),
        verdict=verdict,
        fails={e.get("id", ""): int(e.get("times", "1")) for e in expect.iterfind(f"{_CASE}fails")},
        says=tuple(e.text or "" for e in expect.iterfind(f"{_CASE}says")),
        severities={e.get("id", ""): e.get("is", "") for e in expect.iterfind(f"{_CASE}severity")},
        messages={e.get("id", ""): e.text or "" for e in expect.iterfind(f"{_CASE}message")},
        diagnostics={(e.get("id", ""), e.get("of", "")): e.text or "" for e in expect.iterfind(f"{_CASE}diagnostic")},
        subjects={e.get("id", ""): e.get("node", "") for e in expect.iterfind(f"{_CASE}at")},
        svrl={e.get("select", ""): e.text or "" for e in expect.iterfind(f"{_CASE}svrl")},
    )


def _content(root: etree._Element, name: str) -> bytes:
    element = root.find(f"{_CASE}{name}")
    assert element is not None, f"a case needs a {name}"
    return _text_of(element)


def _text_of(element: etree._Element) -> bytes:
    if element.get("as") == "text":
        return (element.text or "").encode()
    (content,) = [child for child in element if isinstance(child.tag, str)]
    return etree.tostring(content, with_tail=False)


def test_there_are_cases() -> None:
    assert len(CASES) >= 200


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path, tmp_path: Path) -> None:
    case = read_case(path)
    rules, document = case.write(tmp_path / "rules")
    if case.verdict == "error":
        assert case.says, "an error case must name a phrase"
        with pytest.raises(ConstraintSdcError) as caught:
            run(rules, document, case.phase)
        assert [phrase for phrase in case.says if phrase not in str(caught.value)] == [], str(caught.value)
        return
    schema, report, svrl = run(rules, document, case.phase, with_svrl=bool(case.svrl))
    compare(case, schema, report)
    if case.svrl:
        found = etree.fromstring(svrl.encode())
        values = {path: found.xpath(f"string({path})", namespaces=_SVRL) for path in case.svrl}
        assert values == case.svrl, svrl


def run(rules: Path, document: Path, phase: str | None, *, with_svrl: bool = False) -> tuple[Schema, JudgeReport, str]:
    schema = load_schema(rules, phase=phase)
    with Judge(schema) as judge:
        report = judge.judge_file(document)
        svrl = judge.svrl_file(document) if with_svrl else ""
    stopped = [count.error for count in report.counts if count.errors]
    assert not stopped, stopped
    return schema, report, svrl


def compare(case: Case, schema: Schema, report: JudgeReport) -> None:
    assert {count.assertion: count.failed for count in report.counts if count.failed} == case.fails
    assert (case.verdict == "invalid") == bool(case.fails)
    severities = {assertion.id: assertion.severity for assertion in schema.assertions()}
    assert {name: severities[name] for name in case.severities} == case.severities
    first = {finding.assertion: finding for finding in reversed(report.findings)}
    assert {name: first[name].text for name in case.messages} == case.messages
    notes = {(name, note): text for name, finding in first.items() for note, text in finding.diagnostics}
    assert {key: notes.get(key) for key in case.diagnostics} == case.diagnostics
    assert {name: last_name(first[name].location) for name in case.subjects} == case.subjects


def last_name(location: str) -> str:
    """Return the local name of a location's last step, written as `Q{namespace}name[position]`."""
    return location.rpartition("}")[2].partition("[")[0]
