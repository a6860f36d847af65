"""The records of a file that is compared, whatever its format."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.commands.measuring.records_file import read_records


def test_every_record_of_a_csv_file_is_counted_and_told(tmp_path: Path) -> None:
    told: list[int] = []
    (tmp_path / "data.csv").write_text("A;B\n1;x\n2;y\n3;\n")
    table = read_records(tmp_path / "data.csv", None, told.append).table
    assert (table.records, told) == (3, [3])
    assert [table.columns["A"].text(row) for row in range(3)] == ["1", "2", "3"]
