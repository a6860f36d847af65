"""The journal of a sweep: a line per point as soon as it is computed, so that an interrupted sweep goes on.

The first line says for which inputs and options the points are; a point counts for no others. A last line that was cut
by a crash is left out, and its point computed again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from constraint_sdc.errors import UsageError
from constraint_sdc.model.sweep import SweepPoint, SweepTask

_SCHEMA = "constraint-sdc/sweep-journal"


class Journal:
    """Points of one sweep in a file of JSON lines."""

    def __init__(self, path: Path, inputs: Mapping[str, Any]) -> None:
        self._path = path
        self._head = {"schema": _SCHEMA, "inputs": dict(inputs)}

    def read(self) -> dict[SweepTask, SweepPoint]:
        """Return the points computed before; UsageError when they are of other inputs."""
        if not self._path.exists():
            return {}
        head, *lines = self._path.read_text(encoding="utf-8").split("\n")
        if _parsed(head) != self._head:
            hint = "choose another directory, or --overwrite to start anew"
            raise UsageError("holds a sweep of other files or options", file=str(self._path.parent), hint=hint)
        points: dict[SweepTask, SweepPoint] = {}
        for line in lines:
            entry = _parsed(line)
            if entry is not None:
                point = SweepPoint(**entry)
                points[SweepTask(point.scenario, point.method, point.k)] = point
        return points

    def start(self, points: Mapping[SweepTask, SweepPoint]) -> None:
        """Write the journal anew with these points: what a crash left of a line is gone."""
        lines = [json.dumps(self._head), *(json.dumps(asdict(point)) for point in points.values())]
        staged = self._path.with_name(f".{self._path.name}")
        staged.write_text("\n".join(lines) + "\n", encoding="utf-8")
        staged.replace(self._path)

    def add(self, point: SweepPoint) -> None:
        """Write one point."""
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(asdict(point)) + "\n")


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
