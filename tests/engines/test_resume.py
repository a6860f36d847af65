"""`--resume`: pieces that a stopped run has finished are taken from its files, if these are what they were."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constraint_sdc.engines import journal as journal_module
from constraint_sdc.engines import scratch as scratch_module
from constraint_sdc.engines.engine import EngineSettings
from constraint_sdc.engines.running import engine_of, map_pieces, scratch
from constraint_sdc.engines.serial import SerialEngine
from constraint_sdc.errors import UsageError
from constraint_sdc.exam.engines import ExamPiece, drawn_late, total_of


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of the pieces that are run, which the serial engine writes down."""
    numbers: list[int] = []

    def counted(self: SerialEngine, function: Any, pieces: Any, *, work: float) -> Iterator[Any]:  # noqa: ARG001
        for piece in pieces:
            numbers.append(getattr(piece, "number", -1))
            yield function(piece)

    monkeypatch.setattr(SerialEngine, "map", counted)
    return numbers


def resumed(folder: Path) -> EngineSettings:
    return EngineSettings("serial", scratch=folder, resume=True)


PIECES = [ExamPiece(n, seed=n) for n in range(6)]


def work(folder: Path, stop_after: int | None = None, pieces: list[ExamPiece] = PIECES) -> list[Any]:
    """Run the pieces, or some of them: then the run ends as if it was killed."""
    taken = []
    with engine_of(resumed(folder)):
        for number, values in map_pieces(drawn_late, pieces, work=1):
            taken.append((number, values.tolist()))
            if len(taken) == stop_after:
                raise KeyboardInterrupt
    return taken


def test_a_stopped_run_goes_on_with_the_pieces_that_are_left(tmp_path: Path, run: list[int]) -> None:
    with pytest.raises(KeyboardInterrupt):
        work(tmp_path, stop_after=4)
    assert run == [0, 1, 2, 3]
    run.clear()
    found = work(tmp_path)
    assert run == [4, 5]
    assert found == [(n, np.random.default_rng(n).normal(size=5).tolist()) for n in range(6)]
    assert list(tmp_path.iterdir()) == []  # it has succeeded


@pytest.mark.parametrize("change", ["a byte of a result", "half a result", "the seed", "the version", "nothing"])
def test_a_result_counts_only_if_everything_fits(
    tmp_path: Path, run: list[int], monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    with pytest.raises(KeyboardInterrupt):
        work(tmp_path, stop_after=1)
    (kept,) = (tmp_path / "constraint-sdc-resume").iterdir()
    content = kept.read_bytes()
    pieces = PIECES
    if change == "a byte of a result":
        kept.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif change == "half a result":
        kept.write_bytes(content[: len(content) // 2])
    elif change == "the seed":
        pieces = [ExamPiece(n, seed=n + 1) for n in range(6)]
    elif change == "the version":
        monkeypatch.setattr(journal_module, "__version__", "0.0.1")
    run.clear()
    found = work(tmp_path, pieces=pieces)
    assert run == ([1, 2, 3, 4, 5] if change == "nothing" else [0, 1, 2, 3, 4, 5])
    assert found == [(p.number, np.random.default_rng(p.seed).normal(size=5).tolist()) for p in pieces]


def test_arrays_in_scratch_files_count_by_their_bytes(
    tmp_path: Path, run: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch_module, "MAPPED_ABOVE", 100)

    def total(values: Any, stop: bool) -> float:
        with engine_of(resumed(tmp_path)):
            (found,) = map_pieces(total_of, [scratch().share(values)], work=1)
            if stop:
                raise KeyboardInterrupt
            return float(found)

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            total(np.arange(50.0), stop=True)
    assert len(run) == 1
    assert total(np.arange(50.0), stop=False) == 1225.0
    assert len(run) == 1
    assert total(np.arange(1, 51.0), stop=False) == 1275.0
    assert len(run) == 2


def test_results_that_others_could_change_are_refused(tmp_path: Path) -> None:
    (tmp_path / "constraint-sdc-resume").mkdir()
    (tmp_path / "constraint-sdc-resume").chmod(0o777)
    with pytest.raises(UsageError, match="could have been changed by others"):
        work(tmp_path)


def test_resume_needs_a_place_that_stays() -> None:
    with pytest.raises(UsageError, match="--resume needs a directory that outlives the run"):
        EngineSettings(resume=True)
