"""`--resume`: pieces that a stopped run has finished are taken from its files, if these are what they were."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import constraint_sdc as cs
from constraint_sdc.engines import content_digest
from constraint_sdc.engines import scratch as scratch_module
from constraint_sdc.engines.content_digest import content_of
from constraint_sdc.engines.engine import EngineSettings
from constraint_sdc.engines.journal import PieceJournal
from constraint_sdc.engines.running import engine_of, map_pieces, scratch
from constraint_sdc.engines.serial import SerialEngine
from constraint_sdc.engines.shared_value import share_value
from constraint_sdc.errors import UsageError
from constraint_sdc.exam.engines import ExamPiece, drawn_late, total_of
from constraint_sdc.named_copies import remember_copy
from tests.census_folder import fill_census_folder


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
        monkeypatch.setattr(content_digest, "__version__", "0.0.1")
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


TEXTS = ["a piece is found again", "by what it holds", "not by where", "or as what", "its values live"]


def test_equal_values_have_one_digest_in_every_process() -> None:
    """A set of texts has another order in each process; the program also says something of the rest."""
    program = (
        "from constraint_sdc.engines.content_digest import digest_of; from decimal import Decimal;"
        f"print(digest_of('work', ({set(TEXTS)!r}, {{'a': Decimal('1.10')}}, [frozenset({TEXTS!r})])))"
    )
    found = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=environment)
        found.add(done.stdout)
    assert len(found) == 1


def test_a_digest_is_of_values_not_of_objects(tmp_path: Path) -> None:
    text = "".join(TEXTS)
    assert content_of((text, text)) == content_of((text, "".join(TEXTS)))
    values = np.arange(600.0).reshape(20, 30)
    mapped = np.memmap(tmp_path / "values", values.dtype, "w+", shape=values.shape)
    mapped[...] = values
    fixed = values.copy()
    fixed.flags.writeable = False
    assert len({content_of(array) for array in (values, mapped, fixed, np.asfortranarray(values))}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"ab", "c"}, {"a", "bc"}),
        (("ab", "c"), ("a", "bc")),
        ({1, 2}, (1, 2)),
        (np.arange(6), np.arange(6).reshape(2, 3)),
        (np.arange(6), np.arange(6.0)),
        (np.zeros(2, np.int32), np.zeros(1, np.int64)),
        (1, 1.0),
        (None, ""),
        (b"a", "a"),
        (ExamPiece(1, seed=2), ExamPiece(2, seed=1)),
    ],
)
def test_other_values_have_another_digest(one: object, other: object) -> None:
    assert content_of(one) != content_of(other)


def test_a_shared_value_counts_by_what_it_holds() -> None:
    with engine_of(EngineSettings("serial")):
        found = [content_of((1, share_value({"k": values}))) for values in (5, 5, 6)]
    assert found[0] == found[1] != found[2]


def test_a_private_copy_counts_by_its_address(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
        remember_copy(folder, "s3://office/rules.txt")
    found = {content_of((folder / "rules.txt", f"{folder}/rules.txt:3")) for folder in folders}
    assert len(found) == 1


def stopped(results: Iterator[Any]) -> None:
    """Take all results, then stop the run: what it has stored stays."""
    list(results)
    raise KeyboardInterrupt


def test_a_verdict_is_never_taken_from_disk(tmp_path: Path, run: list[int]) -> None:
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), engine_of(resumed(tmp_path)):
            stopped(map_pieces(drawn_late, PIECES, work=1, is_verdict=True))
    assert run == [0, 1, 2, 3, 4, 5] * 2
    assert not (tmp_path / "constraint-sdc-resume").exists()


def test_a_check_stores_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its pieces are verdicts, also where `use_engine` asks to resume."""
    fill_census_folder(tmp_path)
    monkeypatch.setattr(SerialEngine, "takes", lambda _self, _work: True)
    kept: list[object] = []
    monkeypatch.setattr(PieceJournal, "_keep", lambda _self, _key, result: kept.append(result))
    with cs.use_engine("serial", scratch=tmp_path, resume=True):
        assert (
            cs.check_file(tmp_path / "damaged.xml", tmp_path / "census.sch", original=tmp_path / "census.xml").exit_code
            == 1
        )
    assert kept == []


def test_what_a_killed_run_was_writing_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "constraint-sdc-resume"
    folder.mkdir(mode=0o700)
    (folder / "unfinished-1").write_bytes(b"of a process that runs")
    (folder / "unfinished-999999999").write_bytes(b"of one that was killed")
    PieceJournal(tmp_path)
    assert [path.name for path in folder.iterdir()] == ["unfinished-1"]
