"""The pairs of records that exchanged values, as CSV: for the owner of the original file, and for nobody else."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO

from constraint_sdc.model.masked import Swaps

_HEAD = ("goal", "vital_record", "other_record", "before", "after", "cost")


def render_swaps_csv(swaps: Sequence[Swaps]) -> str:
    """Return a line per pair; records count from 1, `before` and `after` are the vital record's values."""
    with StringIO(newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(_HEAD)
        for one in swaps:
            rows = (one.vital + 1).tolist(), (one.others + 1).tolist(), one.vital_values, one.other_values, one.costs
            writer.writerows((one.goal, *cells) for cells in zip(*rows, strict=True))
        return stream.getvalue()
