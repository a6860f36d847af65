"""A command announces its stages, with records and the share of the file; a line shows them on a terminal alone."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

import constraint_sdc as cs
from constraint_sdc.cli.machine.progress import shown_stages
from constraint_sdc.stages import StageProgress, advance, listening, stage
from tests.census_folder import fill_census_folder


@pytest.fixture
def heard() -> list[StageProgress]:
    return []


def test_masking_tells_its_stages_in_order(tmp_path: Path, heard: list[StageProgress]) -> None:
    fill_census_folder(tmp_path)
    with listening(heard.append):
        cs.mask_file(tmp_path / "census.xml", tmp_path / "census.sch", tmp_path / "masked.xml", k=5, partition="mdav")
    names = list(dict.fromkeys(now.name for now in heard))
    expected = ["reading", "planning", "masking", "writing and reading back", "counting what is promised"]
    assert names == [*expected, "judging the masked file"]
    assert max(now.records for now in heard if now.name == "reading") == 200
    assert [now.share for now in heard if now.name == "reading"][-1] == 1.0


def test_checking_tells_how_far_it_is(tmp_path: Path, heard: list[StageProgress]) -> None:
    fill_census_folder(tmp_path)
    with listening(heard.append):
        cs.check_file(tmp_path / "census.xml", tmp_path / "census.sch", original=tmp_path / "census.xml")
    assert (heard[-1].name, heard[-1].records, heard[-1].share) == ("judging", 200, 1.0)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_only_a_terminal_gets_the_line(monkeypatch: pytest.MonkeyPatch, is_terminal: bool) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return is_terminal

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with shown_stages(), stage("reading"):
        advance(5, 0.5)
        with stage("judging"):
            pass
    assert ("reading ..." in screen.getvalue()) == is_terminal
    assert ("judging ..." in screen.getvalue()) == is_terminal
