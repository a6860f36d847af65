"""The report as CSV: violations, or a summary by rule or by record; a spreadsheet runs none of its cells."""

from __future__ import annotations

import csv
import io
import re

from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.check.violation_table import (
    ReportTable,
    TableCell,
    record_table,
    rule_table,
    violation_table,
)

_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")


def render_csv(result: CheckResult) -> str:
    """Return one row per violation."""
    return _csv(violation_table(result))


def render_csv_rules(result: CheckResult) -> str:
    """Return one row per rule."""
    return _csv(rule_table(result))


def render_csv_records(result: CheckResult) -> str:
    """Return one row per record with a violation."""
    return _csv(record_table(result))


def _csv(table: ReportTable) -> str:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_cell(cell) for cell in row] for row in table.rows)
    return lines.getvalue()


def _cell(cell: TableCell) -> str:
    """Return a cell as text; what a spreadsheet would run as a formula gets an apostrophe.

    >>> _cell(("V9", "V10")), _cell("=1+1"), _cell(-3)
    ('V9 V10', "'=1+1", '-3')
    """
    if cell is None:
        return ""
    text = " ".join(cell) if isinstance(cell, tuple) else str(cell)
    return f"'{text}" if text[:1] in tuple("=+-@") and not _NUMBER.fullmatch(text) else text


REGISTERED = {
    "csv": CheckFormat("csv", render_csv, syntax="csv", names_every_rule=False, lists_every_violation=True),
    "csv-rules": CheckFormat("csv-rules", render_csv_rules, syntax="csv"),
    "csv-records": CheckFormat(
        "csv-records",
        render_csv_records,
        syntax="csv",
        names_every_rule=False,
        counts_by_rule=False,
        lists_every_violation=True,
    ),
}
