"""CSV to XML and back: the texts do not change, and a broken file is refused with its line."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.variable import RowSource, VariableInfo
from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.files.rows_file import write_rows
from constraint_sdc.files.tables.csv.csv_file import read_csv, write_csv
from tests.draws import draws

XML_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00\ufffe\uffff", exclude_categories=("Cc", "Cs")))
TEXTS = XML_TEXT | st.from_regex(r"[ 0-9.eE+\-=@,;\"'\n\r\t&<>]{0,12}", fullmatch=True)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(1, 4))
    headers = draw(st.lists(TEXTS.filter(bool), min_size=width, max_size=width, unique=True))
    return [headers, *draw(st.lists(st.lists(TEXTS, min_size=width, max_size=width), min_size=1, max_size=6))]


def written(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


@settings(max_examples=draws(80), deadline=None)
@given(table=tables(), delimiter=st.sampled_from(",;\t|"), empty=st.sampled_from(["absent", "empty"]))
def test_csv_to_xml_to_csv_is_the_identity_on_texts(
    table: list[list[str]], delimiter: str, empty: str, records_of_xml: Callable[[Path], list[dict[str, str]]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first, xml, second = (Path(folder) / name for name in ("first.csv", "rows.xml", "second.csv"))
        with first.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(table)
        rows = read_csv(first, delimiter=delimiter, empty=empty)  # type: ignore[arg-type]
        write_rows(xml, rows)
        columns = {name: [r.get(name) for r in records_of_xml(xml)] for name in rows.names}
        write_csv(second, RowSource(rows.infos, lambda: iter([columns])), delimiter=delimiter)
        with second.open(encoding="utf-8", newline="") as file:
            assert list(csv.reader(file, delimiter=delimiter)) == table


def test_texts_stand_in_xml_as_the_csv_has_them(
    tmp_path: Path, records_of_xml: Callable[[Path], list[dict[str, str]]]
) -> None:
    source = written(tmp_path / "a.csv", 'V1,V2,V3\n007,1.50, 5\n1e5,"two\r\nlines","a ""b"" <&>"\n,,x\n')
    summary = write_rows(tmp_path / "a.xml", read_csv(source))
    assert summary.records == 3
    assert records_of_xml(tmp_path / "a.xml") == [
        {"V1": "007", "V2": "1.50", "V3": " 5"},
        {"V1": "1e5", "V2": "two\r\nlines", "V3": 'a "b" <&>'},
        {"V3": "x"},
    ]


def test_an_empty_cell_is_absent_or_empty_as_asked(
    tmp_path: Path, records_of: Callable[[RowSource], list[dict[str, str]]]
) -> None:
    source = written(tmp_path / "a.csv", "V1,V2\n1,\n")
    assert records_of(read_csv(source)) == [{"V1": "1"}]
    assert records_of(read_csv(source, empty="empty")) == [{"V1": "1", "V2": ""}]


@pytest.mark.parametrize(
    ("texts", "type_", "decimals"),
    [
        (["1", "-20", "0"], "integer", 0),
        (["1.50", "-0.25", "3"], "decimal", 2),
        (["1.5", "2.125"], "decimal", 3),
        (["0.0006101281269066504", "0.5"], "double", None),
        (["12345678901234567890.12"], "decimal", 2),
        (["1e5", "2"], "double", None),
        (["1e5", "2E-3"], "double", None),
        (["NaN", "1.5"], "double", None),
        (["NaN"], "text", None),
        (["007", "8"], "text", None),
        ([" 5", "6"], "text", None),
        (["+5"], "text", None),
        (["1,5"], "text", None),
        (["9" * 5000], "integer", 0),
        (["1", ""], "integer", 0),
        (["", ""], "text", None),
    ],
)
def test_the_metadata_describe_the_texts(tmp_path: Path, texts: list[str], type_: str, decimals: int | None) -> None:
    lines = "".join(f'"{text}",x\n' for text in texts)
    info = read_csv(written(tmp_path / "a.csv", "V1,V2\n" + lines), delimiter=",").infos[0]
    assert (info.type, info.decimals) == (type_, decimals)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_in_the_header(tmp_path: Path, delimiter: str) -> None:
    source = written(
        tmp_path / "a.csv",
        f"V1{delimiter}V2{delimiter}V3\n1{delimiter}2,5{delimiter}3\n".replace(
            "2,5", "25" if delimiter == "," else "2,5"
        ),
    )
    assert read_csv(source).names == ("V1", "V2", "V3")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding(
    tmp_path: Path, encoding: str, records_of: Callable[[RowSource], list[dict[str, str]]]
) -> None:
    source = written(tmp_path / "a.csv", "Größe,V2\nmäßig,2\n", encoding)
    assert records_of(read_csv(source)) == [{"Größe": "mäßig", "V2": "2"}]


def test_an_encoding_can_be_given(tmp_path: Path, records_of: Callable[[RowSource], list[dict[str, str]]]) -> None:
    source = written(tmp_path / "a.csv", "V1,V2\nmäßig,2\n", "latin-1")
    assert records_of(read_csv(source, encoding="latin-1")) == [{"V1": "mäßig", "V2": "2"}]
    with pytest.raises(DataError, match=r"a\.csv:2: the text is not utf-8"):
        read_csv(source)
    with pytest.raises(UsageError, match="is not an encoding of text"):
        read_csv(source, encoding="klingon")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", None, "the file is empty"),
        ("\n", 1, "no header line"),
        ("V1,,V3\n1,2,3\n", 1, "column 2 has no header"),
        ("V1,V2,V1\n1,2,3\n", 1, "two columns have the header 'V1'"),
        ("V1,V2\n1,2\n3\n", 3, "the line has 1 cells, the header has 2"),
        ("V1,V2\n1,2\n3,4,5\n", 3, "the line has 3 cells, the header has 2"),
        ('V1,V2\n1,"two\nlines"\n3\n', 4, "1 cells"),
        ("V1,V2\n1,2\n\n3,4\n", 3, "blank line"),
        ("V1\n1\n\n3\n", 3, "blank line"),
        ("V1,V2\n1,2\n3,a\x00b\n", 3, "U\\+0000"),
        ("V1,V2\n1,2\n3,a\x1bb\n", 3, "U\\+001B"),
        ("V1,V2\n1,2\n3,a\ufffeb\n", 3, "U\\+FFFE"),
        ('V1,V2\n1,2\n3,"open\n', 3, "malformed CSV"),
        ('V1,V2\n1,2\n3,"a"b\n', 3, "malformed CSV"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path: Path, text: str, line: int | None, what: str) -> None:
    source = written(tmp_path / "a.csv", text)
    with pytest.raises(DataError, match=what) as caught:
        read_csv(source)
    assert (caught.value.file, caught.value.line) == (str(source), line)


def test_blank_lines_at_the_end_are_no_records(
    tmp_path: Path, records_of: Callable[[RowSource], list[dict[str, str]]]
) -> None:
    assert records_of(read_csv(written(tmp_path / "a.csv", "V1,V2\r\n1,2\r\n\r\n\r\n"))) == [{"V1": "1", "V2": "2"}]


def test_a_missing_file_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_csv(tmp_path / "none.csv")


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n"])
def test_an_impossible_delimiter_is_refused(
    tmp_path: Path, delimiter: str, rows_from: Callable[..., RowSource]
) -> None:
    with pytest.raises(UsageError):
        read_csv(written(tmp_path / "a.csv", "V1\n1\n"), delimiter=delimiter)
    with pytest.raises(UsageError):
        write_csv(tmp_path / "b.csv", rows_from({"V1": ["1"]}), delimiter=delimiter)


def test_formulas_are_left_alone_unless_the_file_is_for_a_spreadsheet(
    tmp_path: Path, rows_from: Callable[..., RowSource]
) -> None:
    rows = rows_from({"V1": ["=1+1", "-5", "+1.5e3", "@x", "-x", "a=b", None, "", "\tx"]})
    assert write_csv(tmp_path / "a.csv", rows).notes == ("1 absent and 1 empty values are both written as empty cells",)
    plain = (tmp_path / "a.csv").read_text().splitlines()
    assert plain == ["V1", "=1+1", "-5", "+1.5e3", "@x", "-x", "a=b", '""', '""', "\tx"]
    summary = write_csv(tmp_path / "b.csv", rows, spreadsheet_safe=True)
    safe = (tmp_path / "b.csv").read_text().splitlines()
    assert safe == ["V1", "'=1+1", "-5", "+1.5e3", "'@x", "'-x", "a=b", '""', '""', "'\tx"]
    assert "4 cells" in summary.notes[1]


def test_headers_are_local_names_and_may_not_collide(tmp_path: Path) -> None:
    infos = tuple(VariableInfo(name, "text") for name in ("@{urn:x}V1", "Total_x0020_income"))
    columns = {info.name: ["1"] for info in infos}
    write_csv(tmp_path / "a.csv", RowSource(infos, lambda: iter([columns])))
    assert (tmp_path / "a.csv").read_text() == "V1,Total income\n1,1\n"
    twice = (VariableInfo("@V1", "text"), VariableInfo("V1", "text"))
    with pytest.raises(DataError, match="two variables would have the header 'V1': @V1 and V1"):
        write_csv(tmp_path / "b.csv", RowSource(twice, lambda: iter([])))
    assert not (tmp_path / "b.csv").exists()


def test_batches_join_to_one_file(tmp_path: Path) -> None:
    source = written(tmp_path / "a.csv", "V1,V2\n" + "".join(f"{i},x\n" for i in range(150_000)))
    rows = read_csv(source)
    assert len(list(rows.batches())) > 1
    assert write_csv(tmp_path / "b.csv", rows).records == 150_000
    assert (tmp_path / "b.csv").read_bytes() == source.read_bytes()


def test_a_header_that_begins_with_a_byte_order_mark_comes_back(
    tmp_path: Path, rows_from: Callable[..., RowSource], records_of: Callable[[RowSource], list[dict[str, str]]]
) -> None:
    write_csv(tmp_path / "a.csv", rows_from({"\ufeffV1": ["\ufeff"], "V2": ["1"]}))
    assert records_of(read_csv(tmp_path / "a.csv")) == [{"_xFEFF_V1": "\ufeff", "V2": "1"}]
    write_csv(tmp_path / "b.csv", read_csv(tmp_path / "a.csv"))
    assert (tmp_path / "b.csv").read_bytes() == (tmp_path / "a.csv").read_bytes()
