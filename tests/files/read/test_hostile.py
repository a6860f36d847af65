"""Broken and hostile files: one message with file and line, what to do, and nothing read from elsewhere."""

from __future__ import annotations

import bz2
import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from constraint_sdc.errors import DataError, NotRowsError
from constraint_sdc.files.microdata.microdata import open_microdata

Write = Callable[[str | bytes], Path]
ROWS = "<D>\n<R><A>1</A></R>\n<R><A>2</A></R>\n</D>"


def read_all(path: Path, record: str | None = None) -> None:
    for _ in open_microdata(path, record=record).chunks():
        pass


def refusal(path: Path, record: str | None = None) -> DataError:
    with pytest.raises(DataError) as caught:
        read_all(path, record)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_missing_file_a_directory_and_an_empty_file(tmp_path: Path, write: Write) -> None:
    assert "no such file" in str(refusal(tmp_path / "none.xml"))
    assert "is a directory" in str(refusal(tmp_path))
    assert "empty" in str(refusal(write("")))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_compressed_data_under_an_xml_name(write: Write, pack: Callable[[bytes], bytes]) -> None:
    assert "decompress it first" in str(refusal(write(pack(ROWS.encode()))))


def test_a_zip_under_an_xml_name(write: Write) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("rows.xml", ROWS)
    assert "is zip data" in str(refusal(write(packed.getvalue())))


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE D>",
        '<!DOCTYPE D [<!ENTITY z "1">]>',
        '<!DOCTYPE D [<!ENTITY z SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE D SYSTEM "http://127.0.0.1:9/x.dtd">',
        '<!DOCTYPE D [<!ATTLIST A v CDATA "1">]>',
    ],
)
def test_a_doctype_is_refused(write: Write, doctype: str) -> None:
    error = refusal(write(doctype + ROWS))
    assert "DOCTYPE is not allowed" in str(error)
    assert error.line == 1


def test_an_entity_bomb_is_refused_at_once(write: Write) -> None:
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    document = f'<!DOCTYPE D [<!ENTITY e0 "ha">{levels}]>' + ROWS.replace("1", "&e11;")
    assert "DOCTYPE is not allowed" in str(refusal(write(document)))


@pytest.mark.parametrize(
    ("damaged", "line"),
    [
        (ROWS.replace("</A></R>\n<R><A>2", "</B></R>\n<R><A>2"), 2),
        (ROWS.replace("2</A>", "2</B>"), 3),
        (ROWS.replace("2", "&z;"), 3),
        (ROWS.replace("2", "<"), 3),
        (ROWS.replace("2", "\x01"), 3),
        (ROWS.replace("2", "]]>"), 3),
        (ROWS.replace("2", "&#0;"), 3),
        (ROWS.replace("</D>", ""), 4),
        (ROWS + "\n<D/>", 5),
        (ROWS.replace("2</A>", "2</A><u:B/>"), 3),
        (ROWS.replace("<A>2", "<A b='1' b='2'>2"), 3),
    ],
)
def test_what_is_not_well_formed_is_refused_with_its_line(write: Write, damaged: str, line: int) -> None:
    error = refusal(write(damaged))
    assert not isinstance(error, NotRowsError)
    assert "not well-formed XML" in str(error)
    assert error.hint
    assert error.line == line


def test_the_line_is_right_deep_in_a_long_file(write: Write) -> None:
    row = "<R>\n<A>1</A>\n<B>2</B>\n</R>\n"
    document = "<D>\n" + row * 70_000 + row.replace("</B>", "</C>") + row * 1000 + "</D>"
    assert refusal(write(document)).line == 2 + 4 * 70_000 + 2


def test_a_file_cut_off_anywhere_is_refused(write: Write) -> None:
    for size in range(1, len(ROWS)):
        refusal(write(ROWS[:size]))


@pytest.mark.parametrize(
    ("declared", "data"),
    [
        ("UTF-8", b"\xe9"),
        ("UTF-8", b"\xed\xa0\x80"),
        ("UTF-8", b"\xef\xbf\xbf"),
        ("UTF-8", b"\xc0\x80"),
        ("US-ASCII", "é".encode()),
        ("no-such-encoding", b"1"),
    ],
)
def test_bytes_that_are_not_in_the_encoding_are_refused(write: Write, declared: str, data: bytes) -> None:
    document = f'<?xml version="1.0" encoding="{declared}"?>\n'.encode() + ROWS.encode().replace(b"2", data)
    assert refusal(write(document)).line in (1, 4)


def test_utf16_with_half_a_character_is_refused(write: Write) -> None:
    refusal(write(ROWS.encode("utf-16")[:-1]))
    refusal(write(ROWS.replace("2", "\ud800").encode("utf-16", "surrogatepass")))


def test_depth_is_bounded(write: Write) -> None:
    deep = "<x>" * 300 + "</x>" * 300
    assert "256 levels" in str(refusal(write(ROWS.replace("</D>", deep + "</D>"))))
    assert "256 levels" in str(refusal(write("<D>" + deep + "</D>")))


def test_a_giant_text_is_bounded(write: Write) -> None:
    giant = ROWS.replace("2", "2" * 10_000_001)
    assert "10 MB" in str(refusal(write(giant)))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("<R><A>1</A><A>2</A></R>", "variable A occurs twice in one record"),
        ("<R><A>1<B>2</B></A></R>", "<B> inside <A>, where a value should be"),
        ("<R>text<A>1</A></R>", "text between the variables"),
        ("<R><A>1</A>text</R>", "text between the variables"),
        ("<R><A>1</A><R><A>2</A></R></R>", "inside"),
    ],
)
def test_rows_that_stop_being_flat_are_named_with_their_line(write: Write, rows: str, words: str) -> None:
    document = "<D>\n" + "<R><A>1</A></R>\n" * 9000 + rows + "\n</D>"
    error = refusal(write(document))
    assert isinstance(error, NotRowsError)
    assert words in str(error)
    assert error.line == 9002


def test_a_record_without_end_is_bounded(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraint_sdc.files.microdata.parse.RECORD_BYTES", 1 << 20)
    children = "".join(f"<V{i}>1</V{i}>" for i in range(200_000))
    error = refusal(write(f"<D>\n<R><A>1</A></R>\n<R>{children}</R></D>"), record="R")
    assert "a record is too large or has no end tag" in str(error)
    assert error.line == 3


def test_xml_1_1_is_refused_because_its_line_ends_differ(write: Write) -> None:
    path = write("<?xml version='1.1'?><D><R><A>1\u0085</A></R><R><A>2</A></R></D>")
    with pytest.raises(DataError, match=r"XML 1\.1 is not read"):
        open_microdata(path)


def test_an_xml_id_is_a_value_like_others(write: Write) -> None:
    path = write("<D><R xml:id='a 1'><A>1</A></R><R xml:id='a 1'><A>2</A></R></D>")
    assert sum(map(len, open_microdata(path).chunks())) == 2
