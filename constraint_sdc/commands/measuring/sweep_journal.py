"""The journal of a sweep: a line per point as soon as it is computed, so that an interrupted sweep goes on.

The first line says for which inputs and options the points are; a point counts for no others. A line that was cut by a
crash, or damaged, is left out, and its point computed again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from constraint_sdc.commands.certificate.certificate import file_digest
from constraint_sdc.errors import UsageError
from constraint_sdc.files.json_file import read_json
from constraint_sdc.measures.sweep_points import AVERAGED, SweepPoint, SweepTask
from constraint_sdc.settings.reason import is_reason_json, reason_from_json, reason_to_json

_SCHEMA = "constraint-sdc/sweep-journal"
_LEFT_OUT = (*AVERAGED, "totals")  # where they are None


class Journal:
    """Points of one sweep in a file of JSON lines."""

    def __init__(self, path: Path, inputs: Mapping[str, Any]) -> None:
        self._path = path
        self._head = {"schema": _SCHEMA, "inputs": dict(inputs)}

    def read(self) -> dict[SweepTask, SweepPoint]:
        """Return the points computed before; UsageError when they are of other inputs."""
        if not self._path.exists():
            return {}
        head, *lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        if _parsed(head) != self._head:
            hint = "choose another directory, or use --overwrite to start again"
            raise UsageError("holds a sweep of other files or options", file=str(self._path.parent), hint=hint)
        points: dict[SweepTask, SweepPoint] = {}
        for line in lines:
            point = _point(_parsed(line))
            if point is not None:
                points[point.task] = point
        return points

    def start(self, points: Mapping[SweepTask, SweepPoint]) -> None:
        """Rewrite the journal with these points; a line that a crash left incomplete is dropped."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            what = f"cannot make the directory: {error.strerror}"
            raise UsageError(what, file=str(self._path.parent)) from None
        lines = [json.dumps(self._head), *(json.dumps(point_to_json(point)) for point in points.values())]
        staged = self._path.with_name(f".{self._path.name}")
        staged.write_text("\n".join(lines) + "\n", encoding="utf-8")
        staged.replace(self._path)

    def add(self, point: SweepPoint) -> None:
        """Write one point."""
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(point_to_json(point)) + "\n")


def point_to_json(point: SweepPoint) -> dict[str, object]:
    """Return a point for the journal, or for another process; what was not asked for is left out."""
    told = {name: value for name, value in asdict(point).items() if value is not None or name not in _LEFT_OUT}
    return {**told, "refused": None if point.refused is None else reason_to_json(point.refused)}


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _point(entry: Any) -> SweepPoint | None:
    """Return the point of a line, None for a line that is none: then it is computed again."""
    names = {field.name for field in fields(SweepPoint)}
    if not isinstance(entry, dict) or not names - {*_LEFT_OUT} <= entry.keys() <= names:
        return None
    kinds = {"scenario": str, "masker": str, "partition": str | None, "k": int, "seconds": float}
    is_good = all(isinstance(entry[name], kind) for name, kind in kinds.items())
    is_good = is_good and (entry["refused"] is None or is_reason_json(entry["refused"]))
    numbers = [value for value in entry.values() if isinstance(value, float)]
    return point_from_json(entry, entry["refused"]) if is_good and all(map(math.isfinite, numbers)) else None


def point_from_json(entry: Mapping[str, Any], refused: Mapping[str, Any] | None) -> SweepPoint:
    """Return a point whose refusal, if any, is given as a code."""
    names = {field.name for field in fields(SweepPoint)}
    figures = {name: value for name, value in entry.items() if name in names}
    return SweepPoint(**{**figures, "refused": None if refused is None else reason_from_json(refused)})


# Read the points of a sweep that was saved as JSON.


def read_sweep_points(path: Path, data: Path) -> tuple[SweepPoint, ...]:
    """Return the points in a file under schemas/sweep.schema.json, which must be of these data."""
    content = read_json(path, "sweep.schema.json", "a sweep", renew="run the sweep again with --overwrite")
    if content["data_sha256"] != file_digest(data):
        hint = f"sweep over {data.name}, or leave --sweep out"
        raise UsageError("these are points of another file", file=str(path), hint=hint)
    return tuple(point_from_json(point, point["refused_reason"]) for point in content["points"])
