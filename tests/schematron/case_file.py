"""Reads a one-file case: a schema, the files beside it, a document, and what must come out.

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
  </c:expect>
</c:case>
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lxml import etree

_CASE = "{urn:constraint-sdc:case}"
_EXPECTATIONS = {f"{_CASE}{name}" for name in ("fails", "says", "severity", "message", "diagnostic", "at")}


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
