"""Many maskings of one file: the risk-utility map, and loss and risk against k as in the literature's figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

from constraint_sdc.measures.sweep_points import SweepPoint
from constraint_sdc.reports.charts.charts import INKS, Caption, drawn, panel
from constraint_sdc.reports.check.wording import counted
from constraint_sdc.reports.terminal import clipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS = "os^Dvp"
_COLOURS = ("s1", "s2", "s3", "s4", "s5", "s6")
_LABELLED = (1, 2, 3, 5, 10, 20, 50, 100)
_APART = 24.0  # points between two labels of k
_NAME_LENGTH = 34
_LINE_HEIGHT = 16.0
_WIDTH = 400.0
_PANEL = 218.0

Series = Mapping[str, Sequence[SweepPoint]]
UNMASKED = 50.0
"""SCORE of a file that was not masked: nothing is lost and everything is at risk."""


def render_map_svg(
    points: Sequence[SweepPoint],
    *,
    this_file: tuple[float, float] | None = None,
    name: str = "map",
    is_inline: bool = False,
) -> str:
    """Return the risk-utility map: PIL across, DR upwards, lines of equal SCORE, a colour and marker per series.

    `this_file` is PIL and DR of a file to be marked. Points whose PIL or DR is not defined are not drawn.
    """
    series = _series(p for p in points if p.pil is not None and p.dr is not None)
    left_out = len(points) - sum(map(len, series.values()))
    taken = [(p.pil or 0.0, p.dr or 0.0) for part in series.values() for p in part]
    taken += [] if this_file is None else [this_file]
    entries = 1 + len(series) + (this_file is not None)
    size = (_WIDTH, 366.0 + entries * _LINE_HEIGHT)

    def draw(figure: Figure) -> None:
        axes = panel(figure, (42, size[1] - 324, _WIDTH - 26, size[1] - 12), size)
        _map_frame(axes, _top(taken, 0), _top(taken, 1))
        for i, part in enumerate(series.values()):
            _map_series(axes, part, i)
        if this_file is not None:
            axes.plot(*this_file, "*", color=INKS["ink"], markersize=15, clip_on=False, zorder=5, label="this file")
        axes.legend(loc="upper left", bbox_to_anchor=(-0.03, -0.125), borderaxespad=0, labelspacing=0.35)

    said = f"{counted(sum(map(len, series.values())), 'masking')} in {len(series)} series"
    said += f"; PIL {this_file[0]:.2f}, DR {this_file[1]:.2f} of this file" if this_file else ""
    said += f"; {left_out} without PIL or DR not drawn" if left_out else ""
    caption = Caption("Risk-utility map: PIL across, DR upwards", said + ".", _placeholders(series))
    return drawn(draw, size, name, caption, is_inline=is_inline)


def render_curves_svg(points: Sequence[SweepPoint], *, name: str = "curves", is_inline: bool = False) -> str:
    """Return PIL, DR and SCORE against k, a panel per scenario, masker and partition; the least SCORE is marked."""
    series = _series(points)
    size = (_WIDTH, 24 + _PANEL * max(1, len(series)))

    def draw(figure: Figure) -> None:
        for i, (title, part) in enumerate(zip(_placeholders(series), series.values(), strict=True)):
            floor = size[1] - _PANEL * (i + 1)
            axes = panel(figure, (42, floor + 36, _WIDTH - 12, floor + 194), size)
            axes.set_title(title, loc="left", fontsize=11, color=INKS["ink"])
            _curves(axes, part)
        figure.legend(
            *figure.axes[0].get_legend_handles_labels() if series else ([], []),
            loc="lower center", ncols=3, borderaxespad=0.2,
        )  # fmt: skip

    caption = Caption("PIL, DR and SCORE against k", _best_sentences(series), _placeholders(series))
    return drawn(draw, size, name, caption, is_inline=is_inline)


def _series(points: Iterable[SweepPoint]) -> dict[str, list[SweepPoint]]:
    """Return the points by scenario, masker and partition, in the order of their first; each by k."""
    found: dict[str, list[SweepPoint]] = {}
    for point in points:
        found.setdefault(f"{point.scenario}, {point.masked_by.name}", []).append(point)
    return {name: sorted(part, key=lambda p: p.k) for name, part in found.items()}


def _placeholders(series: Series) -> dict[str, str]:
    """Return what is drawn for a series' name, and the name."""
    return {f"series-{i}": clipped(name, _NAME_LENGTH) for i, name in enumerate(series)}


