"""`explosive-regex`: a regular expression on which a backtracking engine can take exponential time."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.lint.backtracking import explosive_word
from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.settings.reason import because
from constraint_sdc.xpath.syntax import Constant, FunctionCall, NotUnderstood, walk_syntax
from constraint_sdc.xpath.xpath import parse_xpath

_MATCHERS = frozenset({"matches", "replace", "tokenize", "analyze-string"})


def find_explosive_expressions(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield one finding per rule, with a text that grows and whose work doubles with each repetition."""
    for rule in subject.rules:
        for regex in dict.fromkeys(_expressions(rule.assertion.test, dict(subject.schema.namespaces))):
            word = explosive_word(regex)
            if word is not None:
                reason = because("lint-explosive", start=word[0], word=word[1], quotes={"regex": regex})
                yield LintFinding("explosive-regex", "warning", subject.place(rule.id), reason)
                break


def _expressions(test: str, namespaces: dict[str, str]) -> Iterator[str]:
    tree = parse_xpath(test, namespaces)
    for part in () if isinstance(tree, NotUnderstood) else walk_syntax(tree):
        match part:
            case FunctionCall(name, (_, Constant(str() as regex), *_)) if name in _MATCHERS:
                yield regex


REGISTERED = {"explosive-regex": LintKind("explosive-regex", "warning", find_explosive_expressions)}
