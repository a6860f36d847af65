"""A partition for people: what divided the records, by which method, into which groups, and what they lose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from constraint_sdc import __version__
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.variable import RowSource, VariableInfo, Written
from constraint_sdc.files.json_file import json_text
from constraint_sdc.files.tables.csv.csv_file import write_csv
from constraint_sdc.maskers.masked import DividedBy, Partitioned
from constraint_sdc.plan.plan_json import division_to_json
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.reports.terminal import clean, fact, paint, wrapped
from constraint_sdc.settings.reason import reason_to_json
from constraint_sdc.settings.words import Scale, Standardise

_SIZES_SHOWN = 8
_UNITS = {
    Standardise.Z_SCORE: "in z-scores",
    Standardise.ROBUST: "in robust units, the distance between the quartiles",
    Standardise.NONE: "in the numbers as they are",
}


def partition_text(partitioned: Partitioned, *, columns: int = 100, colour: bool = False) -> str:
    """Return the partition as plain text, wrapped to `columns` cells; escape sequences only when `colour` is on."""
    said = f"PARTITION: {counted(partitioned.records, 'record')} in {counted(len(partitioned.groups), 'group')}"
    said += f", at least {number(partitioned.k)} records to a group"
    lines = [paint(line, "strong", colour) for line in wrapped(said, columns, "", "  ")]
    for name, text in _facts(partitioned):
        lines += fact(name, text, columns)
    return "\n".join(lines) + "\n"


def _facts(partitioned: Partitioned) -> Iterator[tuple[str, str]]:
    names = ", ".join(_variable(variable) for variable in partitioned.variables)
    yield "variables", f"{number(len(partitioned.variables))}: {names}"
    if partitioned.left_out:
        yield "left out", ", ".join(f"{clean(kept.name)} ({kept.role.value})" for kept in partitioned.left_out)
    yield "partition", _method(partitioned)
    yield "distances", _UNITS[partitioned.division.standardise]
    if partitioned.division.weights is not None:
        yield "weights", f"records count by {clean(partitioned.division.weights)}"
    yield "groups", _groups(partitioned)
    yield "loss", _loss(partitioned)
    yield "time", f"{partitioned.seconds:.2f} s"


def _variable(variable: DividedBy) -> str:
    notes = [] if variable.scale is Scale.NUMERIC else [variable.scale.value]
    notes += [] if variable.weight == 1.0 else [f"weight {variable.weight:g}"]
    return clean(variable.name) + (f" ({', '.join(notes)})" if notes else "")


def _method(partitioned: Partitioned) -> str:
    division = partitioned.division
    said = clean(division.partition)
    if division.effort is not None:
        said += f" at {clean(division.effort)} effort"
    if partitioned.chosen is not None:
        why = "" if partitioned.why is None else sentence(partitioned.why)
        said += f": {clean(partitioned.chosen)} ({clean(why)})"
    return f"{said}, seed {partitioned.seed}"


def _groups(partitioned: Partitioned) -> str:
    sizes = sorted(Counter(partitioned.groups.sizes.tolist()).items())
    count, smallest, largest = number(len(partitioned.groups)), number(sizes[0][0]), number(sizes[-1][0])
    if len(sizes) == 1:
        return f"{count}, each of {smallest} records"
    said = f"{count}, the smallest of {smallest} records, the largest of {largest}"
    if len(sizes) > _SIZES_SHOWN:
        return said
    return f"{said}: " + ", ".join(f"{number(groups)} of {number(size)}" for size, groups in sizes)


def _loss(partitioned: Partitioned) -> str:
    said = f"information loss {partitioned.loss:.4f} (100 * SSE / SST)"
    if partitioned.division.partition == "mdav":
        return said
    if partitioned.mdav_loss is None:
        return f"{said}; MDAV not computed for a file of this size"
    return f"{said}; MDAV {partitioned.mdav_loss:.4f}"


# A partition as JSON under schemas/partition.schema.json.

SCHEMA = "constraint-sdc/partition"
SCHEMA_VERSION = 1


def render_partition_json(partitioned: Partitioned) -> str:
    """Return the partition as JSON text; which record is in which group stands in the CSV file, not here."""
    sizes = Counter(partitioned.groups.sizes.tolist())
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
                {
                    "name": kept.name,
                    "role": kept.role.value,
                    "because": sentence(kept.because),
                    "reason": reason_to_json(kept.because),
                }
                for kept in partitioned.left_out
            ],
            "k": partitioned.k,
            **division_to_json(partitioned.division),
            "seed": partitioned.seed,
            "chosen": _chosen(partitioned),
            "groups": len(partitioned.groups),
            "smallest": min(sizes),
            "largest": max(sizes),
            "sizes": [{"records": size, "groups": sizes[size]} for size in sorted(sizes)],
            "loss": partitioned.loss,
            "mdav_loss": partitioned.mdav_loss,
            "seconds": partitioned.seconds,
        }
    )


def _chosen(partitioned: Partitioned) -> dict[str, object] | None:
    if partitioned.chosen is None or partitioned.why is None:
        return None
    why = partitioned.why
    return {"partition": partitioned.chosen, "why": sentence(why), "reason": reason_to_json(why)}


# Write which record is in which group, as CSV.

_COLUMNS = tuple(VariableInfo(name, "integer", 0) for name in ("record", "group"))


def write_groups(path: Path, groups: Groups, overwrite: bool = False) -> Written:
    """Write one line per record in the order of the file; records and groups are counted from 1."""
    numbers = [str(number) for number in range(1, len(groups.label) + 1)]
    labels = [str(label + 1) for label in groups.label.tolist()]
    return write_csv(
        path, RowSource(_COLUMNS, lambda: iter([{"record": numbers, "group": labels}])), overwrite=overwrite
    )
