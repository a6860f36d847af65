"""A goal of group anonymity as a picture: its signal before and after masking, and the wish, value by value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraint_sdc.plan.plan import GoalReport
from constraint_sdc.reports.charts.charts import INKS, Caption, drawn, panel
from constraint_sdc.reports.check.wording import counted
from constraint_sdc.reports.terminal import clipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEAST_WIDTH, _MOST_WIDTH = 420.0, 1400.0
_CELL = 24.0  # points for one value, as long as they fit
_BARS = 60  # more values than that are drawn as lines
_LABELS = 70  # more are not all written
_LETTER = 6.4  # points of width, in the mean
_LABEL_LENGTH = 16
_LEFT, _RIGHT, _TOP, _PANEL = 58.0, 14.0, 46.0, 210.0
_PARTS = ("before", "wished", "after")
_AXIS = {
    "quantity": "vital records",
    "concentration": "vital records / base records",
    "concentration difference": "difference of concentrations",
}


def chart_name(goal: GoalReport) -> str:
    """Return the name of a goal's picture in a directory of charts."""
    return f"goal-{goal.number}.svg"


def render_goal_svg(goal: GoalReport) -> str:
    """Return the goal's picture as a file of its own; the same goal makes the same bytes."""
    values = len(goal.values)
    name = f"goal-{goal.number}"
    width = min(max(_LEAST_WIDTH, _LEFT + _RIGHT + _CELL * values), _MOST_WIDTH)
    most = int(width / _LETTER)
    step = -(-values // _LABELS)
    labels = {f"value-{i}": clipped(goal.values[i].value, _LABEL_LENGTH) for i in range(0, values, step)}
    below = 44.0 + 6.0 * max((len(text) for text in labels.values()), default=0)
    size = (width, _TOP + _PANEL + below + 18)

    def draw(figure: Figure) -> None:
        axes = panel(figure, (_LEFT, below + 18, width - _RIGHT, below + 18 + _PANEL), size)
        figure.text(10 / size[0], 1 - 18 / size[1], "goal-title", fontsize=12, color=INKS["ink"])
        figure.text(10 / size[0], 1 - 34 / size[1], "goal-group", fontsize=10, color=INKS["soft"])
        _signal(axes, goal)
        axes.set_xticks(range(0, values, step), list(labels))
        for label in axes.get_xticklabels():
            label.set(rotation=90, rotation_mode="anchor", ha="right", va="center")
        axes.tick_params(axis="x", length=2)
        axes.set_xlim(-0.7, values - 0.3)
        axes.set_ylabel(_AXIS[goal.signal])
        figure.text((_LEFT + width - _RIGHT) / 2 / size[0], 24 / size[1], "goal-parameter", ha="center", va="bottom")
        shown = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        figure.legend([shown[part] for part in _PARTS], _PARTS, loc="lower center", ncols=3, borderaxespad=0.2)

    state = "reached" if goal.is_reached else "missed"
    said = f"{counted(values, 'value')} of {goal.parameter}; {counted(goal.swaps, 'swap')}; the goal is {state}."
    texts = labels | {
        "goal-title": clipped(f"Goal {goal.number}, {state}: {goal.signal} over {goal.parameter}", most),
        "goal-group": clipped(f"vital: {goal.vital}", most),
        "goal-parameter": clipped(goal.parameter, most),
    }
    title = f"Goal {goal.number}: {goal.signal} over {goal.parameter} before and after masking"
    return drawn(draw, size, name, Caption(title, said, texts), is_inline=False)


def _signal(axes: Axes, goal: GoalReport) -> None:
    """Draw bars side by side, or lines where bars would be too thin; the wish is a short line over each pair."""
    places = list(range(len(goal.values)))
    before, wished, after = (
        [getattr(value, name) for value in goal.values] for name in ("signal_before", "signal_wished", "signal_after")
    )
    if len(places) > _BARS:
        axes.plot(places, before, color=INKS["before"], linewidth=1.4, label="before")
        axes.plot(places, after, color=INKS["after"], linewidth=1.4, label="after")
        axes.plot(places, wished, color=INKS["s2"], linewidth=0.8, linestyle="dotted", label="wished")
    else:
        axes.bar([x - 0.21 for x in places], before, 0.4, color=INKS["before"], label="before")
        axes.bar([x + 0.21 for x in places], after, 0.4, color=INKS["after"], label="after")
        axes.hlines(
            wished, [x - 0.44 for x in places], [x + 0.44 for x in places], color=INKS["s2"], linewidth=1.4,
            label="wished",
        )  # fmt: skip
    if min(*before, *wished, *after) < 0:
        axes.axhline(0, color=INKS["soft"], linewidth=0.8)
