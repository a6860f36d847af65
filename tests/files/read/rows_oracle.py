"""The slow and obvious reader: parse the whole tree with lxml, walk it, ask XPath for every string value."""

from __future__ import annotations

from pathlib import Path
from xml.parsers import expat

from lxml import etree

from constraint_sdc.data.table import State
from constraint_sdc.errors import DataError, NotRowsError
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.files.xml_encoding import EncodingError, encoding_of

NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"
Cell = tuple[State, str]
Record = dict[str, Cell]
REJECTED = "rejected"
NOT_ROWS = "not rows"


def strict_tree(data: bytes) -> etree._Element | None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None
    if len(parser.error_log.filter_from_errors()):  # lxml forgets an error of namespaces when a warning follows
        return None
    return None if root.getroottree().docinfo.doctype else root


def expected_rows(data: bytes, record: str) -> list[Record] | str:
    root = strict_tree(data)
    # Any version but 1.0 is refused by policy: in XML 1.1 some characters are line ends that libxml2 takes for text.
    if root is None or root.getroottree().docinfo.xml_version not in (None, "1.0") or is_refused_by_policy(data, root):
        return REJECTED
    named = [e for e in root.iter("{*}" + record) if e is not root]
    found = [e for e in named if e.tag == named[0].tag]
    if not found or any(set(e.iterancestors()) & set(found) for e in found):
        return NOT_ROWS
    rows = [_row(element) for element in found]
    return NOT_ROWS if None in rows else [row for row in rows if row is not None]


def is_refused_by_policy(data: bytes, root: etree._Element) -> bool:
    """Tell whether libxml2 reads what other parsers do not: an encoding, or a name of XML's fifth edition."""
    try:
        encoding_of(data)
        expat.ParserCreate().Parse(etree.tostring(root, encoding="utf-8"), True)
    except (EncodingError, expat.ExpatError):
        return True
    return False


def _row(record: etree._Element) -> Record | None:
    row: Record = {"@" + str(n): (State.VALUE if v else State.EMPTY, str(v)) for n, v in record.attrib.items()}
    if any(text.strip(" \t\r\n") for text in record.xpath("text()")):
        return None
    for child in record.iterchildren("*"):
        if child.tag in row or child.xpath("*"):
            return None
        text = str(child.xpath("string(.)"))
        is_nil = str(child.get(NIL, "")).strip(" \t\r\n") in ("true", "1")
        row[str(child.tag)] = (State.VALUE if text else State.NIL if is_nil else State.EMPTY, text)
    return row


def read_rows(path: Path, record: str | None, chunk_bytes: int) -> list[Record] | str:
    """Read by the product, checking on the way that numbers, raw records and spans fit together."""
    try:
        data = open_microdata(path, record=record, chunk_bytes=chunk_bytes)
        rows: list[Record] = []
        for chunk in data.chunks():
            assert chunk.first == len(rows)
            assert len(chunk.lines) == len(chunk) > 0
            new: list[Record] = [{} for _ in range(len(chunk))]
            for name, column in chunk.columns.items():
                assert len(column) == len(chunk)
                assert column.name == name
                for i, text in enumerate(column.texts()):
                    state = State(int(column.state[i]))
                    assert (state == State.VALUE) == (column.start[i] < column.stop[i])
                    if text is not None:
                        new[i][name] = (state, text)
            for i, row in enumerate(new):
                assert raw_row(chunk.layout.head + chunk.record_xml(i) + chunk.layout.tail, chunk.layout.record) == row
            rows.extend(new)
    except NotRowsError:
        return NOT_ROWS
    except DataError:
        return REJECTED
    return rows


def raw_row(document: bytes, record: str) -> Record | None:
    found = [e for e in etree.fromstring(document).iter(record) if e.getparent() is not None]
    assert len(found) == 1
    return _row(found[0])


def start_lines(data: bytes, record: str) -> list[int]:
    """Return the lines on which start tags of this local name begin, by expat."""
    lines: list[int] = []
    parser = expat.ParserCreate()

    def start(name: str, _: object) -> None:
        if name.rpartition(":")[2] == record:
            lines.append(parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.Parse(data, True)
    return lines
