"""Write rules as a YAML file of validate."""

from __future__ import annotations

import re
from collections.abc import Sequence

from constraint_sdc.languages.infix import InfixWords, InfixWriter
from constraint_sdc.languages.regex_text import xpath_regex
from constraint_sdc.languages.rule_book import BookRule, Place, UntranslatedPartError, UnwritableError, written_rules

_PLAIN_NAME = re.compile(r"(?:[^\W\d_]|\.(?![0-9]))[\w.]*")
_PROGRAMME = {"if", "else", "for", "while", "repeat", "function", "next", "break"}
_KEYWORDS = frozenset({*_PROGRAMME, "TRUE", "FALSE", "T", "F", "NA", "NULL", "Inf", "NaN"})


def _name(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) and name not in _KEYWORDS else f"`{name}`"


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_WORDS = InfixWords(
    name=_name,
    text=_text,
    signs={"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="},
    all_of="&",
    any_of="|",
    opposite="!{}",
    among="{} %in% c({})",
    missing="is.na({})",
    length="nchar({})",
    remainder="{} %% {}",
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
    form="grepl({1}, {0})",
    form_is_false_if_missing=True,
    truths={True: "TRUE", False: "FALSE", None: "NA"},
)
_WRITER = InfixWriter(_WORDS)


def write_yaml(rules: Sequence[BookRule]) -> str:
    """Return the rules as YAML, with names, labels, severities and policies for missing values."""
    return "rules:\n" + "".join(written_rules(rules, _entry))


def _entry(rule: BookRule) -> str:
    expression = _WRITER.condition(rule.condition)
    for pattern in re.findall(r'grepl\("((?:[^"\\]|\\.)*)"', expression):
        try:
            xpath_regex(pattern.replace("\\\\", "\\"), Place(1))
        except UntranslatedPartError as error:
            raise UnwritableError(f"a pattern: {error.what}") from None
    lines = [f"- expr: {_quoted(expression)}", f"  name: {_quoted(rule.id)}"]
    lines += [f"  label: {_quoted(rule.label)}"] if rule.label else []
    lines += [f"  description: {_quoted(rule.description)}"] if rule.description else []
    meta = {"severity": rule.severity, "na": "" if rule.na == "not applicable" else rule.na}
    if any(meta.values()):
        lines += ["  meta:", *(f"    {name}: {value}" for name, value in meta.items() if value)]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return a text in YAML's single quotes, in which only they themselves are doubled."""
    return "'" + " ".join(text.split()).replace("'", "''") + "'"
