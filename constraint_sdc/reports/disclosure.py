"""The one door through which microdata values enter a report: closed unless the user asked for values.

Formats print whatever a result holds, so the result itself is emptied of values before any of them sees it. A record's
key is shown: the user names the key variable in order to find records again. So is an XPath location, which holds
element names and positions only.
"""

from __future__ import annotations

import re
from dataclasses import replace

from constraint_sdc.judge.finding import CheckResult, RuleResult, Violation

HIDDEN = "[hidden]"

# XPath processors quote the value they stumble over. A value may itself hold quotes, so everything from the first
# quotation mark to the last goes. Some values are not quoted, and error() says whatever the rule tells it to say: of
# the rest only words that processors use themselves stay, with the standard's error codes and types.
_QUOTED = re.compile("[\"'\u2018\u201c].*[\"'\u2019\u201d]", re.DOTALL)
_CODE = r"(?:FO(?:AR|CA|CH|DC|DF|DT|ER|FD|JS|NS|RG|RX|TY|UT|XT)|XP(?:DY|ST|TY)|XT(?:DE|MM|SE|TE)|SX[A-Z]{2})\d{4}"
_TYPE = r"xs:(?:integer|decimal|double|float|string|boolean|date|dateTime|time|duration|anyURI|QName|untypedAtomic)"
_WORDS = frozenset(
    "a allowed an and any are argument array as at atomic be beyond boolean by call called can cannot cast character "
    "circular compare comparison convert conversion could date dateTime decimal defined digits dividing division does "
    "double duration effective element empty error exceeds expected expression first float for format found from "
    "function greater has have implementation in input instance int integer invalid is isn't item items its JSON large "
    "leading length less limit long lower map match missing month more must name namespace negative no node non not "
    "number numeric of on one operand operator or out outside overflow pattern permitted position positive predicate "
    "prefix processing range regular required returned reused second sequence short should singleton small start "
    "starting string such supplied syntax than that the third time to token too two type types unable undeclared "
    "undefined unexpected unknown untyped upper URI used value values was where which with within XML year zero day "
    "hour minute timezone constructor constructed available declared maximum minimum size rule "
    "asks there file files only may read lies directories rules data".casefold().split()
)
_TOKEN = re.compile(rf"{_CODE}(?!\w)|{_TYPE}(?!\w)|[^\W\d_]+(?:['-][^\W\d_]+)*(?![\w@])|[-+.]*\w\S*|\S")
_KEPT = re.compile(rf"(?:{_CODE}|{_TYPE})\Z")


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
    hidden = re.escape(HIDDEN)
    parts = re.split(f"({hidden})", _QUOTED.sub(HIDDEN, text))
    said = "".join(part if part == HIDDEN else _TOKEN.sub(_known_or_hidden, part) for part in parts)
    return re.sub(rf"{hidden}(?:\W*{hidden})+", HIDDEN, said)


def _known_or_hidden(token: re.Match[str]) -> str:
    word = token[0]
    is_known = word.casefold() in _WORDS or not any(map(str.isalnum, word)) or _KEPT.match(word)
    return word if is_known else HIDDEN


def shown_message(violation: Violation) -> str:
    """Return the message with its values where the result still holds them, otherwise the one without."""
    return violation.summary if violation.message is None else violation.message
