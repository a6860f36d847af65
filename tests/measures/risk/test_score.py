"""SCORE: the published arithmetic."""

from __future__ import annotations

import pytest

from constraint_sdc.measures.score import AveragedLinkage, score, score_measured
from constraint_sdc.reports.sentences import sentences, worded


@pytest.mark.parametrize(
    ("pil", "dbrl", "disclosed", "expected"),
    [
        (38.43, 31.30, 37.24, 36.35),
        (46.93, 18.43, 29.49, 35.45),
        (54.99, 9.07, 23.50, 35.64),
        (3.17, 99.91, 99.58, 51.45),
    ],
)
def test_the_score_is_the_mean_of_loss_and_risk(pil: float, dbrl: float, disclosed: float, expected: float) -> None:
    assert score(pil, dbrl, disclosed).score == pytest.approx(expected, abs=0.01)


def test_a_file_that_was_not_masked_has_fifty() -> None:
    found = score_measured(0.0, 100.0, 100.0)
    assert found.value("score") == 50.0
    assert found.value("dr") == 100.0
    assert "no better than the 50" in worded(found.says)


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_part_that_is_not_defined_leaves_the_score_undefined(missing: int) -> None:
    parts: list[float | None] = [10.0, 20.0, 30.0]
    parts[missing] = None
    found = score_measured(*parts)
    assert found.value("score") is None
    assert found.value("dr") == (25.0 if missing == 0 else None)
    assert sentences(found.notes)[0] == f"Not defined for this file: {('PIL', 'DBRL', 'ID')[missing]}."


def test_the_sentence_has_the_number() -> None:
    assert "36.35" in worded(score_measured(38.43, 31.30, 37.24).says)


def test_a_second_score_takes_the_averaged_linkage() -> None:
    found = score_measured(40.0, 80.0, 20.0, AveragedLinkage(30.0, 5))
    assert (found.value("score"), found.value("dr")) == (45.0, 50.0)
    assert (found.value("score-averaged"), found.value("dr-averaged"), found.value("dbrl-averaged")) == (32.5, 25, 30)
    assert "It is 32.50 with linkage averaged over intruders who know 1 to 5 variables: risk 25.00%." in worded(
        found.says
    )


def test_an_averaged_linkage_that_is_not_defined_is_not_nought() -> None:
    found = score_measured(40.0, None, 20.0, AveragedLinkage(None, 1))
    assert found.value("score-averaged") is None
    assert "Not measured either with linkage averaged over intruders who know 1 variable." in worded(found.says)
