"""`--resume` after SIGKILL: a run that is killed again and again ends with the same bytes, and no piece runs twice.

Every run is a process of its own, with hashes of its own: what one run stores, another must find.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.engines.test_same_bytes import RULES

TOP = Path(__file__).resolve().parents[2]
PROGRAM = """
import os, signal, sys
import constraint_sdc as cs
from constraint_sdc.engines.engine import EngineSettings
from constraint_sdc.engines.running import engine_of
from constraint_sdc.engines.serial import SerialEngine
from constraint_sdc.engines.task import name_of
from constraint_sdc.partition.regions import regionwise
from constraint_sdc.stages import listening
from pathlib import Path

place, output, end = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
regionwise._LARGEST = regionwise._LARGEST_OF_MANY = 1500

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def counted(self, function, pieces, *, work):
    for number, piece in enumerate(pieces):
        name = name_of(function).rpartition(":")[2]
        if end == f"{name} {number}":
            die()
        with open(place / "pieces", "a") as file:
            file.write(f"{name}\\n")
        yield function(piece)

def listener(now):
    if now.name == end:
        die()

SerialEngine.map = counted
with listening(listener), engine_of(EngineSettings("serial", scratch=place / "scratch", resume=True)):
    cs.mask_file(place / "data.xml", place / "rules.sch", place / output, k=5, effort="fast")
"""
ENDS = [
    *("reading", "divide_region 0", "divide_region 2"),
    *("settle_piece 0", "writing and reading back", "judging the masked file"),
]
"""What is about to begin when a run is killed; a piece is counted among those that are left."""


def run(place: Path, output: str, end: str) -> int:
    """Mask in a process of its own; return how it ended."""
    words = [sys.executable, "-c", PROGRAM, str(place), output, end]
    done = subprocess.run(words, cwd=TOP, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(TOP)})
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.returncode


def pieces(place: Path) -> Counter[str]:
    """Return how many pieces of each function have begun since the last call."""
    file = place / "pieces"
    found = Counter(file.read_text().split()) if file.exists() else Counter()
    file.unlink(missing_ok=True)
    return found


def test_a_run_that_is_killed_everywhere_ends_with_the_same_bytes(tmp_path: Path) -> None:
    rng = random.Random(5)
    rows = ((rng.randint(0, 9_999), rng.randint(0, 9_999)) for _ in range(5_200))
    text = "".join(f"<R><A>{a}</A><B>{b}</B><C>{a + b}</C></R>\n" for a, b in rows)
    (tmp_path / "data.xml").write_text(f"<D>\n{text}</D>\n")
    (tmp_path / "rules.sch").write_text(RULES)
    (tmp_path / "scratch").mkdir()
    assert run(tmp_path, "expected.xml", "") == 0
    once = pieces(tmp_path)
    assert once["divide_region"] > 4
    assert once["settle_piece"] > 0
    ran: Counter[str] = Counter()
    for end in ENDS:
        assert run(tmp_path, "masked.xml", end) == -signal.SIGKILL, end
        assert not (tmp_path / "masked.xml").exists()
        ran += pieces(tmp_path)
        assert ran <= once, end
    assert ran == once  # all that is divided was done before the masked file was judged
    assert run(tmp_path, "masked.xml", "") == 0
    assert pieces(tmp_path) == Counter()
    assert (tmp_path / "masked.xml").read_bytes() == (tmp_path / "expected.xml").read_bytes()
    assert list((tmp_path / "scratch").iterdir()) == []  # neither results nor what killed runs were writing
