"""The reader against the slow and obvious one, on random files and on thousands of damaged ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.files.microdata.parse import FilePlace, RowParser, parse_rest
from constraint_sdc.files.microdata.source import Utf8Reader, open_binary
from tests.draws import draws
from tests.files.read.row_files import SEEDS, RowFile, damaged, row_files
from tests.files.read.rows_oracle import NOT_ROWS, REJECTED, expected_rows, read_rows, start_lines

CHUNK_BYTES = st.sampled_from((60, 150, 400, 1000, 1 << 20))


def examples(count: int) -> settings:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=draws(count), deadline=None, suppress_health_check=slow)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows") / "rows.xml"


@examples(250)
@given(file=row_files(), chunk_bytes=CHUNK_BYTES)
def test_every_value_is_what_xpath_sees(path: Path, file: RowFile, chunk_bytes: int) -> None:
    path.write_bytes(file.data)
    assert read_rows(path, "Record", chunk_bytes) == expected_rows(file.data, "Record")


@examples(80)
@given(file=row_files(encodings=("utf-8", "iso-8859-1")), chunk_bytes=CHUNK_BYTES)
def test_the_scanner_and_the_parser_give_the_same_columns(path: Path, file: RowFile, chunk_bytes: int) -> None:
    path.write_bytes(file.data)
    if expected_rows(file.data, "Record") == NOT_ROWS:
        return
    fast = open_microdata(path, record="Record", chunk_bytes=chunk_bytes)
    with open_binary(path) as stream:
        blocks = list(Utf8Reader(stream, path, fast.how).declared_blocks(1000))
    slow = parse_rest(RowParser(fast.layout, FilePlace(str(path)), [], Around()), blocks, chunk_bytes)
    cells = [
        {
            (name, chunk.first + row): (text, int(column.state[row]))
            for chunk in chunks
            for name, column in chunk.columns.items()
            for row, text in enumerate(column.texts())
            if text is not None
        }
        for chunks in (fast.chunks(), slow)
    ]
    assert cells[0] == cells[1]


@examples(80)
@given(file=row_files(encodings=("utf-8", "iso-8859-1", "utf-16")), chunk_bytes=CHUNK_BYTES)
def test_lines_are_those_of_the_record_start_tags(path: Path, file: RowFile, chunk_bytes: int) -> None:
    text = file.text.replace("\r\n", "\n").replace("\r", " ")  # parsers disagree on a lone carriage return
    data = text.encode(file.encoding, "xmlcharrefreplace")
    path.write_bytes(data)
    if expected_rows(data, "Record") == NOT_ROWS:
        return
    chunks = open_microdata(path, record="Record", chunk_bytes=chunk_bytes).chunks()
    assert [line for chunk in chunks for line in chunk.lines.tolist()] == start_lines(data, "Record")


def check_damaged(path: Path, data: bytes, chunk_bytes: int) -> None:
    path.write_bytes(data)
    expected = expected_rows(data, "Record")
    found = read_rows(path, "Record", chunk_bytes)
    # Rows may stop being rows before they stop being XML.
    assert found == expected or (expected, found) == (REJECTED, NOT_ROWS)


# Drawing a file takes ten times as long as reading it: each is damaged in several ways.


@examples(250)
@given(file=row_files(), seed=SEEDS, chunk_bytes=CHUNK_BYTES)
def test_a_damaged_file_is_rejected_or_read_exactly(path: Path, file: RowFile, seed: int, chunk_bytes: int) -> None:
    for way in range(6):
        check_damaged(path, damaged(file.data, f"{seed} {way}"), chunk_bytes)
