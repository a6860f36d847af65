"""The one door through which microdata values enter a report: closed unless the user asked for values.

Formats print whatever a result holds, so the result itself is emptied of values before any of them sees it. A record's
key is shown: the user names the key variable in order to find records again. So is an XPath location, which holds
element names and positions only.
"""

from __future__ import annotations

import re
from dataclasses import replace

from constraint_sdc.model.finding import CheckResult, RuleResult, Violation

HIDDEN = "[hidden]"

# XPath processors quote the value they stumble over. A value may itself hold quotes, so everything from the first
# quotation mark to the last goes; numbers go too, except positions in files.
_QUOTED = re.compile("[\"'\u2018\u201c].*[\"'\u2019\u201d]", re.DOTALL)
_NUMBER = re.compile(
    r"(?<![\w:.])(?<!line )(?<!column )(?<!char )(?<!record )[-+]?(?:\d[\d.,]*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)"
)


def disclosed(result: CheckResult) -> CheckResult:
    """Return the result as it may be shown: unchanged with `shows_values`, otherwise without a microdata value."""
    if result.shows_values:
        return result
    return replace(result, results=tuple(_without_values(rule) for rule in result.results))


def _without_values(rule: RuleResult) -> RuleResult:
    violations = tuple(_hidden(violation) for violation in rule.violations)
    return replace(rule, violations=violations, error=None if rule.error is None else hidden_error(rule.error))


def _hidden(violation: Violation) -> Violation:
    return replace(violation, message=None, diagnostics=())


def hidden_error(text: str) -> str:
    """Return an XPath error without the value that caused it.

    >>> hidden_error('FORG0001: cannot convert string "12 Elm St" to an integer')
    'FORG0001: cannot convert string [hidden] to an integer'
    """
    return _NUMBER.sub(HIDDEN, _QUOTED.sub(HIDDEN, text))


def shown_message(violation: Violation) -> str:
    """Return the message with its values where the result still holds them, otherwise the one without."""
    return violation.summary if violation.message is None else violation.message
