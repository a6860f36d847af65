"""A rule must be judged after masking where it was judged before, unless its context itself reads masked values."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constraint_sdc.commands.check import check_written
from constraint_sdc.commands.masking import judging
from constraint_sdc.errors import NotPublishedError
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.masking.mask_result import mask_text
from tests.maskers.extract import Extract, columns, extract, read_records, schema

N = 24
RULE = {"low": "number(B) >= 0"}


def amounts() -> list[dict[str, str]]:
    rng = np.random.default_rng(3)
    return columns(A=rng.integers(0, 400, N).tolist(), B=rng.integers(0, 400, N).tolist(), C=["x", "y"] * (N // 2))


def above(given: Extract, limit: int) -> tuple[set[int], set[int]]:
    """Return the records whose A is above a limit, before and after masking."""
    files = (given.data, given.output)
    before, after = ({n for n, row in enumerate(read_records(path)) if int(row["A"]) > limit} for path in files)
    return before, after


def test_records_that_a_rule_no_longer_applies_to_are_counted(tmp_path: Path) -> None:
    given = extract(tmp_path, amounts(), schema(RULE, context="Record[number(A) > 60]"))
    result = given.mask(3)
    before, after = above(given, 60)
    assert before - after, "the case must have such records"
    (outcome,) = result.outcomes
    assert (outcome.no_longer_applies, outcome.newly_applies) == (len(before - after), len(after - before))
    assert outcome.checked == len(after)
    said = f"low: no longer applies to {len(before - after)} record"
    assert said in mask_text(result, columns=200)
    certificate = json.loads((tmp_path / "masked.xml.certificate.json").read_text("utf-8"))
    assert certificate["rules"][0]["no_longer_applies"] == len(before - after)


def test_a_context_that_only_saxon_understands_is_counted_by_the_difference(tmp_path: Path) -> None:
    given = extract(
        tmp_path,
        amounts(),
        schema(RULE, context="Record[some $v in A satisfies exists(tokenize($v, ',')[number(.) > 60])]"),
    )
    (outcome,) = given.mask(3).outcomes
    before, after = above(given, 60)
    assert outcome.checked == len(after)
    assert outcome.no_longer_applies - outcome.newly_applies == len(before) - len(after)
    assert min(outcome.no_longer_applies, outcome.newly_applies) == 0


def test_where_the_evaluator_is_certain_of_one_file_only_the_difference_is_counted(tmp_path: Path) -> None:
    """The square of the largest amount has too many digits for the evaluator, that of a mean has not."""
    rows = [*amounts(), {"A": "4000000000", "B": "7", "C": "x"}]
    given = extract(tmp_path, rows, schema(RULE, context="Record[xs:decimal(A) * xs:decimal(A) > 3600]"))
    (outcome,) = given.mask(3).outcomes
    before, after = above(given, 60)
    assert outcome.checked == len(after)
    assert outcome.no_longer_applies == max(0, len(before) - len(after))
    assert outcome.newly_applies == max(0, len(after) - len(before))


@pytest.mark.parametrize("context", ["Record[number(A) = {0}]", "Record[count(A[number(.) = {0}]) = 1]"])
def test_a_rule_that_judges_no_record_any_more_is_refused(tmp_path: Path, context: str) -> None:
    largest = max(int(row["A"]) for row in amounts())
    given = extract(tmp_path, amounts(), schema(RULE, context=context.format(largest)))
    with pytest.raises(NotPublishedError, match="low: idle in the masked file") as refusal:
        given.mask(3)
    assert "the masked file breaks rules that held, or leaves them idle" in str(refusal.value)
    assert not given.output.exists()
    (outcome,) = given.mask(3, allow_idle=("low",)).outcomes
    assert (outcome.checked, outcome.no_longer_applies, outcome.newly_applies) == (0, 1, 0)


def fewer(result: CheckResult, count: int) -> CheckResult:
    return replace(result, results=tuple(replace(rule, fired=rule.fired - count) for rule in result.results))


@pytest.mark.parametrize("context", ["Record", "Record[C = 'x']", "Record/C", "Microdata"])
@pytest.mark.parametrize("missing", [1, "all", -1])
def test_a_context_that_reads_no_masked_value_is_judged_as_often_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, context: str, missing: Any
) -> None:
    """Plant a judge that passes records over: without the comparison, the file would be published."""
    given = extract(tmp_path, amounts(), schema({"low": "1 = 1"}, context=context))
    assert given.mask(3).outcomes[0].no_longer_applies == 0

    def faulty(*arguments: Any) -> CheckResult:
        result = check_written(*arguments)
        return fewer(result, result.results[0].fired if missing == "all" else missing)

    monkeypatch.setattr(judging, "check_written", faulty)
    with pytest.raises(NotPublishedError, match=r"low: (judged on \d+ nodes? before and on (\d+|none) after|idle in)"):
        given.mask(3, overwrite=True)


def test_a_context_behind_one_that_reads_masked_values_may_change_too(tmp_path: Path) -> None:
    rules = schema(RULE, context="Record[number(A) > 60]").replace(
        "</rule>", '</rule><rule context="Record"><assert id="rest" test="number(B) &lt; 1000">x</assert></rule>'
    )
    given = extract(tmp_path, amounts(), rules)
    low, rest = given.mask(3).outcomes
    before, after = above(given, 60)
    assert (low.checked, rest.checked) == (len(after), N - len(after))
    assert (rest.no_longer_applies, rest.newly_applies) == (len(after - before), len(before - after))


def test_a_second_engine_that_sees_other_records_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = extract(tmp_path, amounts(), schema(RULE, context="Record[number(A) > 60]"))
    monkeypatch.setattr(judging, "check_written", lambda *arguments: fewer(check_written(*arguments), 1))
    with pytest.raises(NotPublishedError, match="low: Saxon judged"):
        given.mask(3)
