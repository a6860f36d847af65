"""The process dies at an operation of a publication, each in turn, and the next process finds a whole set."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.files.publication.scenes import SCENES
from tests.waiting import PATIENCE

TOP = Path(__file__).resolve().parents[3]
TWICE = ("a pair over an old one", "four files, one in a new directory")


def deaths(scene: str, folder: Path, *options: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tests.files.publication.dying", scene, str(folder), *options]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("scene", SCENES)
def test_killed_at_any_operation_the_set_is_old_or_new(tmp_path: Path, scene: str) -> None:
    found = deaths(scene, tmp_path / "run")
    assert {death["moment"] for death in found} == {"before", "after"}
    for death in found:
        assert death["found"] != "mix" or death["has_journal"], f"a reader could not tell: {death}"
        assert death["settled"] == death["found"] if death["found"] != "mix" else "old"
        assert not death["readable"], f"a staged file could be read by others: {death}"
        assert death["modes"]
        assert not death["still_left"], death
    assert {death["found"] for death in found} == {"old", "mix", "new"}
    assert any(".staged." in name for death in found for name in death["left"]), "there was something to sweep"


@pytest.mark.slow
@pytest.mark.parametrize("scene", TWICE)
def test_killed_again_while_it_is_mended_the_set_is_still_old_or_new(tmp_path: Path, scene: str) -> None:
    found = [death for death in deaths(scene, tmp_path / "run", "--twice") if "then" in death]
    assert len(found) > 100
    for death in found:
        assert death["settled"] in ("old", "new")
        assert death["modes"]
        assert not death["readable"]
        assert not death["still_left"]
    assert {death["settled"] for death in found} == {"old", "new"}
