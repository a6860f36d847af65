"""VTL as a rule language: rulesets of data points and checks, null where a value is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.errors import RulesError
from constraint_sdc.languages.formula import constant_truth, parts_of
from constraint_sdc.languages.rule_book import (
    BookRule,
    ReadFile,
    UntranslatedPartError,
    UntranslatedRulesError,
    decoded,
    fault_of,
)
from constraint_sdc.languages.schematron_text import rule_id
from constraint_sdc.languages.vtl.statements import VtlRule, VtlStatements
from constraint_sdc.languages.vtl.write import write_vtl
from constraint_sdc.limits import RULE_PARTS, TRANSLATED_RULES
from constraint_sdc.schematron.schema import Origin

_LEVELS = {"warning": "warning", "info": "information", "information": "information"}


@dataclass(frozen=True, slots=True)
class Vtl:
    """Rules as VTL."""

    name: str = "VTL"
    endings: tuple[str, ...] = (".vtl",)

    def translate(self, path: Path, content: bytes, read: ReadFile) -> tuple[BookRule, ...]:  # noqa: ARG002
        """Return the rules of a file."""
        try:
            statements = VtlStatements(decoded(content, path))
        except UntranslatedPartError as error:
            raise UntranslatedRulesError((fault_of(error, path),)) from None
        written = statements.rules()
        faults = [*statements.faults, *(fault for rule in written if (fault := _fault(rule)) is not None)]
        if faults:
            ordered = sorted(faults, key=lambda one: (one.place.line, one.place.column))
            raise UntranslatedRulesError(tuple(fault_of(fault, path) for fault in ordered))
        if len(written) > TRANSLATED_RULES:
            raise RulesError(f"more than {TRANSLATED_RULES} rules", file=str(path), hint="divide the file")
        known: set[str] = set()
        return tuple(_book_rule(rule, path, known) for rule in written)

    def write(self, rules: Sequence[BookRule], record: str) -> str:
        """Return the rules as a ruleset of data points."""
        return write_vtl(rules, record)


def _fault(rule: VtlRule) -> UntranslatedPartError | None:
    if sum(1 for _ in parts_of(rule.condition)) > RULE_PARTS:
        return UntranslatedPartError(f"a rule has more than {RULE_PARTS} parts", rule.place, "divide the rule")
    if constant_truth(rule.condition) is not None:
        return UntranslatedPartError("a rule that reads no variable", rule.place, "compare a variable")
    return None


def _book_rule(rule: VtlRule, path: Path, known: set[str]) -> BookRule:
    """Return a rule; a level that is no word for a severity is an error, and stands in the description."""
    severity = _LEVELS.get(rule.level.lower(), "")
    is_word = severity or rule.level.lower() in ("", "error")
    return BookRule(
        id=rule_id(rule.name, known),
        condition=rule.condition,
        text=rule.text,
        origin=Origin(str(path), rule.place.line),
        label=rule.code,
        description="" if is_word else f"errorlevel {rule.level}",
        severity=severity,
    )


REGISTERED = {"VTL": Vtl()}
