"""The registry of report formats and the one function that applies them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.github import render_github
from constraint_sdc.reports.check.html import render_html
from constraint_sdc.reports.check.json_format import render_json
from constraint_sdc.reports.check.junit import render_junit
from constraint_sdc.reports.check.sarif import render_sarif
from constraint_sdc.reports.check.svrl import render_svrl
from constraint_sdc.reports.check.text import render_text
from constraint_sdc.reports.disclosure import disclosed

FORMATS: Mapping[str, Callable[[CheckResult], str]] = MappingProxyType(
    {
        "text": render_text,
        "json": render_json,
        "svrl": render_svrl,
        "junit": render_junit,
        "sarif": render_sarif,
        "github": render_github,
        "html": render_html,
    }
)


def render(result: CheckResult, format: str, *, colour: bool = False) -> str:
    """Return the report in a format of `FORMATS`; values are taken out first unless the result shows them.

    `colour` concerns text alone: no other format is meant for a terminal.
    """
    shown = disclosed(result)
    return render_text(shown, colour=True) if colour and format == "text" else FORMATS[format](shown)
