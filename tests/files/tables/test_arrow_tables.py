"""Parquet and Arrow files as tables: every type comes back, nothing but masked values changes, and lies are caught."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

from constraint_sdc.data.table import column_of
from constraint_sdc.errors import DataError
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.tables.registry import table_format
from constraint_sdc.files.tables.table_format import TableChange, TableFormat
from constraint_sdc.settings.table_reading import TableReading

READING = TableReading()
UTC = dt.UTC

VALUES: dict[str, tuple[Any, list[Any], list[str | None]]] = {
    "i8": (pa.int8(), [1, -128, None], ["1", "-128", None]),
    "u64": (pa.uint64(), [2**64 - 1, 0, None], ["18446744073709551615", "0", None]),
    "f64": (pa.float64(), [0.1, 5.0, None], ["0.1", "5", None]),
    "f32": (pa.float32(), [np.float32(0.1), 16777216.0, None], ["0.1", "16777216", None]),
    "dec": (pa.decimal128(9, 2), [Decimal("1.50"), Decimal("-7.25"), None], ["1.50", "-7.25", None]),
    "yes": (pa.bool_(), [True, False, None], ["true", "false", None]),
    "text": (pa.string(), ["a<b\n", "", None], ["a<b\n", "", None]),
    "large": (pa.large_string(), ["é", "x", None], ["é", "x", None]),
    "day": (pa.date32(), [dt.date(2020, 2, 29), dt.date(1, 1, 1), None], ["2020-02-29", "0001-01-01", None]),
    "when": (
        pa.timestamp("ms", "Europe/Vienna"),
        [dt.datetime(2020, 1, 1, 12, tzinfo=UTC), dt.datetime(2020, 1, 1, tzinfo=UTC), None],
        ["2020-01-01T12:00:00Z", "2020-01-01T00:00:00Z", None],
    ),
    "Total income": (
        pa.dictionary(pa.int8(), pa.string(), ordered=True),
        ["low", "high", None],
        ["low", "high", None],
    ),
}


def example() -> pa.Table:
    """Return a table with every type, with metadata of the file and of its columns."""
    arrays = [pa.array(values, type_) for type_, values, _ in VALUES.values()]
    fields = [
        pa.field(name, array.type, metadata={b"unit": b"EUR"}) for name, array in zip(VALUES, arrays, strict=True)
    ]
    return pa.table(arrays, schema=pa.schema(fields, {b"source": b"a survey"}))


def written(folder: Path, ending: str, table: pa.Table) -> Path:
    path = folder / f"data.{ending}"
    if ending == "parquet":
        pq.write_table(table, path, row_group_size=2, compression="gzip")
    else:
        pf.write_feather(table, path, chunksize=2, compression="uncompressed")
    return path


def format_of(path: Path) -> TableFormat:
    known = table_format(path)
    assert known is not None
    return known


def read(path: Path) -> pa.Table:
    return pq.read_table(path) if path.suffix == ".parquet" else pf.read_table(path)


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow"])
def test_every_value_has_one_text_and_a_row_its_number(tmp_path: Path, ending: str) -> None:
    dataset = read_dataset(written(tmp_path, ending, example()))
    assert dataset.lines.tolist() == [1, 2, 3]
    found = [column.texts() for column in dataset.table.columns.values()]
    assert found == [texts for _, _, texts in VALUES.values()]
    assert list(dataset.table.columns)[-1] == "Total_x0020_income"
    assert [one.path for one in dataset.surroundings.found] == ["/Microdata/FileMetadata/source", "/Microdata/Metadata"]


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow"])
def test_a_file_in_which_nothing_is_masked_is_the_same_table(tmp_path: Path, ending: str) -> None:
    source, target = written(tmp_path, ending, example()), tmp_path / f"copy.{ending}"
    copied = format_of(source).write_masked(source, target, TableChange({}), READING)
    assert read(target).equals(read(source), check_metadata=True)
    assert format_of(target).skeleton(target, TableChange({}), READING).skeleton == copied.skeleton
    if ending == "parquet":
        groups = [pq.ParquetFile(path).metadata for path in (source, target)]
        assert [group.row_group(0).column(1).compression for group in groups] == ["GZIP", "GZIP"]
        assert [group.num_row_groups for group in groups] == [2, 2]


@pytest.mark.parametrize("ending", ["parquet", "feather"])
@pytest.mark.parametrize("name", list(VALUES))
def test_a_masked_column_keeps_its_type_and_another_cell_is_a_lie(tmp_path: Path, ending: str, name: str) -> None:
    source, target = written(tmp_path, ending, example()), tmp_path / f"masked.{ending}"
    known, escaped = format_of(source), name.replace(" ", "_x0020_")
    new = column_of(escaped, [VALUES[name][2][1], VALUES[name][2][1], VALUES[name][2][0]])
    change = known.spelled(source, TableChange({escaped: new}), READING)
    copied = known.write_masked(source, target, change, READING)
    found, before = read(target), read(source)
    assert found.schema.equals(before.schema, check_metadata=True)
    assert read_dataset(target).table.columns[escaped].texts() == new.texts()
    assert found.drop_columns([name]).equals(before.drop_columns([name]))
    assert known.skeleton(target, change, READING).skeleton == copied.skeleton
    for other in VALUES:
        if other != name:
            at = found.schema.get_field_index(other)
            swapped = pa.chunked_array(
                [pa.concat_arrays([c.slice(1, 1) for c in [found.column(at).combine_chunks()]] * 3)]
            )
            lie = found.set_column(at, found.schema.field(at), swapped)
            written(tmp_path, ending, lie).rename(target)
            assert known.skeleton(target, change, READING).skeleton != copied.skeleton, other


def test_removed_columns_and_metadata_are_gone_everywhere(tmp_path: Path) -> None:
    pandas = example().select(["i8", "text"]).to_pandas()
    source, target = tmp_path / "a.parquet", tmp_path / "b.parquet"
    table = pa.Table.from_pandas(pandas)
    pq.write_table(table.replace_schema_metadata({b"x": b"1", **table.schema.metadata}), source)
    change = TableChange({}, frozenset(("text",)), frozenset(("/Microdata/FileMetadata/x",)))
    known = format_of(source)
    copied = known.write_masked(source, target, change, READING)
    schema = pq.read_schema(target)
    assert schema.names == ["i8"]
    assert b'"text"' not in schema.metadata[b"pandas"]
    assert b"x" not in schema.metadata
    assert pq.read_table(target).to_pandas().equals(pandas[["i8"]])
    assert known.skeleton(target, change, READING).skeleton == copied.skeleton


def test_a_masked_category_lists_only_the_values_that_it_has(tmp_path: Path) -> None:
    source, target = written(tmp_path, "feather", example()), tmp_path / "masked.feather"
    name = "Total_x0020_income"
    format_of(source).write_masked(source, target, TableChange({name: column_of(name, ["high"] * 3)}), READING)
    assert read(target).column("Total income").combine_chunks().dictionary.to_pylist() == ["high"]


def test_a_text_of_no_length_is_no_null(tmp_path: Path) -> None:
    """As masked, an empty text stays one, in categories too; numbers have none."""
    texts = pa.array(["a", "", None])
    for column in (texts, texts.dictionary_encode()):
        source, target = written(tmp_path, "parquet", pa.table({"T": column})), tmp_path / "masked.parquet"
        change = TableChange({"T": column_of("T", ["", None, "a"])})
        format_of(source).write_masked(source, target, format_of(source).spelled(source, change, READING), READING)
        assert read(target).column("T").to_pylist() == ["", None, "a"]
    source = written(tmp_path, "parquet", pa.table({"N": pa.array([1, 2, None])}))
    spelled = format_of(source).spelled(source, TableChange({"N": column_of("N", ["", "1", None])}), READING)
    assert spelled.columns["N"].texts() == [None, "1", None]


@pytest.mark.parametrize(("name", "text"), [("i8", "200"), ("i8", "1.5"), ("f32", "0.123456789"), ("dec", "1.234")])
def test_a_value_that_the_type_cannot_hold_is_refused_with_column_and_row(tmp_path: Path, name: str, text: str) -> None:
    source = written(tmp_path, "parquet", example())
    change = TableChange({name: column_of(name, ["1", text, None])})
    with pytest.raises(DataError, match=rf"column '{name}' .*{text} of row 2"):
        format_of(source).spelled(source, change, READING)


def test_spelling_keeps_the_number(tmp_path: Path) -> None:
    source = written(tmp_path, "parquet", example())
    change = TableChange({"f64": column_of("f64", ["1.50", "2.0", None]), "dec": column_of("dec", ["1.5", "2", None])})
    found = format_of(source).spelled(source, change, READING).columns
    assert [found[name].texts() for name in ("f64", "dec")] == [["1.5", "2", None], ["1.50", "2.00", None]]


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [[1, 2]]}), tmp_path / "list.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "list.parquet").read_bytes()[:-20])
    (tmp_path / "old.feather").write_bytes(b"FEA1xxxxxxxx")
    (tmp_path / "text.arrow").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "empty.parquet").write_bytes(b"")
    pq.write_table(pa.table({"a": ["x\x01"]}), tmp_path / "control.parquet")
    said = {
        "list.parquet": "column 'a' is of type",
        "cut.parquet": "cannot read Parquet",
        "old.feather": "version 1",
        "text.arrow": "not an Arrow file",
        "empty.parquet": "the file is empty",
        "control.parquet": r"a of row 1 has the character U\+0001",
    }
    for name, what in said.items():
        with pytest.raises(DataError, match=what):
            read_dataset(tmp_path / name)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "parquet", example())
    table = format_of(path).open(path, READING)
    blocks = table.presented()
    next(blocks)
    content = path.read_bytes()
    with path.open("r+b") as file:
        file.seek(len(content) // 2)
        file.write(b"\x00\xff\x00\xff")
    with pytest.raises(DataError):
        list(blocks)
    table.close()
