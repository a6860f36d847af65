"""Damaged messages of SDMX-ML are refused with a line, or read as a walk of the tree reads them; no byte is lost."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from lxml import etree

from constraint_sdc.errors import DataError
from constraint_sdc.files.rows_file import header_of
from constraint_sdc.files.tables.sdmx.masked_message import write_masked_message
from constraint_sdc.files.tables.sdmx.presented_message import PresentedMessage
from constraint_sdc.files.tables.table_format import TableChange
from tests.files.tables.message_oracle import walked
from tests.sdmx_messages import MESSAGES, rows

_CASES = 60  # of each kind
_PIECES = (
    *(b"<", b">", b"&amp;", b"&", b'"', b"'", b"<!--x-->", b"<?p?>", b"<![CDATA[a]]>", b" ", b"\n", b"/", b"=", b"\t"),
    *(
        b' x="1"',
        b"<Obs/>",
        b"\xc3\xb6",
        b"\xff",
        b"\0",
        b"]]>",
        b"<!DOCTYPE a>",
        b"&#10;",
        b"&#0;",
        b" xmlns=''",
        b"\r",
    ),
)


def _damaged(content: bytes, draw: random.Random) -> bytes:
    """Return a message with something put into its data set, taken out of it or written twice."""
    first = content.index(b"DataSet")
    for _ in range(draw.choice((1, 1, 2))):
        at = draw.randrange(first, len(content))
        match draw.randrange(4):
            case 0 | 1:
                content = content[:at] + draw.choice(_PIECES) + content[at:]
            case 2:
                content = content[:at] + content[at + draw.randrange(1, 6) :]
            case _:
                other = draw.randrange(first, len(content))
                content = content[:at] + content[other : other + draw.randrange(1, 40)] + content[at:]
    return content


def _presented(path: Path) -> list[dict[str, str]]:
    message = PresentedMessage(path)
    try:
        root = etree.fromstring(b"".join(message.presented()))
    finally:
        message.close()
    records = root.iterchildren("Record")
    return [{header_of(str(cell.tag)): cell.text or "" for cell in record.iterchildren("*")} for record in records]


@pytest.mark.parametrize("kind", MESSAGES)
def test_damage_is_found_or_harmless(kind: str, tmp_path: Path) -> None:
    path, target = tmp_path / "data.xml", tmp_path / "masked.xml"
    read, refused = 0, list[DataError]()
    for seed in range(_CASES):
        path.write_bytes(_damaged(MESSAGES[kind](rows(3)).encode(), random.Random(seed)))
        try:
            found = _presented(path)
        except DataError as refusal:
            refused.append(refusal)
            with pytest.raises(DataError):
                write_masked_message(path, target, TableChange({}))
            continue
        assert found == walked(path), seed
        write_masked_message(path, target, TableChange({}))
        assert target.read_bytes() == path.read_bytes(), seed
        read += 1
    assert 2 < read < _CASES - 5
    assert all(one.line for one in refused)
