"""Long runs: in order, also in processes of their own, and a process that dies is an error."""

from __future__ import annotations

import os
from concurrent.futures.process import BrokenProcessPool

import pytest

from constraint_sdc.exam.long_run import run_cases, stoppable, tell_progress


@pytest.mark.parametrize("jobs", [1, 2])
def test_outcomes_come_in_order(jobs: int) -> None:
    assert list(run_cases(abs, range(-20, 1), jobs)) == list(range(20, -1, -1))


def test_a_process_that_dies_ends_the_run() -> None:
    with pytest.raises(BrokenProcessPool):
        list(run_cases(os._exit, [1, 1], 2))


def test_a_termination_is_heard_like_an_interruption() -> None:
    with pytest.raises(KeyboardInterrupt), stoppable():
        os.kill(os.getpid(), 15)


def test_where_nobody_watches_every_twentieth_case_writes_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(1, 45):
        tell_progress(number, f"{number} cases")
    assert capsys.readouterr().err.splitlines() == ["20 cases", "40 cases"]
