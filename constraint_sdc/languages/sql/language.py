"""SQL as a rule language: a CHECK that is NULL passes, as in every database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.errors import RulesError
from constraint_sdc.languages.formula import (
    AllConditions,
    AnyCondition,
    ColumnTerm,
    HasNoValue,
    Opposite,
    RuleCondition,
    UniqueRecord,
)
from constraint_sdc.languages.rule_book import (
    BookRule,
    ReadFile,
    UntranslatedPartError,
    UntranslatedRulesError,
    decoded,
    fault_of,
)
from constraint_sdc.languages.schematron_text import rule_id
from constraint_sdc.languages.sql.write import write_sql
from constraint_sdc.limits import TRANSLATED_RULES
from constraint_sdc.schematron.schema import Origin


@dataclass(frozen=True, slots=True)
class Sql:
    """Rules as SQL."""

    name: str = "SQL"
    endings: tuple[str, ...] = (".sql",)

    def translate(self, path: Path, content: bytes, read: ReadFile) -> tuple[BookRule, ...]:  # noqa: ARG002
        """Return the constraints of a file."""
        from constraint_sdc.languages.sql.expressions import SqlExpressions, column_kind, text_kinds
        from constraint_sdc.languages.sql.statements import SqlCheck, read_sql

        try:
            file = read_sql(decoded(content, path))
        except UntranslatedPartError as error:
            raise UntranslatedRulesError((fault_of(error, path),)) from None
        if len(file.checks) > TRANSLATED_RULES:
            raise RulesError(f"more than {TRANSLATED_RULES} rules", file=str(path), hint="divide the file")
        compared = {
            name for check in file.checks if check.condition is not None for name in text_kinds(check.condition)
        }
        declared = {name: column_kind(kind) for name, kind in file.types.items()}
        expressions = SqlExpressions({**dict.fromkeys(compared, "text"), **declared})

        def condition(check: SqlCheck) -> RuleCondition:
            if check.condition is not None:
                return expressions.condition(check.condition)
            return _of_columns(check.filled, check.unique)

        known: set[str] = set()
        rules: list[BookRule] = []
        faults: list[RulesError] = []
        for number, check in enumerate(file.checks, 1):
            name = rule_id(check.name or f"check-{number}", known)
            try:
                rules.append(
                    BookRule(name, condition(check), check.text, Origin(str(path), check.place.line), na="passes")
                )
            except UntranslatedPartError as error:
                faults.append(fault_of(error, path))
        if faults:
            raise UntranslatedRulesError(tuple(faults))
        return tuple(rules)

    def write(self, rules: Sequence[BookRule], record: str) -> str:
        """Return the rules as constraints of a table that is called as the record."""
        return write_sql(rules, record)


def _of_columns(filled: tuple[str, ...], unique: tuple[str, ...]) -> RuleCondition:
    """Return that columns are filled and unique; SQL takes no NULL for equal to another."""
    parts: list[RuleCondition] = [Opposite(HasNoValue(ColumnTerm(name))) for name in filled]
    if unique:
        missing = (HasNoValue(ColumnTerm(name)) for name in unique if name not in filled)
        parts.append(AnyCondition((*missing, UniqueRecord(unique))))
    return parts[0] if len(parts) == 1 else AllConditions(tuple(parts))


REGISTERED = {"SQL": Sql()}
