"""The report on a rule set for a terminal: the verdict, then one paragraph per finding, the most severe first."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.finding import LintFinding, LintResult
from constraint_sdc.reports.check.wording import shown_origin
from constraint_sdc.reports.lint.wording import EXIT_MEANING, lint_notes, lint_sentence, lint_verdict
from constraint_sdc.reports.terminal import Style, clean, paint, wrapped
from constraint_sdc.schematron.schema import Severity

_STYLES: dict[Severity, Style] = {"error": "bad", "warning": "doubtful", "information": "faint"}
_INDENT = "    "


def render_lint_text(result: LintResult, *, columns: int = 100, colour: bool = False) -> str:
    """Return the report as plain text."""
    head, _, rest = lint_verdict(result).partition(":")
    lines = [f"{paint(head, 'bad' if result.failing else 'good', colour)}:{rest}", ""]
    lines += [f"rules  {clean(result.rules)}"]
    lines += [] if result.data is None else [f"data   {clean(result.data)}"]
    for finding in result.findings:
        lines += ["", *_paragraph(finding, columns, colour)]
    lines.append("")
    for note in lint_notes(result):
        lines += (paint(line, "faint", colour) for line in wrapped(f"note: {clean(note)}", columns, "", "  "))
    lines.append(paint(f"exit code {result.exit_code}: {EXIT_MEANING[result.exit_code]}", "faint", colour))
    return "\n".join(lines) + "\n"


def _paragraph(finding: LintFinding, columns: int, colour: bool) -> Iterator[str]:
    where = clean(shown_origin(finding.rule.origin))
    word = paint(finding.severity, _STYLES[finding.severity], colour)
    yield f"{where}: {word} {finding.code}: {paint(clean(finding.rule.id), 'strong', colour)}"
    yield from wrapped(clean(lint_sentence(finding)), columns, _INDENT, _INDENT)
    for other in finding.related:
        yield f"{_INDENT}see {clean(shown_origin(other.origin))}: {clean(other.id)}"
