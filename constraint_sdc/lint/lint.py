"""Look for every kind of finding, and take out what the rule file exempts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from constraint_sdc.data.nearest_name import nearest_name
from constraint_sdc.errors import RulesError, UsageError
from constraint_sdc.judge.finding import SEVERITIES
from constraint_sdc.lint.finding import Exempted, LintFinding, RulePlace
from constraint_sdc.lint.kind import KINDS, LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.schematron.schema import Assertion, Schema, Severity
from constraint_sdc.settings.reason import Reason, because


@dataclass(frozen=True, slots=True)
class LintWish:
    """Which findings are wanted: the least severity, and codes to leave out."""

    severity: Severity = "information"
    ignore: tuple[str, ...] = ()

    def require_codes(self) -> None:
        """Refuse codes that no kind has."""
        for code in self.ignore:
            if code not in KINDS:
                raise UsageError(f"no finding has the code {code!r}", hint=_hint(code))

    def kinds(self, *, has_data: bool) -> tuple[LintKind, ...]:
        """Return the kinds to look for; those about data need data."""
        kinds = (KINDS[code] for code in KINDS.names if code not in self.ignore)
        return tuple(kind for kind in kinds if has_data or not kind.needs_data)

    def wants(self, finding: LintFinding) -> bool:
        """Tell whether a finding is severe enough."""
        return SEVERITIES.index(finding.severity) <= SEVERITIES.index(self.severity)


@dataclass(frozen=True, slots=True)
class Sifted:
    """The findings that count, those that the rule file exempts, and rules whose exemption exempts nothing."""

    findings: tuple[LintFinding, ...]
    exempted: tuple[Exempted, ...]
    unused: tuple[RulePlace, ...]


def find_all(subject: LintSubject, kinds: Iterable[LintKind]) -> list[LintFinding]:
    """Return the findings of these kinds: the most severe first, then in the order of the rules."""
    order = {rule.id: number for number, rule in enumerate(subject.rules)}
    found = [finding for kind in kinds for finding in kind.find(subject)]
    return sorted(found, key=lambda one: (SEVERITIES.index(one.severity), order[one.rule.id], one.code))


def undecided_reasons(subject: LintSubject) -> tuple[Reason, ...]:
    """Return what the solver left open."""
    questions = dict.fromkeys(subject.consequences.undecided)
    return tuple(because("lint-undecided", question=question, name=name) for question, name in questions)


def sift(findings: Iterable[LintFinding], schema: Schema, looked_for: Collection[str]) -> Sifted:
    """Take out the findings from which the rule file exempts the rule that they are about."""
    rules = {assertion.id: assertion for assertion in schema.assertions()}
    for assertion in rules.values():
        _require_known(assertion)
    kept: list[LintFinding] = []
    exempted: list[Exempted] = []
    for finding in findings:
        why = _exempts(rules[finding.rule.id], finding.code)
        if why is None:
            kept.append(finding)
        else:
            exempted.append(Exempted(finding, why))
    used = {(one.finding.rule.id, one.finding.code) for one in exempted}
    idle = (a for a in rules.values() if any((a.id, code) not in used for code in _codes(a) if code in looked_for))
    return Sifted(tuple(kept), tuple(exempted), tuple(RulePlace(a.id, a.origin) for a in idle))


def _exempts(assertion: Assertion, code: str) -> str | None:
    return next((exemption.why for exemption in assertion.exemptions if code in exemption.codes), None)


def _codes(assertion: Assertion) -> list[str]:
    return [code for exemption in assertion.exemptions for code in exemption.codes]


def _require_known(assertion: Assertion) -> None:
    for exemption in assertion.exemptions:
        for code in exemption.codes:
            if code not in KINDS:
                file, line = exemption.origin.file, exemption.origin.line
                raise RulesError(f"lint-ignore names {code!r}, no code", file=file, line=line, hint=_hint(code))


def _hint(code: str) -> str:
    near = nearest_name(code, KINDS.names)
    return f"did you mean {near!r}?" if near else f"the codes are: {', '.join(KINDS.names)}"
