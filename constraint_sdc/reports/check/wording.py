"""The sentences that every format shares: the verdict, the state of a rule, where a violation is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal as OneOf
from typing import TypeAlias
from urllib.parse import quote

from constraint_sdc.judge.finding import SEVERITIES, CheckResult, RuleResult, Violation
from constraint_sdc.named_copies import is_address, named
from constraint_sdc.reports.idle_text import idle_sentence
from constraint_sdc.schematron.schema import Origin

Label: TypeAlias = OneOf["FAIL", "ERROR", "warn", "note", "pass", "IDLE", "not applicable"]

EXIT_MEANING = {0: "clean", 1: "violations", 2: "a rule could not be evaluated, or checks nothing"}


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
    said = ["the file has no records"] if result.records == 0 else []
    if unjudged:
        said.append(f"{_of_rules(len(unjudged), result)} could not be evaluated")
    if result.idle:
        said.append(f"{_of_rules(len(result.idle), result)} {'is' if len(result.idle) == 1 else 'are'} idle")
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
    times = checked_times(rule.fired for rule in result.results if rule.fired)
    lacking = sum(rule.held_missing or 0 for rule in result.results)
    times += f", {number(lacking)} times with a missing value" if lacking else ""
    if applied == total:
        return f"{'the only rule holds' if total == 1 else f'all {number(total)} rules hold'}{where}, {times}"
    return f"{_of_rules(applied, result)} hold{where}, {times}; {number(total - applied)} not applicable"


def checked_times(counts: Iterable[int]) -> str:
    """Say how often rules were checked: that they hold means nothing without it.

    >>> checked_times([200]), checked_times([200, 200]), checked_times([1, 200])
    ('checked 200 times', 'each checked 200 times', 'each checked 1 to 200 times')
    """
    found = sorted(counts)
    least, most = (found[0], found[-1]) if found else (0, 0)
    times = f"{number(least)} to {number(most)} times" if least != most else counted(most, "time")
    return f"{'each ' if len(found) > 1 else ''}checked {times}"


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
        case "idle":
            return "IDLE"
        case "pass":
            return "pass"
        case "not applicable":
            return "not applicable"


def outcome(rule: RuleResult) -> str:
    """Return the counts of a broken or unevaluated rule in a sentence."""
    said = []
    if rule.failed:
        lacking = f" ({number(rule.failed_missing)} with a missing value)" if rule.failed_missing else ""
        said.append(f"{number(rule.failed)} of {counted(rule.fired, 'check')} broken{lacking}")
    if rule.status == "error":
        said.append(f"XPath stopped on {number(rule.errors)}" if rule.errors else "could not be evaluated")
    if rule.idle:
        said.append("idle, which is allowed" if rule.may_be_idle else "idle")
    return ", ".join(said)


def or_unknown(count: int | None) -> str:
    """Return a count, or that it is not known."""
    return "not known" if count is None else number(count)


def counts_line(rule: RuleResult) -> str:
    """Say on how many nodes a rule was checked, and what came of it."""
    said = [
        f"checked {number(rule.fired)}",
        f"holds {number(rule.held_present)}",
        f"broken {number(rule.failed)}",
        f"holds with a missing value {or_unknown(rule.held_missing)}",
        f"broken with a missing value {or_unknown(rule.failed_missing)}",
    ]
    return ", ".join([*said, f"stopped {number(rule.errors)}"] if rule.errors else said)


def idle_sentences(rule: RuleResult) -> list[str]:
    """Say why a rule is idle."""
    return [idle_sentence(reason) for reason in rule.idle]


def place(violation: Violation) -> str:
    """Say where a violation is: record number and key, or the location in a document without rows."""
    if violation.record is None:
        return violation.location
    key = "" if violation.key is None else f" (key {violation.key})"
    return f"record {number(violation.record)}{key}"


def unlisted(rule: RuleResult) -> int:
    """Count the violations that are not among the examples."""
    return max(0, rule.failed - len(rule.violations))


# File names as CI hosts want them: relative to the working directory where possible, and as URI references.


def relative_path(file: str) -> str:
    """Return the path relative to the working directory when it lies below it, otherwise as given."""
    if is_address(named(file)):
        return named(file)
    path = Path(file)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return path.as_posix()


def shown_origin(origin: Origin) -> str:
    """Return file and line as a person would type them from here."""
    return f"{relative_path(origin.file)}:{origin.line}"


def uri_reference(file: str) -> str:
    """Return the file as a relative URI reference, or as a file: URI when it is not below the working directory.

    >>> uri_reference("my data/a#1.xml")
    'my%20data/a%231.xml'
    """
    path = relative_path(file)
    if is_address(path):
        return path
    quoted = quote(path, safe="/", errors="replace")
    return f"file://{quoted}" if path.startswith("/") else quoted
