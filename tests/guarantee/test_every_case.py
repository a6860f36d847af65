"""Drawn rules and data, judged by cases and record by record: one verdict, field by field."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from constraint_sdc.commands.mask import mask_file
from constraint_sdc.exam.guarantee.exam import mask_options
from constraint_sdc.exam.guarantee.generator import make_case, write_case
from constraint_sdc.judge.finding import RuleResult
from constraint_sdc.maskers.masked import MaskResult


def judged(seed: int, folder: Path, judge: str) -> MaskResult:
    case = make_case(seed)
    files = write_case(case, folder)
    options = replace(mask_options(case, files.recipe), judge=judge)
    return mask_file(files.data, files.rules, files.output, options, advise=False)


def by_saxon(result: MaskResult) -> list[RuleResult]:
    assert result.after is not None
    return [replace(one, engine="saxon") for one in result.after.results]


@pytest.mark.parametrize("seed", [0, 6])
def test_drawn_rules_have_the_same_verdict_by_cases(seed: int, tmp_path: Path) -> None:
    short, long = (judged(seed, tmp_path / judge, judge) for judge in ("every-case", "every-record"))
    assert short.output.read_bytes() == long.output.read_bytes()
    assert short.judgement is not None
    assert short.judgement.cases > 0
    for one, other in zip(by_saxon(short), by_saxon(long), strict=True):
        # The two runs have folders of their own, and with them the files that rules were read from.
        assert replace(one, origin=other.origin) == other
