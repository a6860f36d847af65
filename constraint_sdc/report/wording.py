"""The sentences that every format shares: the verdict, the state of a rule, where a violation is."""

from __future__ import annotations

from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.model.finding import SEVERITIES, CheckResult, RuleResult, Violation
from constraint_sdc.model.plan import BlockPlan, Treatment, VariablePlan
from constraint_sdc.model.policy import Scale

Label: TypeAlias = OneOf["FAIL", "ERROR", "warn", "note", "pass", "not applicable"]

EXIT_MEANING = {0: "clean", 1: "violations", 2: "a rule could not be evaluated"}


def number(count: int) -> str:
    """Return a count with thousands separators.

    >>> number(12000)
    '12,000'
    """
    return f"{count:,}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> counted(1, "rule"), counted(1200, "rule")
    ('1 rule', '1,200 rules')
    """
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def treatment_word(variable: VariablePlan) -> str:
    """Return what is done to a variable: its operator, or the treatment that takes the operator's place."""
    return variable.operator.value if variable.treatment is Treatment.AGGREGATED else variable.treatment.value


def grid_word(variable: VariablePlan) -> str:
    """Return the grid of a variable's numbers; categories have none."""
    return str(variable.grid) if variable.scale is Scale.NUMERIC else "-"


def has_numbers(block: BlockPlan) -> bool:
    """Tell whether there is a loss to speak of: it is measured in numbers."""
    return any(variable.scale is Scale.NUMERIC for variable in block.variables)


def verdict_word(result: CheckResult) -> str:
    """Return PASS, FAIL or ERROR, as the exit code says."""
    return ("PASS", "FAIL", "ERROR")[result.exit_code]


def verdict(result: CheckResult) -> str:
    """Return the verdict in one line: word, rules, violations, records."""
    return f"{verdict_word(result)}: {verdict_reason(result)}"


def verdict_reason(result: CheckResult) -> str:
    """Say in one sentence what the verdict rests on."""
    if not result.results:
        return "the rules hold no assertion, nothing was checked"
    broken = [rule for rule in result.results if rule.failed]
    unjudged = [rule for rule in result.results if rule.status == "error"]
    said = []
    if unjudged:
        said.append(f"{_of_rules(len(unjudged), result)} could not be evaluated")
    if broken:
        said += [f"{_of_rules(len(broken), result)} broken{_below_gate(broken, result)}", _violations(broken, result)]
    return ", ".join(said) if said else _all_holds(result)


def _of_rules(count: int, result: CheckResult) -> str:
    return f"{number(count)} of {counted(len(result.results), 'rule')}"


def _below_gate(broken: list[RuleResult], result: CheckResult) -> str:
    below = len(broken) - len(result.failing)
    if not below:
        return ""
    return f" ({'all' if below == len(broken) else number(below)} below the gate, which fails on {result.fail_on})"


def _violations(broken: list[RuleResult], result: CheckResult) -> str:
    text = counted(sum(rule.failed for rule in broken), "violation")
    if result.records is None:
        return text
    records = counted(result.records, "record")
    touched = broken_records(result)
    return f"{text} among {records}" if touched is None else f"{text} in {number(touched)} of {records}"


def broken_records(result: CheckResult) -> int | None:
    """Count the records with a violation; None where the engine did not count and the listed violations are capped."""
    if result.broken_records is not None or result.records is None:
        return result.broken_records
    if any(len(rule.violations) < rule.failed for rule in result.results):
        return None
    found = [violation.record for rule in result.results for violation in rule.violations]
    return None if None in found else len(set(found))


def _all_holds(result: CheckResult) -> str:
    applied = sum(rule.status == "pass" for rule in result.results)
    total = len(result.results)
    if not applied:
        return f"none of {counted(total, 'rule')} applied to anything in the data"
    where = "" if result.records is None else f" on {counted(result.records, 'record')}"
    if applied == total:
        return f"{'the only rule holds' if total == 1 else f'all {number(total)} rules hold'}{where}"
    return f"{_of_rules(applied, result)} hold{where}, {number(total - applied)} not applicable"


def is_gated(rule: RuleResult, result: CheckResult) -> bool:
    """Tell whether a violation of the rule fails the gate."""
    return SEVERITIES.index(rule.severity) <= SEVERITIES.index(result.fail_on)


def label(rule: RuleResult, result: CheckResult) -> Label:
    """Return the state of a rule in a word; a broken rule below the gate is "warn" or "note", not FAIL."""
    match rule.status:
        case "error":
            return "ERROR"
        case "fail" if is_gated(rule, result):
            return "FAIL"
        case "fail":
            return "warn" if rule.severity == "warning" else "note"
        case "pass":
            return "pass"
        case "not applicable":
            return "not applicable"


def outcome(rule: RuleResult) -> str:
    """Return the counts of a broken or unevaluated rule in a sentence."""
    said = []
    if rule.failed:
        said.append(f"{number(rule.failed)} of {counted(rule.fired, 'check')} broken")
    if rule.status == "error":
        said.append(f"XPath stopped on {number(rule.errors)}" if rule.errors else "could not be evaluated")
    return ", ".join(said)


def place(violation: Violation) -> str:
    """Say where a violation is: record number and key, or the location in a document without rows."""
    if violation.record is None:
        return violation.location
    key = "" if violation.key is None else f" (key {violation.key})"
    return f"record {number(violation.record)}{key}"


def unlisted(rule: RuleResult) -> int:
    """Count the violations that are not among the examples."""
    return max(0, rule.failed - len(rule.violations))
