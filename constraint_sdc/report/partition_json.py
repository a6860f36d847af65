"""A partition as JSON under schemas/partition.schema.json."""

from __future__ import annotations

from collections import Counter

from constraint_sdc import __version__
from constraint_sdc.model.partitioned import Partitioned
from constraint_sdc.report.json_text import json_text
from constraint_sdc.report.plan_json import division_to_json

SCHEMA = "constraint-sdc/partition"
SCHEMA_VERSION = 1


def render_partition_json(partitioned: Partitioned) -> str:
    """Return the partition as JSON text; which record is in which group stands in the CSV file, not here."""
    sizes = Counter(partitioned.groups.sizes.tolist())
    chosen = None if partitioned.chosen is None else {"method": partitioned.chosen, "why": partitioned.why}
    return json_text(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "constraint-sdc", "version": __version__},
            "data": str(partitioned.data),
            "records": partitioned.records,
            "variables": [
                {"name": one.name, "type": one.scale.value, "weight": one.weight} for one in partitioned.variables
            ],
            "left_out": [
                {"name": kept.name, "role": kept.role.value, "because": kept.because} for kept in partitioned.left_out
            ],
            "k": partitioned.k,
            **division_to_json(partitioned.division),
            "seed": partitioned.seed,
            "chosen": chosen,
            "groups": len(partitioned.groups),
            "smallest": min(sizes),
            "largest": max(sizes),
            "sizes": [{"records": size, "groups": sizes[size]} for size in sorted(sizes)],
            "loss": partitioned.loss,
            "mdav_loss": partitioned.mdav_loss,
            "seconds": partitioned.seconds,
        }
    )
