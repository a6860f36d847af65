"""The description of a microdata file as a table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from constraint_sdc.data.variable import DescribedTable, Description, VariableDescription
from constraint_sdc.files.json_file import json_text
from constraint_sdc.files.rows_file import header_of
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.sentences import with_sentences
from constraint_sdc.reports.terminal import align, clean, clipped, paint
from constraint_sdc.settings.reason import reasons_to_json

_HEAD = (
    *("variable", "form", "looks like", "distinct", "values", "absent", "empty", "nil"),
    *("missing codes", "possible codes", "range", "examples", "label"),
)
_LEFT_OUT = range(5, len(_HEAD))  # columns that are left out if they say nothing
_NUMBERS = range(3, 8)
_LONGEST = 40


def render_description_text(description: Description, *, colour: bool = False) -> str:
    """Return an aligned table with one line per variable; columns that say nothing are left out."""
    rows = [_HEAD, *(_row(variable, is_table=description.table is not None) for variable in description.variables)]
    used = [i for i in range(len(_HEAD)) if i not in _LEFT_OUT or any(row[i] not in ("", "0") for row in rows[1:])]
    lines = align([[row[i] for i in used] for row in rows], right=[used.index(i) for i in used if i in _NUMBERS])
    opening = f"{counted(description.records, 'record')}, {counted(len(description.variables), 'variable')}"
    head = paint(f"{clean(description.data)}: {opening}", "strong", colour)
    doubt = () if all(variable.is_certain for variable in description.variables) else ("", _DOUBT)
    return "\n".join((head, _place(description), "", *lines, *doubt)) + "\n"


def _place(description: Description) -> str:
    """Return where the records are, or how the table is written."""
    table = description.table
    if table is None:
        path = "/".join(clean(name) for name in (*description.wrappers, description.record))
        return f"records at /{path}, {description.style}, {clean(description.encoding)}"
    reading = table.reading
    said = [table.standard or TABLE_FORMATS.get(table.format, table.format)]
    if reading.sdmx is not None:
        said.append("rows are observations")
    if reading.delimiter is not None:
        said.append(f"cells separated by {_DELIMITERS.get(reading.delimiter) or repr(reading.delimiter)}")
    if reading.encoding is not None:
        said.append(reading.encoding.upper())
    if reading.decimal is not None:
        said.append("decimal comma" if reading.decimal == "," else "decimal point")
    if reading.empty is not None:
        said.append("an empty cell is no value" if reading.empty == "absent" else "an empty cell is a value")
    return ", ".join(said)


TABLE_FORMATS = {
    **{"csv": "CSV", "tsv": "TSV", "parquet": "Parquet", "feather": "Feather", "arrow": "Arrow"},
    **{"sav": "SPSS", "zsav": "SPSS, compressed", "dta": "Stata", "sdmx-ml": "SDMX-ML"},
}
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_DOUBT = "?  a person has to confirm it: `constraint-sdc init` writes a recipe with the evidence"


def _row(variable: VariableDescription, *, is_table: bool) -> tuple[str, ...]:
    form = variable.form or "-"
    if variable.form == "decimal":
        form = f"decimal, {variable.decimals} places"
    looks = variable.kind if variable.is_certain else f"{variable.kind} ?"
    counts = (variable.distinct, variable.values, variable.absent, variable.empty, variable.nil)
    between = "" if variable.lowest is None else f"{clean(variable.lowest)} to {clean(variable.highest or '')}"
    return (
        *(clean(header_of(variable.name) if is_table else variable.name), form, looks),
        *(number(count) for count in counts),
        *(_codes(variable.codes), _codes(variable.possible_codes), between),
        ", ".join(clipped(clean(example), _LONGEST) for example in variable.examples),
        clean(variable.label or ""),
    )


def _codes(codes: Mapping[str, int]) -> str:
    return ", ".join(f"{clean(code)}: {number(count)}" for code, count in codes.items())


def render_description_json(description: Description) -> str:
    """Return the description under `schemas/describe.schema.json`."""
    return json_text(with_sentences(_content(description)))


def _table(table: DescribedTable) -> dict[str, str]:
    standard = {} if table.standard is None else {"standard": table.standard}
    return {"format": table.format, **table.reading.to_json(), **standard}


def _content(description: Description) -> dict[str, object]:
    table = description.table
    return {
        "schema_version": 1,
        "data": description.data,
        "record": description.record,
        "wrappers": list(description.wrappers),
        "style": description.style,
        "encoding": description.encoding,
        "records": description.records,
        **({} if table is None else {"table": _table(table)}),
        "variables": [
            {
                "name": variable.name,
                **({} if table is None else {"header": header_of(variable.name)}),
                "form": variable.form,
                "decimals": variable.decimals,
                "values": variable.values,
                "absent": variable.absent,
                "empty": variable.empty,
                "nil": variable.nil,
                "missing_codes": dict(variable.codes),
                "label": variable.label,
                "distinct": variable.distinct,
                "looks_like": variable.kind,
                "is_certain": variable.is_certain,
                "evidence_reasons": reasons_to_json(variable.evidence),
                "possible_missing_codes": dict(variable.possible_codes),
                "lowest": variable.lowest,
                "highest": variable.highest,
                "examples": list(variable.examples),
            }
            for variable in description.variables
        ],
    }
