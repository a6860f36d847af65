"""Write rules as a ruleset of data points."""

from __future__ import annotations

import re
from collections.abc import Sequence

from constraint_sdc.languages.formula import columns_of
from constraint_sdc.languages.infix import InfixWords, InfixWriter
from constraint_sdc.languages.rule_book import BookRule, UnwritableError, written_rules
from constraint_sdc.languages.vtl.tokens import WORDS

_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.]*")


def _name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name) and name not in WORDS:
        return name
    return "'" + name.replace("'", "\\'") + "'"


def _text(text: str) -> str:
    if '"' in text:
        raise UnwritableError("a text with double quotes")
    return f'"{text}"'


def _whole(regex: str) -> str:
    """Return a pattern for the whole text, as VTL matches, of one that may match anywhere."""
    return f".*({regex}).*"


_WRITER = InfixWriter(
    InfixWords(
        name=_name,
        text=_text,
        signs={"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="},
        all_of="and",
        any_of="or",
        opposite="not {}",
        among="{} in {{{}}}",
        missing="isnull({})",
        length="length({})",
        remainder="mod({}, {})",
        functions={
            "abs": "abs({})",
            "floor": "floor({})",
            "ceiling": "ceil({})",
            "math:sqrt": "sqrt({})",
            "math:pow": "power({}, {})",
            "math:exp": "exp({})",
            "math:log": "ln({})",
            "math:log10": "log({}, 10)",
        },
        form="match_characters({}, {})",
        form_of=_whole,
        truths={True: "true", False: "false"},
    )
)


def write_vtl(rules: Sequence[BookRule], record: str) -> str:
    """Return one ruleset, called as the record, with all variables that the rules read."""
    lines = written_rules(rules, _rule)
    names = dict.fromkeys(name for rule in rules for name in columns_of(rule.condition))
    own = _name(f"{record.rpartition('}')[2]}_rules")
    head = f"define datapoint ruleset {own} (variable {', '.join(map(_name, names))}) is"
    return "\n".join((head, ";\n".join(f"  {line}" for line in lines), "end datapoint ruleset;", ""))


def _rule(rule: BookRule) -> str:
    condition = _WRITER.condition(rule.condition)
    checked = f"nvl({condition}, false)" if rule.na == "fails" else condition
    label = " ".join(rule.label.split()).replace('"', "'")
    words = (f'errorcode "{label}"' if label else "", f'errorlevel "{rule.severity}"' if rule.severity else "")
    return " ".join((f"{_name(rule.id)}:", checked, *filter(None, words)))
