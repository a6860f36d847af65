"""Run the command line as a user does: arguments in, exit code and printed text out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from constraint_sdc.census import generate_file
from constraint_sdc.cli import main

TOP = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["constraint-sdc", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Ran(int(stop.value.code or 0), printed.out, printed.err)

    return call


@pytest.fixture(scope="session")
def census(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an edited extract, a damaged copy (each rule broken in 2 of 200 records) and no rules."""
    folder = tmp_path_factory.mktemp("census")
    generate_file(folder / "extract.xml", 200, 1)
    generate_file(folder / "damaged.xml", 200, 1, break_share=0.01)
    return folder
