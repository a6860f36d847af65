"""Originals that break rules already: refused, or masked with an account of them; a clean record stays clean."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.maskers.masked import MaskResult
from constraint_sdc.reports.masking.plan_text import plan_text
from constraint_sdc.settings.reason import because
from tests.maskers.extract import Extract, columns, extract, schema

N = 40
RULES = {
    "total": "number(A) + number(B) = number(C)",
    "order": "number(A) <= number(D)",
    "limit": "not(number(B) < 20) or number(D) <= 150",
    "range": "number(E) >= 0",
}


def edited(seed: int) -> list[dict[str, str]]:
    rng = np.random.default_rng(seed)
    a, b, e = rng.integers(0, 60, N), rng.integers(0, 60, N), rng.integers(0, 100, N)
    d = a + rng.integers(0, 80, N)
    return columns(A=a.tolist(), B=b.tolist(), C=(a + b).tolist(), D=d.tolist(), E=e.tolist())


def damaged(seed: int, share: float) -> list[dict[str, str]]:
    """Change values at random; some of it breaks rules, some does not."""
    rng = np.random.default_rng(seed)
    rows = edited(seed)
    for row in rows:
        if rng.random() < share:
            row[str(rng.choice(list(row)))] = str(rng.integers(-40, 200))
    return rows


def require_honest_account(extracted: Extract, result: MaskResult) -> None:
    """Compare the counts with what Saxon finds in both files, record by record."""
    before, after = extracted.broken(extracted.data), extracted.broken()
    for outcome in result.outcomes:
        was, now = before[outcome.rule], after[outcome.rule]
        assert not now - was, f"{outcome.rule}: records {now - was} were clean"
        assert (outcome.broken_before, outcome.still_broken) == (len(was), len(was & now))
        assert (outcome.repaired, outcome.newly_broken) == (len(was - now), 0)
    assert {outcome.rule for outcome in result.outcomes} == set(RULES)


@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), share=st.sampled_from((0.03, 0.2, 0.9)), k=st.integers(2, 6))
def test_no_clean_record_becomes_broken_whatever_the_damage(tmp_path: Path, seed: int, share: float, k: int) -> None:
    extracted = extract(tmp_path, damaged(seed, share), RULES)
    result = extracted.mask(k, overwrite=True, on_broken="keep")
    require_honest_account(extracted, result)
    for block in result.plan.blocks:
        assert extracted.smallest_group(*block.names) >= k


def test_refusing_is_the_default_and_counts_per_rule(tmp_path: Path) -> None:
    rows = edited(3)
    for row in rows[:3]:
        row["C"] = "999"
    rows[7]["E"] = "-1"
    extracted = extract(tmp_path, rows, RULES)
    with pytest.raises(PlanRefusedError) as refusal:
        extracted.mask(3)
    assert "(total: 3 of 40, range: 1 of 40)" in str(refusal.value)
    assert not extracted.output.exists()


def test_a_broken_warning_stops_neither_plan_nor_mask_and_the_plan_says_so(tmp_path: Path) -> None:
    rows = edited(3)
    rows[7]["E"] = "-1"
    extracted = extract(tmp_path, rows, schema(RULES, attributes=' role="warning"'))
    result = extracted.mask(3)
    assert extracted.output.exists()
    assert result.plan.broken == {"range": 1}
    text = plan_text(result.plan)
    assert "these records are masked too" in text
    assert "refuses" not in text


def test_enough_broken_records_are_masked_among_themselves(tmp_path: Path) -> None:
    rows = edited(4)
    for row in rows[:6]:
        row["C"] = str(int(row["C"]) + 1000)
    extracted = extract(tmp_path, rows, RULES)
    result = extracted.mask(3, on_broken="keep")
    label = next(block.groups.label for block in result.masked.blocks if "C" in block.columns)
    assert not set(label[:6].tolist()) & set(label[6:].tolist())
    assert because("broken-already", rule="total") in {c for s in result.plan.blocks[0].strata for c in s.conditions}


def test_one_broken_record_among_clean_ones_is_repaired(tmp_path: Path) -> None:
    rows = edited(5)
    rows[9]["C"] = "7000"
    extracted = extract(tmp_path, rows, RULES)
    result = extracted.mask(3, on_broken="keep")
    total = next(outcome for outcome in result.outcomes if outcome.rule == "total")
    assert (total.broken_before, total.still_broken, total.repaired, total.newly_broken) == (1, 0, 1, 0)
    require_honest_account(extracted, result)


def test_keeping_a_clean_original_changes_nothing(tmp_path: Path) -> None:
    one, two = extract(tmp_path / "1", edited(6), RULES), extract(tmp_path / "2", edited(6), RULES)
    one.mask(3)
    two.mask(3, on_broken="keep")
    assert one.output.read_bytes() == two.output.read_bytes()
