"""Pictures of one masking: each variable, and each goal's signal, before and after."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.pair import Compared
from constraint_sdc.plan.plan import GoalReport
from constraint_sdc.reports.assessment.figures_text import percent, plain
from constraint_sdc.reports.charts.bins import LEVELS, Bars, Bins, barred, binned
from constraint_sdc.reports.charts.charts import INKS, Caption, drawn, panel
from constraint_sdc.reports.check.wording import counted
from constraint_sdc.reports.terminal import clipped
from constraint_sdc.settings.words import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# One variable before and after masking: two histograms over two boxes of quantiles, or bars by category.

_SIZE = (250.0, 150.0)
_LEFT, _RIGHT = 6.0, 244.0
_MEDIAN = LEVELS.index(0.5)
# Beyond this many characters three numbers below the axis would touch.
_LABELS_WIDTH = 36


def distribution_svg(variable: Compared, least: int, name: str) -> str | None:
    """Return a variable's picture, of which no part rests on fewer than `least` records; None where all would."""
    if variable.scale is Scale.NUMERIC:
        bins = binned(variable, least)
        return None if bins is None else _histogram_svg(variable, bins, name)
    bars = barred(variable, least)
    return None if bars is None else _bars_svg(variable, bars, name)


def _histogram_svg(variable: Compared, bins: Bins, name: str) -> str:
    write = partial(_written, notation=variable.grid.notation)
    medians = (q[_MEDIAN] * bins.unit for q in (bins.quantiles_before, bins.quantiles_after))
    before, after = (write(median) or plain(median) for median in medians)
    said = f"Histogram and box of quantiles; median about {before} before and {after} after masking."

    def draw(figure: Figure) -> None:
        top = panel(figure, (_LEFT, 50, _RIGHT, 147), _SIZE)
        _outlines(top, bins)
        below = panel(figure, (_LEFT, 18, _RIGHT, 46), _SIZE)
        for height, quantiles, ink in ((1.0, bins.quantiles_before, "before"), (0.0, bins.quantiles_after, "after")):
            _box(below, [min(max(q, bins.edges[0]), bins.edges[-1]) for q in quantiles], height, INKS[ink])
        below.set_ylim(-0.6, 1.6)
        for axes in (top, below):
            axes.set_xlim(bins.edges[0], bins.edges[-1])
        _numbers_below(below, bins, write)

    return drawn(draw, _SIZE, name, Caption(f"{variable.name} before and after masking", said))


def _outlines(axes: Axes, bins: Bins) -> None:
    """Draw both histograms; a bin's area is its share, so a merged bin is as wide as it is low."""
    widths = [(right - left) / bins.step for left, right in zip(bins.edges, bins.edges[1:], strict=False)]
    before, after = (
        [share / width for share, width in zip(shares, widths, strict=True)] for shares in (bins.before, bins.after)
    )
    axes.stairs(before, bins.edges, fill=True, color=INKS["before"], alpha=0.45, linewidth=0)
    axes.stairs(after, bins.edges, color=INKS["after"], linewidth=1.5)
    axes.set_ylim(0, 1.04 * max(*before, *after))
    _bare(axes)
    axes.spines["bottom"].set_visible(True)


def _box(axes: Axes, quantiles: list[float], height: float, ink: str) -> None:
    low, left, middle, right, high = quantiles
    axes.plot([low, high], [height, height], color=ink, linewidth=1.2, clip_on=False)
    sides = (height - 0.36, height + 0.36)
    axes.fill_between([left, right], *sides, facecolor=INKS["paper"], edgecolor=ink, linewidth=1.2)
    axes.plot([middle, middle], sides, color=ink, linewidth=2.4, solid_capstyle="butt")
    _bare(axes)


def _written(number: float, notation: DateNotation | None) -> str | None:
    """Return the date that a number of days or months stands for, None for a variable of numbers."""
    if notation is None:
        return None
    low, high = notation.limits
    return notation.text(min(max(round(number), low), high))


