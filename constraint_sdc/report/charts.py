"""Where charts are drawn: the one file that knows matplotlib.

The same figures make the same bytes on every machine: no date, no user's settings, no fonts but the library's own for
measuring, and text stays text. Nothing global is left changed; `pyplot` is never touched.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any

from constraint_sdc.report.charts_svg import INKS, Caption, tidy_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Settings of a user's machine that have nothing to do with how a chart looks; to set them has side effects.
_NOT_LOOKS = ("backend", "interactive", "toolbar", "timezone", "webagg", "tk.", "date.epoch")
_LOOKS = {
    "svg.fonttype": "none",
    "font.size": 10,
    "text.color": INKS["ink"],
    "axes.edgecolor": INKS["soft"],
    "axes.labelcolor": INKS["ink"],
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INKS["soft"],
    "ytick.color": INKS["soft"],
    "xtick.labelcolor": INKS["soft"],
    "ytick.labelcolor": INKS["soft"],
    "figure.facecolor": INKS["paper"],
    "axes.facecolor": "none",
    "legend.frameon": False,
    "savefig.facecolor": "auto",
}


def drawn(
    draw: Callable[[Figure], None], size: tuple[float, float], name: str, caption: Caption, *, is_inline: bool = True
) -> str:
    """Return what `draw` puts on a blank figure of `size` points as SVG; `name` begins every id in it."""
    with _quiet():
        from matplotlib import rc_context, rcParamsDefault  # slow to load; only charts need it
        from matplotlib.figure import Figure

        looks: dict[Any, Any] = {k: v for k, v in rcParamsDefault.items() if not k.startswith(_NOT_LOOKS)}
        with rc_context(looks | _LOOKS | {"svg.hashsalt": name}), StringIO() as stream:
            figure = Figure(figsize=(size[0] / 72, size[1] / 72), dpi=72)
            draw(figure)
            figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
            return tidy_svg(stream.getvalue(), name, caption, is_inline=is_inline)


def panel(figure: Figure, box: tuple[float, float, float, float], size: tuple[float, float]) -> Axes:
    """Return axes at `box` (left, bottom, right, top in points) of a figure of `size`."""
    left, bottom, right, top = box
    return figure.add_axes((left / size[0], bottom / size[1], (right - left) / size[0], (top - bottom) / size[1]))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library's remarks on its caches and fonts, which mean nothing to our users, from their terminal."""
    logger = logging.getLogger("matplotlib")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
