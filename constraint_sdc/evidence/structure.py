"""The columns of SDMX-CSV that name the data structure: the same in every record, or not to be published unasked."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from constraint_sdc.data.table import Column, Table
from constraint_sdc.evaluate.distinct_texts import codes_of_values
from constraint_sdc.evidence.kinds import ColumnKind
from constraint_sdc.evidence.looks import Looks
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Role

_FIRST = (("DATAFLOW",), ("STRUCTURE", "STRUCTURE_ID"))
_NAMES = ("DATAFLOW", "STRUCTURE", "STRUCTURE_ID", "STRUCTURE_NAME", "ACTION")
_REFERENCE = re.compile(r"[\w.$@-]+:[\w.$@-]+\([\w.+*-]+\)(: ?\S.*)?")
_FORMS: dict[str, re.Pattern[str]] = {
    "DATAFLOW": _REFERENCE,
    "STRUCTURE": re.compile("dataflow|datastructure|dataprovision", re.IGNORECASE),
    "STRUCTURE_ID": _REFERENCE,
    "ACTION": re.compile("I|A|M|R|Information|Append|Merge|Replace", re.IGNORECASE),
}
SAFE = "names-structure"
"""The reason of a column that is kept: it has the same name in every record."""


def structural_columns(table: Table) -> Mapping[str, Reason]:
    """Return the columns that name the data structure of SDMX-CSV, each with what decides on it, or why nothing does.

    Only a reference, or an action that brings observations, is safe, and only if every record has the same.

    >>> from constraint_sdc.data.table import column_of
    >>> flow = column_of("DATAFLOW", ["OFFICE:FIRMS(1.0)"] * 2)
    >>> structural_columns(Table({"DATAFLOW": flow}, 2))["DATAFLOW"].code
    'names-structure'
    """
    names = tuple(table.columns)
    if not any(names[: len(first)] == first for first in _FIRST):
        return {}
    leading = next((at for at, name in enumerate(names) if name not in _NAMES), len(names))
    return {name: _reason(name, table.columns[name]) for name in names[:leading]}


def _reason(name: str, column: Column) -> Reason:
    if not len(column) or int(np.ptp(codes_of_values(column))) > 0:
        return because("structure-varies")
    form = _FORMS.get(name)
    text = column.text(0) or ""
    if form is not None and form.fullmatch(text.strip()) is None:
        return because("structure-unknown", what="action" if name == "ACTION" else "reference")
    return because("names-structure")


def structure_looks(reason: Reason) -> Looks:
    """Return what such a column looks like."""
    is_safe = reason.code == SAFE
    kind = ColumnKind.CODE if reason.code == "structure-varies" else ColumnKind.CONSTANT
    return Looks(kind, is_safe, Role.UNTOUCHED, None, None, (), (reason,))
