"""The slow and obvious comparison: parse both documents whole with lxml and look at every node."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from lxml import etree

from constraint_sdc.commands.masking.staged import write_staged
from constraint_sdc.data.table import Column, State, column_of
from constraint_sdc.files.dataset import Dataset
from constraint_sdc.files.masked_document.document import write_masked
from constraint_sdc.files.microdata.microdata import open_microdata
from tests.files.read.rows_oracle import Cell, Record, expected_rows

NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"
Node = tuple[object, ...]


def as_utf8(data: bytes, encoding: str) -> bytes:
    text = data.decode(encoding)
    return re.sub(r"^\ufeff?<\?xml[^>]*\?>", "", text).encode("utf-8")


def rows_of(data: bytes, encoding: str = "utf-8") -> list[Record]:
    rows = expected_rows(as_utf8(data, encoding), "Record")
    assert isinstance(rows, list)
    return rows


def column(name: str, cells: Iterable[Cell | None]) -> Column:
    listed = list(cells)
    texts = [None if cell is None else cell[1] for cell in listed]
    return column_of(name, texts, [cell is not None and cell[0] == State.NIL for cell in listed])


def columns_of(rows: list[Record], names: Iterable[str]) -> dict[str, Column]:
    return {name: column(name, [row.get(name) for row in rows]) for name in names}


def rest_of(data: bytes, encoding: str, masked: frozenset[str], gone: frozenset[str]) -> list[Node]:
    """Return all that is no masked value: each node of the document with everything lxml knows of it.

    Of masked variables the text is left out, and xsi:nil; variables in `gone` are left out with the space around them.
    """
    root = etree.fromstring(as_utf8(data, encoding))
    record = next(e.tag for e in root.iter("{*}Record") if e is not root)
    outside = [*reversed(list(root.itersiblings(preceding=True))), *root.itersiblings()]
    nodes: list[Node] = [(node.tag, node.text) for node in outside]
    for node in root.iter():
        parent = node.getparent()
        in_record = parent is not None and parent.tag == record and parent is not root
        is_inside_value = parent is not None and parent.tag in masked | gone and record in _ancestors(parent)
        if is_inside_value or (in_record and node.tag in gone):
            continue
        attributes = [(str(n), str(v)) for n, v in node.attrib.items()] if isinstance(node.tag, str) else []
        if node.tag == record and node is not root:
            attributes = [(n, "" if f"@{n}" in masked else v) for n, v in attributes if f"@{n}" not in gone]
        text, tail = node.text, node.tail
        if in_record and node.tag in masked:
            attributes, text = [(n, v) for n, v in attributes if n != NIL], None
        if gone and (in_record or node.tag == record):
            tail = tail and tail.strip()
            text = text and (text.strip() if node.tag == record else text)
        prefix = node.prefix if isinstance(node.tag, str) else None
        nodes.append((node.tag, prefix, tuple(attributes), text or "", tail or ""))
    return nodes


def _ancestors(node: etree._Element) -> list[object]:
    return [element.tag for element in node.iterancestors() if element.getparent() is not None]


def skeleton_of(dataset: Dataset, columns: Mapping[str, Column], removed: frozenset[str] = frozenset()) -> bytes:
    """Return the digest of all that must not change, as writing the file finds it."""
    scratch = dataset.path.with_name("scratch.xml")
    enough = {name: _of_length(column, dataset.table.records) for name, column in columns.items()}
    return write_staged(dataset, scratch, enough, removed)


def _of_length(column: Column, count: int) -> Column:
    return column_of(column.name, [*column.texts(), *("x",) * count][:count]) if len(column) != count else column


def masked_bytes(
    source: Path,
    columns: Mapping[str, Column],
    removed: Iterable[str] = (),
    *,
    block_bytes: int = 1 << 20,
    record: str | None = None,
) -> bytes:
    """Write beside the source, and return the bytes."""
    target = source.with_name("staged.xml")
    target.write_bytes(b"")
    microdata = open_microdata(source, record=record)
    write_masked(
        source,
        target,
        record=microdata.layout.record,
        codec=microdata.how.codec,
        columns=columns,
        removed=frozenset(removed),
        block_bytes=block_bytes,
    )
    return target.read_bytes()
