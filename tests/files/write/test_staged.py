"""The staged file is read back and every difference from what it should be is found."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.commands.masking.staged import ReadBack, smallest_groups, verify_staged, write_staged
from constraint_sdc.data.table import Chunk, Column, Layout, State, column_of
from constraint_sdc.errors import DataError, JudgeError
from constraint_sdc.files.dataset import Dataset, read_dataset
from constraint_sdc.files.microdata.whole_table import read_table
from tests.files.read.rows_oracle import Cell
from tests.files.write.masked_oracle import column, skeleton_of

COUNT = 400
RECORD = "<Record n='{0}'>\n <Id>p{0}</Id>\n <V>{1}</V><!-- note {0} -->\n <W u='{0}'>w{0}</W>\n</Record>\n"


def document(values: list[str]) -> str:
    records = "".join(RECORD.format(i, value) for i, value in enumerate(values))
    return f"<?xml version='1.0'?>\n<Data a='1'>\n<Head>h</Head>\n{records}<Foot/></Data>\n"


@pytest.fixture
def source(tmp_path: Path) -> Dataset:
    path = tmp_path / "data.xml"
    path.write_text(document([str(i) for i in range(COUNT)]))
    return read_dataset(path)


@pytest.fixture
def columns() -> dict[str, Column]:
    return {"V": column_of("V", [str(i // 8) for i in range(COUNT)])}


@pytest.fixture
def staged(tmp_path: Path, source: Dataset, columns: dict[str, Column]) -> Path:
    path = tmp_path / "staged.xml"
    path.write_bytes(b"")
    write_staged(source, path, columns)
    return path


def verified(
    source: Dataset,
    staged: Path,
    columns: dict[str, Column],
    removed: frozenset[str] = frozenset(),
    blocks: Sequence[Sequence[str]] = (),
) -> ReadBack:
    return verify_staged(source, staged, columns, skeleton_of(source, columns, removed), removed, blocks)


def test_a_right_file_passes_and_comes_back_opened(source: Dataset, staged: Path, columns: dict[str, Column]) -> None:
    assert staged.read_text() == document([str(i // 8) for i in range(COUNT)])
    written = verified(source, staged, columns, blocks=[["V"], ["W"], ["V", "W"], []])
    assert written.smallest == (8, 1, 1, COUNT)
    assert written.sha256 == hashlib.sha256(staged.read_bytes()).hexdigest()
    assert len(written.lines) == COUNT


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("<V>1</V>", "<V>2</V>", "V of record 9 has not"),
        ("<V>49</V>", "<V>49 </V>", "V of record 393 has not"),
        ("<V>1</V>", "<V/>", "V of record 9 has not"),
        ("<V>1</V>", "", "V of record 9 has not"),
        ("<W u='17'>w17</W>", "<W u='17'>w18</W>", "W of record 18 has not"),
        ("n='399'", "n='398'", "@n of record 400 has not"),
        ("<Id>p5</Id>", "", "Id of record 6 has not"),
        ("<Id>p5</Id>", "<Id>p5</Id><New/>", "New of record 6 has not"),
        (RECORD.format(7, 0), "", "of record 8 has not"),
        (RECORD.format(399, 49), "", "fewer records than the source, from 400 on"),
        (RECORD.format(399, 49), 2 * RECORD.format(399, 49), "more records than the source, from 401 on"),
        ("<!-- note 3 -->", "<!-- note 4 -->", "something else"),
        ("<!-- note 399 -->", "", "something else"),
        ("<W u='17'>", "<W u='18'>", "something else"),
        ("<Head>h</Head>", "<Head>g</Head>", "something else"),
        ("<Head>h</Head>", "<Heap>h</Heap>", "something else"),
        ("a='1'", 'a="1"', "something else"),
        ("<Foot/></Data>\n", "<Foot/></Data>", "something else"),
        ("<Foot/></Data>\n", "<Foot/>", "cannot be read back"),
        ("<V>1</V>", "<V>&</V>", "cannot be read back"),
        ("<Data a='1'>\n<Head>h</Head>", "<Data a='1'><X/>", "something else"),
    ],
)
def test_a_wrong_file_is_not_published(
    source: Dataset, staged: Path, columns: dict[str, Column], right: str, wrong: str, message: str
) -> None:
    text = staged.read_text()
    assert right in text
    staged.write_text(text.replace(right, wrong, 1))
    with pytest.raises(JudgeError, match=message):
        verified(source, staged, columns)


def test_records_under_another_element_are_not_published(
    source: Dataset, staged: Path, columns: dict[str, Column]
) -> None:
    staged.write_text(staged.read_text().replace("</Head>", "</Head><X>", 1).replace("<Foot/>", "</X><Foot/>"))
    with pytest.raises(JudgeError, match="elsewhere"):
        verified(source, staged, columns)


def test_a_removed_variable_must_be_nowhere(tmp_path: Path, source: Dataset, columns: dict[str, Column]) -> None:
    path = tmp_path / "removed.xml"
    path.write_bytes(b"")
    removed = frozenset({"Id", "@n"})
    write_staged(source, path, columns, removed)
    assert "<Id>" not in path.read_text()
    assert " n='" not in path.read_text()
    verified(source, path, columns, removed)
    path.write_text(path.read_text().replace("<V>3</V>", "<Id>p30</Id><V>3</V>", 1))
    with pytest.raises(JudgeError, match="Id of record 25 has not"):
        verified(source, path, columns, removed)


@pytest.mark.parametrize("count", [COUNT - 1, COUNT + 1])
def test_another_number_of_values_is_not_published(source: Dataset, staged: Path, count: int) -> None:
    short = {"V": column_of("V", [str(i // 8) for i in range(count)])}
    with pytest.raises(JudgeError, match="records"):
        verified(source, staged, short)


def test_an_attribute_that_some_records_lack_is_verified(tmp_path: Path) -> None:
    """Its prefix is not even declared where it is absent."""
    source, staged = tmp_path / "data.xml", tmp_path / "staged.xml"
    source.write_text("<D><Record xmlns:n='urn:n' n:V='1'/><Record a='1'/></D>")
    staged.write_bytes(b"")
    columns = {"@{urn:n}V": column_of("@{urn:n}V", ["2", None])}
    dataset = read_dataset(source)
    write_staged(dataset, staged, columns)
    assert staged.read_text() == "<D><Record xmlns:n='urn:n' n:V='2'/><Record a='1'/></D>"
    verified(dataset, staged, columns)


def test_a_source_that_changed_since_it_was_read_is_refused(
    tmp_path: Path, source: Dataset, columns: dict[str, Column]
) -> None:
    source.path.write_text(source.path.read_text().replace("w17", "w71"))
    with pytest.raises(DataError, match="its bytes have changed"):
        write_staged(source, tmp_path / "staged.xml", columns)


CELLS = st.sampled_from(((State.VALUE, "1"), (State.VALUE, "1.0"), (State.EMPTY, ""), (State.NIL, ""), None))


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=30), st.integers(1, 30))
def test_the_smallest_group_is_counted_by_texts_and_states(
    rows: list[tuple[Cell | None, Cell | None]], cut: int
) -> None:
    chunks = [chunk(rows[:cut], 0), *([chunk(rows[cut:], cut)] if rows[cut:] else [])]
    expected = (min(Counter(rows).values()), min(Counter(a for a, _ in rows).values()), len(rows))
    assert smallest_groups(read_table(chunks), [["A", "B"], ["A"], ["Nowhere"]]) == expected


def chunk(rows: list[tuple[Cell | None, Cell | None]], first: int) -> Chunk:
    columns = {"A": column("A", [a for a, _ in rows]), "B": column("B", [b for _, b in rows])}
    places = columns["A"].start
    return Chunk(Layout(("D",), "R", "elements", b"", b""), first, columns, columns["A"].buffer, places, places, places)
