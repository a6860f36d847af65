"""The description of a microdata file as a table and as JSON."""

from __future__ import annotations

from constraint_sdc.data.variable import Description, VariableDescription
from constraint_sdc.files.json_file import json_text
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.terminal import align, clean, paint

_HEAD = ("variable", "form", "values", "absent", "empty", "nil", "missing codes", "label")


def render_description_text(description: Description, *, colour: bool = False) -> str:
    """Return an aligned table with one line per variable; columns that say nothing are left out."""
    rows = [_HEAD, *(_row(variable) for variable in description.variables)]
    used = [i for i in range(len(_HEAD)) if any(row[i] not in ("", "0") for row in rows[1:]) or i < 3]
    lines = align([[row[i] for i in used] for row in rows], right=[used.index(i) for i in used if 2 <= i <= 5])
    path = "/".join(clean(name) for name in (*description.wrappers, description.record))
    opening = f"{counted(description.records, 'record')}, {counted(len(description.variables), 'variable')}"
    head = paint(f"{clean(description.data)}: {opening}", "strong", colour)
    return (
        "\n".join((head, f"records at /{path}, {description.style}, {clean(description.encoding)}", "", *lines)) + "\n"
    )


def _row(variable: VariableDescription) -> tuple[str, ...]:
    form = variable.form or "-"
    if variable.form == "decimal":
        form = f"decimal, {variable.decimals} places"
    codes = ", ".join(f"{clean(code)}: {number(count)}" for code, count in variable.codes.items())
    counts = (variable.values, variable.absent, variable.empty, variable.nil)
    return (clean(variable.name), form, *(number(count) for count in counts), codes, clean(variable.label or ""))


def render_description_json(description: Description) -> str:
    """Return the description under `schemas/describe.schema.json`."""
    return json_text(
        {
            "schema_version": 1,
            "data": description.data,
            "record": description.record,
            "wrappers": list(description.wrappers),
            "style": description.style,
            "encoding": description.encoding,
            "records": description.records,
            "variables": [
                {
                    "name": variable.name,
                    "form": variable.form,
                    "decimals": variable.decimals,
                    "values": variable.values,
                    "absent": variable.absent,
                    "empty": variable.empty,
                    "nil": variable.nil,
                    "missing_codes": dict(variable.codes),
                    "label": variable.label,
                }
                for variable in description.variables
            ],
        }
    )