def _top(taken: Sequence[tuple[float, float]], place: int) -> float:
    """Return where an axis ends: the ten above all numbers, between 60, so that SCORE = 50 is in view, and 100.

    Labels stand to the right of points, and need some room there.
    """
    room = 1 if place else 5
    return min(100.0, max([60.0, *(10.0 * ceil((point[place] + room) / 10) for point in taken)]))


def _map_frame(axes: Axes, right: float, top: float) -> None:
    """Draw the axes and the lines PIL + DR = 2 * SCORE as far as they are in view."""
    axes.set_xlim(0, right)
    axes.set_ylim(0, top)
    axes.set_xlabel("PIL: information lost (%)")
    axes.set_ylabel("DR: disclosure risk (%)")
    for score in range(10, 100, 10):
        start, end = max(0.0, 2 * score - top), min(right, 2.0 * score)
        ends = [start, end], [2 * score - start, 2 * score - end]
        if score == UNMASKED:
            axes.plot(*ends, color=INKS["s5"], linewidth=1.4, zorder=1, label="SCORE 50, as if not masked")
        elif start < end:
            axes.plot(*ends, color=INKS["line"], linewidth=0.8, zorder=1)
            _beside(axes, f"{score}", (end, 2 * score - end), (-3, 4), "right", INKS["soft"])


def _beside(
    axes: Axes, text: str, point: tuple[float, float], offset: tuple[float, float], side: str, ink: str
) -> None:
    axes.annotate(text, point, offset, textcoords="offset points", color=ink, fontsize=9, ha=side, zorder=4)


def _map_series(axes: Axes, part: Sequence[SweepPoint], i: int) -> None:
    colour = INKS[_COLOURS[i % len(_COLOURS)]]
    across, upwards = [p.pil or 0.0 for p in part], [p.dr or 0.0 for p in part]
    # The seventh series has the colour of the first and another marker.
    marker = _MARKERS[(i + i // len(_COLOURS)) % len(_MARKERS)]
    axes.plot(across, upwards, color=colour, linewidth=0.8, alpha=0.6, zorder=2)
    axes.plot(
        across, upwards, marker, color=colour, markersize=4, markeredgewidth=0, linestyle="none",
        label=f"series-{i}", zorder=3, clip_on=False,
    )  # fmt: skip
    _label_some(axes, part, colour, is_above=i % 2 == 0)


def _label_some(axes: Axes, part: Sequence[SweepPoint], colour: str, is_above: bool) -> None:
    """Write k beside some points: those with a round k, first and last, as far as they stand apart.

    Every other series has them on the lower side, so that two neighbours do not write over each other.
    """
    offset = (4, 4) if is_above else (-5, -10)
    written: list[tuple[float, float]] = []
    for point in part:
        if point.k not in (*_LABELLED, part[0].k, part[-1].k):
            continue
        x, y = axes.transData.transform((point.pil or 0.0, point.dr or 0.0))
        if all(max(abs(x - a), abs(y - b)) >= _APART for a, b in written):
            written.append((x, y))
            side = "left" if is_above else "right"
            _beside(axes, f"k={point.k}", (point.pil or 0.0, point.dr or 0.0), offset, side, colour)


def _curves(axes: Axes, part: Sequence[SweepPoint]) -> None:
    for field, ink, marker in (("pil", "s1", "o"), ("dr", "s2", "s"), ("score", "s3", "^")):
        known = [(p.k, getattr(p, field)) for p in part if getattr(p, field) is not None]
        axes.plot(
            [k for k, _ in known], [value for _, value in known], marker=marker, markersize=3, linewidth=1,
            color=INKS[ink], markeredgewidth=0, label=field.upper(), clip_on=False,
        )  # fmt: skip
    axes.set_ylim(0, 100)
    axes.set_xlabel("k", labelpad=0)
    axes.set_ylabel("%")
    best = _best(part)
    if best is not None and best.score is not None:
        axes.plot([best.k], [best.score], "o", markersize=9, markerfacecolor="none", markeredgecolor=INKS["ink"])
        axes.set_title(f"least SCORE {best.score:.2f} at k = {best.k}", loc="right", fontsize=9.5, color=INKS["s3"])


def _best(part: Sequence[SweepPoint]) -> SweepPoint | None:
    """Return the point of the least SCORE, that of the least k among equals."""
    scored = [(p.score, p.k, i) for i, p in enumerate(part) if p.score is not None]
    return part[min(scored)[2]] if scored else None


def _best_sentences(series: Series) -> str:
    best = {name: _best(part) for name, part in series.items()}
    said = [f"{name}: least SCORE {p.score:.2f} at k = {p.k}" for name, p in best.items() if p and p.score is not None]
    return "; ".join(said) + "." if said else "SCORE is not defined for any of them."
