"""Drawn rules name what their data have: no name is reported, and an idle rule fires nowhere by the count of Saxon."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.exam.guarantee.generator import make_case, write_case
from tests.matrix.running import quick_judge


@pytest.mark.parametrize("seed", [1, 2, 13, 20, 22, 30, 37, 41])
def test_no_false_alarm_on_drawn_rules(tmp_path: Path, seed: int) -> None:
    with quick_judge():
        files = write_case(make_case(seed), tmp_path)
        result = check_file(files.data, files.rules, CheckOptions(original=files.data, engine="saxon"))
    for rule in result.results:
        assert not any(reason.code == "idle-name" for reason in rule.idle)
        assert bool(rule.idle) == (rule.fired == 0)
