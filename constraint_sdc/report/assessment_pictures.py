"""The pictures of an assessment's page: each variable before and after masking, and the risk-utility map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from constraint_sdc.model.assessment import Measured
from constraint_sdc.model.pair import Compared, Floats, Pair
from constraint_sdc.model.policy import Scale
from constraint_sdc.model.sweep import SweepPoint
from constraint_sdc.report.charts_bins import least_records
from constraint_sdc.report.charts_distribution import distribution_svg
from constraint_sdc.report.charts_sweep import render_map_svg
from constraint_sdc.report.figures_text import percent
from constraint_sdc.report.wording import counted, number

if TYPE_CHECKING:
    from markupsafe import Markup

# A page of hundreds of pictures is slow to draw and no summary.
_MOST_PICTURES = 60


def pictures_section(pair: Pair) -> dict[str, object]:
    """Return a picture of every variable that masking was to change, or did; and the names of those without one."""
    least = least_records(pair.k)
    changed = [v for v in pair.variables if v.is_masked or not v.unchanged.all()]
    drawn = [(v, distribution_svg(v, least, f"variable-{i}")) for i, v in enumerate(changed[:_MOST_PICTURES], 1)]
    return {
        "least": number(least),
        "pictures": [_picture(variable, svg, least) for variable, svg in drawn if svg is not None],
        "has_categories": any(v.scale is not Scale.NUMERIC for v, svg in drawn if svg is not None),
        "too_few": [variable.name for variable, svg in drawn if svg is None],
        "beyond": [variable.name for variable in changed[_MOST_PICTURES:]],
        "unchanged": counted(same, "variable") if (same := len(pair.variables) - len(changed)) else None,
    }


def _picture(variable: Compared, svg: str, least: int) -> dict[str, object]:
    return {"name": variable.name, "svg": _trusted(svg), "blanks": _blanks(variable, least)}


def _trusted(svg: str) -> Markup:
    """Return our own drawing as markup; names in it were escaped when it was written."""
    from markupsafe import Markup

    return Markup(svg)


def _blanks(variable: Compared, least: int) -> str | None:
    """Say how many records have no value; of a handful only that there are some."""
    before, after = (_blank(values, least) for values in (variable.original, variable.masked))
    return None if before == after == "0" else f"blank: {before} before, {after} after"


def _blank(values: Floats, least: int) -> str:
    blanks = int(np.count_nonzero(np.isnan(values)))
    return f"fewer than {number(least)}" if 0 < blanks < least else number(blanks)


def map_section(score: Measured, sweep: Sequence[SweepPoint]) -> dict[str, object]:
    """Return the risk-utility map with this file, and the sweep's points where there are some."""
    pil, dr = (next((f.value for f in score.figures if f.name == name), None) for name in ("pil", "dr"))
    this_file = None if pil is None or dr is None else (pil, dr)
    drawn = [point for point in sweep if point.pil is not None and point.dr is not None]
    has_map = this_file is not None or bool(drawn)
    return {
        "svg": _trusted(render_map_svg(drawn, this_file=this_file, is_inline=True)) if has_map else None,
        "this_file": None if this_file is None else (percent(this_file[0]), percent(this_file[1])),
        "points": number(len(drawn)) if sweep else None,
        "left_out": number(len(sweep) - len(drawn)) if len(sweep) > len(drawn) else None,
    }
