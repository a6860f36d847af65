"""What every format of the report on a rule set shares: the verdict, and where a finding is."""

from __future__ import annotations

from collections import Counter

from constraint_sdc.judge.finding import SEVERITIES
from constraint_sdc.lint.finding import LintFinding, LintResult
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.schematron.schema import Severity

_NOUNS: dict[Severity, str] = {"error": "error", "warning": "warning", "information": "note"}
_MOST_NOTED = 10
EXIT_MEANING = {0: "nothing found at or above the gate", 1: "findings at or above the gate"}


def lint_verdict(result: LintResult) -> str:
    """Return the verdict in one line."""
    counts = Counter(finding.severity for finding in result.findings)
    found = ", ".join(counted(counts[severity], _NOUNS[severity]) for severity in SEVERITIES if counts[severity])
    where = f"in {counted(result.count, 'rule')}"
    on = "" if result.records is None else f" on {counted(result.records, 'record')}"
    return f"{'FAIL' if result.failing else 'PASS'}: {found or 'nothing found'} {where}{on}"


def lint_sentence(finding: LintFinding) -> str:
    """Return what is wrong, in words."""
    return sentence(finding.reason)


def lint_notes(result: LintResult) -> list[str]:
    """Return what readers must know of the limits of the answer."""
    notes = []
    if result.left_out:
        names = ", ".join(one.rule.id for one in result.left_out[:10])
        more = f" and {number(len(result.left_out) - 10)} more" if len(result.left_out) > 10 else ""
        verb = "is" if len(result.left_out) == 1 else "are"
        notes.append(
            f"{counted(len(result.left_out), 'rule')} {verb} not understood and left out of logic: {names}{more}"
        )
    notes += [sentence(reason) for reason in result.undecided[:_MOST_NOTED]]
    if len(result.undecided) > _MOST_NOTED:
        notes.append(f"not decided: {counted(len(result.undecided) - _MOST_NOTED, 'further question')}")
    notes += [f"exempted: {one.finding.rule.id}, {one.finding.code}: {one.why}" for one in result.exempted]
    notes += [f"an exemption of rule {place.id} exempts nothing: remove it" for place in result.unused]
    if result.unseen:
        notes.append(f"{counted(result.unseen, 'finding')} below the severity asked for")
    return notes
