"""A list of rules as a rule language: rows of one language are translated together, as if they were one file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from constraint_sdc.errors import RulesError
from constraint_sdc.languages.rule_book import (
    BookRule,
    NaPolicy,
    ReadFile,
    RuleLanguage,
    UntranslatedRulesError,
    written_rules,
)
from constraint_sdc.languages.rule_list.table import ListedRule, read_list, severity_of
from constraint_sdc.languages.schematron_text import rule_id
from constraint_sdc.schematron.schema import Origin

_DEFAULT = "text"
_HEAD = ("id", "rule", "language", "label", "description", "severity", "na")


@dataclass(frozen=True, slots=True)
class RuleListFile:
    """Rules in a CSV or Excel file."""

    name: str = "list"
    endings: tuple[str, ...] = (".csv", ".tsv", ".xlsx")

    def translate(self, path: Path, content: bytes, read: ReadFile) -> tuple[BookRule, ...]:
        """Return the rules of all rows, in order."""
        rows = read_list(content, path)
        by_language: dict[str, list[ListedRule]] = {}
        for row in rows:
            by_language.setdefault(row.get("language").lower() or _DEFAULT, []).append(row)
        found: list[tuple[ListedRule, BookRule]] = []
        faults: list[RulesError] = []
        for word, own in by_language.items():
            language = _language(word, own[0], path)
            try:
                found += _of_language(language, own, path, read)
            except RulesError as error:
                every = error.faults if isinstance(error, UntranslatedRulesError) else (error,)
                faults += [_in_row(fault, own, path) for fault in every]
        if faults:
            raise UntranslatedRulesError(tuple(sorted(faults, key=lambda one: one.line or 0)))
        return _described(sorted(found, key=lambda pair: pair[0].line), path)

    def write(self, rules: Sequence[BookRule], record: str) -> str:
        """Return a CSV file whose rules are plain text."""
        from constraint_sdc.languages.arithmetic_text.write import condition_text

        del record  # a list names no records
        texts = written_rules(rules, lambda rule: _cell(condition_text(rule.condition)))
        stream = io.StringIO()
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(_HEAD)
        for rule, text in zip(rules, texts, strict=True):
            table.writerow((rule.id, text, _DEFAULT, rule.label, rule.description, rule.severity or "error", rule.na))
        return stream.getvalue()


def _cell(text: str) -> str:
    """Return a rule as a cell; a leading minus would make a formula of it in a spreadsheet."""
    return f"0 {text}" if text.startswith("-") else text


def _of_language(
    language: RuleLanguage, rows: list[ListedRule], path: Path, read: ReadFile
) -> list[tuple[ListedRule, BookRule]]:
    end = ";" if ".sql" in language.endings else ""
    text = "\n".join(row.get("rule").rstrip("; ") + end for row in rows)
    return [(rows[rule.origin.line - 1], rule) for rule in language.translate(path, text.encode("utf-8"), read)]


def _in_row(fault: RulesError, rows: list[ListedRule], path: Path) -> RulesError:
    """Return a fault with the line of its row; its column counts in the cell of the rule."""
    place = min(max((fault.line or 1) - 1, 0), len(rows) - 1)
    return RulesError(fault.what, file=str(path), line=rows[place].line, column=fault.column, hint=fault.hint)


def _language(word: str, row: ListedRule, path: Path) -> RuleLanguage:
    known = _languages()
    if word not in known:
        hint = f"use one of: {', '.join(known)}"
        raise RulesError(f"unknown language {word!r}", file=str(path), line=row.line, hint=hint)
    return known[word]


def _languages() -> Mapping[str, RuleLanguage]:
    from constraint_sdc.languages.registry import LANGUAGES

    return {
        "text": LANGUAGES["text"],
        "r": LANGUAGES["R validate"],
        "validate": LANGUAGES["R validate"],
        "r validate": LANGUAGES["R validate"],
        "sql": LANGUAGES["SQL"],
    }


def _described(found: list[tuple[ListedRule, BookRule]], path: Path) -> tuple[BookRule, ...]:
    known: set[str] = set()
    rules: list[BookRule] = []
    for row, rule in found:
        na = cast(NaPolicy, row.get("na").lower()) if row.get("na") else rule.na
        rules.append(
            replace(
                rule,
                id=rule_id(row.get("id") or f"row-{row.line}", known),
                origin=Origin(str(path), row.line),
                label=row.get("label") or rule.label,
                description=row.get("description") or rule.description,
                severity=severity_of(row) or rule.severity,
                na=na,
            )
        )
    return tuple(rules)


REGISTERED = {"list": RuleListFile()}
