"""A sweep in a directory: the points as CSV and JSON, and two pictures."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.files.atomic import atomic_file
from constraint_sdc.measures.assessment import Sweep
from constraint_sdc.reports.charts.sweep import render_curves_svg, render_map_svg
from constraint_sdc.reports.sweep import render_sweep_json, write_sweep


def write_sweep_files(sweep: Sweep, directory: Path) -> None:
    """Write points.csv, points.json, map.svg and curves.svg into a directory that exists, replacing old ones."""
    write_sweep(directory / "points.csv", sweep)
    _replace(directory / "points.json", render_sweep_json(sweep))
    measured = [point for point in sweep.points if point.pil is not None and point.dr is not None]
    for name, render in (("map.svg", render_map_svg), ("curves.svg", render_curves_svg)):
        if measured:
            _replace(directory / name, render(measured))
        else:
            (directory / name).unlink(missing_ok=True)  # a picture of an earlier sweep would pass for one of this


def _replace(path: Path, text: str) -> None:
    with atomic_file(path, overwrite=True) as stream:
        stream.write((text.rstrip("\n") + "\n").encode("utf-8"))
