"""A rule may read variables that its text does not name: then all masked variables come from one actual record."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.plan.plan import ExactStep, Why
from constraint_sdc.settings.reason import because
from tests.maskers.extract import columns, extract

N, K = 40, 4


def rows() -> list[dict[str, str]]:
    rng = np.random.default_rng(5)
    a, b, e = (rng.integers(1, 90, N).tolist() for _ in "ABE")
    return columns(A=a, B=b, C=[x + y for x, y in zip(a, b, strict=True)], E=e, Town=["x", "y"] * (N // 2))


@pytest.mark.parametrize(
    "test",
    [
        "number(*[1]) + number(*[2]) = number(*[3])",
        "number(*[name() = 'A']) + number(B) = number(C)",
        "*:A + *:B = number(C)",
        "number(A/following-sibling::B) + number(A) = number(C)",
        "sum(*[position() le 2]) = number(C)",
    ],
)
def test_the_rule_holds_because_the_whole_record_is_copied(tmp_path: Path, test: str) -> None:
    given = extract(tmp_path, rows(), {"sum": test})
    result = given.mask(K)
    given.requires_all_rules()
    (plan,) = result.plan.all_rules()
    assert plan.why is Why.MEDOID
    assert plan.because["reason"] == because("copied-together", reads_any=True)
    (block,) = result.masked.blocks
    assert set(block.step) == {ExactStep.MEDOID}
    originals = {(r["A"], r["B"], r["C"], r["E"]) for r in given.original()}
    assert {(r["A"], r["B"], r["C"], r["E"]) for r in given.masked()} <= originals
    assert given.column("Town") == [record["Town"] for record in given.original()]


def test_a_product_is_no_wildcard(tmp_path: Path) -> None:
    """`A * 2` multiplies; only a star where a name could stand reaches for everything."""
    given = extract(tmp_path, rows(), {"size": "string-length(string-join((string(A * 2), string(B)), '')) ge 2"})
    block_of_a = next(block for block in given.plan(K).blocks if "A" in block.names)
    assert set(block_of_a.names) == {"A", "B"}
