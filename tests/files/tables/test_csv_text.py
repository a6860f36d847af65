"""CSV files as rows: the csv module reads the same values, and what is not masked is written back byte for byte."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from constraint_sdc.data.table import column_of
from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.rows_file import xml_name
from constraint_sdc.files.tables.csv.cells import cell_value, cut_blocks
from constraint_sdc.files.tables.registry import reading_tables, table_format
from constraint_sdc.files.tables.table_format import TableChange
from constraint_sdc.settings.table_reading import TableReading
from tests.draws import draws

CELLS = st.text(st.sampled_from('ab 1.,;"\n\r\t&<é'), max_size=5)
ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=6)
)
STYLES = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def written(rows: list[list[str]], delimiter: str, end: str, style: int) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=style).writerows(rows)  # type: ignore[arg-type]
    return text.getvalue()


def read(text: str, delimiter: str) -> list[list[str]]:
    return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@settings(max_examples=draws(150), deadline=None)
@given(rows=ROWS, delimiter=st.sampled_from(",;\t|"), end=ENDS, style=STYLES, size=st.integers(1, 9))
def test_any_file_of_the_csv_module_is_cut_into_its_cells(
    rows: list[list[str]], delimiter: str, end: str, style: int, size: int
) -> None:
    text = written(rows, delimiter, end, style)
    expected = [row or [""] for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]
    found = [row for block in cut_blocks(pieces(text, size), delimiter) for row in block.rows]
    assert [[cell_value(cell) for cell in row.cells] for row in found] == expected
    assert "".join(delimiter.join(row.cells) + row.end for row in found) == text


HEADERS = [["a", "Total income", "é"], ["x"], ["one", "two"]]
ENCODINGS = [
    ("utf-8", b""),
    ("utf-8", b"\xef\xbb\xbf"),
    ("cp1252", b""),
    ("utf-16-le", b"\xff\xfe"),
    ("utf-16-be", b"\xfe\xff"),
]


@settings(max_examples=draws(60), deadline=None)
@given(
    data=st.data(),
    headers=st.sampled_from(HEADERS),
    encoding=st.sampled_from(ENCODINGS),
    delimiter=st.sampled_from(",;\t"),
    end=ENDS,
    style=STYLES,
    last=st.sampled_from(["", "one", "three"]),
)
def test_masked_cells_are_replaced_and_every_other_byte_stays(
    data: st.DataObject,
    headers: list[str],
    encoding: tuple[str, bytes],
    delimiter: str,
    end: str,
    style: int,
    last: str,
) -> None:
    width = len(headers)
    rows = data.draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=5))
    codec, mark = encoding
    text = written([headers, *rows], delimiter, end, style)
    assume(read(text, delimiter) == [headers, *rows])  # the csv module does not quote a return before a line feed
    text = {"": text.removesuffix(end), "one": text, "three": text + 2 * end}[last]
    masked = data.draw(st.sampled_from([None, *headers]))
    new = data.draw(st.lists(CELLS.filter(bool), min_size=len(rows), max_size=len(rows)))
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "data.csv", Path(folder) / "masked.csv"
        source.write_bytes(mark + text.encode(codec))
        target.touch()
        known, reading = table_format(source), TableReading(delimiter, None if mark else codec)
        assert known is not None
        columns = {} if masked is None else {xml_name(masked): column_of(xml_name(masked), new)}
        copied = known.write_masked(source, target, TableChange(columns), reading)
        content = target.read_bytes()
        assert content.startswith(mark)
        if masked is None:
            assert content == source.read_bytes()
        at = headers.index(masked) if masked else -1
        expected = [[*row[:at], value, *row[at + 1 :]] if masked else row for row, value in zip(rows, new, strict=True)]
        assert read(content[len(mark) :].decode(codec), delimiter) == [headers, *expected]
        again = known.skeleton(target, TableChange(columns), reading)
        assert again.skeleton == copied.skeleton
        other = content[: len(mark)] + content[len(mark) :].decode(codec).replace(headers[0], "zz", 1).encode(codec)
        target.write_bytes(other)
        assert known.skeleton(target, TableChange({}), reading).skeleton != copied.skeleton


def test_a_cell_that_is_not_masked_is_in_the_skeleton(tmp_path: Path) -> None:
    source, target = tmp_path / "data.csv", tmp_path / "masked.csv"
    source.write_bytes(b"a,b\r\n1,2\r\n3,4\r\n")
    target.touch()
    known = table_format(source)
    assert known is not None
    change = TableChange({"a": column_of("a", ["8", None])})
    copied = known.write_masked(source, target, change, TableReading())
    assert target.read_bytes() == b"a,b\r\n8,2\r\n,4\r\n"
    for lie in (b"a,b\r\n8,9\r\n,4\r\n", b"a,b\n8,2\r\n,4\r\n", b'a,b\r\n8,"2"\r\n,4\r\n', b"a,b\r\n8,2\r\n,4"):
        target.write_bytes(lie)
        assert known.skeleton(target, change, TableReading()).skeleton != copied.skeleton, lie
    target.write_bytes(b"a,b\r\n7,2\r\n7,4\r\n")
    assert known.skeleton(target, change, TableReading()).skeleton == copied.skeleton, "only masked values differ"


def test_removed_columns_are_gone_with_their_delimiter(tmp_path: Path) -> None:
    source, target = tmp_path / "data.csv", tmp_path / "masked.csv"
    source.write_bytes(b'id;a\n"1";x\n2;\n')
    target.touch()
    known = table_format(source)
    assert known is not None
    change = TableChange({}, frozenset(("id",)))
    copied = known.write_masked(source, target, change, TableReading())
    assert target.read_bytes() == b'a\nx\n""\n'
    assert known.skeleton(target, change, TableReading(delimiter=";")).skeleton == copied.skeleton


def test_records_have_the_lines_of_the_csv_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'"one\nheader",b\r\n1,"x\r\ny"\r\n,""\r\n2,z\r\n\r\n')
    dataset = read_dataset(tmp_path / "a.csv")
    assert dataset.lines.tolist() == [3, 5, 6]
    assert dataset.table.columns["b"].texts() == ["x\r\ny", None, "z"]
    assert dataset.table.columns[xml_name("one\nheader")].texts() == ["1", None, "2"]


def test_a_decimal_comma_is_a_point_in_rules_and_a_comma_in_the_file(tmp_path: Path) -> None:
    source, target = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("a;b\n1,5;x,y\n-2;\n")
    target.touch()
    reading = TableReading(decimal=",")
    with reading_tables(reading):
        table = read_dataset(source).table
    assert table.columns["a"].texts() == ["1.5", "-2"]
    assert table.columns["b"].texts() == ["x,y", None]
    known = table_format(source)
    assert known is not None
    known.write_masked(source, target, TableChange({"a": column_of("a", ["2.25", "3"])}), reading)
    assert target.read_text() == "a;b\n2,25;x,y\n3;\n"
    source.write_text("a;b\n1.5;x\n")
    with reading_tables(reading), pytest.raises(DataError, match=r"a\.csv:2: a has a number with a decimal point"):
        read_dataset(source)


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"\x1f\x8bxx", None, "is gzip data, not CSV"),
        (b"<?xml version='1.0'?><a/>", 1, "is XML, not CSV"),
        (b"a,b\n1,2\n3\n", 3, "the line has 1 cells, the header has 2"),
        (b"a,b,c\n1,2\n", 2, "the first without a cell is 'c'"),
        (b"a,b\n1,\xe9\n", 2, "the text is not utf-8"),
        (b'a,b\n1,"x\n2,3\n', 2, "a quoted cell has no closing quote"),
        (b'a,b\n1,"x"y\n', 2, "a closing quote is not followed"),
        (b"a,Record\n1,2\n", 1, "'Record', which is the name of a row"),
        (b"a,b\n1,\x00\n", 2, "b has the character U"),
        (b"a,b\n1,2\n", None, None),
    ],
)
def test_a_mistake_is_said_with_its_line(tmp_path: Path, content: bytes, line: int | None, said: str | None) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    if said is None:
        assert read_dataset(path).table.records == 1
        return
    with pytest.raises(DataError, match=said) as caught:
        read_dataset(path)
    assert caught.value.line == line


def test_a_wrong_byte_order_mark_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfa,b\n1,2\n")
    with reading_tables(TableReading(encoding="cp1252")), pytest.raises(UsageError, match="byte order mark says utf-8"):
        read_dataset(tmp_path / "a.csv")


def test_a_value_that_the_encoding_lacks_is_refused(tmp_path: Path) -> None:
    source, target = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_bytes("a,b\nü,2\n".encode("cp1252"))
    target.touch()
    known = table_format(source)
    assert known is not None
    with pytest.raises(DataError, match="cannot hold the character U"):
        known.write_masked(source, target, TableChange({"a": column_of("a", ["ł"])}), TableReading(encoding="cp1252"))
