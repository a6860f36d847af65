"""The rules of a case in a drawn language, by the way back of `rules convert`; its verdicts must be the same.

A rule without a typed constraint is left out, and so is one whose verdict may differ on purpose: a language computes
exactly where XPath computes in double, and reads no number with an exponent.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from constraint_sdc.commands.convert_rules import convert_rules
from constraint_sdc.exam.guarantee.generator import ExamCase
from constraint_sdc.exam.guarantee.judging import judge
from constraint_sdc.exam.guarantee.schematron import SCHEMATRON, without_rules
from constraint_sdc.judge.judge import Judge
from constraint_sdc.judge.judge_report import JudgeReport
from constraint_sdc.languages.loading import load_any_schema
from constraint_sdc.languages.rule_book import UntranslatedRulesError
from constraint_sdc.languages.subject import RuleSubject

LANGUAGES = (None, None, None, "txt", "txt", "yml", "yml", "sql", "csv", "vtl")
"""Endings of the languages that are written; None is Schematron, in which every rule is."""

_EXACT = re.compile(r"xs:(?:decimal|integer)\(")
_COMPUTED = re.compile(r"\bdiv\b|\bmod\b|math:|[*+]| - |\bsum\(|\bround\(|\babs\(")
_WHOLE = re.compile(r"-?[0-9]{1,7}")
_DECIMAL = re.compile(r"-?[0-9]+(?:[.][0-9]+)?")
_FRACTION = re.compile(r"[0-9][.][0-9]")
_RULE = re.compile(r"rule ([\w.\-]+)")


@dataclass(frozen=True)
class TranslatedRules:
    """Rules in another language: `original` is the case's Schematron without the rules that are left out.

    `language` is its ending, None for Schematron, and `path` the file.
    """

    language: str | None
    path: Path
    original: str
    phase: str | None
    rules: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.language or 'sch'}, {len(self.rules)} rules"


def translated_rules(
    case: ExamCase,
    plain: str,
    folder: Path,
    rows: Sequence[Mapping[str, str | None]],
    recipe: Mapping[str, Any],
    rng: random.Random,
) -> TranslatedRules:
    """Write the rules of a case, which speak of a table, in a drawn language; Schematron if it can say none of them."""
    source = folder / "rules.sch"
    source.write_text(plain, encoding="utf-8")
    language = rng.choice(LANGUAGES)
    # Missing codes of a recipe are values to Schematron, and missing to every other language.
    found = None if language is None or recipe.get("missing") else _in_language(case, plain, source, rows, language)
    return found or TranslatedRules(None, source, case.rules, case.phase, tuple(_ids(case.rules)))


def _in_language(
    case: ExamCase, plain: str, source: Path, rows: Sequence[Mapping[str, str | None]], language: str
) -> TranslatedRules | None:
    target = source.with_suffix(f".{language}")
    left_out = {name for name, test in _tests(plain) if not _is_comparable(test, rows)}
    for _ in range(3):
        kept = without_rules(plain, tuple(left_out))
        if not _ids(kept):
            break
        source.write_text(kept, encoding="utf-8")
        try:
            convert_rules(source, target, record="Record", phase=case.phase, overwrite=True)
        except UntranslatedRulesError as error:
            left_out |= {found[1] for fault in error.faults if (found := _RULE.match(fault.what))}
            continue
        original = without_rules(case.rules, tuple(left_out))
        return TranslatedRules(language, target, original, None, tuple(_ids(original)))
    source.write_text(plain, encoding="utf-8")
    return None


def _tests(rules: str) -> Iterator[tuple[str, str]]:
    """Yield the id of each rule with all that is computed for it: its test, and what its context and lets say."""
    root = etree.fromstring(rules.encode("utf-8"))
    outer = " ".join(str(let.get("value")) for let in root.iterchildren(f"{{{SCHEMATRON}}}let"))
    for rule in root.iter(f"{{{SCHEMATRON}}}rule"):
        lets = " ".join(str(let.get("value")) for let in rule.iterchildren(f"{{{SCHEMATRON}}}let"))
        for item in rule.iterchildren(f"{{{SCHEMATRON}}}assert", f"{{{SCHEMATRON}}}report"):
            yield str(item.get("id")), " ".join((str(item.get("test")), str(rule.get("context")), lets, outer))


def _ids(rules: str) -> list[str]:
    return [name for name, _ in _tests(rules) if name != "dormant"]


def _is_comparable(test: str, rows: Sequence[Mapping[str, str | None]]) -> bool:
    """Tell whether exact arithmetic and that of the rule give one verdict, whatever the records are."""
    names = [name for name in rows[0] if re.search(rf"\b{re.escape(name)}\b", test)]
    columns = [[row[name] or "" for row in rows] for name in names]
    # An odd spelling of a number is another number there, or none.
    numbers = [text for column in columns if any(map(_DECIMAL.fullmatch, column)) for text in column if text]
    if not all(map(_DECIMAL.fullmatch, numbers)):
        return False
    if not _COMPUTED.search(test) or (_EXACT.search(test) and "number(" not in test and " div " not in test):
        return True
    if " div " in test or "math:" in test or _FRACTION.search(test):
        return False
    return all(map(_WHOLE.fullmatch, numbers))


def differing_verdicts(given: TranslatedRules, case: ExamCase, rules: Path, own: Path, plain: Path) -> list[str]:
    """Return where the translation and the original differ, record by record; both files have the same records."""
    before = _broken(judge(own, rules, case.record, case.phase))
    with Judge(load_any_schema(given.path, RuleSubject), record="Record", max_findings=None) as saxon:
        after = _broken(saxon.judge_file(plain))
    found = []
    for name in given.rules:
        if before.get(name) is None:
            continue  # XPath stops on some record
        if after.get(name) != before[name]:
            ours = "an error" if after.get(name) is None else sorted(after[name] or ())[:5]
            found.append(
                f"rule {name} in {given.language}: breaks {ours}, the original {sorted(before[name] or ())[:5]}"
            )
    return found


def _broken(report: JudgeReport) -> dict[str, set[int] | None]:
    """Return the records that break each rule, None for one on which XPath stops."""
    found: dict[str, set[int] | None] = {count.assertion: None if count.errors else set() for count in report.counts}
    for finding in report.findings:
        records = found.get(finding.assertion)
        if records is not None and finding.record is not None:
            records.add(finding.record)
    return found
