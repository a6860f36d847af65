"""Inconsistency: broken rules and boundaries as evidence, and the AUC against all pairs of cells."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.constraints.constraint import AnyOf, LinearAtom, SetAtom
from constraint_sdc.measures.attacks.inconsistency import Inconsistency, area_under_curve, best_advantage, suspicions
from tests.measures.attacks.edit_rules import rule_of, written_rules
from tests.measures.pairs import pair_of


@pytest.mark.parametrize("seed", range(20))
def test_the_area_is_the_share_of_pairs_in_the_right_order(seed: int) -> None:
    random = np.random.default_rng(seed)
    score, changed = random.integers(0, 4, 25).astype(float), random.random(25) < 0.4
    pairs = [(a > b) + (a == b) / 2 for a, b in product(score[changed], score[~changed])]
    assert area_under_curve(score, changed) == pytest.approx(np.mean(pairs))
    rates = [(score[changed] >= t).mean() - (score[~changed] >= t).mean() for t in range(5)]
    assert best_advantage(score, changed) == pytest.approx(max(rates))


def test_noise_that_breaks_a_sum_betrays_the_records() -> None:
    random = np.random.default_rng(1)
    parts = random.integers(1, 100, (40, 2)).astype(float)
    original = np.column_stack((parts, parts.sum(axis=1)))
    masked = original.copy()
    masked[:10, 0] += 7
    total = rule_of(
        "total", LinearAtom((("V1", Fraction(1)), ("V2", Fraction(1)), ("V3", Fraction(-1))), "=", Fraction(0))
    )
    pair = pair_of(original, masked)
    found = suspicions(pair, (total,), {})
    assert found is not None
    assert found.broken == 10
    # Of the 30 cells of accused records 10 were changed, and no cell of another record.
    assert found.auc == pytest.approx(1 - 20 / 110 / 2)
    assert found.advantage == pytest.approx(1 - 20 / 110)
    answer = Inconsistency((total,)).measure(pair)
    assert answer.value("broken") == 10
    assert answer.tables[0].rows == (("total", 10, 0),)


def test_values_pushed_to_a_boundary_betray_themselves(tmp_path: Path) -> None:
    rules = written_rules(tmp_path, "V1 <= 100")
    original = np.arange(20.0, 60.0)[:, None]
    masked = np.where(original < 30, 100.0, original)
    found = suspicions(pair_of(original, masked), rules, {})
    assert found is not None
    assert (found.on_boundary, found.broken, found.auc, found.advantage) == (10, 0, 1.0, 1.0)


def test_consistent_masking_gives_nothing_away() -> None:
    positive = rule_of("positive", LinearAtom((("V1", Fraction(1)),), ">", Fraction(0)))
    original = np.arange(1.0, 21.0)[:, None]
    masked = np.where(original < 8, original + 3, original)
    found = Inconsistency((positive,)).measure(pair_of(original, masked))
    assert (found.value("auc"), found.value("advantage"), found.value("broken")) == (0.5, 0.0, 0)


def test_a_part_that_is_not_understood_accuses_nobody() -> None:
    either = AnyOf((LinearAtom((("V1", Fraction(1)),), "<", Fraction(0)), SetAtom("Town", ("A",))))
    original = np.arange(1.0, 5.0)[:, None]
    found = suspicions(pair_of(original, np.where(original < 2, 9.0, original)), (rule_of("either", either),), {})
    assert found is not None
    assert found.broken == 0


@pytest.mark.parametrize(("shift", "why"), [(0.0, "no-cell-changed"), (1.0, "every-cell-changed(broken=0)")])
def test_without_both_kinds_of_cells_it_is_not_run(shift: float, why: str) -> None:
    positive = rule_of("positive", LinearAtom((("V1", Fraction(1)),), ">", Fraction(0)))
    original = np.arange(1.0, 5.0)[:, None]
    found = Inconsistency((positive,)).measure(pair_of(original, original + shift))
    assert found.figures[0].value is None
    assert str(found.says) == f"not-run(why={why})"
