"""A rule may read variables that its text does not name: then it ties all masked variables, and Saxon checks it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.errors import PlanRefusedError, WayOut
from constraint_sdc.plan.plan import ExactStep, Why
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.settings.reason import Reason
from tests.maskers.extract import columns, extract

N, K = 40, 4


def rows() -> list[dict[str, str]]:
    rng = np.random.default_rng(5)
    a, b, e = (rng.integers(1, 90, N).tolist() for _ in "ABE")
    return columns(A=a, B=b, C=[x + y for x, y in zip(a, b, strict=True)], E=e, Town=["x", "y"] * (N // 2))


UNNAMED = [
    "number(*[1]) + number(*[2]) = number(*[3])",
    "number(*[name() = 'A']) + number(B) = number(C)",
    "*:A + *:B = number(C)",
    "sum(*[position() le 2]) = number(C)",
]


@pytest.mark.parametrize("test", UNNAMED)
def test_a_rule_of_uncertain_reach_is_checked_with_all_masked_variables(tmp_path: Path, test: str) -> None:
    given = extract(tmp_path, rows(), {"sum": test})
    result = given.mask(K)
    given.requires_all_rules()
    (plan,) = result.plan.all_rules()
    assert plan.why is Why.CHECKED
    reason = plan.because["reason"]
    assert isinstance(reason, Reason)
    assert reason.code == "may-read-any"
    assert "*" in str(reason["parts"])
    (block,) = result.masked.blocks
    assert set(block.plan.names) == {"A", "B", "C", "E"}
    assert given.column("Town") == [record["Town"] for record in given.original()]


def test_a_rule_that_may_leave_its_record_has_the_whole_record_copied(tmp_path: Path) -> None:
    test = "number(filter(*, function($x) { name($x) = 'A' })) + number(B) = number(C)"
    with pytest.raises(PlanRefusedError, match=r"are copied together from one record") as refused:
        extract(tmp_path / "refused", rows(), {"sum": test}).mask(K)
    assert refused.value.ways[0] == WayOut(verbatim=len(rows()))
    given = extract(tmp_path, rows(), {"sum": test}, "protect: {verbatim: allowed}")
    result = given.mask(K)
    given.requires_all_rules()
    (plan,) = result.plan.all_rules()
    assert plan.why is Why.MEDOID
    assert "copied together from one actual record" in sentence(plan.because)
    (block,) = result.masked.blocks
    assert set(block.step) == {ExactStep.MEDOID}
    originals = {(r["A"], r["B"], r["C"], r["E"]) for r in given.original()}
    assert {(r["A"], r["B"], r["C"], r["E"]) for r in given.masked()} <= originals


def test_a_named_sibling_is_no_wildcard(tmp_path: Path) -> None:
    given = extract(tmp_path, rows(), {"sum": "number(A/following-sibling::B) + number(A) = number(C)"})
    result = given.mask(K)
    given.requires_all_rules()
    (plan,) = result.plan.all_rules()
    assert (plan.why, plan.variables) == (Why.CHECKED, ("A", "B", "C"))
    assert {frozenset(block.names) for block in result.plan.blocks} == {frozenset("ABC"), frozenset("E")}


def test_a_product_is_no_wildcard(tmp_path: Path) -> None:
    """`A * 2` multiplies; only a star where a name could stand reaches for everything."""
    given = extract(tmp_path, rows(), {"size": "string-length(string-join((string(A * 2), string(B)), '')) ge 2"})
    block_of_a = next(block for block in given.plan(K).blocks if "A" in block.names)
    assert set(block_of_a.names) == {"A", "B"}
