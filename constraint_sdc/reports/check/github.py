"""The report as GitHub Actions workflow commands: annotations on the data file, then a summary for the log.

GitHub shows ten annotations of a step, so each broken rule gets one, worst first, and the tenth sums up the rest.
Text from data or rules can neither end a command nor start one.
"""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.judge.finding import SEVERITIES, CheckResult, RuleResult
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.check.wording import (
    counts_line,
    idle_sentences,
    label,
    number,
    outcome,
    place,
    relative_path,
    verdict,
)
from constraint_sdc.reports.disclosure import shown_message
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.reports.terminal import align, clean, clipped, legible
from constraint_sdc.schematron.schema import Severity

MOST_ANNOTATIONS = 10
COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "information": "notice"}


def render_github(result: CheckResult) -> str:
    """Return at most ten annotations followed by the summary in plain lines."""
    return "\n".join([*_annotations(result), *_summary(result)]) + "\n"


REGISTERED = {"github": CheckFormat("github", render_github, holds_several=True)}


def _annotations(result: CheckResult) -> Iterator[str]:
    rules = sorted((rule for rule in result.results if rule.status in ("fail", "error", "idle")), key=_urgency)
    shown = rules if len(rules) <= MOST_ANNOTATIONS else rules[: MOST_ANNOTATIONS - 1]
    for rule in shown:
        yield _annotation(rule, result)
    rest = rules[len(shown) :]
    if rest:
        names = clipped(", ".join(clean(rule.rule) for rule in rest), 1000)
        yield command(
            _command_name(rest[0]), {"title": f"{number(len(rest))} more rules are broken"}, f"{names}: see the log"
        )


def _urgency(rule: RuleResult) -> tuple[bool, int]:
    return rule.status not in ("error", "idle"), SEVERITIES.index(rule.severity)


def _command_name(rule: RuleResult) -> str:
    return "error" if rule.status in ("error", "idle") else COMMANDS[rule.severity]


def _annotation(rule: RuleResult, result: CheckResult) -> str:
    properties = {"file": legible(relative_path(result.data))}
    said = [] if rule.error is None else [clipped(clean(rule.error))]
    said += [clipped(clean(why)) for why in idle_sentences(rule)]
    if rule.violations:
        first = rule.violations[0]
        if first.line is not None:
            properties["line"] = str(first.line)
        said.append(f"{clean(place(first))}: {clipped(clean(shown_message(first)))}")
        said += [clean(place(violation)) for violation in rule.violations[1:5]]
    properties["title"] = clipped(f"{clean(rule.rule)}: {outcome(rule)}", 200)
    return command(_command_name(rule), properties, "\n".join(said) or outcome(rule))


def command(name: str, properties: dict[str, str], message: str) -> str:
    r"""Return a workflow command with its properties and message escaped as the runner unescapes them.

    >>> command("error", {"file": "a,b.xml"}, "50%\nok")
    '::error file=a%2Cb.xml::50%25%0Aok'
    """
    listed = ",".join(
        f"{key}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}" for key, value in properties.items()
    )
    return f"::{name} {listed}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _summary(result: CheckResult) -> Iterator[str]:
    rows = [(label(rule, result), clean(rule.rule), rule.severity, counts_line(rule)) for rule in result.results]
    yield verdict(result)
    # A line never starts with text from outside, and the runner's old "##[" syntax is broken up wherever it stands.
    for line in align(rows) + [f"note: {clean(note)}" for note in sentences(result.notes)]:
        yield line.replace("##[", "## [")
