"""Plain arithmetic text as a rule language: names, labels, severity and the policy for missing values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from constraint_sdc.errors import RulesError
from constraint_sdc.languages.arithmetic_text.parse import TextParser, text_names
from constraint_sdc.languages.arithmetic_text.tokens import TextToken, text_tokens
from constraint_sdc.languages.arithmetic_text.write import write_text
from constraint_sdc.languages.rule_book import (
    NA_POLICIES,
    BookRule,
    NaPolicy,
    Place,
    ReadFile,
    UntranslatedPartError,
    UntranslatedRulesError,
    decoded,
    fault_of,
)
from constraint_sdc.languages.schematron_text import rule_id
from constraint_sdc.limits import TRANSLATED_RULES
from constraint_sdc.schematron.schema import Origin

_NAME = re.compile(r"""\s*([\w.\-]+)\s*(?:"([^"\n]*)")?\s*:(?!=)\s*""")
_MARK = re.compile(r"""@([a-z]+)(?:[ \t]+(not[ \t]+applicable|[a-z]+))?[ \t]*""")
_SEVERITIES = ("error", "warning", "information")


@dataclass(frozen=True, slots=True)
class _TextRule:
    """A rule as it stands in the file: without its name and marks."""

    name: str
    label: str
    text: str
    place: Place
    severity: str
    na: NaPolicy


@dataclass(frozen=True, slots=True)
class ArithmeticText:
    """Rules as plain arithmetic text."""

    name: str = "text"
    endings: tuple[str, ...] = (".txt", ".rules")

    def translate(self, path: Path, content: bytes, read: ReadFile) -> tuple[BookRule, ...]:  # noqa: ARG002
        """Return the rules of a file, one for each line."""
        faults: list[RulesError] = []
        cut: list[tuple[_TextRule, list[TextToken]]] = []
        na: NaPolicy = "not applicable"
        for place, line in _lines(decoded(content, path)):
            try:
                rule, na = _read_line(line, place, na)
                if rule is not None:
                    cut.append((rule, text_tokens(rule.text, rule.place)))
            except UntranslatedPartError as error:
                faults.append(fault_of(error, path))
        if len(cut) > TRANSLATED_RULES:
            raise RulesError(f"more than {TRANSLATED_RULES} rules", file=str(path), hint="divide the file")
        texts = frozenset[str]().union(*(text_names(tokens) for _, tokens in cut))
        known = {rule.name for rule, _ in cut if rule.name}
        rules = [_translated(rule, tokens, texts, path, faults) for rule, tokens in cut]
        if faults:
            raise UntranslatedRulesError(tuple(sorted(faults, key=lambda one: (one.line or 0, one.column or 0))))
        return tuple(_with_ids([rule for rule in rules if rule is not None], known))

    def write(self, rules: Sequence[BookRule], record: str) -> str:  # noqa: ARG002  (rules of text name no records)
        """Return the rules one a line."""
        return write_text(rules)


def _lines(text: str) -> Iterator[tuple[Place, str]]:
    """Yield each rule with its place: a line, and the lines below it that begin with white space."""
    start, found = 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        plain = _without_comment(line)
        if found.strip() and plain[:1] in (" ", "\t") and plain.strip():
            found += "\n" + plain
            continue
        if found.strip():
            yield Place(start), found
        start, found = number, plain
    if found.strip():
        yield Place(start), found


def _without_comment(line: str) -> str:
    return line[: _outside_quotes(line, "#")].rstrip()


def _outside_quotes(line: str, wanted: str) -> int:
    """Return where a character stands that is not in quotes; the length of the line if nowhere."""
    quote = ""
    for at, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'`":
            quote = character
        elif character == wanted:
            return at
    return len(line)


def _read_line(line: str, place: Place, na: NaPolicy) -> tuple[_TextRule | None, NaPolicy]:
    """Return the rule of a line and the policy for the lines below; a line of marks alone sets the policy."""
    body, marks = _without_marks(line, place)
    if not body.strip():
        if marks.keys() != {"missing"}:
            raise UntranslatedPartError("marks without a rule", place, "write them behind a rule, or '@missing fails'")
        return None, _policy(marks["missing"], place)
    named = _NAME.match(body)
    start = named.end() if named else len(body) - len(body.lstrip())
    severity = next((word for word in marks if word in _SEVERITIES), "")
    rule = _TextRule(
        name=named.group(1) if named else "",
        label=(named.group(2) or "") if named else "",
        text=body[start:],
        place=Place(place.line, start + 1),
        severity="" if severity == "error" else severity,
        na=_policy(marks["missing"], place) if "missing" in marks else na,
    )
    return rule, na


def _without_marks(line: str, place: Place) -> tuple[str, dict[str, str]]:
    at = _outside_quotes(line, "@")
    marks: dict[str, str] = {}
    rest = line[at:]
    while rest:
        found = _MARK.match(rest)
        word = found.group(1) if found else rest[1:].split(" ")[0]
        if found is None or word not in (*_SEVERITIES, "missing") or (word != "missing" and found.group(2)):
            hint = f"use one of: {', '.join('@' + one for one in (*_SEVERITIES, 'missing'))}"
            raise UntranslatedPartError(f"unknown mark '@{word}'", Place(place.line, len(line) - len(rest) + 1), hint)
        marks[word] = found.group(2) or ""
        rest = rest[found.end() :]
    return line[:at], marks


def _policy(word: str, place: Place) -> NaPolicy:
    plain = " ".join(word.split())
    for known in NA_POLICIES:
        if known == plain:
            return known
    raise UntranslatedPartError(f"unknown policy {plain!r}", place, f"use one of: {', '.join(NA_POLICIES)}")


def _translated(
    rule: _TextRule, tokens: list[TextToken], texts: frozenset[str], path: Path, faults: list[RulesError]
) -> BookRule | None:
    try:
        condition = TextParser(tokens, texts).whole_rule()
    except UntranslatedPartError as error:
        faults.append(fault_of(error, path))
        return None
    origin = Origin(str(path), rule.place.line)
    text = " ".join(rule.text.split())
    return BookRule(rule.name, condition, text, origin, rule.label, "", rule.severity, rule.na)


def _with_ids(rules: list[BookRule], wished: set[str]) -> Iterator[BookRule]:
    """Yield the rules with ids: their names, or "rule-" and their number."""
    known: set[str] = set()
    for number, rule in enumerate(rules, 1):
        if rule.id in known:
            hint = "give each rule a name of its own"
            raise RulesError(
                f"two rules are called {rule.id!r}", file=rule.origin.file, line=rule.origin.line, hint=hint
            )
        taken = known if rule.id else known | wished
        name = rule_id(rule.id or f"rule-{number}", taken)
        known.add(name)
        yield replace(rule, id=name)


REGISTERED = {"text": ArithmeticText()}