def _numbers_below(axes: Axes, bins: Bins, write: Callable[[float], str | None]) -> None:
    """Write the first and the last edge, and the one in the middle where there is room."""
    first, last = bins.edges[0], bins.edges[-1]
    middle = round((first + last) / 2 / bins.step) * bins.step
    places = [(first, "left"), (middle, "center"), (last, "right")]
    labels = [write(edge * bins.unit) or _round_text(edge * bins.unit) for edge, _ in places]
    is_crowded = sum(map(len, labels)) > _LABELS_WIDTH or not first < middle < last
    for i, ((edge, side), text) in enumerate(zip(places, labels, strict=True)):
        if i != 1 or not is_crowded:
            axes.text(edge, -1.0, text, ha=side, va="top", color=INKS["soft"], fontsize=10)


def _round_text(edge: float) -> str:
    """Return a round number without the closing zeros that a measured one would have."""
    text = plain(edge)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _bars_svg(variable: Compared, bars: Bars, name: str) -> str:
    said = f"Shares of {len(bars.before)} categories; the most frequent has {percent(100 * max(bars.before))} before."

    def draw(figure: Figure) -> None:
        axes = panel(figure, (_LEFT, 18, _RIGHT, 147), _SIZE)
        places = range(len(bars.before))
        axes.bar([x - 0.2 for x in places], bars.before, 0.36, color=INKS["before"], alpha=0.45)
        axes.bar([x + 0.2 for x in places], bars.after, 0.36, facecolor="none", edgecolor=INKS["after"], linewidth=1.5)
        axes.set_xlim(-0.6, len(bars.before) - 0.4)
        axes.set_ylim(0, 1.04 * max(*bars.before, *bars.after))
        _bare(axes)
        axes.spines["bottom"].set_visible(True)
        for x in places:
            is_rest = bars.has_others and x == len(bars.before) - 1
            text = "others" if is_rest else str(x + 1)
            axes.text(x, -0.03, text, transform=axes.get_xaxis_transform(), ha="center", va="top", color=INKS["soft"])

    return drawn(draw, _SIZE, name, Caption(f"{variable.name} before and after masking", said))


def _bare(axes: Axes) -> None:
    """Take away what a small picture has no room for: ticks and the frame."""
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)


# A goal of group anonymity as a picture: its signal before and after masking, and the wish, value by value.

_LEAST_WIDTH, _MOST_WIDTH = 420.0, 1400.0
_CELL = 24.0  # points for one value, as long as they fit
_BARS = 60  # more values than that are drawn as lines
_LABELS = 70  # more are not all written
_LETTER = 6.4  # points of width, in the mean
_LABEL_LENGTH = 16
_MARGIN_LEFT, _MARGIN_RIGHT, _TOP, _PANEL = 58.0, 14.0, 46.0, 210.0
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
    width = min(max(_LEAST_WIDTH, _MARGIN_LEFT + _MARGIN_RIGHT + _CELL * values), _MOST_WIDTH)
    most = int(width / _LETTER)
    step = -(-values // _LABELS)
    labels = {f"value-{i}": clipped(goal.values[i].value, _LABEL_LENGTH) for i in range(0, values, step)}
    below = 44.0 + 6.0 * max((len(text) for text in labels.values()), default=0)
    size = (width, _TOP + _PANEL + below + 18)

    def draw(figure: Figure) -> None:
        axes = panel(figure, (_MARGIN_LEFT, below + 18, width - _MARGIN_RIGHT, below + 18 + _PANEL), size)
        figure.text(10 / size[0], 1 - 18 / size[1], "goal-title", fontsize=12, color=INKS["ink"])
        figure.text(10 / size[0], 1 - 34 / size[1], "goal-group", fontsize=10, color=INKS["soft"])
        _signal(axes, goal)
        axes.set_xticks(range(0, values, step), list(labels))
        for label in axes.get_xticklabels():
            label.set(rotation=90, rotation_mode="anchor", ha="right", va="center")
        axes.tick_params(axis="x", length=2)
        axes.set_xlim(-0.7, values - 0.3)
        axes.set_ylabel(_AXIS[goal.signal])
        figure.text(
            (_MARGIN_LEFT + width - _MARGIN_RIGHT) / 2 / size[0],
            24 / size[1],
            "goal-parameter",
            ha="center",
            va="bottom",
        )
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
