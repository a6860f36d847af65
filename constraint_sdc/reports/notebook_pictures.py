"""The pictures of results in a notebook: those of the assessment's page, as SVG that stands in a cell by itself.

No picture shows a single record: each part of it rests on several.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from html import escape

from constraint_sdc.measures.assessment import Assessment
from constraint_sdc.measures.sweep_points import Sweep
from constraint_sdc.reports.charts.before_after import distribution_svg
from constraint_sdc.reports.charts.bins import least_records
from constraint_sdc.reports.charts.sweep import render_map_svg
from constraint_sdc.reports.check.wording import counted
from constraint_sdc.reports.terminal import clean

MOST = 8
"""Variables whose distributions are drawn; a cell is no page."""

_NAME = "notebook-picture"
_FRAME = "margin:0;padding:.5em;background:#fff;color:#1d2430"  # charts are drawn for white paper
_NARROW, _WIDE = "16em", "34em"


def assessment_pictures(assessment: Assessment) -> str:
    """Return the distributions of masked variables before (grey) and after (blue), and the risk-utility map."""
    figures = list(_distributions(assessment))
    shown = figures[:MOST]
    pil, dr = (assessment.score.value(name) for name in ("pil", "dr"))
    if pil is not None and dr is not None:
        shown.append(_figure(render_map_svg((), this_file=(pil, dr), name=_NAME, is_inline=True), "", _WIDE))
    rest = len(figures) - MOST
    more = (
        f"<p>{counted(rest, 'more variable')}: cs.render(assessment, &quot;html&quot;) has all</p>" if rest > 0 else ""
    )
    return _grid(shown) + more


def _distributions(assessment: Assessment) -> Iterator[str]:
    """Yield a picture of each changed variable; those that are not shown are empty and cost nothing."""
    least, drawn = least_records(assessment.pair.k), 0
    for variable in assessment.pair.variables:
        if not variable.is_masked and variable.unchanged.all():
            continue
        if drawn >= MOST:
            yield ""
            continue
        picture = distribution_svg(variable, least, _NAME)
        if picture is not None:
            drawn += 1
            yield _figure(picture, variable.name, _NARROW)


def sweep_pictures(sweep: Sweep) -> str:
    """Return the risk-utility map of the maskings; nothing if none of them has a place on it."""
    points = [point for point in sweep.points if point.pil is not None and point.dr is not None]
    return _grid([_figure(render_map_svg(points, name=_NAME, is_inline=True), "", _WIDE)]) if points else ""


def _figure(svg: str, name: str, width: str) -> str:
    """Return a picture with its name; ids are made from its content, so pictures of one notebook do not mix them up."""
    ids = f"p{hashlib.sha256(svg.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    caption = f"<figcaption>{escape(clean(name))}</figcaption>" if name else ""
    return f'<figure style="{_FRAME};width:{width}">{caption}{svg.replace(_NAME, ids)}</figure>'


def _grid(figures: list[str]) -> str:
    return f'<div style="display:flex;flex-wrap:wrap">{"".join(figures)}</div>' if figures else ""
