"""The report on a rule set as GitHub Actions workflow commands: annotations on the rule file, then a summary."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.finding import LintFinding, LintResult
from constraint_sdc.reports.check.github import COMMANDS, MOST_ANNOTATIONS, command
from constraint_sdc.reports.check.wording import number, relative_path, shown_origin
from constraint_sdc.reports.lint.wording import lint_notes, lint_sentence, lint_verdict
from constraint_sdc.reports.terminal import clean, clipped, legible


def render_lint_github(result: LintResult) -> str:
    """Return at most ten annotations, the most severe findings first, and a summary in plain lines."""
    return "\n".join([*_annotations(result), *_summary(result)]) + "\n"


def _annotations(result: LintResult) -> Iterator[str]:
    found = result.findings
    shown = found if len(found) <= MOST_ANNOTATIONS else found[: MOST_ANNOTATIONS - 1]
    for finding in shown:
        yield _annotation(finding)
    rest = found[len(shown) :]
    if rest:
        yield command(COMMANDS[rest[0].severity], {"title": f"{number(len(rest))} more findings"}, "see the log")


def _annotation(finding: LintFinding) -> str:
    properties = {
        "file": legible(relative_path(finding.rule.origin.file)),
        "line": str(finding.rule.origin.line),
        "title": clipped(f"{finding.code}: {clean(finding.rule.id)}", 200),
    }
    return command(COMMANDS[finding.severity], properties, clipped(clean(lint_sentence(finding)), 1000))


def _summary(result: LintResult) -> Iterator[str]:
    yield lint_verdict(result)
    for finding in result.findings:
        line = (
            f"{finding.severity} {finding.code} {clean(finding.rule.id)} ({clean(shown_origin(finding.rule.origin))})"
        )
        yield line.replace("##[", "## [")
    for note in lint_notes(result):
        yield f"note: {clean(note)}".replace("##[", "## [")
