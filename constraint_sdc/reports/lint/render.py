"""The formats of the report on a rule set by name."""

from __future__ import annotations

from collections.abc import Callable

from constraint_sdc.lint.finding import LintResult
from constraint_sdc.reports.lint.github import render_lint_github
from constraint_sdc.reports.lint.json_format import render_lint_json
from constraint_sdc.reports.lint.junit import render_lint_junit
from constraint_sdc.reports.lint.sarif import render_lint_sarif
from constraint_sdc.reports.lint.text import render_lint_text

LINT_FORMATS: dict[str, Callable[[LintResult], str]] = {
    "text": render_lint_text,
    "json": render_lint_json,
    "sarif": render_lint_sarif,
    "github": render_lint_github,
    "junit": render_lint_junit,
}
"""Every format under its name."""


def render_lint(result: LintResult, format: str, *, columns: int = 100, colour: bool = False) -> str:
    """Return the report in a format; `columns` and `colour` concern text alone."""
    if format == "text":
        return render_lint_text(result, columns=columns, colour=colour)
    return LINT_FORMATS[format](result)
