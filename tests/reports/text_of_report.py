"""The text of a report in any format, so that the same can be asked of all."""

from __future__ import annotations

from constraint_sdc.exam.reports import rows_as_text
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.render import FORMATS, render, report_bytes


def text_of(result: CheckResult, format: str, *, colour: bool = False) -> str:
    """Return a report as text; a table of bytes as one line of JSON for each row."""
    if FORMATS[format].is_binary:
        return rows_as_text(report_bytes(result, format))
    return render(result, format, colour=colour)
