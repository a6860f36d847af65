"""Write the points of a sweep as CSV."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.model.rows import Rows, Written
from constraint_sdc.model.sweep import Sweep
from constraint_sdc.model.variable import VariableInfo
from constraint_sdc.write.csv_file import write_csv

_TEXTS = ("scenario", "method", "refused")
_NAMES = (
    "scenario",
    "method",
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
    columns = {name: [_text(getattr(point, name)) for point in sweep.points] for name in _NAMES}
    variables = tuple(VariableInfo(name, "text" if name in _TEXTS else "double") for name in _NAMES)
    return write_csv(path, Rows(variables, lambda: iter([columns])), overwrite=True)


def _text(value: str | float | int | None) -> str:
    return "" if value is None else value if isinstance(value, str) else repr(value)
