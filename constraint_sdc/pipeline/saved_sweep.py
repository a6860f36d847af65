"""Read the points of a sweep that was saved as JSON."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.errors import UsageError
from constraint_sdc.model.sweep import SweepPoint
from constraint_sdc.pipeline.certificate import file_digest
from constraint_sdc.read.json_file import read_json


def read_sweep_points(path: Path, data: Path) -> tuple[SweepPoint, ...]:
    """Return the points in a file under schemas/sweep.schema.json, which must be of these data."""
    content = read_json(path, "sweep.schema.json", "a sweep")
    if content["data_sha256"] != file_digest(data):
        hint = f"sweep over {data.name}, or leave --sweep out"
        raise UsageError("these are points of another file", file=str(path), hint=hint)
    return tuple(SweepPoint(**point) for point in content["points"])
