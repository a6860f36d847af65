"""A sweep on the terminal: some points of every series, and always the best."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.measures.sweep_points import Sweep
from constraint_sdc.reports.sweep import sweep_text
from tests.reports.assessments import sweep_points

SWEEP = Sweep(Path("census.xml"), "0" * 64, None, sweep_points(), 0, 1.5)


@pytest.mark.parametrize(("scenario", "best"), [("with rules", 5), ("without rules", 6)])
def test_points_evenly_spread_over_k_are_shown_and_the_best(scenario: str, best: int) -> None:
    lines = sweep_text(SWEEP, columns=200).splitlines()
    shown = [int(line.removeprefix(scenario).split()[1]) for line in lines if line.startswith(f"{scenario} ")]
    assert shown == [1, best, *range(10, 100, 9)]
    assert "174 more points are in the files" in lines
