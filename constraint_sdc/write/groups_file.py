"""Write which record is in which group, as CSV."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.model.groups import Groups
from constraint_sdc.model.rows import Rows, Written
from constraint_sdc.model.variable import VariableInfo
from constraint_sdc.write.csv_file import write_csv

_COLUMNS = tuple(VariableInfo(name, "integer", 0) for name in ("record", "group"))


def write_groups(path: Path, groups: Groups, overwrite: bool = False) -> Written:
    """Write one line per record in the order of the file; records and groups are counted from 1."""
    numbers = [str(number) for number in range(1, len(groups.label) + 1)]
    labels = [str(label + 1) for label in groups.label.tolist()]
    return write_csv(path, Rows(_COLUMNS, lambda: iter([{"record": numbers, "group": labels}])), overwrite=overwrite)
