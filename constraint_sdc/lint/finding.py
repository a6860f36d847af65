"""What checking a rule set found."""

from __future__ import annotations

from dataclasses import dataclass

from constraint_sdc.judge.finding import SEVERITIES
from constraint_sdc.schematron.schema import Origin, Severity
from constraint_sdc.settings.reason import Reason
from constraint_sdc.shown import Shown, Tabled


@dataclass(frozen=True, slots=True)
class RulePlace:
    """A rule by its id, and where it is written."""

    id: str
    origin: Origin


@dataclass(frozen=True, slots=True, repr=False)
class LintFinding(Shown):
    """One thing that is wrong with a rule, or with rules together.

    `code` names the kind; `reason` says what is wrong, with the witness that shows it. `rule` is the rule to look at,
    `related` are the others that take part.
    """

    code: str
    severity: Severity
    rule: RulePlace
    reason: Reason
    related: tuple[RulePlace, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A rule without a typed constraint, about which logic says nothing, and why it has none."""

    rule: RulePlace
    why: str


@dataclass(frozen=True, slots=True)
class Exempted:
    """A finding that the rule file itself exempts, and the author's reason."""

    finding: LintFinding
    why: str


@dataclass(frozen=True, slots=True, repr=False)
class LintResult(Tabled):
    """The verdict on a rule set. `records` is None without data.

    `left_out` are rules about which logic says nothing; `undecided` are questions that the solver did not answer within
    its steps. `codes` are the kinds that were looked for. `exempted` are findings that the rule file exempts, `unused`
    the rules with an exemption that exempts nothing; `unseen` counts findings that the options hide.
    """

    rules: str
    title: str
    phase: str
    binding: str
    count: int
    findings: tuple[LintFinding, ...]
    codes: tuple[str, ...]
    fail_on: Severity
    left_out: tuple[LeftOut, ...] = ()
    undecided: tuple[Reason, ...] = ()
    exempted: tuple[Exempted, ...] = ()
    unused: tuple[RulePlace, ...] = ()
    unseen: int = 0
    data: str | None = None
    records: int | None = None

    @property
    def failing(self) -> tuple[LintFinding, ...]:
        """Return the findings at or above the gate's severity."""
        watched = SEVERITIES[: SEVERITIES.index(self.fail_on) + 1]
        return tuple(finding for finding in self.findings if finding.severity in watched)

    @property
    def exit_code(self) -> int:
        """0 nothing found at or above the gate's severity, 1 something found."""
        return 1 if self.failing else 0
