"""The formats of the report on a check by name, and the one function that applies them."""

from __future__ import annotations

from constraint_sdc.errors import UsageError
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.plugins import Registry
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.check.text import render_text
from constraint_sdc.reports.disclosure import disclosed

FORMATS = Registry[CheckFormat](
    kind="report format",
    folders=("constraint_sdc.reports.check",),
    group="constraint_sdc.reports",
    protocol=CheckFormat,
    first=("text", "json", "svrl", "junit", "sarif", "github", "html", "csv", "csv-rules", "csv-records", "parquet"),
)
"""Every format under its name."""


def render(result: CheckResult, format: str, *, colour: bool = False) -> str:
    """Return the report in a format of `FORMATS`; values are taken out first unless the result shows them.

    `colour` concerns text alone: no other format is meant for a terminal.
    """
    shown = disclosed(result)
    text = render_text(shown, colour=True) if colour and format == "text" else FORMATS[format].render(shown)
    if isinstance(text, bytes):
        raise UsageError(f"{format} is binary", hint='use check --output, or result.to_frame("violations")')
    return text


def report_bytes(result: CheckResult, format: str) -> bytes:
    """Return the report in any format as the content of a file; values are taken out first."""
    text = FORMATS[format].render(disclosed(result))
    return text if isinstance(text, bytes) else text.encode("utf-8")
