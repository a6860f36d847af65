"""Runs of alike records written many at a time: byte for byte what one record after another gives."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraint_sdc.commands.masking.staged import verify_staged, write_staged
from constraint_sdc.data.table import Column, column_of
from constraint_sdc.errors import JudgeError
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.masked_document import alike_run, document
from constraint_sdc.files.masked_document.alike_run import Opened, RunTemplate
from constraint_sdc.files.masked_document.cells import Cells
from tests.draws import draws
from tests.files.write.masked_oracle import masked_bytes

PLAIN = "<Record><A>{a}</A><B>{b}</B><C>c</C></Record>\n"
# Records of the same and of other shapes, with as many tags and with more or fewer.
SHAPES = [
    *[PLAIN] * 6,
    "<Record><A>{a}</A><B>{b}</B><C>c&amp;d</C></Record>\n",
    "<Record><A>{a}</A><B>{b}</B><D>c</D></Record>\n",
    "<Record><A>{a}</A><B>{b}</B><C>c</C></Record> \n",
    "<Record><A>{a}</A> <B>{b}</B><C>c</C></Record>\n",
    "<Record><A>{a}</A><B u='1'>{b}</B><C>c</C></Record>\n",
    "<Record n='1'><A>{a}</A><B>{b}</B><C>c</C></Record>\n",
    "<Record><A>{a}</A><B>{b}</B><C>c</C></Record>\n<!-- between -->\n",
    "<Record><A>{a}</A><B>{b}</B><C>c</C><!-- inside --></Record>\n",
    "<Record><B>{b}</B><A>{a}</A><C>c</C></Record>\n",
    "<Record><A>{a}</A><B/><C>c</C></Record>\n",
    "<Record><A>{a}</A><C>c</C></Record>\n",
]
OLD = st.sampled_from(["1", "", "25", "x&gt;y", "x>y", "3.5", "é"])
NEW = st.sampled_from(["7", "7", "12.5", "a<b&c", "Ж", "0" * 30, "", None])


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def by_single_records(source: Path, columns: dict[str, Column], removed: tuple[str, ...]) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunTemplate, "of", classmethod(lambda cls, pieces, shape: None))  # noqa: ARG005
        return masked_bytes(source, columns, removed, record="Record")


@settings(max_examples=draws(120), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    records=st.lists(st.tuples(st.sampled_from(SHAPES), OLD, OLD, NEW, NEW), min_size=1, max_size=40),
    removed=st.sampled_from([(), (), ("C",), ("B", "C")]),
    block=st.sampled_from((64, 300, 1 << 20)),
    least=st.sampled_from((1, 32)),
)
def test_the_same_bytes_as_record_by_record(
    folder: Path,
    records: list[tuple[str, str, str, str | None, str | None]],
    removed: tuple[str, ...],
    block: int,
    least: int,
) -> None:
    source = folder / "data.xml"
    body = "".join(shape.format(a=a, b=b) for shape, a, b, _, _ in records)
    source.write_text(f"<Data>\n{body}</Data>\n", encoding="utf-8")
    columns = {"A": column_of("A", [new for *_, new, _ in records]), "B": column_of("B", [r[-1] for r in records])}
    columns = {name: column for name, column in columns.items() if name not in removed}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document, "_LEAST_RUN", least)
        written = masked_bytes(source, columns, removed, block_bytes=block, record="Record")
    assert written == by_single_records(source, columns, removed)


def many(folder: Path, texts: list[str], odd: dict[int, str]) -> Path:
    source = folder / "data.xml"
    body = "".join(odd.get(row, PLAIN).format(a=text, b=row) for row, text in enumerate(texts))
    source.write_text(f"<Data>\n{body}</Data>\n")
    return source


def test_alike_records_are_written_in_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one by one: after the first three, no record exists as an object."""
    source = many(folder, ["1"] * 500, {})
    asked: list[int] = []
    row = Cells.row
    monkeypatch.setattr(Cells, "row", lambda cells, record: asked.append(record) or row(cells, record))
    written = masked_bytes(source, {"A": column_of("A", ["2"] * 500)}, record="Record")
    assert written == source.read_bytes().replace(b"<A>1</A>", b"<A>2</A>")
    assert max(asked) < 5


def written_by_a_liar(folder: Path, monkeypatch: pytest.MonkeyPatch, odd: str) -> tuple[Path, bool]:
    """Write with a matcher that calls all markup alike; return the source, and whether the read-back accepts it."""
    source = many(folder, [str(row) for row in range(200)], {150: odd})
    dataset = read_dataset(source)
    columns = {"B": column_of("B", [f"9{text}" for text in dataset.table.columns["B"].texts()])}
    (folder / "staged.xml").write_bytes(b"")
    monkeypatch.setattr(RunTemplate, "_has_bytes", lambda _self, _opened, begins: np.ones(len(begins), np.bool_))
    skeleton = write_staged(dataset, folder / "staged.xml", columns)
    try:
        verify_staged(dataset, folder / "staged.xml", columns, skeleton)
    except JudgeError:
        return source, False
    return source, True


def test_a_matcher_that_lies_is_found_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is read back by the reader, which knows nothing of runs."""
    odd = "<Record><B>{b}</B><A>{a}</A><C>c</C></Record>\n"
    assert not written_by_a_liar(folder, monkeypatch, odd)[1]


def test_even_a_matcher_that_lies_copies_nothing_from_its_example(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = "<Record><X>{a}</X><B>{b}</B><D>c</D></Record>\n"
    source, is_accepted = written_by_a_liar(folder, monkeypatch, odd)
    assert is_accepted
    assert (folder / "staged.xml").read_bytes() == source.read_bytes().replace(b"<B>", b"<B>9")


def test_spans_of_the_document_are_kept_and_not_those_of_the_example() -> None:
    """Only what is compared can be replaced: the run is the document's own bytes without its masked spans."""
    opened = Opened(b"<R><A>1</A></R> <R><A>22</A></R>")
    run = alike_run.MatchedRun(
        opened, 0, np.array([15, 32]), np.array([[6], [22]]), np.array([[7], [24]]), numbers=(0,)
    )
    texts, lengths = np.frombuffer(b"xyz", np.uint8), np.array([[1], [2]])
    assert alike_run.replaced(run, texts, lengths) == b"<R><A>x</A></R> <R><A>yz</A></R>"
    assert alike_run.replaced(run, texts[:0], lengths * 0) == b"<R><A></A></R> <R><A></A></R>"
