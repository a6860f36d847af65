"""Random documents in many dresses, every transition, blocks of every size: compared with lxml, node by node."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from constraint_sdc.commands.masking.staged import verify_staged
from constraint_sdc.data.table import Column, State
from constraint_sdc.errors import JudgeError
from constraint_sdc.files.dataset import read_dataset
from tests.files.read.row_files import SEEDS, RowFile, damaged, row_files
from tests.files.read.rows_oracle import Cell, Record, expected_rows
from tests.files.write.masked_oracle import as_utf8, columns_of, masked_bytes, rest_of, rows_of, skeleton_of

VALUES = ("7", "12.5", "a<b>&\"'c", "]]>", " ", "tab\tline\nreturn\r", "é", "Ж", "𝄞", "&amp;")
CELLS: st.SearchStrategy[Cell | None] = st.one_of(
    st.sampled_from(VALUES).map(lambda text: (State.VALUE, text)),
    st.sampled_from(((State.EMPTY, ""), (State.NIL, ""), None)),
)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def settled(examples: int) -> settings:
    return settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))


def flat(file: RowFile) -> list[Record]:
    rows = expected_rows(as_utf8(file.data, file.encoding), "Record")
    assume(isinstance(rows, list))
    assert isinstance(rows, list)
    return rows


def intended_rows(draw: st.DataObject, rows: list[Record], names: list[str], keep_states: bool) -> list[Record]:
    """Change some values; without `keep_states` variables may come, go, become empty or nil."""
    result = []
    for row in rows:
        new = dict(row)
        for name in names:
            cell = row.get(name)
            if draw.draw(st.booleans()):
                cell = (
                    draw.draw(CELLS) if not keep_states else cell and (State.VALUE, draw.draw(st.sampled_from(VALUES)))
                )
            if cell is None:
                new.pop(name, None)
            else:
                new[name] = (State.EMPTY, "") if name.startswith("@") and cell[0] == State.NIL else cell
        result.append(new)
    return result


@settled(150)
@given(file=row_files(), block=st.sampled_from((1, 2, 3, 7, 64, 1 << 20)), data=st.data())
def test_only_masked_values_change(folder: Path, file: RowFile, block: int, data: st.DataObject) -> None:
    rows = flat(file)
    source = folder / "data.xml"
    source.write_bytes(file.data)
    known = sorted({name for row in rows for name in row})
    names = data.draw(st.lists(st.sampled_from(known), unique=True)) if known else []
    removed = frozenset(data.draw(st.lists(st.sampled_from(known), unique=True, max_size=2)) if known else ())
    intended = intended_rows(data, rows, names, keep_states=data.draw(st.booleans()))
    columns = columns_of(intended, names)

    written = masked_bytes(source, columns, removed, block_bytes=block, record="Record")

    expected = [{name: cell for name, cell in row.items() if name not in removed} for row in intended]
    assert rows_of(written, file.encoding) == expected
    moved = {name for name in names for a, b in zip(rows, intended, strict=True) if (name in a) != (name in b)}
    masked, gone = frozenset(names) - removed - moved, removed | moved
    assert rest_of(written, file.encoding, masked, gone) == rest_of(file.data, file.encoding, masked, gone)
    verified(source, folder / "staged.xml", columns, removed)


def verified(source: Path, staged: Path, columns: Mapping[str, Column], removed: frozenset[str] = frozenset()) -> None:
    dataset = read_dataset(source, "Record")
    verify_staged(dataset, staged, columns, skeleton_of(dataset, columns, removed), removed)


@settled(100)
@given(file=row_files(), block=st.integers(1, 40))
def test_the_same_values_are_written_plainly_once_and_for_all(folder: Path, file: RowFile, block: int) -> None:
    """Writing a file's own values changes nothing but how they are marked up, and a second time nothing at all."""
    rows = flat(file)
    source, plain = folder / "data.xml", folder / "plain.xml"
    source.write_bytes(file.data)
    columns = columns_of(rows, sorted({name for row in rows for name in row}))
    plain.write_bytes(masked_bytes(source, columns, block_bytes=block, record="Record"))
    verified(source, plain, columns)
    assert masked_bytes(plain, columns, block_bytes=block, record="Record") == plain.read_bytes()


@settled(150)
@given(file=row_files(), data=st.data(), seed=SEEDS)
def test_a_damaged_file_is_caught(folder: Path, file: RowFile, data: st.DataObject, seed: int) -> None:
    rows = flat(file)
    source = folder / "data.xml"
    source.write_bytes(file.data)
    names = sorted({name for row in rows for name in row})[:2]
    intended = intended_rows(data, rows, names, keep_states=True)
    columns = columns_of(intended, names)
    written = masked_bytes(source, columns, record="Record")
    other = damaged(written, seed)
    assume(other != written)
    staged = folder / "staged.xml"
    staged.write_bytes(other)
    try:
        verified(source, staged, columns)
    except JudgeError:
        return
    # Another spelling of a masked value is no damage: &#x1f600; for &#x1F600;.
    assert rows_of(other, file.encoding) == intended
    masked = frozenset(names)
    assert rest_of(other, file.encoding, masked, frozenset()) == rest_of(written, file.encoding, masked, frozenset())
