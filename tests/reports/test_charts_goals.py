"""Charts of goals: every value is drawn, names come through untouched, and the bytes are always the same."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from constraint_sdc.plan.plan import GoalReport, SignalValue
from constraint_sdc.reports.charts.before_after import _signal, render_goal_svg

SVG = "{http://www.w3.org/2000/svg}"


def report(values: int, signal: str = "concentration", missed: tuple[str, ...] = ()) -> GoalReport:
    drawn = np.random.default_rng(values).normal(0.2, 0.1, (values, 3)).tolist()
    cells = tuple(SignalValue(f"Łódź ${i}$ & <{i}>", 10, 1, 1.0, 1, 1, *row) for i, row in enumerate(drawn))
    return GoalReport(2, "Regiön", "Job = 'x' and Age > 3", None, signal, None, cells, 5, 0.5, True, missed)


@pytest.mark.parametrize("signal", ["quantity", "concentration", "concentration difference"])
@pytest.mark.parametrize("values", [2, 16, 44, 99, 400])
def test_the_same_goal_makes_the_same_picture(values: int, signal: str) -> None:
    made = render_goal_svg(report(values, signal))
    assert made == render_goal_svg(report(values, signal))
    root = ElementTree.fromstring(made)
    assert float(root.attrib["width"]) <= 1400
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    assert {"before", "wished", "after", "Regiön"} <= set(texts)
    assert "Łódź $0$ & <0>" in texts
    labels = [text for text in texts if text.startswith("Łódź")]
    assert len(labels) == (values if values <= 70 else -(-values // -(-values // 70)))


@pytest.mark.parametrize("values", [2, 44, 400])
def test_every_text_of_a_goal_stands_within_the_picture_and_none_upon_another(values: int) -> None:
    root = ElementTree.fromstring(render_goal_svg(report(values)))
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    texts = {"".join(text.itertext()): text.attrib for text in root.iter(f"{SVG}text")}
    places = {text: (float(where["x"]), float(where["y"])) for text, where in texts.items()}
    assert all(0 < x < width and 0 < y < height for x, y in places.values())
    title, group, axis, legend = (
        next(y for text, (_, y) in places.items() if text.startswith(start))
        for start in ("Goal 2", "vital: ", "Regiön", "before")
    )
    labels = max(y for text, (_, y) in places.items() if text.startswith("Łódź"))
    assert title < group < labels < axis < legend


def test_a_missed_goal_says_so() -> None:
    assert "Goal 2, missed" in render_goal_svg(report(4, missed=("too few pairs",)))
    assert "Goal 2, reached" in render_goal_svg(report(4))


@pytest.mark.parametrize(("lowest", "lines"), [(0.0, 0), (-0.5, 1)])
def test_the_line_at_nought_is_drawn_where_a_signal_goes_below_it(lowest: float, lines: int) -> None:
    axes = Figure().subplots()
    values = [SimpleNamespace(signal_before=1.0, signal_wished=lowest, signal_after=2.0)] * 2
    goal: Any = SimpleNamespace(values=values)
    _signal(axes, goal)
    assert len(axes.lines) == lines
