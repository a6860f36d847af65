"""A sweep for a terminal: the best point of every scenario, masker and partition, and a table of points."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from constraint_sdc import __version__
from constraint_sdc.data.variable import RowSource, VariableInfo, Written
from constraint_sdc.files.atomic import atomic_file
from constraint_sdc.files.json_file import json_text
from constraint_sdc.files.tables.csv.csv_file import write_csv
from constraint_sdc.measures.sweep_points import AVERAGED, MaskedBy, Sweep, SweepPoint
from constraint_sdc.reports.charts.sweep import render_curves_svg, render_map_svg
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.sentences import sentence, sentences
from constraint_sdc.reports.terminal import align, clean, paint, wrapped
from constraint_sdc.settings.reason import reason_to_json, reasons_to_json

_HEAD = ("scenario", "masked by", "k", "PIL", "DBRL", "ID", "DR", "SCORE", "loss", "newly broken", "smallest")
_AVERAGED_HEAD = ("DBRL averaged", "SCORE averaged")
_SHOWN = 12
_LEGEND = (
    "SCORE is the mean of PIL (information lost) and DR (disclosure risk, the mean of DBRL and ID): lower is better, "
    "the unmasked file has 50; newly broken: violations, a record and a rule each, that masking made"
)


def sweep_text(sweep: Sweep, *, columns: int = 100, colour: bool = False) -> str:
    """Return the sweep as plain text; of a long one only some points, the best in any case."""
    said = f"SWEEP: {counted(len(sweep.points), 'masking')} of {clean(str(sweep.data))} in {sweep.seconds:.1f} s"
    said += f", {number(sweep.reused)} of them from an earlier run" if sweep.reused else ""
    lines = [paint(line, "strong", colour) for line in wrapped(said, columns, "", "  ")]
    for scenario, by in dict.fromkeys((p.scenario, p.masked_by) for p in sweep.points):
        lines += wrapped(_best(sweep, scenario, by), columns, "  ", "    ")
    shown = _shown(sweep)
    titles = _HEAD if sweep.known_at_most is None else (*_HEAD, *_AVERAGED_HEAD)
    head, *rows = align([titles, *(_cells(point, sweep) for point in shown)], right=range(2, len(titles)))
    lines += ["", paint(head, "faint", colour), *rows]
    if len(shown) < len(sweep.points):
        lines.append(f"{number(len(sweep.points) - len(shown))} more points are in the files")
    lines += wrapped(_LEGEND, columns, "", "")
    for note in sentences(sweep.notes):
        lines += wrapped(f"note: {clean(note)}", columns, "", "  ")
    return "\n".join(lines) + "\n"


def _best(sweep: Sweep, scenario: str, by: MaskedBy) -> str:
    best = sweep.best(scenario, by)
    if best is None or best.score is None:
        return f"{scenario}, {clean(by.name)}: no point has a SCORE"
    said = f"{scenario}, {clean(by.name)}: lowest SCORE {best.score:.3f} at k = {number(best.k)}{_promise(best)}"
    other = sweep.best(scenario, by, averaged=True)
    if other is None or other.score_averaged is None:
        return said
    return f"{said}; lowest SCORE averaged {other.score_averaged:.3f} at k = {number(other.k)}{_promise(other)}"


def _promise(point: SweepPoint) -> str:
    if point.broken is None:
        return ""
    return ", no rule newly broken" if not point.broken else f", {counted(point.broken, 'violation')} made"


def _shown(sweep: Sweep) -> list[SweepPoint]:
    """Return some points of each scenario, masker and partition, evenly spread over k, and the best."""
    shown: list[SweepPoint] = []
    for scenario, by in dict.fromkeys((p.scenario, p.masked_by) for p in sweep.points):
        points = [p for p in sweep.points if (p.scenario, p.masked_by) == (scenario, by)]
        step = max(1, -(-len(points) // _SHOWN))
        best = [sweep.best(scenario, by), sweep.best(scenario, by, averaged=True)]
        shown += [p for i, p in enumerate(points) if i % step == 0 or any(p is one for one in best)]
    return shown


def _cells(point: SweepPoint, sweep: Sweep) -> tuple[str, ...]:
    measured = (point.pil, point.dbrl, point.id, point.dr, point.score, point.loss)
    counts = (point.broken, point.smallest)
    averages = () if sweep.known_at_most is None else (point.dbrl_averaged, point.score_averaged)
    return (
        point.scenario,
        clean(point.masked_by.name),
        number(point.k),
        *(_percent(point, value) for value in measured),
        *("-" if count is None else number(count) for count in counts),
        *(_percent(point, value) for value in averages),
    )


def _percent(point: SweepPoint, value: float | None) -> str:
    return "refused" if point.refused else "-" if value is None else f"{value:.2f}"


# A sweep as JSON under schemas/sweep.schema.json.

SCHEMA = "constraint-sdc/sweep"
SCHEMA_VERSION = 3


def render_sweep_json(sweep: Sweep) -> str:
    """Return every point as JSON text."""
    return json_text(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "constraint-sdc", "version": __version__},
            "data": str(sweep.data),
            "data_sha256": sweep.digest,
            "rules_file": None if sweep.rules is None else str(sweep.rules),
            **({} if sweep.known_at_most is None else {"known_at_most": sweep.known_at_most}),
            "points": [_point(point, sweep) for point in sweep.points],
            "reused": sweep.reused,
            "seconds": sweep.seconds,
            "notes": sentences(sweep.notes),
            "note_reasons": reasons_to_json(sweep.notes),
        }
    )


def _point(point: SweepPoint, sweep: Sweep) -> dict[str, object]:
    refused = None if point.refused is None else reason_to_json(point.refused)
    left_out = (*(AVERAGED if sweep.known_at_most is None else ()), *(() if _has_totals(sweep) else ("totals",)))
    told = {name: value for name, value in asdict(point).items() if name not in left_out}
    return {**told, "refused": _shown_refusal(point), "refused_reason": refused}


def _has_totals(sweep: Sweep) -> bool:
    return any(point.totals is not None for point in sweep.points)


def _shown_refusal(point: SweepPoint) -> str | None:
    return None if point.refused is None else sentence(point.refused)


# Write the points of a sweep as CSV.

_TEXTS = ("scenario", "masker", "partition", "totals", "refused")
_NAMES = (
    "scenario",
    "masker",
    "partition",
    "k",
    "pil",
    "dbrl",
    "id",
    "dr",
    "score",
    "loss",
    "broken",
    "smallest",
    "seconds",
    "refused",
)


def write_sweep(path: Path, sweep: Sweep) -> Written:
    """Write one line per point, every digit of every number; an empty cell where a number is not defined."""
    names = _NAMES if sweep.known_at_most is None else (*_NAMES, *AVERAGED)
    names = (*names, "totals") if _has_totals(sweep) else names
    columns = {name: [_text(_value(point, name)) for point in sweep.points] for name in names}
    variables = tuple(VariableInfo(name, "text" if name in _TEXTS else "double") for name in names)
    return write_csv(path, RowSource(variables, lambda: iter([columns])), overwrite=True)


def _value(point: SweepPoint, name: str) -> str | float | int | None:
    found: str | float | int | None = _shown_refusal(point) if name == "refused" else getattr(point, name)
    return found


def _text(value: str | float | int | None) -> str:
    return "" if value is None else value if isinstance(value, str) else repr(value)


# A sweep in a directory: the points as CSV and JSON, and two pictures.


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
