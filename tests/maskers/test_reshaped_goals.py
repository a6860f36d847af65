"""Goals of trend, statistics and thresholds through files: the signal of the masked file, counted in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.errors import UsageError
from constraint_sdc.reports.sentences import sentences
from tests.maskers.extract import columns, extract
from tests.maskers.test_group_anonymity import goal, is_scientist, masked, people, recipe

YEARS = np.arange(2001, 2009)


def dwellers(seed: int = 1) -> list[dict[str, str]]:
    """Scientists became more from year to year."""
    rng = np.random.default_rng(seed)
    year = rng.choice(YEARS, 400)
    vital = rng.random(400) < (year - 1999) / 20
    return columns(
        Year=year.tolist(),
        Occupation=np.where(vital, "scientist", "other").tolist(),
        Age=rng.integers(18, 90, 400).tolist(),
        Sex=rng.choice(["F", "M"], 400).tolist(),
    )


def years_of_scientists(rows: list[dict[str, str]]) -> np.ndarray:
    return np.array([int(row["Year"]) for row in rows if is_scientist(row)])


def folder(tmp_path: Path) -> Path:
    path = tmp_path / "second"
    path.mkdir()
    return path


def test_a_rising_trend_falls(tmp_path: Path) -> None:
    told = goal("Year", change=[{"trend": {"factor": -1}}])
    given = extract(tmp_path, dwellers(), {"age": "number(Age) >= 18"}, recipe(told))
    plan = masked(given)
    given.requires_all_rules()
    assert plan.all_goals()[0].is_reached
    slopes = [
        np.polyfit(YEARS, [np.count_nonzero(years_of_scientists(rows) == y) for y in YEARS], 1)[0]
        for rows in (given.original(), given.masked())
    ]
    assert slopes[0] > 1
    assert slopes[1] == pytest.approx(-slopes[0], abs=0.3)  # whole counts


@pytest.mark.parametrize("signal", ["quantity", "concentration"])
def test_the_mean_year_of_the_group_is_as_wished(tmp_path: Path, signal: str) -> None:
    told = goal("Year", signal=signal, change=[{"statistics": {"mean": "2004.5", "deviation": "1.8"}}])
    given = extract(tmp_path, dwellers(), None, recipe(told))
    plan = masked(given)
    assert plan.all_goals()[0].is_reached
    found = years_of_scientists(given.masked())
    assert found.mean() == pytest.approx(2004.5, abs=0.1)
    assert found.std() == pytest.approx(1.8, abs=0.1)


def test_statistics_of_categories_need_an_order(tmp_path: Path) -> None:
    change = [{"statistics": {"mean": 3}}]
    with pytest.raises(UsageError, match="goal 1 \\(Region\\): `statistics` needs numbers"):
        extract(tmp_path, people(), None, recipe(goal(change=change))).mask(1)
    ordered = goal(change=change, order=["North", "East", "South", "West"])
    given = extract(tmp_path, people(), None, recipe(ordered))
    assert masked(given).all_goals()[0].is_reached
    places = [ordered["order"].index(row["Region"]) + 1 for row in given.masked() if is_scientist(row)]
    assert np.mean(places) == pytest.approx(3, abs=0.1)


def test_a_threshold_is_kept_and_the_goal_is_missed_in_words(tmp_path: Path) -> None:
    (free,) = masked(extract(tmp_path, people(), None, recipe(goal()))).all_goals()
    told = goal(threshold=repr(free.distortion / 2))
    (bound,) = masked(extract(folder(tmp_path), people(), None, recipe(told))).all_goals()
    assert 0 < bound.distortion <= free.distortion / 2
    assert not bound.is_reached
    left_out = free.swaps - bound.swaps
    assert f"the threshold of distortion leaves out {left_out:,} of {free.swaps:,} swaps" in sentences(bound.missed)


def test_goals_share_a_threshold_by_their_weights(tmp_path: Path) -> None:
    goals = (goal(weight="0.1"), goal("Sex", change=[{"move": {"from": "F", "to": "M"}}], weight=2))
    even = ({**one, "weight": 1} for one in goals)
    free = masked(extract(tmp_path, people(2), None, recipe(*even, influential=["Age"]))).all_goals()
    threshold = sum(w * one.distortion for w, one in zip((0.1, 2), free, strict=True)) / 2
    text = recipe(*goals, influential=["Age"]).replace("  masker:", f"  threshold: {threshold!r}\n  masker:")
    bound = masked(extract(folder(tmp_path), people(2), None, text)).all_goals()
    assert 0 < sum(w * one.distortion for w, one in zip((0.1, 2), bound, strict=True)) <= threshold * (1 + 1e-9)
    assert any(not one.is_reached for one in bound)
