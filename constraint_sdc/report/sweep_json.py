"""A sweep as JSON under schemas/sweep.schema.json."""

from __future__ import annotations

from dataclasses import asdict

from constraint_sdc import __version__
from constraint_sdc.model.sweep import Sweep
from constraint_sdc.report.json_text import json_text

SCHEMA = "constraint-sdc/sweep"
SCHEMA_VERSION = 1


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
            "points": [asdict(point) for point in sweep.points],
            "reused": sweep.reused,
            "seconds": sweep.seconds,
            "notes": list(sweep.notes),
        }
    )
