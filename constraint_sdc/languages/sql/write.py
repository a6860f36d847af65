"""Write rules as constraints of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from constraint_sdc.languages.infix import InfixWords, InfixWriter
from constraint_sdc.languages.rule_book import BookRule, UnwritableError, written_rules

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_STATEMENTS = (
    "ALTER CREATE DELETE DROP FROM GROUP HAVING INSERT JOIN LIMIT ORDER SELECT SET TABLE UNION UPDATE VALUES WITH"
)
_CLAUSES = "ALL AS BY CHECK COLUMN CONSTRAINT DEFAULT DISTINCT FOREIGN INTO KEY OF ON PRIMARY TO UNIQUE USING WHERE"
_OPERATORS = "AND BETWEEN CASE CAST ELSE END EXISTS FALSE IN IS LEFT LIKE NOT NULL OR RIGHT THEN TRUE WHEN"
_TYPES = "CURRENT DATE DAY INTERVAL MONTH ROW TIME USER YEAR"
_KEYWORDS = frozenset(" ".join((_STATEMENTS, _CLAUSES, _OPERATORS, _TYPES)).split())


def _name(name: str) -> str:
    is_plain = _PLAIN_NAME.fullmatch(name) and name.upper() not in _KEYWORDS
    return name if is_plain else '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_WRITER = InfixWriter(
    InfixWords(
        name=_name,
        text=_text,
        signs={"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="},
        all_of="AND",
        any_of="OR",
        opposite="NOT {}",
        among="{} IN ({})",
        missing="{} IS NULL",
        length="LENGTH({})",
        remainder="{} % {}",
        functions={
            "abs": "ABS({})",
            "floor": "FLOOR({})",
            "ceiling": "CEIL({})",
            "math:sqrt": "SQRT({})",
            "math:pow": "POWER({}, {})",
            "math:exp": "EXP({})",
            "math:log": "LN({})",
        },
        form="regexp_matches({}, {})",
        truths={True: "TRUE", False: "FALSE"},
    )
)


def write_sql(rules: Sequence[BookRule], record: str) -> str:
    """Return one ALTER TABLE for each rule; a label is a comment, and a severity has no place in SQL."""
    table = _name(record.rpartition("}")[2])
    return "\n".join(written_rules(rules, lambda rule: _statement(rule, table))) + "\n"


def _statement(rule: BookRule, table: str) -> str:
    if rule.severity:
        raise UnwritableError(f"the severity {rule.severity!r}")
    condition = _WRITER.condition(rule.condition)
    checked = f"({condition}) IS TRUE" if rule.na == "fails" else condition
    label = " ".join(rule.label.split())
    comment = f"-- {label}\n" if label else ""
    return f"{comment}ALTER TABLE {table} ADD CONSTRAINT {_name(rule.id)} CHECK ({checked});"
