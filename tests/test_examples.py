"""The examples run, and the package shows the names that it promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import constraint_sdc

TOP = Path(__file__).resolve().parents[1]


def test_the_library_example_finds_every_broken_rule(tmp_path: Path) -> None:
    command = [sys.executable, str(TOP / "examples" / "check_from_python.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "original.xml: exit code 0" in done.stdout
    assert "damaged.xml: exit code 1" in done.stdout
    assert done.stdout.count("10 of 1000") == 5


def test_every_promised_name_is_there() -> None:
    for name in constraint_sdc._HOMES:
        assert getattr(constraint_sdc, name).__name__ == name
    assert set(constraint_sdc._HOMES) <= set(dir(constraint_sdc))
