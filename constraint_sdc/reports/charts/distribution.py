"""One variable before and after masking: two histograms over two boxes of quantiles, or bars by category."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraint_sdc.data.pair import Compared
from constraint_sdc.reports.assessment.figures_text import percent, plain
from constraint_sdc.reports.charts.bins import LEVELS, Bars, Bins, barred, binned
from constraint_sdc.reports.charts.charts import INKS, Caption, drawn, panel
from constraint_sdc.settings.words import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    before, after = (plain(q[_MEDIAN] * bins.unit) for q in (bins.quantiles_before, bins.quantiles_after))
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
        _numbers_below(below, bins)

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


def _numbers_below(axes: Axes, bins: Bins) -> None:
    """Write the first and the last edge, and the one in the middle where there is room."""
    first, last = bins.edges[0], bins.edges[-1]
    middle = round((first + last) / 2 / bins.step) * bins.step
    places = [(first, "left"), (middle, "center"), (last, "right")]
    labels = [_round_text(edge * bins.unit) for edge, _ in places]
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
