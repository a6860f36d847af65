"""A run that is stopped at the end of any stage publishes nothing, and `--resume` ends with the same bytes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import constraint_sdc as cs
from constraint_sdc.engines.engine import EngineSettings
from constraint_sdc.engines.running import engine_of
from constraint_sdc.engines.serial import SerialEngine
from constraint_sdc.engines.task import name_of
from constraint_sdc.files.publication.publication import Publication
from constraint_sdc.stages import StageProgress, listening
from tests.engines.test_same_bytes import RULES

STAGES = [
    *("planning", "masking", "writing and reading back", "counting what is promised", "judging the masked file"),
    "publication",
]
"""What is about to begin when the run stops: the stage before it has ended."""


class StoppedRunError(BaseException):
    """The machine restarts."""


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return how many pieces of each function have run."""
    found: Counter[str] = Counter()

    def counted(self: SerialEngine, function: Any, pieces: Any, *, work: float) -> Iterator[Any]:  # noqa: ARG001
        for piece in pieces:
            found[name_of(function).rpartition(":")[2]] += 1
            yield function(piece)

    monkeypatch.setattr(SerialEngine, "map", counted)
    return found


def masked(folder: Path, place: Path, stop: str | None = None) -> bytes:
    """Return what is published; the run stops before the stage `stop`."""

    def listener(now: StageProgress) -> None:
        if now.name == stop:
            raise StoppedRunError

    with listening(listener), engine_of(EngineSettings("serial", scratch=folder, resume=True)):
        cs.mask_file(folder / "data.xml", folder / "rules.sch", place, k=5, effort="fast")
    return place.read_bytes()


def damaged(kept: Path) -> None:
    content = kept.read_bytes()
    kept.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


def test_a_run_that_is_stopped_after_every_stage_ends_with_the_same_bytes(
    tmp_path: Path, pieces: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(5)
    rows = ((rng.randint(0, 9_999), rng.randint(0, 9_999)) for _ in range(400))
    text = "".join(f"<R><A>{a}</A><B>{b}</B><C>{a + b}</C></R>\n" for a, b in rows)
    (tmp_path / "data.xml").write_text(f"<D>\n{text}</D>\n")
    (tmp_path / "rules.sch").write_text(RULES)
    expected = masked(tmp_path, tmp_path / "expected.xml")
    once = dict(pieces)
    assert once
    assert not (tmp_path / "constraint-sdc-resume").exists()
    before = {path.name for path in tmp_path.iterdir()}
    pieces.clear()
    for stage in STAGES:
        with monkeypatch.context() as patch:
            if stage == "publication":
                patch.setattr(Publication, "publish", stopped)
            with pytest.raises(StoppedRunError):
                masked(tmp_path, tmp_path / "masked.xml", stage)
        assert {path.name for path in tmp_path.iterdir()} <= before | {"constraint-sdc-resume"}
        assert dict(pieces) in ({}, once), stage  # no piece has run twice
    assert dict(pieces) == once
    kept = sorted((tmp_path / "constraint-sdc-resume").iterdir())
    damaged(kept[0])
    assert masked(tmp_path, tmp_path / "masked.xml") == expected
    assert sum(pieces.values()) == sum(once.values()) + 1  # the damaged result is computed again
    assert not (tmp_path / "constraint-sdc-resume").exists()


def stopped(*_: object, **__: object) -> None:
    raise StoppedRunError
