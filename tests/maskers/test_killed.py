"""Killed at any moment: the next command finds the old file with its certificate, or the new one with its own."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.draws import draws
from tests.maskers.extract import Extract, columns, extract
from tests.maskers.killed import NAMES
from tests.waiting import PATIENCE

TOP = Path(__file__).resolve().parents[2]
LEAST = 45
"""Operations on files: the lock, two staged files, the journal, two exchanges, and the removal of what is temporary."""

KILLS = draws(6)


def digests(given: Extract, k: int) -> list[str]:
    """Mask, and return the digests of both files."""
    given.mask(k, overwrite=True)
    return [hashlib.sha256((given.folder / name).read_bytes()).hexdigest() for name in NAMES]


@pytest.mark.slow
def test_killed_at_any_moment_the_next_command_finds_a_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    amounts = np.random.default_rng(4).integers(0, 900, (2, 60)).tolist()
    totals = [a + b for a, b in zip(*amounts, strict=True)]
    rules = {"total": "number(A) + number(B) = number(C)"}
    monkeypatch.chdir(tmp_path)  # certificates name files as they are given
    given = extract(Path(), columns(A=amounts[0], B=amounts[1], C=totals), rules)
    new = digests(given, 7)
    old = digests(given, 3)
    Path("old").mkdir()
    for name in NAMES:
        Path(name).rename(Path("old", name))
    command = [sys.executable, "-m", "tests.maskers.killed", str(tmp_path)]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    kills = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(kills) >= LEAST
    for kill in kills:
        found, then = kill["found"], kill["then"]
        assert (found["files"] in (old, new)) == found["agrees"], "a reader in the middle can tell"
        assert set(found["staged"]) <= {"0o600"}
        assert then["files"] in (old, new)
        assert (kill["code"], then["agrees"], then["hidden"]) == (0, True, []), kill["text"]
        is_left = any(".lock." not in name for name in found["hidden"])
        assert ("interrupted" in kill["text"]) == is_left, "what was removed or undone is told"
    assert {tuple(kill["then"]["files"]) for kill in kills} == {tuple(old), tuple(new)}
    assert any(not kill["found"]["agrees"] for kill in kills)
    assert any(kill["found"]["staged"] for kill in kills)


@pytest.mark.slow
def test_random_kills_never_mix_a_pair() -> None:
    """The small form of `make crash`."""
    command = [sys.executable, "benchmarks/crash.py", "--kills", str(KILLS), "--seed", "5"]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {line[:26].strip(): line[26:].split() for line in done.stdout.splitlines()}
    kills, old, new, mixed, _, then_old, then_new, then_mixed = rows["all"]
    assert int(kills) == int(old) + int(new) + int(mixed) == int(then_old) + int(then_new) == KILLS
    assert then_mixed == "0"
    figures = dict(
        re.findall(r"^(hidden files left after it|staged files readable by others) +(\d+)$", done.stdout, re.M)
    )
    assert set(figures.values()) == {"0"}
    assert len(figures) == 2
