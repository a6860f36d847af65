"""Write rules as plain arithmetic text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from constraint_sdc.languages.arithmetic_text.tokens import WORDS
from constraint_sdc.languages.formula import RuleCondition
from constraint_sdc.languages.infix import InfixWords, InfixWriter
from constraint_sdc.languages.rule_book import BookRule, UnwritableError, written_rules

_PLAIN_NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*")


def _name(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) and name.lower() not in WORDS else f"`{name}`"


def _text(text: str) -> str:
    quote = next((one for one in "'\"" if one not in text), None)
    if quote is None or "\n" in text:
        raise UnwritableError("a text with both kinds of quotes, or of several lines")
    return f"{quote}{text}{quote}"


_WORDS = InfixWords(
    name=_name,
    text=_text,
    signs={"=": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="},
    all_of="and",
    any_of="or",
    opposite="not {}",
    among="{} in {{{}}}",
    missing="{} is missing",
    length="length({})",
    remainder="{} mod {}",
    functions={
        "abs": "abs({})",
        "floor": "floor({})",
        "ceiling": "ceiling({})",
        "math:sqrt": "sqrt({})",
        "math:pow": "{}^{}",
        "math:exp": "exp({})",
        "math:log": "log({})",
        "math:log10": "log10({})",
    },
    form="{} matches {}",
)
_WRITER = InfixWriter(_WORDS)


def write_text(rules: Sequence[BookRule]) -> str:
    """Return the rules one a line, with names, labels, severities and policies for missing values."""
    return "\n".join(written_rules(rules, _line)) + "\n"


def condition_text(condition: RuleCondition) -> str:
    """Return a condition as plain text; raises UnwritableError."""
    return _WRITER.condition(condition)


def _line(rule: BookRule) -> str:
    label = " ".join(rule.label.split()).replace('"', "'")
    head = rule.id + (f' "{label}"' if label else "")
    marks = (f"@{rule.severity}" if rule.severity else "", "" if rule.na == "not applicable" else f"@missing {rule.na}")
    return " ".join((f"{head}:", _WRITER.condition(rule.condition), *filter(None, marks)))
