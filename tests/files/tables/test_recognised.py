"""Which XML files are messages of SDMX-ML: by the namespace of the root, wherever it stands, and never by the name."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from constraint_sdc.files.tables.registry import format_by_name, is_message, reading_tables, table_format
from constraint_sdc.files.tables.sdmx.recognised import message_kind
from constraint_sdc.settings.table_reading import TableReading
from tests.sdmx_messages import MESSAGES, rows

_NEW = "http://www.sdmx.org/resources/sdmxml/schemas/v2_1/message"


@pytest.mark.parametrize("kind", MESSAGES)
@pytest.mark.parametrize("name", ["data.xml", "data", "data.sdmx"])
def test_messages_are_known_by_their_root(kind: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(MESSAGES[kind](rows(1)))
    known = table_format(path)
    assert known is not None
    assert known.name == "sdmx-ml"
    assert format_by_name(path) is None


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (f"<!--{'x' * 3000}-->\n<GenericData xmlns='{_NEW}'/>", "SDMX-ML 2.1, generic data"),
        (f"<a:GenericData {' ' * 2000}xmlns:a='{_NEW}'/>", "SDMX-ML 2.1, generic data"),
        (f"<Structure xmlns='{_NEW}'/>", "SDMX-ML 2.1, Structure"),
        (f"<GenericData xmlns='{_NEW.upper()}'/>", None),
        (f"<GenericData xmlns='{_NEW.replace('sdmxml', 'SDMXML')}'/>", "SDMX-ML 2.1, generic data"),
        (f"<GenericData xmlns='{_NEW}x'/>", None),
        ("<GenericData/>", None),
        (f"<Data><GenericData xmlns='{_NEW}'/></Data>", None),
        (f"<!DOCTYPE GenericData><GenericData xmlns='{_NEW}'/>", None),
        ("", None),
        ("a,b\n", None),
        ("<GenericData", None),
    ],
)
def test_other_files_are_none(content: str, found: str | None, tmp_path: Path) -> None:
    path = tmp_path / "data.xml"
    for encoding in ("utf-8", "utf-8-sig"):
        path.write_text(content, encoding)
        kind = message_kind(path)
        assert (None if kind is None else kind.words) == found


def test_a_file_that_changes_is_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / "data.xml"
    assert not is_message(path)
    path.write_text(f"<GenericData xmlns='{_NEW}'/>")
    assert is_message(path)
    path.write_text("<Data/>")
    assert not is_message(path)


def test_elements_can_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "data.xml"
    path.write_text(f"<GenericData xmlns='{_NEW}'/>")
    with reading_tables(TableReading(sdmx="elements")):
        assert table_format(path) is None
    assert table_format(path) is not None


def test_a_pipe_is_not_looked_into(tmp_path: Path) -> None:
    path = tmp_path / "data.xml"
    os.mkfifo(path)
    content = f"<GenericData xmlns='{_NEW}'/>"
    writer = threading.Thread(target=lambda: path.write_text(content))
    assert message_kind(path) is None
    writer.start()
    assert path.read_text() == content
    writer.join()
